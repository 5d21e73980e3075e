"""Voice check (specification 4.1): who speaks, and whether it is a living voice."""
