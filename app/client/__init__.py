"""The typed async client of the API: the console's only way in, and the one that partners import.

::

    from app.api.keys_messages import CreateKey

    async with Client("https://arc.example", key) as client:
        made = await client.keys_create(CreateKey(label="door 7", clearance="sovereign"))
"""

from app.client.client import Client
from app.client.errors import ApiError, ClientError, Unreachable
from app.client.events import EventParser, ServerEvent

__all__ = ["ApiError", "Client", "ClientError", "EventParser", "ServerEvent", "Unreachable"]
