"""Containments: a node denied at this site for a time, and taken back without a trace at the doors."""
