"""Training images for the media scan: photographs taken by simulated cameras, changed, and sent through lives of files.

Everything is drawn from generators seeded by a number and a name: the same seed makes the same bytes.
"""
