"""What crosses the wire of the gateway: telemetry events, audit query, alarms."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec

from app.api.wire import NodeId, PageLimit, RegistryId, Reply, Request, Timestamp
from app.delivery.messages import Alarm

# Bodies of the events: status StatusEvent and handshake HandshakeEvent (infrastructure), alarm AlarmEvent (delivery),
# gap GapEvent; card, access, burn and containment in the messages of the capability that the event is of.
EventKind = Literal["status", "handshake", "card", "access", "burn", "containment", "scan", "hr", "alarm", "gap"]
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
        # For the document alone: reading the text refuses the same with a sentence that a person understands.
        extra_json_schema={"pattern": rf"^({_TIME}/({_TIME}|{_DURATION})|{_DURATION}/{_TIME})\Z"},
    ),
]
"""ISO 8601: start/end, start/duration or duration/end. Whether it is in order and short enough, reading it tells."""


class TelemetryQuery(Request, kw_only=True):
    """GET ``/v1/telemetry-stream``; ``enclave_sig`` here or in the header ``Arc-Enclave-Sig``, not both different."""

    unit_id: RegistryId
    enclave_sig: Annotated[str, msgspec.Meta(max_length=4096)] | None = None


class GapEvent(Reply, kw_only=True):
    """Body of the telemetry event ``gap``: how many events before the next one were lost; null: not known, because the
    service was restarted since. What was lost is in the audit log and the lists; read those again."""

    lost: int | None


class AuditRange(Request, kw_only=True):
    """Half-open; at most 366 days."""

    from_: Timestamp = msgspec.field(name="from")
    to: Timestamp


class AuditCriteria(Request, kw_only=True):
    """All that are given must hold. ``text``: words in action, actor, node and detail."""

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
    """What opens a leaf: its header's ``body`` is hexadecimal SHA-256(salt || payload). Both in base64; null after the
    erasure of the payload, which the tree outlives."""

    salt: str | None
    payload: str | None


class AuditProof(Reply, kw_only=True):
    """What proves an entry. ``header`` is the leaf, to the byte; its hash is SHA-256(0x00 || header). ``path``: its
    inclusion path (RFC 9162) in the tree of the page's ``checkpoint``, ``cosigned_path`` in that of ``cosigned``, null
    where no quorum covers the entry yet; both from leaf to root, as positions in the page's ``hashes``."""

    header: str
    opening: AuditOpening
    path: list[int]
    cosigned_path: list[int] | None


class AuditEntry(Reply, kw_only=True):
    """One leaf of the audit log; ``leaf_hash`` hexadecimal. ``erased``: ids and detail were taken out, by law."""

    seq: int
    timestamp: Timestamp
    actor: str
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
    """A page of one tree size; ``checkpoint`` is the signed note of that size, and its text without a signature until
    the witnesses have confirmed that this store is the newest. With proofs: ``hashes``, in base64, each
    once, and ``cosigned``, the newest checkpoint with its witnesses, null while there is none."""

    entries: list[AuditEntry]
    next: str | None
    checkpoint: str
    hashes: list[str] | msgspec.UnsetType = msgspec.UNSET
    cosigned: str | msgspec.UnsetType | None = msgspec.UNSET


class AlarmList(Reply, kw_only=True):
    """The open alarms, oldest first."""

    items: list[Alarm]
