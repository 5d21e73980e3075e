"""One card's write: its order, journal, steps and end; re-issue and PIN reset."""
