"""The states of notices, and the state of a strike that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from app.capabilities.enforcement.messages import StrikeState
from app.delivery.messages import NoticeState

TAKEN: Final[frozenset[NoticeState]] = frozenset(
    {"sent", "delivered", "acknowledged", "actioned", "rejected", "countered", "expired"}
)
"""The platform has it."""
ENDED: Final[frozenset[NoticeState]] = frozenset({"actioned", "rejected", "withdrawn"})
"""Nothing more is to be done about it, except by a new strike."""
RUNNING: Final[frozenset[NoticeState]] = frozenset({"sent", "delivered", "acknowledged"})
"""The clock runs, and its end makes the notice ``expired``."""
WATCHED: Final[frozenset[NoticeState]] = RUNNING | {"countered", "expired"}
"""A person is told of the clock; after a counter-notice nothing happens by itself."""
ALL_STATES: Final[tuple[NoticeState, ...]] = (
    "held",
    "operator_action",
    "queued",
    "sending",
    "sent",
    "delivered",
    "acknowledged",
    "actioned",
    "rejected",
    "countered",
    "bounced",
    "failed",
    "expired",
    "withdrawn",
)
OPEN: Final[tuple[NoticeState, ...]] = tuple(state for state in ALL_STATES if state not in ENDED)


@dataclass(frozen=True)
class NoticeStanding:
    """A notice as far as the strike's state needs it. ``lacks``: something is missing."""

    state: NoticeState
    lacks: bool


def strike_state(notices: Sequence[NoticeStanding], *, withdrawn: bool) -> StrikeState:
    """The state of a strike with these notices; ``withdrawn``: its declarant took it back. A strike without any notice
    lacks a platform."""
    if withdrawn:
        return "WITHDRAWN"
    standing = [notice for notice in notices if notice.state != "withdrawn"]
    if not any(notice.state in TAKEN for notice in standing):
        if not standing or any(notice.lacks for notice in standing):
            return "AWAITING_DETAILS"
        return "PARTIAL" if any(notice.state in ("bounced", "failed") for notice in standing) else "ISSUED"
    if all(notice.state in ENDED for notice in standing):
        return "RESOLVED"
    return "DISPATCHED" if all(notice.state in TAKEN for notice in standing) else "PARTIAL"
