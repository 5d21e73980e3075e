"""ARC Console: one program with two roles, a console (Qt) and the service that it embeds (ASGI)."""

VERSION = "1.4.0"
"""Of the program, as a data directory names the version that wrote it (``site/site_version.py``)."""
