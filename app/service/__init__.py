"""The service process: its parts made and joined, its port, its ready line, its end."""
