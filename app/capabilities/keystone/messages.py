"""What crosses the wire of rotating codes, and how a terminal makes a code from the reply of ``qr-rotate``."""

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
    """POST ``/v1/hardware/keystone/qr-rotate``.

    Without ``terminal_id`` the code is the API key's own. The session of a ``session_token`` that is still valid is
    renewed, for the same terminal, node and intent unless they are given; any other token opens a new session. The
    service sets ``rotation_interval_ms`` and ``seed_nonce``: values that are sent are ignored.
    """

    terminal_id: RegistryId | None = None
    node_id: NodeId | None = None
    intent: Intent | None = None
    session_token: Annotated[str, msgspec.Meta(max_length=1024)] | None = None
    rotation_interval_ms: Any = None
    seed_nonce: Any = None


class QrSession(Reply, kw_only=True):
    """The payload of the specification, and what else a terminal needs.

    ``session_token`` (32 bytes, base64url) is a secret. ``seed_nonce`` is 0x and 16 bytes in hexadecimal.
    ``terminal_id`` is the one that the codes name. ``epoch_ms``: Unix milliseconds of the issue, for display only;
    steps are counted from the receipt of this reply.
    """

    session_token: str
    rotation_interval_ms: int
    seed_nonce: str
    terminal_id: str
    sid: str
    epoch_ms: int
    expires_at: Timestamp


class QrVerifyBody(Request, kw_only=True):
    """POST ``/v1/hardware/keystone/qr-verify``: a code as it was scanned at ``terminal_id``."""

    payload: Payload
    terminal_id: RegistryId


class QrVerdict(Reply, kw_only=True):
    """Whether the code belongs to a valid session, at its terminal and in its time, and was not accepted before.

    ``step_age``: the code's age in steps, -1..2. ``step_age`` and ``sid`` are null for a code that is not accepted, for
    every cause alike.
    """

    accepted: bool
    step_age: int | None
    sid: str | None
