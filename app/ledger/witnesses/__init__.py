"""Who vouches for the logs: witnesses, the rounds that ask them, what they signed."""
