"""How soon burns were proven: what is counted, what has no time, and which burns are the worst."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import ColumnElement, update

from app.capabilities.burn.messages import Burn, BurnSpeedQuery, BurnSpeedReport, SystemSpeed
from app.capabilities.burn.tables import burn, burn_target
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.nodes import NodeBody
from app.registry.messages.shared import DRILL_TAG
from tests.door_site import ACTOR, DoorSite, door_site, until

FAR = "2001-01-01T00:00:00Z"
NONE = {"timed": 0, "within": 0, "open": 0, "unproven": 0, "p50_ms": None, "p95_ms": None, "max_ms": None}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """Three people and two doors."""
    with door_site(tmp_path / "site") as made:
        made.cluster("east", 2)
        for number in range(1, 4):
            made.person(f"ARC-{number}")
        yield made


def report(site: DoorSite, **query: object) -> BurnSpeedReport:
    """Of the last 30 days, or of what ``query`` says."""
    return site.burns.speed(BurnSpeedQuery(**query))  # type: ignore[arg-type]


def burned(site: DoorSite, *nodes: str) -> list[Burn]:
    """Burns these with both doors connected; waits until all is proven."""

    async def main() -> list[Burn]:
        async with site.running():
            await site.secure(2)
            made = [await site.burn(node) for node in nodes]
            await until(lambda: all(site.burns.get(one.burn_id).state == "COMPLETE" for one in made))
            return [site.burns.get(one.burn_id) for one in made]

    return asyncio.run(main())


def change_target(site: DoorSite, row: ColumnElement[bool], **values: object) -> None:
    """Changes the row of one target behind the service's back."""
    site.write(lambda tx: tx.connection.execute(update(burn_target).where(row).values(**values)))


def set_times(site: DoorSite, burn_id: str, **ms: float) -> None:
    """Says when each door of a burn was proven."""
    for reader, time_ms in ms.items():
        row = (burn_target.c.burn_id == burn_id) & (burn_target.c.target_id == f"reader:{reader.replace('_', '-')}")
        change_target(site, row, latency_us=round(time_ms * 1000))


def of_kind(found: BurnSpeedReport, kind: str) -> SystemSpeed:
    """The row of a system."""
    (only,) = [one for one in found.systems if one.kind == kind]
    return only


def door_state(site: DoorSite, burn_id: str, target_id: str) -> str:
    """Of one door, as the burn tells it."""
    return {target.id: target.state for target in site.burns.get(burn_id).targets}[target_id]


def test_a_range_without_burns_has_no_figure(site: DoorSite) -> None:
    found = report(site)
    assert (found.burns, found.with_doors, found.systems, found.slowest) == (0, 0, [], [])
    assert {name: getattr(found.last_door, name) for name in NONE} == NONE


def test_the_last_door_is_the_slowest_of_each_burn(site: DoorSite) -> None:
    one, two, three = burned(site, "ARC-1", "ARC-2", "ARC-3")
    set_times(site, one.burn_id, east_1=10, east_2=30)
    set_times(site, two.burn_id, east_1=20, east_2=5)
    set_times(site, three.burn_id, east_1=2500, east_2=1)
    found = report(site)
    last = found.last_door
    assert (last.timed, last.within, last.p50_ms, last.p95_ms, last.max_ms) == (3, 2, 30, 2500, 2500)
    assert found.goal_ms == 2000


def test_a_system_is_measured_over_all_its_targets(site: DoorSite) -> None:
    one, two = burned(site, "ARC-1", "ARC-2")
    set_times(site, one.burn_id, east_1=10, east_2=30)
    set_times(site, two.burn_id, east_1=20, east_2=2100)
    doors = of_kind(report(site), "reader")
    assert (doors.timed, doors.within, doors.p50_ms, doors.p95_ms, doors.max_ms) == (4, 3, 20, 2100, 2100)


def test_a_target_that_can_have_no_proof_has_no_time(site: DoorSite) -> None:
    (one,) = burned(site, "ARC-1")
    row = (burn_target.c.burn_id == one.burn_id) & (burn_target.c.target_id == "reader:east-2")
    change_target(site, row, state="delivered")
    doors = of_kind(report(site), "reader")
    assert (doors.timed, doors.open, doors.unproven) == (1, 0, 1)


def test_a_door_without_proof_is_open_and_comes_first(site: DoorSite) -> None:
    part = ReaderBody(reader_id="safe-1", channel="simulated:", address=9, onboard_list=True)
    body = ReaderClusterBody(display_name="Safe", readers=[part])
    (quick,) = burned(site, "ARC-1")
    set_times(site, quick.burn_id, east_1=10, east_2=3_600_000)
    site.write(lambda tx: site.registry.clusters.put_in(tx, "safe", body, ACTOR))

    async def main() -> tuple[Burn, BurnSpeedReport]:
        async with site.running():
            await site.secure(3)
            await site.credentials.plug("safe-1", "unplug")
            await until(lambda: not site.credentials.doors.fleet.states()["safe-1"].online)
            made = await site.burn("ARC-2", wait_s=0.0)
            await until(lambda: door_state(site, made.burn_id, "reader:east-1") == "revoked")
            return made, report(site)

    slow, found = asyncio.run(main())
    assert [one.burn_id for one in found.slowest] == [slow.burn_id, quick.burn_id]
    assert (found.slowest[0].open_doors, found.slowest[0].slowest) == (1, "safe-1 · Safe")
    assert (found.last_door.open, found.last_door.timed) == (1, 1)


def test_a_door_that_was_given_up_makes_no_burn_quick(site: DoorSite) -> None:
    (one,) = burned(site, "ARC-1")
    row = (burn_target.c.burn_id == one.burn_id) & (burn_target.c.target_id == "reader:east-2")
    change_target(site, row, state="closed")
    found = report(site)
    assert (found.last_door.timed, found.last_door.unproven) == (0, 1)
    assert found.slowest[0].unproven_doors == 1


def test_the_worst_five_are_told_with_their_last_door(site: DoorSite) -> None:
    for number in range(4, 8):
        site.person(f"ARC-{number}")
    made = burned(site, *(f"ARC-{number}" for number in range(1, 8)))
    for number, one in enumerate(made, start=1):
        set_times(site, one.burn_id, east_1=number, east_2=number * 100)
    found = report(site)
    assert [(one.node_id, one.last_door_ms, one.slowest) for one in found.slowest] == [
        (f"ARC-{number}", number * 100, "east-2 · Cluster east") for number in (7, 6, 5, 4, 3)
    ]


def test_burns_before_and_after_the_range_do_not_count(site: DoorSite) -> None:
    (one,) = burned(site, "ARC-1")
    assert report(site, from_=FAR, to=one.timestamp).burns == 0
    assert report(site, from_=one.timestamp).burns == 1
    earlier = update(burn).values(created_us=0)
    site.write(lambda tx: tx.connection.execute(earlier))
    assert report(site).burns == 0
    assert report(site, from_="1970-01-01T00:00:00Z").burns == 1


def test_drills_count_apart(site: DoorSite) -> None:
    body = NodeBody(display_name="Drill", tags=[DRILL_TAG])
    site.write(lambda tx: site.registry.nodes.put_in(tx, "DRILL-1", body, ACTOR))
    (drill, real) = burned(site, "DRILL-1", "ARC-1")
    assert drill.drill
    assert [one.burn_id for one in report(site).slowest] == [real.burn_id]
    assert report(site, drills=True).burns == 1
