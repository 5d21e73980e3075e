"""A burn as the reserve file keeps it (``waiting.py``), as MessagePack."""

from __future__ import annotations

from typing import Literal

import msgspec

from app.capabilities.burn.messages import Scope


class BurnRecord(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A burn in the reserve. ``received_us``: Unix microseconds of the call; ``local_deny_us``: from it to the denial;
    ``epoch``: the one that the denial expected."""

    v: Literal[1] = 1
    burn_id: str
    node_id: str
    scope: Scope
    reason: str
    actor: str
    request_id: str | None
    received_us: int
    local_deny_us: float
    epoch: int
    known: bool | None
    """Whether the node was registered; None if the store could not be asked."""
    drill: bool
