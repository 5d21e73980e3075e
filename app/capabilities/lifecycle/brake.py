"""The brake on discharges: a stolen HR secret must not lock everybody out.

It counts the inbox's own rows, inside the transaction that adds one: a restart forgets nothing, and of two calls at the
same time one is counted by the other. It counts no further than the decision needs, so that in a flood, which it is
there for, no call costs more than the one before.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, func, literal_column, select

from app.capabilities.lifecycle.messages import Measure
from app.capabilities.lifecycle.tables import hr_event
from app.registry.tables import node

MINUTE_US = 60 * 1_000_000
HOUR_US = 60 * MINUTE_US
QUEUE_FACTOR = 5
SHARE = 20
"""One node in so many, discharged within an hour, is 5 %."""

_ALL = 2**62
_NEWEST = (
    select(hr_event.c.weight, hr_event.c.received_us)
    # The bound is part of the statement: the index is of such rows alone, and a variable would have it planned anew.
    .where(
        hr_event.c.source == bindparam("source"),
        hr_event.c.received_us > bindparam("hour"),
        hr_event.c.weight > literal_column("0"),
    )
    .order_by(hr_event.c.received_us.desc())
    .limit(bindparam("most"))
    .subquery()
)
_IN_MINUTE = func.sum(_NEWEST.c.weight).filter(_NEWEST.c.received_us > bindparam("minute"))
_RECENT = select(func.coalesce(_IN_MINUTE, 0), func.coalesce(func.sum(_NEWEST.c.weight), 0))
_ACTIVE = select(func.count()).select_from(
    select(node.c.node_id).where(node.c.standing != "REVOKED").limit(bindparam("most")).subquery()
)


@dataclass(frozen=True, slots=True)
class Load:
    """What a source has discharged with this call: nodes in the last minute and hour. ``active``: nodes that are not
    burned, before this call; 0 where the other two decide. A number far beyond what decides is a lower
    bound."""

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

    def since(most: int) -> tuple[int, int]:
        start = {"hour": now_us - HOUR_US, "minute": now_us - MINUTE_US}
        in_minute, in_hour = connection.execute(_RECENT, {"source": source, "most": most, **start}).one()
        return weight + in_minute, weight + in_hour

    # Each call that counts is about one node at least: if so many calls all came in the last minute, nothing else
    # matters, and if not, that minute is counted in full.
    flood = QUEUE_FACTOR * limit
    minute, hour = since(flood)
    if hour <= limit or minute > flood:
        return Load(minute, hour, active=0)
    if hour > flood:
        minute, hour = since(_ALL)
    return Load(minute, hour, active=connection.scalar(_ACTIVE, {"most": SHARE * hour}) or 0)
