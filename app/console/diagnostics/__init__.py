"""The console measures itself: gaps of the GUI thread, cost of frames, crashes."""
