"""What a sync does at a reader beyond the grant: keys, places, lists, the end of grants. Real protocol, real store."""

from __future__ import annotations

import asyncio
import time
import types
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from app.api.problems import Problem
from app.capabilities.credentials import grant_book
from app.capabilities.credentials.tables import reader_grant
from app.registry.messages.clusters import Reader, ReaderBody, ReaderClusterBody
from app.registry.service import now_us
from app.registry.tables import reader
from tests.door_site import ACTOR, DoorSite, door_site, until
from tests.hardware.readers.reader_site import IndependentReader

DAY_US = 86_400 * 1_000_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """Cluster ``safe`` with a reader that keeps a list and one that does not; ARC-1 has a badge for it."""
    with door_site(tmp_path / "site") as made:
        put(made, ReaderBody(reader_id="safe-1", channel="simulated:", address=1, onboard_list=True), plain())
        made.person("ARC-1", clusters=["safe"])
        yield made


def plain(address: int = 2, baud: int = 115200) -> ReaderBody:
    """The reader without a list."""
    return ReaderBody(reader_id="safe-2", channel="simulated:", address=address, baud=baud)  # type: ignore[arg-type]


def put(site: DoorSite, *readers: ReaderBody) -> None:
    """Registers the cluster with these readers."""
    body = ReaderClusterBody(display_name="Safe", readers=list(readers))
    site.write(lambda tx: site.registry.clusters.put_in(tx, "safe", body, ACTOR))


def shown(site: DoorSite, reader_id: str) -> Reader:
    """The reader as the registry shows it."""
    readers = site.registry.clusters.get("safe", now_us()).readers
    return next(part for part in readers if part.reader_id == reader_id)


async def cut(site: DoorSite, reader_id: str) -> None:
    """Pulls the reader's line, until the service knows."""
    await site.credentials.plug(reader_id, "unplug")
    await until(lambda: not site.credentials.doors.fleet.state(reader_id).online)


async def reason(site: DoorSite, reader_id: str = "safe-1") -> str:
    """What the reader says to the badge."""
    return (await site.credentials.present(reader_id, "ARC-1")).reason


async def synced(site: DoorSite) -> tuple[str, str | None]:
    """What a sync says of the enrolled reader. The channel is made anew over the key that an enrolment gave it; a sync
    that comes in between is done when it is up."""
    await until(lambda: shown(site, "gate").enrolled)
    for _ in range(100):
        await until(lambda: shown(site, "gate").secure_channel)
        part = (await site.sync("ARC-1", "safe")).readers[0]
        if part.state != "pending_offline":
            break
    return part.state, part.detail


def test_a_list_is_part_of_the_sync(site: DoorSite) -> None:
    """Applied means that the reader has said that it keeps the list; cut off, it opens to the badge."""

    async def run() -> tuple[list[str], str]:
        async with site.running():
            await site.secure(2)
            reply = await site.sync("ARC-1", "safe")
            await cut(site, "safe-1")
            return [part.state for part in reply.readers], await reason(site)

    assert asyncio.run(run()) == (["applied", "applied"], "granted")


def test_a_reader_that_keeps_no_list_is_unsupported(tmp_path: Path) -> None:
    """Registered to keep one, but of another make: the sync says so, and the controller goes on deciding."""
    other = IndependentReader(line="tcp", key=bytes(16), flags="install")

    async def run(site: DoorSite) -> tuple[str, str | None]:
        async with site.running():
            await site.registry.clusters.enrol("safe", None, 60, actor=ACTOR)
            return await synced(site)

    try:
        with door_site(tmp_path / "site") as site:
            put(site, ReaderBody(reader_id="gate", channel=other.where, address=5, onboard_list=True))
            site.person("ARC-1", clusters=["safe"])
            state, detail = asyncio.run(run(site))
    finally:
        other.close()
    assert state == "unsupported"
    assert "keeps no list" in str(detail)


def test_a_capability_that_is_missing_is_named(tmp_path: Path) -> None:
    """A reader without a buzzer cannot tell people what was decided."""
    other = IndependentReader(line="tcp", key=bytes(16), flags="install", lacks=["AudibleControl"])

    async def run(site: DoorSite) -> tuple[str, str | None]:
        async with site.running():
            await site.registry.clusters.enrol("safe", None, 60, actor=ACTOR)
            return await synced(site)

    try:
        with door_site(tmp_path / "site") as site:
            put(site, ReaderBody(reader_id="gate", channel=other.where, address=5))
            site.person("ARC-1", clusters=["safe"])
            assert asyncio.run(run(site)) == ("unsupported", "the reader reports no buzzer")
    finally:
        other.close()


def test_a_burn_reaches_the_list(site: DoorSite) -> None:
    """The delta names the badge: cut off afterwards, the reader refuses it."""

    async def run() -> tuple[str | None, str]:
        async with site.running():
            await site.secure(2)
            await site.sync("ARC-1", "safe")
            burn = await site.burn("ARC-1")
            state = next(target.state for target in burn.targets if target.id == "reader:safe-1")
            await cut(site, "safe-1")
            return state, await reason(site)

    assert asyncio.run(run()) == ("revoked", "unknown_credential")


def test_a_reader_that_is_cut_off_during_a_burn_is_pending_until_it_is_back(site: DoorSite) -> None:
    """It still opens by its list, and the burn says so; back on the line it is told before anything else."""

    async def run() -> tuple[str, str, str]:
        async with site.running():
            await site.secure(2)
            await site.sync("ARC-1", "safe")
            await cut(site, "safe-1")
            burn = await site.burn("ARC-1", wait_s=1)
            during = next(target.state for target in burn.targets if target.id == "reader:safe-1")
            opens = await reason(site)
            await site.credentials.plug("safe-1", "plug")
            await until(lambda: site.credentials.doors.fleet.state("safe-1").epoch >= burn.epoch, 20)
            await cut(site, "safe-1")
            return during, opens, await reason(site)

    assert asyncio.run(run()) == ("pending_offline", "granted", "unknown_credential")


def test_a_fall_of_standing_leaves_the_list(site: DoorSite) -> None:
    """Whose live check runs out is taken off the reader's list by a new one."""

    async def run() -> str:
        async with site.running():
            await site.secure(2)
            await site.sync("ARC-1", "safe")
            reader_now = site.credentials.doors.fleet.simulated_reader("safe-1")
            assert len(reader_now.onboard) == 1
            site.registry.standing.window_us = 1
            site.write(site.registry.standing.expire)
            await until(lambda: len(reader_now.onboard) == 0)
            await cut(site, "safe-1")
            return await reason(site)

    assert asyncio.run(run()) == "unknown_credential"


def test_keys_are_rotated_on_demand(site: DoorSite) -> None:
    """Each reader holds its new key when the call answers; the door works, and each has its leaf."""

    async def run() -> tuple[list[str], bool, str]:
        async with site.running():
            await site.secure(2)
            await site.sync("ARC-1", "safe")
            simulated = site.credentials.doors.fleet.simulated_reader("safe-2")
            before = simulated.scbk
            reply = await site.registry.clusters.rotate_keys("safe", None, actor=ACTOR)
            return [part.state for part in reply.readers], simulated.scbk != before, await reason(site, "safe-2")

    assert asyncio.run(run()) == (["rotated", "rotated"], True, "granted")
    assert site.actions().count("registry.reader_keyed") == 2
    assert shown(site, "safe-2").key_pending is None


def test_a_reader_that_is_away_takes_its_key_when_it_is_back(site: DoorSite) -> None:
    """Pending in the meantime, and shown so."""

    async def run() -> tuple[str, bool]:
        async with site.running():
            await site.secure(2)
            await cut(site, "safe-2")
            reply = await site.registry.clusters.rotate_keys("safe", ["safe-2"], actor=ACTOR)
            pending = shown(site, "safe-2").key_pending is not None
            await site.credentials.plug("safe-2", "plug")
            await until(lambda: shown(site, "safe-2").key_pending is None, 20)
            return reply.readers[0].state, pending

    assert asyncio.run(run()) == ("pending_offline", True)


@pytest.mark.parametrize(("cluster_id", "reader_ids", "status"), [("nowhere", None, 404), ("safe", ["x"], 404)])
def test_keys_of_what_is_not_registered_are_404(
    site: DoorSite, cluster_id: str, reader_ids: list[str] | None, status: int
) -> None:
    """Nothing is drawn for it."""
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.clusters.rotate_keys(cluster_id, reader_ids, actor=ACTOR))
    assert caught.value.status == status


def test_readers_without_a_key_have_none_to_rotate(site: DoorSite) -> None:
    """409 that names the key window."""
    put(site, ReaderBody(reader_id="gate", channel="tcp://127.0.0.1:9", address=5))
    with pytest.raises(Problem) as caught:
        asyncio.run(site.registry.clusters.rotate_keys("safe", None, actor=ACTOR))
    assert (caught.value.status, "key window" in caught.value.detail) == (409, True)


def test_a_sync_renews_a_key_that_is_too_old(site: DoorSite) -> None:
    """After ``reader_key_days``; a young one stays."""

    async def run() -> tuple[bool, bool]:
        async with site.running():
            await site.secure(2)
            aged = update(reader).where(reader.c.reader_id == "safe-2").values(key_changed_us=now_us() - 366 * DAY_US)
            site.write(lambda tx: tx.connection.execute(aged))
            fleet = site.credentials.doors.fleet
            before = [fleet.simulated_reader(reader_id).scbk for reader_id in ("safe-1", "safe-2")]
            reply = await site.sync("ARC-1", "safe")
            assert [part.state for part in reply.readers] == ["applied", "applied"]
            after = [fleet.simulated_reader(reader_id).scbk for reader_id in ("safe-1", "safe-2")]
            return before[0] == after[0], before[1] == after[1]

    assert asyncio.run(run()) == (True, False)


def test_a_sync_moves_a_reader_to_its_registered_place(site: DoorSite) -> None:
    """Address and speed changed in the registry: the reader is told (COMSET) and answers there."""

    async def run() -> tuple[tuple[int, int], str]:
        async with site.running():
            await site.secure(2)
            put(
                site,
                ReaderBody(reader_id="safe-1", channel="simulated:", address=1, onboard_list=True),
                plain(77, 9600),
            )
            await site.sync("ARC-1", "safe")
            simulated = site.credentials.doors.fleet.simulated_reader("safe-2")
            return (simulated.address, simulated.baud), await reason(site, "safe-2")

    assert asyncio.run(run()) == ((77, 9600), "granted")


def test_a_clock_turned_back_revives_no_grant(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A grant that is read again under an older clock keeps its deadline, and once it is over it is over for good."""

    async def run() -> tuple[str, str | None]:
        async with site.running():
            await site.secure(2)
            await site.sync("ARC-1", "safe")
            soon = reader_grant.update().values(not_after_us=now_us() + 200_000)
            site.write(lambda tx: tx.connection.execute(soon))
            site.write(lambda tx: site.credentials.doors.grant_changed(tx, "badge-ARC-1"))
            back = types.SimpleNamespace(time=lambda: time.time() - 3600, monotonic=time.monotonic)
            monkeypatch.setattr(grant_book, "time", back)
            site.write(lambda tx: site.credentials.doors.grant_changed(tx, "badge-ARC-1"))
            await site.credentials.doors.settle()
            end = time.monotonic() + 0.25
            await until(lambda: time.monotonic() > end)
            said = await reason(site, "safe-2")
            await site.credentials.doors.sweep()
            with site.store.read() as connection:
                return said, connection.execute(reader_grant.select()).one().ended_why

    assert asyncio.run(run()) == ("expired", "expired")
