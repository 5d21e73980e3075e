"""Drills: the real fan-out to what is tagged so and to nothing else, and every record says it. A burn that a site was
told by another one goes no further."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from app.approvals.messages import ApprovalBody
from app.capabilities.burn.commit import EXECUTED
from app.capabilities.burn.lift import LIFTED
from app.capabilities.burn.manual import CLOSED
from app.capabilities.burn.messages import Burn, BurnBody, BurnEvent, BurnTarget, PreviewBody
from app.capabilities.burn.proofs import COMPLETE, CONFIRMED
from app.capabilities.burn.reminders import PENDING_ALARM
from app.capabilities.burn.tables import burn
from app.capabilities.burn.tripwire import TRIPWIRE
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.service.capabilities.burn.targets.test_directory_targets import Hand

DRILL, REAL = "ARC-DRILL", "ARC-REAL"


@pytest.fixture
def hand() -> Hand:
    """What the directories answer."""
    return Hand()


@pytest.fixture
def site(tmp_path: Path, hand: Hand) -> Iterator[DoorSite]:
    """Doors and directories of both sorts, a drill identity and a real one with accounts in all."""
    with door_site(tmp_path / "site", connectors=[hand]) as made:
        for cluster_id, tags in (("real", []), ("mock", ["drill"])):
            reader = ReaderBody(reader_id=f"{cluster_id}-1", channel="simulated:", address=1, onboard_list=True)
            body = ReaderClusterBody(display_name=cluster_id, readers=[reader], tags=tags)
            made.write(lambda tx, name=cluster_id, body=body: made.registry.clusters.put_in(tx, name, body, ACTOR))  # type: ignore[misc]
            made.directory(f"dir-{cluster_id}", "scim", f"https://{cluster_id}.invalid/", tags=tags)
        tag(made, drill=True)
        made.account(REAL, ("dir-real", "one"), ("dir-mock", "one"))
        yield made


def tag(site: DoorSite, *, drill: bool) -> None:
    """Makes the drill identity one, or none any more."""
    accounts = (("dir-real", "one"), ("dir-mock", "one"), ("dir-gone", "one"))
    site.account(DRILL, *accounts, tags=["drill"] if drill else [])


def details(site: DoorSite, action: str) -> list[dict[str, Any]]:
    """What the leaves of an action say, oldest first."""
    with site.store.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT e.payload FROM audit_entry e JOIN log_word w ON w.id = e.action WHERE w.text = ? ORDER BY e.seq",
            (action,),
        )
        return [msgspec.json.decode(row[0])["detail"] for row in rows]


def targets(reply: Burn) -> set[str]:
    """Ids without the digest of an account."""
    return {":".join(target.id.split(":")[:2]) for target in reply.targets if target.kind != "local"}


def run(site: DoorSite, node_id: str, *, stays_open: bool = False) -> Burn:
    """The site runs, its readers are driven, the node burns; ``stays_open``: a target that nobody can reach does."""

    async def main() -> Burn:
        async with site.running():
            await site.secure(2)
            reply = await site.burn(node_id, 0.0 if stays_open else 10.0)
            if stays_open:
                await until(lambda: len(left(reply.burn_id)) == 1)
            return reply

    def left(burn_id: str) -> list[BurnTarget]:
        return [target for target in site.burns.get(burn_id).targets if target.state not in ("revoked", "already")]

    return asyncio.run(main())


def test_only_what_is_tagged_is_reached(site: DoorSite, hand: Hand) -> None:
    """Neither real doors and directories nor an account that nobody can reach; a real burn reaches all."""
    assert targets(run(site, DRILL)) == {"reader:mock-1", "scim:dir-mock"}
    assert [url for url, _ in hand.asked] == ["https://mock.invalid/"]
    assert targets(run(site, REAL)) == {"reader:mock-1", "scim:dir-mock", "reader:real-1", "scim:dir-real"}


def test_the_preview_shows_what_a_drill_would_reach(site: DoorSite) -> None:
    """And says that it would be one."""
    seen = site.burns.preview(PreviewBody(node_id=DRILL))
    assert (seen.drill, seen.doors) == (True, 1)
    assert {target.id.split(":")[1] for target in seen.targets} == {"mock-1", "dir-mock"}
    seen = site.burns.preview(PreviewBody(node_id=REAL))
    assert (seen.drill, seen.doors) == (False, 2)


def test_every_record_says_drill(site: DoorSite) -> None:
    """Row, reply, list, events and each leaf; those of a real burn do not."""

    async def main() -> Burn:
        async with site.running():
            await site.secure(2)
            site.credentials.doors.fleet.unplug("mock-1")
            await until(lambda: not site.credentials.doors.fleet.states()["mock-1"].secure_channel)
            reply = await site.burn(DRILL, 0.0)
            await site.burns.close(reply.burn_id, "reader:mock-1", "end of the drill", actor=ACTOR)
            await until(lambda: site.burns.get(reply.burn_id).state == "COMPLETE")
            body = ApprovalBody(kind="lift", subjects=[reply.burn_id], reason="end of the drill")
            approval, _ = await site.approvals.request(body, actor="key-one")
            await site.approvals.approve(approval.approval_id, actor="key-two")
            await site.burns.lift(reply.burn_id, approval.approval_id, actor="key-one")
            return reply

    reply = asyncio.run(main())
    assert reply.drill
    assert {event.body.drill for event in site.events if isinstance(event.body, BurnEvent)} == {True}
    for action in (EXECUTED, CLOSED, COMPLETE, LIFTED):
        assert [detail["drill"] for detail in details(site, action)] == [True], action
    assert {detail["drill"] for detail in details(site, CONFIRMED)} == {True}
    assert "DRILL: Un-burn" in details(site, "alarm.raised")[-1]["text"]


def test_a_real_burn_says_nothing_of_drills(site: DoorSite) -> None:
    """Its leaves carry no such word."""
    run(site, REAL)
    assert all("drill" not in detail for detail in (*details(site, EXECUTED), *details(site, CONFIRMED)))


def test_alarms_of_a_drill_say_so(tmp_path: Path) -> None:
    """An overdue drill and its burned badge: nobody takes them for real ones."""
    with door_site(tmp_path / "site") as site:
        reader = ReaderBody(reader_id="mock-1", channel="simulated:", address=1, onboard_list=True)
        lone = ReaderBody(reader_id="mock-2", channel="simulated:", address=2)
        body = ReaderClusterBody(display_name="mock", readers=[reader, lone], tags=["drill"])
        site.write(lambda tx: site.registry.clusters.put_in(tx, "mock", body, ACTOR))
        site.person(DRILL, clusters=["mock"])
        site.account(DRILL, tags=["drill"])

        async def main() -> None:
            async with site.running():
                await site.secure(2)
                await site.sync(DRILL, "mock")
                site.credentials.doors.fleet.unplug("mock-1")
                await until(lambda: not site.credentials.doors.fleet.states()["mock-1"].secure_channel)
                await site.burn(DRILL, 0.0)
                await site.credentials.present("mock-2", DRILL)
                await until(lambda: len(site.alarms.open()) == 2)

        asyncio.run(main())
        assert {alarm.kind for alarm in site.alarms.open()} == {PENDING_ALARM, TRIPWIRE}
        assert all(alarm.text.startswith("DRILL: ") for alarm in site.alarms.open())
        assert [detail["drill"] for detail in details(site, TRIPWIRE)] == [True]


def test_a_late_tag_makes_no_drill_of_a_burn(site: DoorSite) -> None:
    """Tagged after the burn: the burn stays real, also for the call that repeats it."""
    first = run(site, REAL)
    site.account(REAL, ("dir-real", "one"), ("dir-mock", "one"), tags=["drill"])
    again = run(site, REAL)
    assert (again.burn_id, again.drill, targets(again)) == (first.burn_id, False, targets(first))


def test_a_person_who_is_no_drill_identity_any_more_is_really_burned(site: DoorSite, hand: Hand) -> None:
    """The drill's burn gives way to a real one in one transaction; a repeat is the real one, also after a restart."""
    drill = run(site, DRILL)
    tag(site, drill=False)
    hand.asked.clear()
    real = run(site, DRILL, stays_open=True)
    assert (drill.drill, real.drill) == (True, False)
    assert real.burn_id != drill.burn_id
    assert {url for url, _ in hand.asked} == {"https://mock.invalid/", "https://real.invalid/"}
    assert run(site, DRILL, stays_open=True).burn_id == real.burn_id
    with site.store.read() as connection:
        standing = connection.scalars(select(burn.c.burn_id).where(burn.c.lifted_us.is_(None))).all()
    assert standing == [real.burn_id]
    entry = site.registry.deny.denies_node(DRILL)
    assert entry is not None
    assert entry.reference == real.burn_id


def test_a_local_burn_leaves_no_directory_a_word(site: DoorSite, hand: Hand) -> None:
    """LOCAL_ONLY is what a site tells its peers: it is complete without them, and a repeat tells nobody either."""

    async def main() -> Burn:
        async with site.running():
            await site.secure(2)
            body = BurnBody(node_id=REAL, scope="LOCAL_ONLY", reason="told by a peer")
            await site.burns.burn(body, actor=ACTOR, wait_s=10.0)
            return await site.burns.burn(body, actor=ACTOR, wait_s=10.0)

    reply = asyncio.run(main())
    assert (reply.state, targets(reply)) == ("COMPLETE", {"reader:mock-1", "reader:real-1"})
    assert hand.asked == []
