"""What the console does with its own process: one window a user, garbage collection on the GUI thread."""
