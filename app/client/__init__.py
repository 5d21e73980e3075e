"""The typed async client of the API: the console's only way in, and the one that partners import."""

from app.client.client import ApiError, Client, ClientError, EventParser, ServerEvent, Unreachable

__all__ = ["ApiError", "Client", "ClientError", "EventParser", "ServerEvent", "Unreachable"]
