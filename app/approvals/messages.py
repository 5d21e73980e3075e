"""What crosses the wire of ``/v1/citadel/uac/approvals``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

import msgspec

from app.api.roles import ADMIN, AUDITOR, BADGE, DESK, Roles
from app.api.wire import LongText, PageQuery, RegistryId, Reply, Request, Timestamp

ApprovalKind = Literal["mass_burn", "lift", "reissue", "pin_reset", "erase", "citadel_key", "operator"]
"""What a second person must agree to: to burn a list of nodes, to take a burn back, to take a card from its node, to
give a card a new PIN, to erase what the logs say, to give out a Citadel key, to make an operator (always one who is an
administrator) or to change what one is recognized by."""
KIND_ROLES: Final[Mapping[str, Roles]] = {
    "mass_burn": ADMIN | DESK,
    "lift": ADMIN | DESK,
    "reissue": ADMIN | BADGE,
    "pin_reset": ADMIN | BADGE,
    "erase": ADMIN | AUDITOR,
    "citadel_key": ADMIN,
    "operator": ADMIN,
}
"""Operators that may ask for a kind and decide about it."""
ApprovalState = Literal["PENDING", "APPROVED", "USED", "REJECTED", "EXPIRED"]


class ApprovalBody(Request, kw_only=True):
    """POST ``/v1/citadel/uac/approvals``. ``subjects``: what it is about. ``mass_burn``: 1 to 500 node ids; ``lift``:
    one burn_id; ``reissue`` and ``pin_reset``: one provision_id, which may stand in ``provision_id`` instead;
    ``erase``: a node id, ``audit#<seq>`` and ``seal#<seq>``, all that one erasure names. ``citadel_key``: the label of
    the new key, or the kid of the one that gets a new secret. ``operator``: the operator_id and what the operator shall
    be, as ``roles=admin,desk``, ``methods=card,passphrase``, ``node=<node id>`` and ``subject=<subject>`` (the last two
    only where there is one), or the operator_id and ``passphrase``."""

    kind: ApprovalKind
    subjects: Annotated[
        list[Annotated[str, msgspec.Meta(min_length=1, max_length=80)]], msgspec.Meta(max_length=20_001)
    ] = []
    provision_id: RegistryId | None = None
    reason: LongText


class Approval(Reply, kw_only=True):
    """Four eyes: one asks, another one agrees, and the act itself uses the approval up, once. ``subjects`` and the
    fields from ``provision_id`` to ``card_guid`` name what it is about. ``used_by``: who did the act. Who is an API key
    or an operator; an operator's present name is in the field of the same word with ``_name``. ``yours``: the caller
    asked. ``barred``: why the caller may not approve a pending one, a sentence; null where it may, and where nothing is
    to be approved."""

    approval_id: str
    kind: ApprovalKind
    subjects: list[str] = []
    provision_id: str | None
    node_id: str | None
    card_guid: str | None
    reason: str
    state: ApprovalState
    requested_by: str
    requested_at: Timestamp
    expires_at: Timestamp
    approved_by: str | None = None
    approved_at: Timestamp | None = None
    rejected_by: str | None = None
    rejected_at: Timestamp | None = None
    used_by: str | None = None
    used_at: Timestamp | None = None
    requested_by_name: str | None = None
    approved_by_name: str | None = None
    rejected_by_name: str | None = None
    used_by_name: str | None = None
    yours: bool = False
    barred: str | None = None


class ApprovalListQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/uac/approvals``; ``state`` is the present one."""

    state: ApprovalState | None = None
    provision_id: RegistryId | None = None


class ApprovalPage(Reply, kw_only=True):
    """Approvals, newest first."""

    items: list[Approval]
    next: str | None
