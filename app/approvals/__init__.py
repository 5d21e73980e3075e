"""Four eyes: what one key asks for and another approves."""
