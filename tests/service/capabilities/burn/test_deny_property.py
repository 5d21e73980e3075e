"""Whatever is called in whatever order: who is burned or contained is denied, and who is neither is not."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import select

from app.api.problems import Problem
from app.approvals.messages import ApprovalBody
from app.capabilities.burn.messages import BurnBody, ContainmentBody, ContainmentListQuery
from app.capabilities.burn.tables import burn
from app.registry.denyset import DenySet
from app.registry.tables import deny
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site

NODES = ("ARC-1", "ARC-2")
STEPS = ("contain", "brake", "queue", "release", "expire", "burn", "local", "hr", "refused", "lift", "mass")
step = st.tuples(st.sampled_from(STEPS), st.sampled_from(NODES))
together = st.lists(st.lists(step, min_size=1, max_size=3), min_size=1, max_size=8)
"""Groups of calls: those of a group are made at once."""


class Refused(Exception):
    """The caller's own."""


@dataclass
class Caller:
    """Makes calls on a site; a refusal by name is an answer."""

    site: DoorSite
    asked: int = 0
    burned: list[str] = field(default_factory=list)

    async def make(self, step: str, node_id: str) -> None:
        """One call."""
        try:
            await getattr(self, step)(node_id)
        except (Problem, Refused):
            return

    async def contain(self, node_id: str) -> None:
        """By an operator."""
        await self.site.burns.containments.contain(ContainmentBody(node_id=node_id, seconds=900), actor=ACTOR)

    async def brake(self, node_id: str) -> None:
        """Until a person decides."""
        await self.site.burns.contain_with(node_id, cause="brake", seconds=None, **_called())

    async def expire(self, node_id: str) -> None:
        """A lock whose time is over at once, and what is due ended."""
        await self.site.burns.contain_with(node_id, cause="containment", seconds=0.0, **_called())
        await self.site.store.writer.run(self.site.burns.containments._expire)

    async def queue(self, node_id: str) -> None:
        """Listed alone."""
        await self.site.burns.queue_with(node_id, **_called())

    async def release(self, node_id: str) -> None:
        """The newest that holds the node."""
        for held in self.site.burns.containments.page(ContainmentListQuery(node_id=node_id, limit=1)).items:
            await self.site.burns.containments.release(held.containment_id, actor=ACTOR)

    async def burn(self, node_id: str) -> None:
        """Everywhere."""
        await self.site.burn(node_id, wait_s=0.0)

    async def local(self, node_id: str) -> None:
        """Told by a peer."""
        body = BurnBody(node_id=node_id, scope="LOCAL_ONLY", reason="told by a peer")
        await self.site.burns.burn(body, actor=ACTOR, wait_s=0.0)

    async def hr(self, node_id: str) -> None:
        """With what the caller writes."""
        await self.site.burns.burn_with(node_id, "discharged", actor="hr", request_id=None, also=_nothing)

    async def refused(self, node_id: str) -> None:
        """Taken back by the caller."""
        await self.site.burns.burn_with(node_id, "discharged", actor="hr", request_id=None, also=_refuse)

    async def lift(self, node_id: str) -> None:
        """The newest burn that stands."""
        with self.site.store.read() as connection:
            mine = select(burn.c.burn_id).where(burn.c.node_id == node_id, burn.c.lifted_us.is_(None))
            burn_id = connection.scalar(mine.order_by(burn.c.number.desc()).limit(1))
        if burn_id is not None:
            await self.site.burns.lift(burn_id, await self._approved("lift", [burn_id]), actor=ACTOR)

    async def mass(self, node_id: str) -> None:
        """A list of one."""
        await self.site.mass.burn(await self._approved("mass_burn", [node_id]), actor=ACTOR, wait_s=10.0)

    async def _approved(self, kind: Any, subjects: list[str]) -> str:
        asked, _ = await self.site.approvals.request(
            ApprovalBody(kind=kind, subjects=subjects, reason="x"), actor=ACTOR
        )
        await self.site.approvals.approve(asked.approval_id, actor="key-two")
        return asked.approval_id


def _called() -> dict[str, Any]:
    return {"message": "x", "actor": "hr", "request_id": None, "also": _nothing}


def _nothing(tx: Transaction, reference: str) -> None:
    """Writes nothing."""


def _refuse(tx: Transaction, reference: str) -> None:
    raise Refused


def expected(site: DoorSite) -> set[tuple[str, str, str]]:
    """Who must be denied by what: burns that stand and containments that are not over."""
    with site.store.read() as connection:
        burns = connection.execute(select(burn.c.node_id, burn.c.burn_id).where(burn.c.lifted_us.is_(None)))
        wanted = {(row.node_id, "burn", row.burn_id) for row in burns}
    for held in site.burns.containments.page(ContainmentListQuery(state="contained", limit=500)).items:
        wanted.add((held.node_id, held.cause, held.containment_id))
    return wanted


def stored(site: DoorSite) -> set[tuple[str, str, str]]:
    """The rows."""
    with site.store.read() as connection:
        return {(row.node_id, row.cause, row.ref) for row in connection.execute(select(deny))}


def remembered(of: DenySet) -> set[tuple[str, str, str]]:
    """The memory of the deciding threads."""
    return {(node_id, one.cause, one.reference) for node_id, held in of._nodes.items() for one in held}


@given(together)
@settings(max_examples=12)
def test_nobody_burned_gets_in_and_nobody_free_is_kept_out(groups: list[list[tuple[str, str]]]) -> None:
    """After each group of calls memory, rows and what is recorded say the same, and so they do after a restart."""

    async def main(site: DoorSite) -> None:
        caller = Caller(site)
        await site.burns.start()
        for group in groups:
            await asyncio.gather(*(caller.make(step, node_id) for step, node_id in group))
            assert expected(site) == stored(site) == remembered(site.registry.deny)
        await site.mass.stop()
        await site.burns.stop()

    with tempfile.TemporaryDirectory() as place:
        with door_site(Path(place) / "site") as site:
            for node_id in NODES:
                site.person(node_id)
            asyncio.run(main(site))
            before = stored(site)
        with door_site(Path(place) / "site") as site:
            assert stored(site) == remembered(site.registry.deny) == before
