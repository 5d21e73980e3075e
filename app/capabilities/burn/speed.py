"""How soon burns were proven, over a range of time: by system, and to the last door."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, case, func, select

from app.api.wire import rfc3339, unix_us
from app.capabilities.burn.messages import BurnSpeedQuery, BurnSpeedReport, SlowBurn, SystemSpeed
from app.capabilities.burn.ranks import nearest_rank
from app.capabilities.burn.tables import burn, burn_target
from app.capabilities.burn.targets import FINAL, PROVEN
from app.capabilities.burn.targets.reader import KIND as READER
from app.site.site import Site
from app.store.engine import Store

_RANGE_US = 30 * 86_400 * 1_000_000
_WORST = 5
_AT_MOST_US = 253_402_300_799_999_999
"""The end of the year 9999: what a time of the API can say."""
_called = func.coalesce(burn.c.received_us, burn.c.created_us)
_proven = burn_target.c.state.in_(PROVEN)
_open = burn_target.c.state.not_in(FINAL)


class BurnSpeed:
    """Reads alone, any thread. Only what was proven has a time: a target that was given up, or that can have no proof,
    makes no figure better."""

    def __init__(self, site: Site, store: Store) -> None:
        self._training = site.training
        self._goal_us = round(site.settings.burn_deadline_s * 1_000_000)
        self._store = store

    def report(self, query: BurnSpeedQuery, *, waiting: int) -> BurnSpeedReport:
        """The figures of a range. ``waiting``: burns that the store has not taken."""
        now_us = time.time_ns() // 1000
        to_us = min(unix_us(query.to) if query.to is not None else now_us, _AT_MOST_US)
        from_us = unix_us(query.from_) if query.from_ is not None else max(0, to_us - _RANGE_US)
        which = (_called >= from_us, _called < to_us, burn.c.drill == int(query.drills))
        with self._store.read() as connection:
            burns = connection.execute(select(func.count()).select_from(burn).where(*which)).scalar_one()
            doors = connection.execute(_by_doors(which)).all()
            return BurnSpeedReport(
                from_=rfc3339(from_us),
                to=rfc3339(to_us),
                drills=query.drills,
                goal_ms=self._goal_us / 1000,
                burns=burns,
                with_doors=len(doors),
                waiting=waiting,
                last_door=self._last_door(doors),
                systems=self._systems(connection, which),
                slowest=_slowest(connection, doors, now_us),
                training=self._training,
            )

    def _last_door(self, doors: Sequence[Row[Any]]) -> SystemSpeed:
        """Of burns, where the systems' rows are of targets: one that misses a door has no time."""
        times = sorted(row.last_us for row in doors if row.proven == row.doors and row.last_us is not None)
        missing = sum(row.open > 0 for row in doors)
        return SystemSpeed(
            kind=READER,
            timed=len(times),
            within=sum(at <= self._goal_us for at in times),
            open=missing,
            unproven=sum(row.open == 0 and row.proven < row.doors for row in doors),
            p50_ms=_percentile_ms(times, 50),
            p95_ms=_percentile_ms(times, 95),
            max_ms=_percentile_ms(times, 100),
        )

    def _systems(self, connection: Connection, which: Sequence[Any]) -> list[SystemSpeed]:
        """Each kind of target, those with a time first, the slowest of them first. The percentiles are counted by the
        store: a year of burns at a thousand doors is more than memory should hold."""
        timed = _proven & burn_target.c.latency_us.is_not(None)
        counts = connection.execute(
            select(
                burn_target.c.kind,
                _count_of(timed).label("timed"),
                _count_of(timed & (burn_target.c.latency_us <= self._goal_us)).label("within"),
                _count_of(_open).label("open"),
                _count_of(burn_target.c.state.in_(FINAL - PROVEN)).label("unproven"),
            )
            .join(burn, burn.c.burn_id == burn_target.c.burn_id)
            .where(*which)
            .group_by(burn_target.c.kind)
        ).all()
        ranked = (
            select(
                burn_target.c.kind,
                burn_target.c.latency_us,
                func.row_number().over(partition_by=burn_target.c.kind, order_by=burn_target.c.latency_us).label("at"),
                func.count().over(partition_by=burn_target.c.kind).label("size"),
            )
            .join(burn, burn.c.burn_id == burn_target.c.burn_id)
            .where(*which, timed)
            .subquery()
        )
        at = {
            (row.kind, row.at): row.latency_us / 1000
            for row in connection.execute(
                select(ranked.c.kind, ranked.c.at, ranked.c.latency_us).where(
                    ranked.c.at.in_([nearest_rank(ranked.c.size, percent) for percent in (50, 95, 100)])
                )
            )
        }
        systems = [
            SystemSpeed(
                kind=row.kind,
                timed=row.timed,
                within=row.within,
                open=row.open,
                unproven=row.unproven,
                p50_ms=at.get((row.kind, nearest_rank(row.timed, 50))),
                p95_ms=at.get((row.kind, nearest_rank(row.timed, 95))),
                max_ms=at.get((row.kind, nearest_rank(row.timed, 100))),
            )
            for row in counts
        ]
        return sorted(systems, key=lambda one: (one.p95_ms is None, -(one.p95_ms or 0.0), one.kind))


def _count_of(condition: Any) -> Any:
    return func.sum(case((condition, 1), else_=0))


def _by_doors(which: Sequence[Any]) -> Select[Any]:
    """Each burn that has doors: how many, how many are proven and open, and when the last proof came."""
    return (
        select(
            burn.c.burn_id,
            burn.c.node_id,
            _called.label("called_us"),
            burn.c.lifted_us,
            func.count().label("doors"),
            _count_of(_proven).label("proven"),
            _count_of(_open).label("open"),
            func.max(case((_proven, burn_target.c.latency_us))).label("last_us"),
        )
        .join(burn_target, burn_target.c.burn_id == burn.c.burn_id)
        .where(*which, burn_target.c.kind == READER)
        .group_by(burn.c.burn_id, burn.c.node_id, burn.c.received_us, burn.c.created_us, burn.c.lifted_us)
    )


def _slowest(connection: Connection, doors: Sequence[Row[Any]], now_us: int) -> list[SlowBurn]:
    """The worst five, what is open first, each with the door that it waited for."""

    def took_us(row: Row[Any]) -> int:
        """A door without proof keeps the clock running."""
        return max(0, now_us - row.called_us) if row.open else int(row.last_us or 0)

    worst = sorted(doors, key=lambda row: (row.open > 0, took_us(row)), reverse=True)[:_WORST]
    return [
        SlowBurn(
            burn_id=row.burn_id,
            node_id=row.node_id,
            timestamp=rfc3339(row.called_us),
            last_door_ms=took_us(row) / 1000,
            open_doors=row.open,
            unproven_doors=row.doors - row.proven - row.open,
            slowest=_last_door_of(connection, row.burn_id),
            lifted=row.lifted_us is not None,
        )
        for row in worst
    ]


def _last_door_of(connection: Connection, burn_id: str) -> str | None:
    """The door that the burn waited for longest: one without proof before all others."""
    row = connection.execute(
        select(burn_target.c.target_id, burn_target.c.display_name)
        .where(burn_target.c.burn_id == burn_id, burn_target.c.kind == READER)
        .order_by(case((_open, 0), else_=1), burn_target.c.latency_us.desc(), burn_target.c.position)
        .limit(1)
    ).one_or_none()
    return None if row is None else row.display_name or row.target_id


def _percentile_ms(ordered: Sequence[int], percent: int) -> float | None:
    """That of ascending microseconds, in milliseconds; None of none."""
    return ordered[nearest_rank(len(ordered), percent) - 1] / 1000 if ordered else None
