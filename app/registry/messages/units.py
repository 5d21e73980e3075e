"""``/v1/registry/units``: machines that sign with a key of their own."""

from __future__ import annotations

from typing import Annotated, Final

import msgspec

from app.api.wire import RegistryId, Reply, Request, ShortText, Timestamp
from app.registry.messages.jwk import Jwk
from app.registry.messages.shared import Tags

CONSOLE_LAUNCH: Final = "console-launch"
"""The tag of a unit that a console made for one launch: it takes it back when it closes, and where it was killed the
service does."""

ActionName = Annotated[str, msgspec.Meta(pattern=r"^[a-z0-9][a-z0-9._:-]{0,63}\Z")]


class UnitBody(Request, kw_only=True):
    """PUT ``/v1/registry/units/{id}``: a machine that signs with its own key."""

    public_key: Jwk
    actions: Annotated[list[ActionName], msgspec.Meta(max_length=64)]
    display_name: ShortText | None = None
    tags: Tags = []


class Unit(Reply, kw_only=True):
    """A registered unit; ``thumbprint`` is the RFC 7638 thumbprint of its key."""

    unit_id: RegistryId
    public_key: Jwk
    thumbprint: str
    actions: list[str]
    display_name: str | None
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp


class UnitPage(Reply, kw_only=True):
    """A page of units."""

    items: list[Unit]
    next: str | None
