"""Operators: persons at the desk, how they sign in, and their sessions. Ours: ``README.md`` has the rules."""
