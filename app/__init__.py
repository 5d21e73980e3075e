"""ARC Console: one program with two roles, a console (Qt) and the service that it embeds (ASGI)."""
