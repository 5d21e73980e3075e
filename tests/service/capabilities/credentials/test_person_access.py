"""What opens for a person now is what their card would be told at each door."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.api.problems import Problem
from app.capabilities.burn.messages import ContainmentBody
from app.capabilities.credentials.messages import NodeAccess
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from tests.door_site import ACTOR, DoorSite, door_site


@pytest.fixture
def doors(tmp_path: Path) -> Iterator[DoorSite]:
    with door_site(tmp_path / "site") as site:
        yield site


def reasons(found: NodeAccess) -> dict[str, str]:
    return {one.cluster_id: one.reason for one in found.clusters}


def test_doors_open_by_a_grant_and_not_by_a_profile(doors: DoorSite) -> None:
    """Both clusters stand in the profile, one is granted; a third is only counted."""

    async def main() -> None:
        for cluster, readers in (("east", 3), ("west", 2), ("north", 4)):
            doors.cluster(cluster, readers)
        doors.person("ARC-1", clusters=["east", "west"])
        async with doors.running():
            await doors.secure(9)
            granted = await doors.sync("ARC-1", "east")
            found = doors.credentials.access.look("ARC-1")
        assert reasons(found) == {"east": "granted", "west": "no_grant"}
        assert (found.open_doors, found.doors, found.other_clusters) == (3, 9, 1)
        assert [one.until for one in found.clusters] == [granted.not_after, None]

    asyncio.run(main())


@pytest.mark.parametrize("how", ["burned", "contained"])
def test_what_is_denied_is_not_open(doors: DoorSite, how: str) -> None:
    """A burn and a containment are told as the door tells them."""

    async def main() -> None:
        doors.cluster("east", 1)
        doors.person("ARC-1", clusters=["east"])
        async with doors.running():
            await doors.secure(1)
            await doors.sync("ARC-1", "east")
            if how == "burned":
                await doors.burn("ARC-1", wait_s=5.0)
            else:
                await doors.burns.containments.contain(
                    ContainmentBody(node_id="ARC-1", seconds=60), actor=ACTOR, request_id=None
                )
            found = doors.credentials.access.look("ARC-1")
        assert (reasons(found), found.open_doors) == ({"east": how}, 0)

    asyncio.run(main())


def test_outside_its_hours_a_cluster_is_shut(doors: DoorSite) -> None:
    """A schedule without an hour of today denies what the grant would give."""

    async def main() -> None:
        doors.person("ARC-1")
        readers = [ReaderBody(reader_id="east-1", channel="simulated:", address=1)]
        closed = ReaderClusterBody(display_name="East", readers=readers, schedule=[])
        doors.write(lambda tx: doors.registry.clusters.put_in(tx, "east", closed, ACTOR))
        doors.person("ARC-1", clusters=["east"])
        async with doors.running():
            await doors.secure(1)
            await doors.sync("ARC-1", "east")
            found = doors.credentials.access.look("ARC-1")
        assert (reasons(found), found.clusters[0].until) == ({"east": "outside_schedule"}, None)

    asyncio.run(main())


def test_nobody_has_no_doors(doors: DoorSite) -> None:
    """404, as for the node itself."""
    with pytest.raises(Problem) as refused:
        doors.credentials.access.look("ARC-NOBODY")
    assert refused.value.code == "not_found"
