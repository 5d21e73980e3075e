"""Burn (specification 4.6): ends all access of a node everywhere at the same time."""
