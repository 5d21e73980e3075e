"""Containments: a node is denied at this site for a time, reversibly."""
