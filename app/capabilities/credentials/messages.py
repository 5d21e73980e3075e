"""What crosses the wire of credential sync and of the training readers."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import NodeId, PageQuery, RegistryId, Reply, Request, Timestamp
from app.registry.messages.access import AccessEvent
from app.registry.messages.nodes import Standing


class SyncBody(Request, kw_only=True):
    """POST ``/v1/uac/credential/sync`` (specification 4.5). TTL 30..604800 s, 28800 by default."""

    hardware_reader_cluster: RegistryId
    credential_profile_token: RegistryId
    reauth_ttl_seconds: Annotated[int, msgspec.Meta(ge=30, le=604800)] = 28800


class BiologicalStatus(Reply, kw_only=True):
    """What the registry knows of the living person behind the node."""

    standing: Standing
    verified_at: Timestamp | None


class SyncReader(Reply, kw_only=True):
    """One reader of the cluster. ``latency_ms``: from the call to this reader's proof."""

    reader_id: str
    state: Literal["applied", "pending_offline", "unsupported", "failed"]
    secure_channel: bool
    firmware: str | None
    latency_ms: float | None
    detail: str | None = None


class SyncReply(Reply, kw_only=True):
    """What was granted and which readers have it."""

    sync_id: str
    cluster: str
    node_id: str
    epoch: int
    not_after: Timestamp
    biological_status: BiologicalStatus
    readers: list[SyncReader]


AccessReason = Literal["granted", "burned", "contained", "outside_schedule", "expired", "no_grant"]


class ClusterAccess(Reply, kw_only=True):
    """A cluster that a profile of the node names. ``profile_id``: that profile, the first of several. ``reason``: what
    its doors would decide now. ``until``: when that ends by itself, null unless it is ``granted``."""

    cluster_id: str
    display_name: str
    profile_id: str
    doors: int
    reason: AccessReason
    until: Timestamp | None


class NodeAccess(Reply, kw_only=True):
    """Which doors would open for a node at this moment, of ``doors`` at the site. ``other_clusters``: how many no
    profile of the node names. It says nothing of where anybody was: ``door_decisions.list`` does, to fewer callers."""

    node_id: str
    at: Timestamp
    clusters: list[ClusterAccess]
    open_doors: int
    doors: int
    other_clusters: int


class DoorDecisionQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/uac/door-decisions``."""

    node_id: NodeId | None = None
    reader_id: RegistryId | None = None


class DoorDecisionPage(Reply, kw_only=True):
    """A page of what doors and terminals decided, newest first, as the telemetry event ``access`` told it; reader and
    ``at`` name a decision. ``recorded_since``: before it nothing is known. After it, a killed service leaves out what
    its last second brought, and no log proves the rest: it is for people to read."""

    items: list[AccessEvent]
    next: str | None
    recorded_since: Timestamp


class PresentBody(Request, kw_only=True):
    """POST ``/v1/training/present``: the node's badge at a simulated reader (training sites only)."""

    reader_id: RegistryId
    node_id: NodeId


class PresentReply(Reply, kw_only=True):
    """What the door did. ``latency_ms``: from the card at the reader to the reader's own output."""

    decision: Literal["GRANT", "DENY"]
    reason: str
    latency_ms: float
    reader_id: str
    node_id: str


class ReaderPlugBody(Request, kw_only=True):
    """POST ``/v1/training/readers``: pulls a simulated reader's wire, or puts it back (training sites only)."""

    reader_id: RegistryId
    action: Literal["unplug", "plug"]


class ReaderPlugReply(Reply, kw_only=True):
    """The reader's wire as it is now."""

    reader_id: str
    plugged: bool
