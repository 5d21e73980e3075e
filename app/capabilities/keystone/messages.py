"""What crosses the wire of rotating codes; and how a terminal makes a code of what ``qr-rotate`` gives."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from app.api.wire import NodeId, RegistryId, Reply, Request, Timestamp
from hardware.terminals.keystone import STEP_MS, CodeSession, boot_ns, step_at, to_next_ns

__all__ = [
    "LIFETIME_S",
    "STEP_MS",
    "CodeSession",
    "QrRotateBody",
    "QrSession",
    "QrVerdict",
    "QrVerifyBody",
    "boot_ns",
    "step_at",
    "to_next_ns",
]

LIFETIME_S = 600
"""Seconds that a session lasts from its issue unless it is renewed before."""

Intent = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f]{1,64}\Z")]
"""What the code is shown for, in the partner's own words; recorded as given."""
Payload = Annotated[str, msgspec.Meta(pattern=r"^KQ1:[0-9A-Z $%*+./:-]{53}\Z")]
"""The text of a scanned code. Spaces belong to it."""


class QrRotateBody(Request, kw_only=True):
    """POST ``/v1/hardware/keystone/qr-rotate``. Without ``terminal_id`` the code is the API key's own. A
    ``session_token`` that lives is renewed, for the same terminal, node and intent unless they are given; any other
    opens a new session. ``rotation_interval_ms`` and ``seed_nonce`` are the service's to say: what is sent of them is
    ignored."""

    terminal_id: RegistryId | None = None
    node_id: NodeId | None = None
    intent: Intent | None = None
    session_token: Annotated[str, msgspec.Meta(max_length=1024)] | None = None
    rotation_interval_ms: Any = None
    seed_nonce: Any = None


class QrSession(Reply, kw_only=True):
    """The payload of the specification and what else a terminal needs. ``session_token`` (32 bytes, base64url) is a
    secret; ``seed_nonce`` is 0x and 16 bytes in hexadecimal; ``terminal_id`` is the one that the codes name.
    ``epoch_ms``: Unix milliseconds of the issue, to be shown and never counted by; steps count from the receipt."""

    session_token: str
    rotation_interval_ms: int
    seed_nonce: str
    terminal_id: str
    sid: str
    epoch_ms: int
    expires_at: Timestamp


class QrVerifyBody(Request, kw_only=True):
    """POST ``/v1/hardware/keystone/qr-verify``: a code as it was read at ``terminal_id``."""

    payload: Payload
    terminal_id: RegistryId


class QrVerdict(Reply, kw_only=True):
    """Whether the code is that of a living session at its terminal and its time, and was not accepted before.
    ``step_age``: steps that it is old, -1..2. Both others are null when it is not accepted, whatever the cause."""

    accepted: bool
    step_age: int | None
    sid: str | None
