"""``/v1/registry/terminals``: palm scanners, and screens that show the rotating code."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import RegistryId, Reply, Request, ShortText, Timestamp
from app.registry.messages.jwk import EncryptionJwk, Jwk
from app.registry.messages.shared import Tags


class TerminalBody(Request, kw_only=True):
    """PUT ``/v1/registry/terminals/{id}``: a palm scanner, or a screen that shows the rotating code.

    ``public_key`` checks what the terminal signs, ``encryption_key`` seals what only it may read. ``registry_id``: the
    template registry that it searches; ``cluster``: it searches only nodes that are granted there, else everybody.
    ``liveness_min`` 0..100. ``offline``: it may decide alone for a time. ``slow_link``: its codes may be one step
    older. ``legacy``: it cannot sign frames and sends bare templates.
    """

    kind: Literal["palm", "keystone"]
    display_name: ShortText | None = None
    public_key: Jwk | None = None
    encryption_key: EncryptionJwk | None = None
    registry_id: RegistryId = "default"
    cluster: RegistryId | None = None
    liveness_min: Annotated[int, msgspec.Meta(ge=0, le=100)] = 0
    offline: bool = False
    slow_link: bool = False
    legacy: bool = False
    tags: Tags = []


class TerminalBundle(Reply, kw_only=True):
    """The bundles of a terminal. ``issue``, ``fetched_at``: the bundle that was fetched last (``fetched_at`` null: the
    entries that would tell are lost); ``taken_issue``, ``taken_at``: the one that it acknowledged last. Until
    ``decides_until`` it may let people in by itself, by any bundle that it may have (null: it may not)."""

    issue: int
    fetched_at: Timestamp | None
    taken_issue: int | None
    taken_at: Timestamp | None
    decides_until: Timestamp | None


class Terminal(Reply, kw_only=True):
    """A registered terminal; ``thumbprint`` is the RFC 7638 thumbprint of its ``public_key``, ``bundle`` null if it was
    never given one."""

    terminal_id: RegistryId
    kind: Literal["palm", "keystone"]
    display_name: str | None
    public_key: Jwk | None
    thumbprint: str | None
    encryption_key: EncryptionJwk | None
    registry_id: str
    cluster: str | None
    liveness_min: int
    offline: bool
    slow_link: bool
    legacy: bool
    tags: list[str]
    created_at: Timestamp
    changed_at: Timestamp
    bundle: TerminalBundle | None


class TerminalPage(Reply, kw_only=True):
    """A page of terminals."""

    items: list[Terminal]
    next: str | None
