"""The HR listener on a small real site: store, ledger, burns and simulated readers; no HTTP."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec
from sqlalchemy import select

from app.api.operation import SignedRequest
from app.capabilities.burn.tables import burn
from app.capabilities.lifecycle.inbox import Step
from app.capabilities.lifecycle.messages import HrReply
from app.capabilities.lifecycle.reconcile import Rosters
from app.capabilities.lifecycle.service import Lifecycle
from app.registry.messages.hr_sources import HrSourceBody
from app.registry.messages.nodes import NodeBody
from app.registry.tables import deny, node
from app.store.cursor import Cursors
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site
from tests.hr_sender import SECRET, signed

SOURCE = "hris"


@dataclass
class HrSite:
    """One site in this process, with the source ``hris`` of Standard Webhooks unless it was told otherwise."""

    doors: DoorSite
    hr: Lifecycle
    rosters: Rosters

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Started as the assembly does."""
        async with self.doors.running():
            await self.hr.start()
            try:
                yield
            finally:
                await self.hr.stop()

    def source(self, source_id: str = SOURCE, **fields: object) -> None:
        """PUTs a source."""
        body = msgspec.convert({"scheme": "standard-webhooks", "secret": SECRET, **fields}, HrSourceBody)
        sources = self.doors.registry.hr_sources
        self.doors.write(lambda tx: sources.put_in(tx, source_id, body, ACTOR))

    def people(self, employees: Sequence[str], per_employee: int = 1) -> None:
        """Registers nodes ``ARC-<employee>-<n>``, in one transaction."""

        def job(tx: Transaction) -> None:
            for employee in employees:
                for number in range(per_employee):
                    body = NodeBody(display_name=f"Training Person {employee}", employee_id=employee)
                    self.doors.registry.nodes.put_in(tx, f"ARC-{employee}-{number}", body, ACTOR)

        self.doors.write(job)

    def crowd(self, count: int) -> None:
        """Copies of the first node, whom no event is about: the site is that much larger."""
        copies = (
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) "
            "INSERT INTO node ({columns}) SELECT {values} FROM n, (SELECT * FROM node ORDER BY node_id LIMIT 1)"
        )

        def job(tx: Transaction) -> None:
            columns = [column.name for column in node.columns]
            values = ["'CROWD-' || i" if name in ("node_id", "employee_id") else name for name in columns]
            tx.connection.exec_driver_sql(
                copies.format(count=count, columns=", ".join(columns), values=", ".join(values))
            )

        self.doors.write(job)

    async def call(
        self, body: bytes, headers: dict[str, str] | None = None, *, path: dict[str, str] | None = None, **how: object
    ) -> HrReply:
        """One call as the service gets it; signed by ``hris`` unless it brings its own headers."""
        sent = SignedRequest(signed(body, **how) if headers is None else headers, path or {}, body)  # type: ignore[arg-type]
        return await self.hr.receive(body, self.hr.sender(sent))

    def run(self, *bodies: bytes, **how: object) -> list[HrReply]:
        """The site runs; the calls come one after the other, each with an id of its own."""

        async def all_() -> list[HrReply]:
            async with self.running():
                return [await self.call(body, call_id=f"msg_{number}", **how) for number, body in enumerate(bodies)]

        return asyncio.run(all_())

    def burned(self) -> set[str]:
        """Nodes with a burn on the disk."""
        with self.doors.store.read() as connection:
            rows = connection.execute(select(burn.c.node_id, burn.c.scope)).all()
        assert all(row.scope == "GLOBAL_REVOCATION" for row in rows)
        assert len(rows) == len(set(rows))
        return {row.node_id for row in rows}

    def denied(self, cause: str) -> set[str]:
        """Nodes that are denied for ``cause``, on the disk and in memory alike."""
        with self.doors.store.read() as connection:
            rows = set(connection.scalars(select(deny.c.node_id).where(deny.c.cause == cause)))
        entries = {node_id: self.doors.registry.deny.denies_node(node_id) for node_id in rows}
        assert {node_id for node_id, entry in entries.items() if entry is not None} == rows
        return rows

    def alarms(self) -> list[str]:
        """Kinds of the open alarms."""
        return sorted(alarm.kind for alarm in self.doors.alarms.open())


@contextlib.contextmanager
def hr_site(data_dir: Path, *, failpoint: Callable[[Step], None] = lambda _: None) -> Iterator[HrSite]:
    """Opens (or makes) the site in ``data_dir``."""
    with door_site(data_dir) as doors:
        cursors = Cursors(b"c" * 32)
        listener = Lifecycle(
            doors.store, doors.registry, doors.burns, doors.alarms, doors.bus, cursors, failpoint=failpoint
        )
        yield HrSite(doors, listener, Rosters(doors.store, doors.alarms))
