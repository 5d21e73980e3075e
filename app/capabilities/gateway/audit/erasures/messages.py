"""What crosses the wire of erasures."""

from __future__ import annotations

from typing import Annotated

import msgspec

from app.api.wire import LongText, NodeId, RegistryId, Reply, Request

Seqs = Annotated[list[Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]], msgspec.Meta(max_length=10_000)]


class ErasureBody(Request, kw_only=True):
    """POST ``/v1/citadel/erasures``. ``node_id``: every audit entry of the node and every leaf of its knots that exist
    now. ``seqs`` of the audit log and ``seal_seqs`` of the seal log: exactly these entries. ``preview``: only count.
    Without it ``approval_id`` names an approval of the kind ``erase`` for exactly this; it is used up when all is
    erased."""

    node_id: NodeId | None = None
    seqs: Seqs = msgspec.field(default_factory=list)
    seal_seqs: Seqs = msgspec.field(default_factory=list)
    legal_basis: LongText
    preview: bool = False
    approval_id: RegistryId | None = None


class ErasureReply(Reply, kw_only=True):
    """How many payloads of each log were erased (with ``preview``: would be), and how many ``records`` beside the logs;
    earlier erasures are not counted. ``leaf_seqs``: the audit entries that say so. ``kept``: what stays, and why."""

    preview: bool
    entries: int
    seals: int
    records: int
    kept: list[str]
    leaf_seqs: list[int]
    notice: str
