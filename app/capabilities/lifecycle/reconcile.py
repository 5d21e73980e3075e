"""The nightly roster: what HR says of everybody, against the nodes that are active here.

A listener hears only what is sent. A source whose events stopped (a trigger that is off, a rotated secret) looks like
a quiet day; the roster tells. What differs goes to operators: nobody is ever burned by it.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from sqlalchemy import Connection, Row, delete, func, insert, select

from app.api.problems import Problem, invalid_field
from app.api.wire import rfc3339, unix_us
from app.capabilities.lifecycle import periods
from app.capabilities.lifecycle.messages import Difference, Employment, Roster, RosterBody
from app.capabilities.lifecycle.tables import hr_difference, hr_period, hr_roster
from app.delivery.alarms import AlarmBook
from app.registry.service import now_us
from app.registry.tables import node
from app.store.engine import Store
from app.store.writer import Transaction

POSTED = "lifecycle.roster"
DIFFERENCE_ALARM = "lifecycle.roster_differs"
LATE_ALARM = "lifecycle.roster_late"
LATE_US = 36 * 3600 * 1_000_000
"""A night was left out."""
KEPT = 10_000
"""Differences that are listed; a wrong roster may differ in every node."""
SHOWN = 1_000
_KEY = "roster"
_BATCH = 500

_Found = tuple[str, str, str]
"""Kind, employee id, node id."""


class Rosters:
    """Serves the rows ``lifecycle.*_roster``. ``sweep`` is called each minute (``Registry.add_sweep``)."""

    def __init__(self, store: Store, alarms: AlarmBook) -> None:
        self._store = store
        self._alarms = alarms

    async def post(self, body: RosterBody, *, actor: str, request_id: str | None = None) -> Roster:
        """Compares the roster with the nodes as they are. 422 for an employee who is there twice."""
        employed = _employed_ids(body.employees, now_us())
        with self._store.read() as connection:
            found, unlinked = _compare(connection, employed)
            begun = _new_periods(connection, body.employees)
        for start in range(0, len(begun), _BATCH):
            await self._store.writer.run(functools.partial(_begin, begun[start : start + _BATCH]))

        def job(tx: Transaction) -> None:
            before = tx.connection.scalar(select(hr_roster.c.differences).order_by(hr_roster.c.number.desc()).limit(1))
            kept = found[:KEPT]
            _replace(tx, kept)
            counts = {"employees": len(body.employees), "employed": len(employed), "unlinked": unlinked}
            row = {"actor": actor, "posted_us": tx.now_us, "differences": len(found), **counts}
            tx.connection.execute(insert(hr_roster).values(row))
            detail = {**counts, "differences": len(found)}
            tx.audit(POSTED, actor=actor, request_id=request_id, detail=detail)
            self._alarms.clear(tx, LATE_ALARM, _KEY)
            if before != len(found):
                self._alarms.clear(tx, DIFFERENCE_ALARM, _KEY)
            if found:
                text = (
                    f"The HR roster and the nodes differ in {len(found)}: nodes of people who are not employed, or "
                    "employed people whose nodes are all burned. Look at the list and decide."
                )
                self._alarms.raise_alarm(tx, DIFFERENCE_ALARM, _KEY, text)

        await self._store.writer.run(job)
        return self.newest()

    def newest(self) -> Roster:
        """What the newest roster came to; 404 before the first."""
        with self._store.read() as connection:
            row = connection.execute(select(hr_roster).order_by(hr_roster.c.number.desc()).limit(1)).one_or_none()
            if row is None:
                raise Problem("not_found", "No roster was posted yet; have HR post one each night.")
            listed = connection.execute(
                select(hr_difference)
                .order_by(hr_difference.c.since_us, hr_difference.c.employee_id, hr_difference.c.node_id)
                .limit(SHOWN)
            ).all()
        return Roster(
            posted_at=rfc3339(row.posted_us),
            actor=row.actor,
            employees=row.employees,
            employed=row.employed,
            unlinked=row.unlinked,
            count=row.differences,
            differences=[_difference(part) for part in listed],
        )

    def sweep(self, tx: Transaction) -> int:
        """Raises the alarm for a roster that did not come, where one ever did."""
        newest = tx.connection.scalar(select(func.max(hr_roster.c.posted_us)))
        if newest is not None and tx.now_us - newest > LATE_US:
            text = f"The newest HR roster is of {rfc3339(newest)}: discharges that were not sent go unseen. Ask HR."
            self._alarms.raise_alarm(tx, LATE_ALARM, _KEY, text)
        return 0


def _employed_ids(employees: Sequence[Employment], at_us: int) -> set[str]:
    seen: set[str] = set()
    employed: set[str] = set()
    for index, one in enumerate(employees):
        if one.employee_id in seen:
            raise invalid_field(f"/employees/{index}/employee_id", "Name each employee once, with his latest period.")
        seen.add(one.employee_id)
        if one.ended_at is None or unix_us(one.ended_at) > at_us:
            employed.add(one.employee_id)
    return employed


def _compare(connection: Connection, employed: set[str]) -> tuple[list[_Found], int]:
    """What differs, and how many active nodes have no employee."""
    found: list[_Found] = []
    unlinked = 0
    active: set[str] = set()
    burned: dict[str, list[str]] = {}
    rows = connection.execute(select(node.c.node_id, node.c.employee_id, node.c.standing).order_by(node.c.node_id))
    for node_id, employee_id, standing in rows:
        if standing == "REVOKED":
            if employee_id is not None:
                burned.setdefault(employee_id, []).append(node_id)
        elif employee_id is None:
            unlinked += 1
        else:
            active.add(employee_id)
            if employee_id not in employed:
                found.append(("not_employed", employee_id, node_id))
    for employee_id, nodes in burned.items():
        if employee_id in employed and employee_id not in active:
            found += [("employed_but_burned", employee_id, node_id) for node_id in nodes]
    return found, unlinked


def _new_periods(connection: Connection, employees: Sequence[Employment]) -> list[tuple[str, int]]:
    """Beginnings of which nothing is known yet, of people with nodes: nobody else can be discharged here."""
    here = set(connection.scalars(select(node.c.employee_id).where(node.c.employee_id.is_not(None)).distinct()))
    known = {(row.employee_id, row.started_us) for row in connection.execute(select(hr_period))}
    listed = [
        (one.employee_id, unix_us(one.started_at))
        for one in employees
        if one.started_at is not None and one.employee_id in here
    ]
    return [part for part in listed if part not in known]


def _begin(begun: Sequence[tuple[str, int]], tx: Transaction) -> None:
    for employee_id, started_us in begun:
        periods.begin(tx, employee_id, started_us, "roster")


def _replace(tx: Transaction, found: Sequence[_Found]) -> None:
    """Exactly these differ from now on; what differed before keeps its time."""
    columns = (hr_difference.c.kind, hr_difference.c.employee_id, hr_difference.c.node_id)
    before = {tuple(row) for row in tx.connection.execute(select(*columns))}
    for kind, employee_id, node_id in before - set(found):
        mine = (columns[0] == kind, columns[1] == employee_id, columns[2] == node_id)
        tx.connection.execute(delete(hr_difference).where(*mine))
    fresh = [
        {"kind": kind, "employee_id": employee_id, "node_id": node_id, "since_us": tx.now_us}
        for kind, employee_id, node_id in found
        if (kind, employee_id, node_id) not in before
    ]
    if fresh:
        tx.connection.execute(insert(hr_difference), fresh)


def _difference(row: Row[tuple[str, str, str, int]]) -> Difference:
    return Difference(kind=row.kind, employee_id=row.employee_id, node_id=row.node_id, since=rfc3339(row.since_us))
