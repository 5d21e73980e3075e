"""What crosses the wire of action permits."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import NodeId, RegistryId, Reply, Request, Timestamp
from app.registry.messages.units import ActionName

Resource = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f]{1,256}\Z")]
"""The object of an action, in the partner's own words; no control characters."""
DecisionReason = Literal[
    "granted", "burned", "contained", "revoked", "unknown_node", "unknown_unit", "action_withdrawn"
]


class PermitBody(Request, kw_only=True):
    """POST ``/v1/permits``: one use of ``action`` on ``resource`` by the unit, within ``ttl_seconds``. A burn of
    ``node_id`` revokes it."""

    unit_id: RegistryId
    action: ActionName
    resource: Resource
    ttl_seconds: Annotated[int, msgspec.Meta(ge=1, le=300)]
    node_id: NodeId | None = None


class PermitReply(Reply, kw_only=True):
    """A permit. ``permit_token`` (compact JWS, at most 4096 characters) is a secret and is shown only here."""

    permit_token: str
    jti: str
    expires_at: Timestamp


class AuthorizeBody(Request, kw_only=True):
    """POST ``/v1/authorize-action``: uses the permit up, whether the decision is PERMIT or DENY."""

    unit_id: RegistryId
    permit_token: Annotated[str, msgspec.Meta(min_length=1, max_length=4096)]


class ActionDecision(Reply, kw_only=True):
    """The decision on a permit. Reasons of DENY: the node is ``burned`` or ``contained``; a burn ``revoked`` the
    permit; node or unit are no longer registered (``unknown_node``, ``unknown_unit``); the unit's actions no longer
    name the action (``action_withdrawn``). ``expires_at``: end of the permit."""

    decision: Literal["PERMIT", "DENY"]
    reason: DecisionReason
    action: ActionName
    resource: Resource
    unit_id: RegistryId
    decision_id: str
    expires_at: Timestamp
