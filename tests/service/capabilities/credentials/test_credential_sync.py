"""Credential sync on a real site with simulated readers over the real protocol."""

from __future__ import annotations

import asyncio
import time
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from app.api.problems import Problem
from app.capabilities.credentials import doors as doors_module
from app.capabilities.credentials import grant_book
from app.capabilities.credentials.messages import SyncBody
from app.capabilities.credentials.syncs import KEPT_US
from app.capabilities.credentials.tables import reader_grant, sync
from app.registry.messages.clusters import ReaderBody, ReaderClusterBody
from app.registry.messages.profiles import CredentialBody, CredentialProfileBody
from app.registry.messages.schedules import ScheduleWindow
from app.registry.service import now_us
from app.store import clock as clock_module
from app.store.errors import StoreUnavailable
from tests.door_site import ACTOR, GUID, DoorSite, door_site, until

ELSEWHERE = "1f8fad5b-d9cb-469f-a165-70867728950e"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """Cluster ``east`` with three readers, and ARC-1 with a badge for it."""
    with door_site(tmp_path / "site") as made:
        made.cluster("east", 3)
        made.person("ARC-1", clusters=["east"])
        yield made


async def refused(site: DoorSite, cluster_id: str, profile_id: str) -> Problem:
    """The problem that a sync meets."""
    body = SyncBody(hardware_reader_cluster=cluster_id, credential_profile_token=profile_id)
    with pytest.raises(Problem) as caught:
        await site.credentials.sync(body, actor=ACTOR)
    return caught.value


def decision(site: DoorSite, reader_id: str = "east-1", node_id: str = "ARC-1") -> str:
    """Starts the site and says what the door does with the node's badge."""

    async def ask() -> str:
        async with site.running():
            await site.secure(1)
            return (await site.credentials.present(reader_id, node_id)).reason

    return asyncio.run(ask())


def test_every_reader_proves_that_it_holds(site: DoorSite) -> None:
    """Applied, over the secure channel, with the firmware that the reader itself told."""

    async def run() -> list[tuple[str, bool, str | None]]:
        async with site.running():
            await site.secure(3)
            reply = await site.sync("ARC-1", "east")
            return [(part.state, part.secure_channel, part.firmware) for part in reply.readers]

    assert asyncio.run(run()) == [("applied", True, "1.3.0")] * 3


def test_old_syncs_make_room(site: DoorSite) -> None:
    """A sync is kept for 30 days, then the next one takes it away with its readers' rows."""

    async def run() -> int:
        async with site.running():
            first = await site.sync("ARC-1", "east")
            aged = update(sync).values(created_us=now_us() - KEPT_US - 1)
            await site.store.writer.run(lambda tx: tx.connection.execute(aged) and None)
            await site.sync("ARC-1", "east")
            with pytest.raises(Problem) as caught:
                site.credentials.get(first.sync_id)
            return caught.value.status

    assert asyncio.run(run()) == 404


def test_a_granted_badge_opens_the_door(site: DoorSite) -> None:
    """Before the sync nobody knows the badge; after it the door opens."""

    async def run() -> list[str]:
        async with site.running():
            await site.secure(3)
            before = await site.credentials.present("east-1", "ARC-1")
            await site.sync("ARC-1", "east")
            after = await site.credentials.present("east-1", "ARC-1")
            return [before.reason, after.reason]

    assert asyncio.run(run()) == ["unknown_credential", "granted"]


def test_a_grant_survives_a_restart(tmp_path: Path) -> None:
    """The table is read back before any door is driven."""
    with door_site(tmp_path / "site") as first:
        first.cluster("east", 1)
        first.person("ARC-1", clusters=["east"])

        async def run() -> None:
            async with first.running():
                await first.sync("ARC-1", "east")

        asyncio.run(run())
    with door_site(tmp_path / "site") as second:
        assert decision(second) == "granted"


def test_a_grant_ends_at_its_time(site: DoorSite) -> None:
    """From not_after on the door says expired, without any sweep."""

    async def run() -> str:
        async with site.running():
            await site.secure(3)
            await site.sync("ARC-1", "east")
            site.write(lambda tx: tx.connection.execute(reader_grant.update().values(not_after_us=now_us() + 300_000)))
            site.write(lambda tx: site.credentials.doors.grant_changed(tx, "badge-ARC-1"))
            await site.credentials.doors.settle()
            end = time.time() + 0.3
            await until(lambda: time.time() > end)
            return (await site.credentials.present("east-1", "ARC-1")).reason

    assert asyncio.run(run()) == "expired"


@pytest.mark.parametrize("seen", ["by a leaf", "at a start"])
def test_no_clock_turned_back_revives_what_ran_out_while_nothing_ran(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: str
) -> None:
    """It is over for good once the store has seen the later time, in a leaf alone or when the doors were started."""

    def turn(seconds: float) -> None:
        clock = types.SimpleNamespace(
            time=lambda: time.time() + seconds,
            time_ns=lambda: time.time_ns() + round(seconds * 1e9),
            monotonic=time.monotonic,
            monotonic_ns=time.monotonic_ns,
        )
        monkeypatch.setattr(grant_book, "time", clock)
        monkeypatch.setattr(clock_module, "time", clock)

    with door_site(tmp_path / "site") as first:
        first.cluster("east", 1)
        first.person("ARC-1", clusters=["east"])

        async def run() -> None:
            async with first.running():
                await first.sync("ARC-1", "east", ttl=600)

        asyncio.run(run())
    turn(3600)
    with door_site(tmp_path / "site") as later:
        if seen == "by a leaf":
            later.person("ARC-2")
        else:
            asyncio.run(_started(later))
    turn(0)
    with door_site(tmp_path / "site") as back:
        assert decision(back) == "unknown_credential"
        with back.store.read() as connection:
            assert connection.execute(reader_grant.select()).one().ended_why == "expired"


async def _started(site: DoorSite) -> None:
    async with site.running():
        pass


def test_a_badge_for_one_cluster_does_not_open_another(site: DoorSite) -> None:
    """The grant names its cluster."""
    site.cluster("west", 1)

    async def run() -> str:
        async with site.running():
            await site.secure(4)
            await site.sync("ARC-1", "east")
            return (await site.credentials.present("west-1", "ARC-1")).reason

    assert asyncio.run(run()) == "wrong_cluster"


def test_an_unplugged_reader_is_pending_and_done_when_it_is_back(site: DoorSite) -> None:
    """202 in the meantime; the sync says applied once the channel is up again."""

    async def run() -> tuple[list[str], list[str]]:
        async with site.running():
            await site.secure(3)
            await site.credentials.plug("east-2", "unplug")
            await until(lambda: not site.credentials.doors.fleet.states()["east-2"].online)
            reply = await site.sync("ARC-1", "east")
            before = [part.state for part in reply.readers]
            await site.credentials.plug("east-2", "plug")
            await until(
                lambda: all(part.state == "applied" for part in site.credentials.get(reply.sync_id).readers), 20
            )
            return before, [part.state for part in site.credentials.get(reply.sync_id).readers]

    assert asyncio.run(run()) == (["applied", "pending_offline", "applied"], ["applied"] * 3)


@pytest.mark.parametrize(("cluster_id", "profile_id"), [("nowhere", "badge-ARC-1"), ("east", "nobody")])
def test_an_unknown_cluster_or_profile_is_404(site: DoorSite, cluster_id: str, profile_id: str) -> None:
    """Nothing is granted for what is not registered."""
    assert asyncio.run(refused(site, cluster_id, profile_id)).status == 404


def test_a_cluster_that_the_profile_does_not_open_is_409(site: DoorSite) -> None:
    """A sync cannot widen a profile."""
    site.cluster("west", 1)
    assert asyncio.run(refused(site, "west", "badge-ARC-1")).status == 409


def test_an_unverified_node_is_409_and_left_no_grant(site: DoorSite) -> None:
    """No live check, no door."""
    site.person("ARC-2", verified=False, clusters=["east"], guid=ELSEWHERE)
    problem = asyncio.run(refused(site, "east", "badge-ARC-2"))
    with site.store.read() as connection:
        grants = connection.execute(reader_grant.select()).all()
    assert (problem.status, "UNVERIFIED" in problem.detail, grants) == (409, True, [])


def test_a_fall_of_standing_takes_the_grant(site: DoorSite) -> None:
    """What expires as a person opens no door any more."""

    async def run() -> str:
        async with site.running():
            await site.secure(3)
            await site.sync("ARC-1", "east")
            site.registry.standing.window_us = 1
            site.write(site.registry.standing.expire)
            await site.credentials.doors.settle()
            return (await site.credentials.present("east-1", "ARC-1")).reason

    assert asyncio.run(run()) == "unknown_credential"


def test_a_grant_whose_end_did_not_reach_the_doors_is_ended_by_the_next_try(
    site: DoorSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table that could not be replaced once is not taken for replaced."""
    doors = site.credentials.doors
    replace = doors.fleet.replace_grants

    def fails(table: object) -> None:
        raise OSError("in a test")

    async def run() -> list[str]:
        async with site.running():
            await site.secure(3)
            await site.sync("ARC-1", "east")
            monkeypatch.setattr(doors, "_settle_soon", lambda: None)
            monkeypatch.setattr(doors.fleet, "replace_grants", fails)
            site.registry.standing.window_us = 1
            site.write(site.registry.standing.expire)
            with pytest.raises(OSError, match="in a test"):
                await doors.settle()
            monkeypatch.setattr(doors.fleet, "replace_grants", replace)
            return [(await site.credentials.present("east-1", "ARC-1")).reason]

    assert asyncio.run(run()) == ["unknown_credential"]


def test_the_sweep_outlives_a_store_that_is_away(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes again after one that failed."""
    doors = site.credentials.doors
    swept = []

    async def sweep() -> None:
        swept.append(1)
        if len(swept) == 1:
            raise StoreUnavailable("in a test")

    async def run() -> None:
        async with site.running():
            await until(lambda: len(swept) >= 2)

    monkeypatch.setattr(doors_module, "_SWEEP_S", 0.01)
    monkeypatch.setattr(doors, "sweep", sweep)
    asyncio.run(run())


def test_a_profile_that_loses_its_cluster_loses_the_grant(site: DoorSite) -> None:
    """The grant follows the profile as it is now."""
    site.cluster("west", 1)
    body = CredentialProfileBody(
        node_id="ARC-1", credentials=[CredentialBody(format="piv-guid", card_guid=GUID)], clusters=["west"]
    )

    async def run() -> str:
        async with site.running():
            await site.secure(4)
            await site.sync("ARC-1", "east")
            await site.registry.profiles.put("badge-ARC-1", body, actor=ACTOR)
            return (await site.credentials.present("east-1", "ARC-1")).reason

    assert asyncio.run(run()) == "unknown_credential"


def test_a_card_that_is_taken_from_its_holder_loses_its_grants(site: DoorSite) -> None:
    """The profile names it no more; with no other credential in it the grant is over, and nothing of it is held."""

    async def run() -> None:
        async with site.running():
            await site.secure(3)
            await site.sync("ARC-1", "east")
            assert [holding.count for holding in site.credentials.holdings("ARC-1")] == [1]
            site.write(lambda tx: site.registry.profiles.withdraw_card(tx, GUID, actor=ACTOR))
            assert site.credentials.holdings("ARC-1") == []
            assert site.registry.profiles.get("badge-ARC-1", now_us()).credentials == []

    asyncio.run(run())
    with site.store.read() as connection:
        assert [row.ended_why for row in connection.execute(reader_grant.select())] == ["profile"]


def test_the_clusters_schedule_binds_a_live_grant(site: DoorSite) -> None:
    """Closing a cluster for the week closes it for those who are granted already."""
    parts = [ReaderBody(reader_id=f"east-{n}", channel="simulated:", address=n) for n in (1, 2, 3)]
    body = ReaderClusterBody(display_name="East", readers=parts, schedule=[])

    async def run() -> str:
        async with site.running():
            await site.secure(3)
            await site.sync("ARC-1", "east")
            await site.registry.clusters.put("east", body, actor=ACTOR)
            return (await site.credentials.present("east-1", "ARC-1")).reason

    assert asyncio.run(run()) == "outside_schedule"


def test_a_node_shows_what_is_granted(site: DoorSite) -> None:
    """Cluster and end of the grant stand at the node's credential."""

    async def run() -> None:
        async with site.running():
            await site.sync("ARC-1", "east")

    asyncio.run(run())
    shown = site.registry.nodes.get("ARC-1", now_us()).credentials[0]
    assert (shown.state, shown.clusters, shown.card_guid, shown.not_after is None) == ("granted", ["east"], GUID, False)


def test_a_node_with_a_live_grant_is_not_deleted(site: DoorSite) -> None:
    """409 that says to burn it first."""

    async def run() -> None:
        async with site.running():
            await site.sync("ARC-1", "east")
        await site.registry.nodes.delete("ARC-1", actor=ACTOR)

    with pytest.raises(Problem) as caught:
        asyncio.run(run())
    assert (caught.value.status, "burn it first" in caught.value.detail) == (409, True)


def test_a_card_at_a_door_is_an_event_without_its_bits(site: DoorSite) -> None:
    """Node, reader, reason; nothing of the card."""

    async def run() -> None:
        async with site.running():
            await site.secure(3)
            await site.sync("ARC-1", "east")
            await site.credentials.present("east-1", "ARC-1")

    asyncio.run(run())
    bodies = [event.body for event in site.events if event.kind == "access"]
    assert [(body.node_id, body.reader_id, body.decision) for body in bodies] == [("ARC-1", "east-1", "GRANT")]
    assert GUID.replace("-", "") not in repr(bodies).lower()


@pytest.mark.parametrize(
    ("reader_id", "node_id", "status"),
    [("nowhere", "ARC-1", 404), ("east-1", "ARC-9", 404), ("east-1", "ARC-2", 409), ("gate-1", "ARC-1", 409)],
)
def test_a_badge_that_cannot_be_presented_says_why(site: DoorSite, reader_id: str, node_id: str, status: int) -> None:
    """Unknown reader or node, a node without a badge, a real reader."""
    site.person("ARC-2")
    gate = ReaderClusterBody(
        display_name="Gate", readers=[ReaderBody(reader_id="gate-1", channel="tcp://127.0.0.1:9", address=1)]
    )
    site.write(lambda tx: site.registry.clusters.put_in(tx, "gate", gate, ACTOR))

    async def run() -> None:
        async with site.running():
            await site.credentials.present(reader_id, node_id)

    with pytest.raises(Problem) as caught:
        asyncio.run(run())
    assert caught.value.status == status


def test_a_badge_at_an_unplugged_reader_is_503(site: DoorSite) -> None:
    """The reader is offline; the answer says to plug it in."""

    async def run() -> None:
        async with site.running():
            await site.secure(3)
            await site.credentials.plug("east-1", "unplug")
            await until(lambda: not site.credentials.doors.fleet.states()["east-1"].online)
            await site.credentials.present("east-1", "ARC-1")

    with pytest.raises(Problem) as caught:
        asyncio.run(run())
    assert (caught.value.status, caught.value.headers) == (503, {"Retry-After": "5"})


def test_a_cluster_made_while_running_is_driven(site: DoorSite) -> None:
    """Its readers come up without a restart."""
    window = ScheduleWindow(days=[0, 1, 2, 3, 4, 5, 6], start="00:00", end="24:00")
    body = ReaderClusterBody(
        display_name="New",
        readers=[ReaderBody(reader_id="new-1", channel="simulated:", address=1)],
        schedule=[window],
    )

    async def run() -> bool:
        async with site.running():
            await site.registry.clusters.put("new", body, actor=ACTOR)
            await until(lambda: site.registry.clusters.get("new", now_us()).readers[0].secure_channel)
            return site.registry.clusters.get("new", now_us()).readers[0].enrolled

    assert asyncio.run(run())
