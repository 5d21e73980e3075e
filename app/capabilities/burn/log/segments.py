"""Segments of the revocation log: what was ended for whom and why, and how each target proved it.

The format stands byte by byte in ``burn/README.md``.
A segment is JSON lines: a head, then a line for each target. Segments are numbered through the whole site, and each
names the SHA-256 of the one before it. A burn's first segment lists all its targets; what finishes later stands in
follow-up segments, which also name the burn's segment before them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Final

import msgspec

from app.api.wire import Timestamp
from app.capabilities.burn.messages import BurnState, Scope, TargetState

LABEL: Final = "org.arc.revocation"
"""The assertion of a segment's manifest."""
NOTHING: Final = "0" * 64
"""What the first segment of a site names as the one before it."""
SEALED: Final = "burn.sealed"
"""Action of a segment's leaf in the audit log."""
Digest = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")]


class SegmentError(ValueError):
    """Bytes that are no segment; a sentence for people."""


class Earlier(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A burn's segment before a follow-up."""

    segment: int
    sha256: Digest


class SegmentHead(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """First line. ``targets``: lines that follow. Of all targets of the burn when it was made: ``open``, those that
    were not final; ``delivered`` and ``unlinked``, final without a proof. Segments of version 1 have neither."""

    v: Annotated[int, msgspec.Meta(ge=1, le=2)] = 2
    log: str
    segment: Annotated[int, msgspec.Meta(ge=0)]
    prev_sha256: Digest
    follows: Earlier | None
    burn_id: str
    node_id: str
    scope: Scope
    reason: str
    epoch: int
    burned_at: Timestamp
    made_at: Timestamp
    state: BurnState
    targets: int
    open: int
    delivered: Annotated[int, msgspec.Meta(ge=0)] | msgspec.UnsetType = msgspec.UNSET
    unlinked: Annotated[int, msgspec.Meta(ge=0)] | msgspec.UnsetType = msgspec.UNSET
    drill: bool
    training: bool


class SegmentTarget(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """A target's line; ``evidence`` is what was read back, ``latency_us`` from the call to that proof."""

    target: str
    kind: str
    display_name: str | None
    state: TargetState
    attempts: int
    latency_us: int | None
    evidence: str | None


@dataclass(frozen=True)
class Segment:
    """A segment as it was read."""

    head: SegmentHead
    targets: Sequence[SegmentTarget]


_encoder = msgspec.json.Encoder()
_head = msgspec.json.Decoder(SegmentHead)
_target = msgspec.json.Decoder(SegmentTarget)


def write_segment(head: SegmentHead, targets: Sequence[SegmentTarget]) -> bytes:
    """Its bytes: the same for the same facts."""
    return _encoder.encode_lines([head, *targets])


def read_segment(data: bytes) -> Segment:
    """A segment, which has exactly one text; ``SegmentError`` for any other bytes."""
    first, *lines = data.split(b"\n")
    if not lines or lines.pop():
        raise SegmentError("It does not end as a segment does: it was cut off.")
    try:
        found = Segment(_head.decode(first), [_target.decode(line) for line in lines])
    except (msgspec.MsgspecError, ValueError):
        raise SegmentError("It is no segment of a revocation log.") from None
    if any(
        (count is msgspec.UNSET) is not (found.head.v == 1) for count in (found.head.delivered, found.head.unlinked)
    ):
        raise SegmentError("It is no segment of its version.")
    if found.head.targets != len(lines):
        raise SegmentError("It has another number of targets than it says.")
    if write_segment(found.head, found.targets) != data:
        raise SegmentError("It is not in canonical form.")
    return found


def assertion_of(number: int, burn_id: str, data: bytes) -> dict[str, object]:
    """What the manifest of a segment states: which it is, and how much of the burn is no proof (from version 2 on)."""
    said: dict[str, object] = {"segment": number, "burn_id": burn_id, "sha256": sha256(data).hexdigest()}
    try:
        head = _head.decode(data.partition(b"\n")[0])
    except (msgspec.MsgspecError, ValueError):
        return said  # no segment, which its own check tells
    unproven = {"delivered": head.delivered, "unlinked": head.unlinked}
    return said | {name: count for name, count in unproven.items() if count is not msgspec.UNSET}
