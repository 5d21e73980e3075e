"""What crosses the wire of burn, its preview and its targets, and of containments."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import ListQuery, LongText, NodeId, PageQuery, RegistryId, Reply, Request, Timestamp
from app.registry.messages.nodes import Standing

Scope = Literal["GLOBAL_REVOCATION", "LOCAL_ONLY"]
BurnState = Literal["COMPLETE", "PARTIAL"]
MassBurnState = Literal["PENDING", "PARTIAL", "COMPLETE"]
ContainmentCause = Literal["containment", "brake"]
ContainmentState = Literal["contained", "queued", "released", "expired", "burned"]
TargetState = Literal[
    "revoked", "already", "delivered", "unlinked", "pending_offline", "unsupported", "failed", "closed"
]
"""``delivered``: the other side took it and its effect cannot be read; ``unlinked``: no account of the person was found
there. Neither is a proof."""


class BurnBody(Request, kw_only=True):
    """POST ``/v1/citadel/uac/burn`` (specification 4.6)."""

    node_id: NodeId
    scope: Scope
    reason: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]


class BurnTarget(Reply, kw_only=True):
    """One system or door. ``latency_ms``: from the call to what made it final; ``evidence``: what proves the state,
    what was searched (``unlinked``), or why there is no proof."""

    id: str
    kind: str
    state: TargetState
    attempts: int
    latency_ms: float | None
    evidence: str | None
    display_name: str | None = None


class Residual(Reply, kw_only=True):
    """Access that outlives the burn; ``until`` null = unknown."""

    what: str
    until: Timestamp | None


class BurnLog(Reply, kw_only=True):
    """Where the burn stands in the audit log: ``index`` the leaf of its first segment of the revocation log, ``sha256``
    that leaf's hash, ``manifest_url`` (a path) the segment's C2PA manifest. Until that is sealed, at the deadline or
    when the burn is complete, the leaf is the burn's own and ``manifest_url`` null. Of a burn that is not stored all
    are null."""

    index: int | None
    sha256: str | None
    manifest_url: str | None = None


class Burn(Reply, kw_only=True):
    """A burn and where it stands. ``known`` false: nobody is registered under this id; ``headline`` then says what a
    person must read first. ``stored`` false: the store takes nothing now; the node is denied here, and the burn waits
    in a reserve file until there is room. ``counts``: targets by state; of those that are not open, ``delivered`` only
    took it and ``unlinked`` have no account of the person, so COMPLETE proves nothing of them. In a list ``targets``
    holds only the open ones (a site has thousands of doors); the burn itself shows all. ``lifted_at``: it was taken
    back by four eyes."""

    burn_id: str
    node_id: str
    known: bool = True
    headline: str | None = None
    scope: Scope
    reason: str
    epoch: int
    state: BurnState
    stored: bool = True
    local_deny_us: float
    targets: list[BurnTarget]
    residual_exposure: list[Residual]
    log: BurnLog
    timestamp: Timestamp
    counts: dict[str, int] = {}
    delivered: int = 0
    unlinked: int = 0
    completed_at: Timestamp | None = None
    training: bool = False
    drill: bool = False
    lifted_at: Timestamp | None = None


class LiftBody(Request, kw_only=True):
    """POST ``/v1/citadel/uac/burn/{burn_id}/lift``: by an approval of the kind ``lift`` for this burn."""

    approval_id: RegistryId


class MassBurnBody(Request, kw_only=True):
    """POST ``/v1/citadel/uac/burn/mass``: burns the nodes of an approval of the kind ``mass_burn``, everywhere."""

    approval_id: RegistryId


class MassBurned(Reply, kw_only=True):
    """A node of a list. ``PENDING``: it is denied, and its burn comes."""

    node_id: str
    burn_id: str
    state: MassBurnState


class MassBurn(Reply, kw_only=True):
    """A list that is being burned: each node by a burn of its own, which tells the rest."""

    approval_id: str
    reason: str
    state: BurnState
    burns: list[MassBurned]
    timestamp: Timestamp


class BurnEvent(Reply, kw_only=True):
    """Body of the telemetry event ``burn``: one target has a new state, or (``target`` null) the burn began or is
    complete. ``open``: targets that are not final yet, of ``total``; ``elapsed_ms`` from the call."""

    burn_id: str
    node_id: str
    scope: Scope
    state: BurnState
    target: BurnTarget | None
    open: int
    total: int
    elapsed_ms: float
    at: Timestamp
    drill: bool = False
    lifted: bool = False


class BurnListQuery(ListQuery, kw_only=True):
    """GET ``/v1/citadel/uac/burn``."""

    node_id: NodeId | None = None
    state: BurnState | None = None


class BurnPage(Reply, kw_only=True):
    """A page of burns, newest first. ``training``: the site is one for training, and so is every burn of it."""

    items: list[Burn]
    next: str | None
    training: bool = False


class BurnSpeedQuery(Request, kw_only=True):
    """GET ``/v1/citadel/uac/burn/speed``: the half-open range in which the burns were called for, the 30 days before
    ``to`` without ``from``, now without ``to``. ``drills``: drills alone; without it they do not count."""

    from_: Timestamp | None = msgspec.field(name="from", default=None)
    to: Timestamp | None = None
    drills: bool = False


class SystemSpeed(Reply, kw_only=True):
    """How soon targets of one kind were proven, from the call. ``timed``: the proofs that have a time (what this site's
    own rows proved in the burn's transaction has none); the percentiles are of these, by nearest rank, and null without
    one. ``within``: how many came within the goal; ``open``: targets that have no proof yet; ``unproven``: those that
    can have none, or were given up."""

    kind: str
    timed: int
    within: int
    open: int
    unproven: int
    p50_ms: float | None
    p95_ms: float | None
    max_ms: float | None


class SlowBurn(Reply, kw_only=True):
    """A burn by its doors. ``last_door_ms``: from the call to the last proof of a door; while ``open_doors`` are
    without proof, until now. ``unproven_doors``: those that were given up, or that the lift ended. ``slowest``: the
    door that it waited for longest, by its name where it has one."""

    burn_id: str
    node_id: str
    timestamp: Timestamp
    last_door_ms: float
    open_doors: int
    unproven_doors: int
    slowest: str | None
    lifted: bool = False


class BurnSpeedReport(Reply, kw_only=True):
    """Are burns fast enough? ``goal_ms``: the site's deadline of a burn. ``burns``: those of the range, ``with_doors``
    of them had doors. ``last_door``: over the burns whose doors are all proven, ``open`` the burns that miss a door,
    ``unproven`` those with a door that was given up. ``slowest``: the worst five, what is open first. ``waiting``:
    burns that the store has not taken yet; they are in no figure. ``training``: as in ``BurnPage``."""

    from_: Timestamp = msgspec.field(name="from")
    to: Timestamp
    drills: bool
    goal_ms: float
    burns: int
    with_doors: int
    waiting: int
    last_door: SystemSpeed
    systems: list[SystemSpeed]
    slowest: list[SlowBurn]
    training: bool = False


class PreviewBody(Request, kw_only=True):
    """POST ``/v1/citadel/uac/burn/preview``: the blast radius; writes nothing."""

    node_id: NodeId
    scope: Scope = "GLOBAL_REVOCATION"


class PreviewTarget(Reply, kw_only=True):
    """One system that the burn would touch. ``expected_ms``: p95 of its last 20 proofs, null = no history;
    ``readable`` false: it can only be ``delivered``, for what it does with the burn cannot be read."""

    id: str
    kind: str
    display_name: str
    reachable: bool | None
    reversible: bool
    expected_ms: float | None
    detail: str | None = None
    readable: bool = True


class NodeSuggestion(Reply, kw_only=True):
    """Somebody who may have been meant. ``matched``: the field that is near what was typed; ``distance``: by how many
    characters it differs, 0 = by capitals, look-alikes or punctuation alone."""

    node_id: str
    display_name: str
    employee_id: str | None
    matched: Literal["node_id", "display_name", "employee_id"]
    distance: int


class Preview(Reply, kw_only=True):
    """What a burn of this node would do now. ``drill``: it would be one. ``headline``: what a person must read first;
    null where nothing is unusual. ``nearest``: of an id that nobody has, at most three people that may be meant.
    ``last_access``: when the node was last let in, null: not since ``last_access_since``, when what is known begins."""

    node_id: str
    known: bool
    display_name: str | None
    standing: Standing | None
    scope: Scope
    already_burned: str | None
    doors: int
    doors_online: int
    cards: int
    profiles: int
    targets: list[PreviewTarget]
    residual_exposure: list[Residual]
    last_access: Timestamp | None = None
    last_access_reader: str | None = None
    last_access_since: Timestamp | None = None
    drill: bool = False
    headline: str | None = None
    nearest: list[NodeSuggestion] = []


class PartQuery(Request, kw_only=True):
    """Which of a burn's segments: 0 the first, then its follow-ups."""

    part: Annotated[int, msgspec.Meta(ge=0, le=1_000_000)] = 0


class CloseBody(Request, kw_only=True):
    """POST ``.../targets/{id}/close``: only a person closes a target, with a reason."""

    reason: LongText


class ContainmentBody(Request, kw_only=True):
    """POST ``/v1/citadel/uac/containments``: denies the node at this site for ``seconds`` (1 s to 7 days)."""

    node_id: NodeId
    seconds: Annotated[int, msgspec.Meta(ge=1, le=604_800)] = 900
    message: LongText | None = None


class Containment(Reply, kw_only=True):
    """A node that is denied here, reversibly. ``cause``: an operator's lock, or the brake on discharges. ``queued``:
    listed by the brake and not denied. ``until`` null: until a person decides. ``ended_at`` null: not over;
    ``ended_by``: the key that released or burned it, ``service`` when its time was over."""

    containment_id: str
    node_id: str
    display_name: str | None
    state: ContainmentState
    cause: ContainmentCause
    message: str | None
    actor: str
    since: Timestamp
    until: Timestamp | None
    ended_at: Timestamp | None = None
    ended_by: str | None = None
    burn_id: str | None = None


class ContainmentEvent(Reply, kw_only=True):
    """Body of the telemetry event ``containment``: one as it is now."""

    containment: Containment


class ContainmentListQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/uac/containments``. Without ``state``: contained and queued."""

    node_id: NodeId | None = None
    cause: ContainmentCause | None = None
    state: ContainmentState | None = None


class ContainmentPage(Reply, kw_only=True):
    """A page of containments, newest first."""

    items: list[Containment]
    next: str | None
