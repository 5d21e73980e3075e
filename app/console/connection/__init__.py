"""The way to one service: the child process, the client with its measurements, the console's identity as a unit."""
