"""What crosses the wire of the audit query."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from app.api.wire import NodeId, PageLimit, RegistryId, Reply, Request, Timestamp

Outcome = Literal["ACCEPTED", "DENIED", "FAILED"]

_TIME = (
    "[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    "([Tt]([01][0-9]|2[0-3]):[0-5][0-9](:([0-5][0-9]|60)([.,][0-9]{1,9})?)?"
    "([Zz]|[+-]([01][0-9]|2[0-3]):?[0-5][0-9]))?"
)
_DATE_PART = "([0-9]{1,4}Y([0-9]{1,4}M)?([0-9]{1,6}D)?|[0-9]{1,4}M([0-9]{1,6}D)?|[0-9]{1,6}D)"
_TIME_PART = "T([0-9]{1,6}H([0-9]{1,6}M)?([0-9]{1,8}S)?|[0-9]{1,6}M([0-9]{1,8}S)?|[0-9]{1,8}S)"
_DURATION = f"P([0-9]{{1,4}}W|{_DATE_PART}({_TIME_PART})?|{_TIME_PART})"
Interval = Annotated[
    str,
    msgspec.Meta(
        max_length=100,
        # For the document alone: the parser refuses the same texts with a sentence that a person understands.
        extra_json_schema={"pattern": rf"^({_TIME}/({_TIME}|{_DURATION})|{_DURATION}/{_TIME})\Z"},
    ),
]
"""ISO 8601: start/end, start/duration or duration/end. The parser checks that it is in order and not too long."""


class AuditRange(Request, kw_only=True):
    """Half-open; at most 366 days."""

    from_: Timestamp = msgspec.field(name="from")
    to: Timestamp


class AuditCriteria(Request, kw_only=True):
    """Every criterion that is given must hold. ``text``: words in action, actor, node and detail."""

    actor: Annotated[str, msgspec.Meta(max_length=128)] | None = None
    action: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    node_id: NodeId | None = None
    unit_id: RegistryId | None = None
    outcome: Outcome | None = None
    text: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None
    order: Literal["asc", "desc"] = "desc"
    limit: PageLimit = 100
    cursor: Annotated[str, msgspec.Meta(max_length=1024)] | None = None


class AuditQuery(Request, kw_only=True):
    """POST ``/v1/audit-log-query``: ``range`` an object or ISO 8601 interval, ``criteria`` an object or a text."""

    range: Annotated[
        AuditRange | Interval,
        msgspec.Meta(examples=["2026-01-01/P366D", {"from": "2026-01-01T00:00:00Z", "to": "2026-12-31T00:00:00Z"}]),
    ]
    criteria: AuditCriteria | Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | None = None


class AuditProofs(Request, kw_only=True):
    """Query parameters of POST ``/v1/audit-log-query``. ``proofs``: each entry comes with what proves it."""

    proofs: bool = False


class AuditOpening(Reply, kw_only=True):
    """Opens a leaf: the ``body`` of its header is hexadecimal SHA-256(salt || payload). Both are base64, and null after
    an erasure of the payload, which leaves the tree as it was."""

    salt: str | None
    payload: str | None


class AuditProof(Reply, kw_only=True):
    """Proves an entry. ``header``: the leaf's exact bytes; its hash is SHA-256(0x00 || header). ``path``: the inclusion
    path (RFC 9162) in the tree of the page's ``checkpoint``. ``cosigned_path``: the path in the tree of ``cosigned``,
    null where no quorum covers the entry yet. Both run from leaf to root, as positions in the page's ``hashes``."""

    header: str
    opening: AuditOpening
    path: list[int]
    cosigned_path: list[int] | None


class AuditEntry(Reply, kw_only=True):
    """One leaf of the audit log; ``leaf_hash`` is hexadecimal. ``actor_name``: the present name of an operator, which
    the leaf does not hold. ``received_at``: when it came by the machine's clock,
    where the log's time was ahead of that. ``erased``: ids and detail were erased on a legal basis."""

    seq: int
    timestamp: Timestamp
    received_at: Timestamp | msgspec.UnsetType = msgspec.UNSET
    actor: str
    actor_name: str | None = None
    action: str
    node_id: str | None
    unit_id: str | None = None
    request_id: str | None = None
    outcome: Outcome
    detail: dict[str, Any]
    leaf_hash: str
    erased: bool = False
    proof: AuditProof | msgspec.UnsetType = msgspec.UNSET


class AuditPage(Reply, kw_only=True):
    """A page at one tree size. ``log_ahead_s``: seconds by which the log's time is ahead of the machine's clock now,
    because that was set back; entries keep the later time until it has caught up, and are found by both.
    ``checkpoint`` is the signed note of that size; until the witnesses have confirmed that this store is the newest, it
    is the note's text without signatures. With proofs: ``hashes`` in base64, each listed once, and ``cosigned``, the
    newest checkpoint with its witnesses' signatures, null while there is none."""

    entries: list[AuditEntry]
    next: str | None
    checkpoint: str
    log_ahead_s: float
    hashes: list[str] | msgspec.UnsetType = msgspec.UNSET
    cosigned: str | msgspec.UnsetType | None = msgspec.UNSET


LogIndex = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
"""Number of an entry, which every JSON reader takes whole."""


class EvidenceEntries(Request, kw_only=True):
    """POST ``/v1/audit-log-query/evidence``: numbers (``seq``) of the entries that the bundle is to prove."""

    entries: Annotated[list[LogIndex], msgspec.Meta(min_length=1, max_length=500)]
