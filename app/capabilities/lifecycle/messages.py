"""What crosses the wire of the HR listener, its events and rosters."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import LongText, NodeId, PageQuery, RegistryId, Reply, Request, Timestamp

Action = Literal["burn", "ignored", "operator_review"]
Measure = Literal["burn", "contain", "queue"]
ReviewReason = Literal[
    "unknown_employee",
    "older_than_rehire",
    "replay_after_rehire",
    "unreadable_time",
    "id_reused",
    "contained",
    "queued",
]
"""Why a discharge waits for an operator. ``id_reused``: it came signed under the id of an earlier call that said
something else, and the sender got that call's answer. ``contained``, ``queued``: the brake held it."""

EmployeeId = Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
EventId = Annotated[str, msgspec.Meta(pattern=r"^hr_[0-9a-f]{20}\Z")]


class HrCall(Request, kw_only=True, forbid_unknown_fields=False):
    """POST ``/webhooks/hr-sync``. Fields beyond these are the sender's own and skipped.

    Only ``EMPLOYEE_DISCHARGE`` acts. ``EMPLOYEE_HIRE`` and ``EMPLOYEE_REHIRE`` are remembered as the beginning of a
    period, all others ignored. ``timestamp``: when it happened (RFC 3339), if earlier than it was sent.
    """

    event: Annotated[str, msgspec.Meta(min_length=1, max_length=100)]
    employee_id: EmployeeId
    timestamp: Annotated[str, msgspec.Meta(max_length=64)] | None = None


class HrReply(Reply, kw_only=True):
    """What was done. The same call again gets the same words for ever."""

    received: bool
    action: Action
    event_id: str
    burn_id: str | None = None
    burn_ids: list[str] = []
    reason: ReviewReason | None = None


class Challenge(Reply, kw_only=True):
    """Okta's one-time verification of an event hook: its own challenge, given back."""

    verification: str


class HrMeasure(Reply, kw_only=True):
    """What a discharge did to one node; ``ref``: the burn_id or containment_id."""

    node_id: str
    measure: Measure
    ref: str | None


class HrEvent(Reply, kw_only=True):
    """A signed call as it was taken. ``at``: when it happened, as the sender says; ``closed_at``: a person has dealt
    with a discharge that waited for one."""

    event_id: str
    source: str
    event: str
    employee_id: str | None
    action: Action
    reason: ReviewReason | None
    received_at: Timestamp
    at: Timestamp
    measures: list[HrMeasure]
    closed_at: Timestamp | None = None
    closed_by: str | None = None
    closed_reason: str | None = None


class HrNotice(Reply, kw_only=True):
    """Body of the telemetry event ``hr``: a call was taken. Names nobody but the nodes that it did something to."""

    event_id: str
    source: str
    action: Action
    reason: ReviewReason | None
    nodes: list[str]
    at: Timestamp


class HrEventQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/lifecycle/events``. ``open``: only what waits for an operator."""

    source: RegistryId | None = None
    action: Action | None = None
    open: bool = False


class HrEventPage(Reply, kw_only=True):
    """A page of events, newest first."""

    items: list[HrEvent]
    next: str | None


class HrCloseBody(Request, kw_only=True):
    """POST ``/v1/citadel/lifecycle/events/close``: a person has decided what these discharges come to."""

    event_ids: Annotated[list[EventId], msgspec.Meta(min_length=1, max_length=500)]
    reason: LongText


class HrCloseReply(Reply, kw_only=True):
    """Which of them waited until now; the others were closed before."""

    closed: list[str]


# --- rosters ---------------------------------------------------------------------------------------------------------


class Employment(Request, kw_only=True):
    """One employee of the roster. ``started_at``, ``ended_at``: of his latest period; no end: employed."""

    employee_id: EmployeeId
    started_at: Timestamp | None = None
    ended_at: Timestamp | None = None


class RosterBody(Request, kw_only=True):
    """POST ``/v1/citadel/lifecycle/roster``: everybody whom HR employs. Who is left out is not employed."""

    employees: Annotated[list[Employment], msgspec.Meta(min_length=1, max_length=100_000)]


DifferenceKind = Literal["not_employed", "employed_but_burned"]
"""``not_employed``: an active node whose employee the roster does not list, or lists as ended.
``employed_but_burned``: all nodes of an employed person are burned."""


class Difference(Reply, kw_only=True):
    """Something for an operator to look at; nothing was done about it."""

    kind: DifferenceKind
    employee_id: str
    node_id: NodeId
    since: Timestamp


class Roster(Reply, kw_only=True):
    """What the newest roster came to. ``unlinked``: active nodes without an employee; ``differences`` at most 1000 of
    ``count``."""

    posted_at: Timestamp
    actor: str
    employees: int
    employed: int
    unlinked: int
    count: int
    differences: list[Difference]
