"""What burns and containments keep of a person, and what of it an erasure takes out."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.approvals.messages import ApprovalBody
from app.capabilities.burn.messages import ContainmentBody
from app.capabilities.burn.personal_data import BurnRecords
from app.capabilities.burn.tables import burn, burn_segment, burn_subject, containment
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.service.capabilities.burn.targets.test_directory_targets import Hand


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """ARC-1 and ARC-2 with accounts in a directory."""
    with door_site(tmp_path / "site", connectors=[Hand()]) as made:
        made.directory("dir", "scim", "https://dir.invalid/")
        for node_id in ("ARC-1", "ARC-2"):
            made.account(node_id, ("dir", f"account of {node_id}"))
        yield made


def forgotten(site: DoorSite) -> tuple[int, int, list[str]]:
    """What the preview counts and the erasure of ARC-1 does; what stays."""
    records = BurnRecords()
    with site.store.read() as connection:
        held = records.held_records(connection, "ARC-1")
    return held.rows, site.store.writer.submit(lambda tx: records.forget(tx, "ARC-1")).result(), list(held.kept)


def test_messages_of_containments_go_once_they_have_ended(site: DoorSite) -> None:
    """While it is in force an operator must read why; nobody else's goes with it."""

    async def main() -> None:
        async with site.running():
            for node_id in ("ARC-1", "ARC-2"):
                body = ContainmentBody(node_id=node_id, seconds=900, message=f"seen with the badge of {node_id}")
                held, _ = await site.burns.containments.contain(body, actor=ACTOR)
                if node_id == "ARC-1":
                    rows, done, kept = await asyncio.to_thread(forgotten, site)
                    assert (rows, done, len(kept)) == (0, 0, 1)
                await site.burns.containments.release(held.containment_id, actor=ACTOR)

    asyncio.run(main())
    assert forgotten(site) == (1, 1, [])
    assert forgotten(site) == (0, 0, [])
    with site.store.read() as connection:
        said = connection.execute(select(containment.c.node_id, containment.c.message)).all()
    assert sorted(map(tuple, said)) == [("ARC-1", None), ("ARC-2", "seen with the badge of ARC-2")]


def test_accounts_of_a_burn_go_once_it_is_lifted_and_evidence_never(site: DoorSite) -> None:
    """A standing burn locks them again; its row and segments outlive the erasure, and the reply says so."""

    def left() -> list[int]:
        with site.store.read() as connection:
            return [connection.scalar(select(func.count()).select_from(t)) or 0 for t in (burn_subject, burn_segment)]

    async def main() -> None:
        async with site.running():
            reply = await site.burn("ARC-1", 10.0)
            rows, done, kept = await asyncio.to_thread(forgotten, site)
            assert (rows, done, len(kept)) == (0, 0, 2)
            assert left() == [1, 1]
            body = ApprovalBody(kind="lift", subjects=[reply.burn_id], reason="burned by mistake")
            approval, _ = await site.approvals.request(body, actor="key-one")
            await site.approvals.approve(approval.approval_id, actor="key-two")
            await until(lambda: site.burns.get(reply.burn_id).state == "COMPLETE")
            await site.burns.lift(reply.burn_id, approval.approval_id, actor="key-one")

    asyncio.run(main())
    rows, done, kept = forgotten(site)
    assert (rows, done, len(kept)) == (1, 1, 1)
    assert left() == [0, 1]
    with site.store.read() as connection:
        assert connection.scalars(select(burn.c.reason)).all() == ["badge found on the street"]
