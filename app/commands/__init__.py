"""The command line's work, one file a command. ``app.__main__`` parses, then calls one of them."""
