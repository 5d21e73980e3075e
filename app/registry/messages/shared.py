"""What the messages of every kind share: tags, the reply to a DELETE, and parts of patterns."""

from __future__ import annotations

from typing import Annotated

import msgspec

from app.api.wire import Reply, Timestamp

UNIQUE = {"uniqueItems": True}
"""For the OpenAPI document: the same item twice is refused. The service checks it, msgspec does not."""

Tag = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}\Z")]
Tags = Annotated[list[Tag], msgspec.Meta(max_length=16)]
DRILL_TAG = "drill"
"""Marks a drill identity, and the systems that a drill may reach."""
PORT = (
    "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}"
    "|0?[1-9][0-9]{3}|0{0,2}[1-9][0-9]{2}|0{0,3}[1-9][0-9]|0{0,4}[1-9])"
)
"""1 to 65535 in at most five digits."""


class Deleted(Reply, kw_only=True):
    """The row is deleted; what its leaf in the audit log says stays."""

    id: str
    deleted_at: Timestamp
