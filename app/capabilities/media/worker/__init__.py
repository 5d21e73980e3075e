"""Where media files are decoded: a process that can reach nothing, and the service's side of it."""
