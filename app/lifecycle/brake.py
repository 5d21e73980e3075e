"""The brake on discharges: a stolen HR secret must not lock everybody out (burn.md, section 7).

It counts the inbox's own rows, inside the transaction that adds one: a restart forgets nothing, and of two calls at the
same time one is counted by the other.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, func, select

from app.lifecycle.messages import Measure
from app.lifecycle.tables import hr_event
from app.registry.tables import node

MINUTE_US = 60 * 1_000_000
HOUR_US = 60 * MINUTE_US
QUEUE_FACTOR = 5
SHARE = 20
"""One node in so many, discharged within an hour, is 5 %."""


@dataclass(frozen=True, slots=True)
class Load:
    """What a source has discharged with this call: nodes in the last minute and hour. ``active``: nodes that are not
    burned, before this call; 0 where the other two decide."""

    minute: int
    hour: int
    active: int


def measure(load: Load, limit: int) -> Measure:
    """Up to ``limit`` a minute are burned, above it contained; above five times as many, or in an hour above both
    ``limit`` and 5 % of all active nodes, only queued."""
    if load.minute > QUEUE_FACTOR * limit or (load.hour > limit and load.hour * SHARE > load.active):
        return "queue"
    return "contain" if load.minute > limit else "burn"


def load_of(connection: Connection, source: str, weight: int, limit: int, now_us: int) -> Load:
    """The load with a call of ``weight`` nodes at ``now_us``."""

    def since(start_us: int) -> int:
        mine = (hr_event.c.source == source, hr_event.c.received_us > start_us, hr_event.c.weight > 0)
        return connection.scalar(select(func.coalesce(func.sum(hr_event.c.weight), 0)).where(*mine)) or 0

    hour, minute = weight + since(now_us - HOUR_US), weight + since(now_us - MINUTE_US)
    # Counting the nodes is the dear part. Nothing hangs on it below the limit, nor in a flood.
    decided = hour <= limit or minute > QUEUE_FACTOR * limit
    active = 0 if decided else connection.scalar(select(func.count()).where(node.c.standing != "REVOKED")) or 0
    return Load(minute, hour, active)
