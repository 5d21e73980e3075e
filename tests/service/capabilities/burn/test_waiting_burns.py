"""Burns that the store does not take: denied, kept, told, stored when there is room, once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import func, select

from app.api.problems import Problem
from app.api.wire import unix_us
from app.capabilities.burn.commit import EXECUTED
from app.capabilities.burn.fsck import check_reserve
from app.capabilities.burn.messages import Burn, BurnBody, BurnEvent, BurnListQuery, PreviewBody
from app.capabilities.burn.tables import burn
from app.capabilities.burn.without_store import BurnsWithoutStore
from app.delivery.messages import AlarmEvent
from app.registry.service import now_us
from app.store.backup import write_backup
from app.store.errors import StoreUnavailable
from app.store.reserve import Reserve, read_records
from app.store.writer import Transaction
from tests.door_site import ACTOR, DoorSite, door_site, until

NODE = "ARC-1"
FULL = "The disk is full; nothing was written."


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A person whose badge opens two doors."""
    with door_site(tmp_path / "site") as made:
        made.cluster("east", 2)
        made.person(NODE, clusters=["east"])
        yield made


class Disk:
    """The writer of a site, which refuses the transactions of burns as on a full disk."""

    def __init__(self, site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
        self.full = True
        self.asked = 0
        run = site.store.writer.run

        async def runs(*args: Any, **options: Any) -> Any:
            self.asked += 1
            if self.full and options.get("urgent"):
                raise StoreUnavailable(FULL)
            return await run(*args, **options)

        monkeypatch.setattr(site.store.writer, "run", runs)


def waiting_alarms(site: DoorSite) -> list[str]:
    """Texts of the open alarms of burns that are not stored."""
    return [alarm.text for alarm in site.alarms.open() if alarm.kind == "burn.not_durable"]


def executed(site: DoorSite) -> list[dict[str, Any]]:
    """Details of the leaves of burns."""
    with site.store.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT e.payload FROM audit_entry e JOIN log_word w ON w.id = e.action WHERE w.text = ? ORDER BY e.seq",
            (EXECUTED,),
        )
        return [msgspec.json.decode(payload)["detail"] for (payload,) in rows]


def stored_rows(site: DoorSite) -> int:
    """Burns in the store."""
    with site.store.read() as connection:
        return connection.scalar(select(func.count()).select_from(burn)) or 0


def kept_in(site: DoorSite) -> int:
    """Records of the reserve."""
    return len(read_records(site.site.reserve_path, site.store.sealer))


def standing(site: DoorSite, node_id: str = NODE) -> tuple[str, str, str | None]:
    """As the registry, a list and the preview tell it."""
    with site.store.read() as connection:
        told = site.registry.require_node(connection, node_id).standing
    preview = site.burns.preview(PreviewBody(node_id=node_id))
    return site.registry.nodes.get(node_id, now_us()).standing, told, preview.standing


def test_a_burn_on_a_full_disk_is_answered_and_told_at_once(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three calls are one burn, which is kept once; every reader of the node's standing says REVOKED; the alarm is
    listed and on the stream."""

    async def main() -> list[Burn]:
        async with site.running():
            await site.secure(2)
            await site.sync(NODE, "east")
            Disk(site, monkeypatch)
            replies = [await site.burn(NODE) for _ in range(3)]
            assert (await site.credentials.present("east-1", NODE)).reason == "burned"
            return replies

    before = now_us()
    replies = asyncio.run(main())
    first = replies[0]
    assert replies == [first] * 3
    assert (first.state, first.stored, first.known) == ("PARTIAL", False, True)
    assert (first.log.index, first.log.sha256, first.log.manifest_url) == (None, None, None)
    assert [(target.id, target.state) for target in first.targets] == [("local", "pending_offline")]
    assert first.counts == {"pending_offline": 1}
    assert "once the burn is stored" in first.residual_exposure[0].what
    assert before <= unix_us(first.timestamp) <= now_us()
    assert (kept_in(site), stored_rows(site)) == (1, 0)
    assert standing(site) == ("REVOKED",) * 3
    assert site.burns.preview(PreviewBody(node_id=NODE)).already_burned == first.burn_id
    (text,) = waiting_alarms(site)
    assert "also after a restart" in text
    assert FULL in text
    raised = [
        event.body.alarm.text
        for event in site.events
        if isinstance(event.body, AlarmEvent) and event.body.state == "raised"
    ]
    assert text in raised
    told = [event.body for event in site.events if isinstance(event.body, BurnEvent)]
    assert [(one.burn_id, one.state, one.open) for one in told] == [(first.burn_id, "PARTIAL", 1)]
    assert "1" in (site.burns.trouble() or "")


def test_a_waiting_burn_can_be_read(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its id, and before the stored ones in a list that it matches; pages stay within their limit."""

    async def main() -> None:
        async with site.running():
            old = await site.burn("ARC-2", wait_s=0.0)
            Disk(site, monkeypatch)
            waiting = [await site.burn(f"ARC-{number}") for number in (1, 3)]
            assert site.burns.get(waiting[0].burn_id) == waiting[0]
            newest = [waiting[1].burn_id, waiting[0].burn_id, old.burn_id]
            page = site.burns.page

            def ids(**query: Any) -> list[str]:
                return [item.burn_id for item in page(BurnListQuery(**query)).items]

            assert ids() == newest
            assert ids(limit=2) == [newest[0], old.burn_id]
            assert ids(limit=1) == [old.burn_id]
            assert ids(node_id=NODE) == [waiting[0].burn_id]
            assert ids(node_id="ARC-2") == [old.burn_id]
            assert ids(state="COMPLETE") == [one for one in ids(state="COMPLETE") if one == old.burn_id]
            assert ids(q="arc-3") == [waiting[1].burn_id]
            assert ids(q=waiting[1].burn_id) == [waiting[1].burn_id]
            assert ids(q=waiting[1].reason.upper()) == newest
            assert ids(q="nothing of the kind") == []

    asyncio.run(main())


def test_it_is_stored_when_there_is_room(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """By itself, once, under the id that was answered and with the time of the call; the alarm closes, the place in the
    reserve is free, and the doors are reached."""

    async def main() -> tuple[Burn, Burn]:
        async with site.running():
            await site.secure(2)
            disk = Disk(site, monkeypatch)
            kept = await site.burn(NODE)
            disk.full = False
            await until(lambda: site.burns.get(kept.burn_id).stored)
            await until(lambda: site.burns.get(kept.burn_id).state == "COMPLETE")
            await until(lambda: kept_in(site) == 0)
            repeat = await site.burn(NODE)
            assert repeat.burn_id == kept.burn_id
            return kept, site.burns.get(kept.burn_id)

    kept, done = asyncio.run(main())
    (leaf,) = executed(site)
    assert (leaf["burn_id"], leaf["received"], leaf["known"]) == (kept.burn_id, kept.timestamp, True)
    assert (done.timestamp, done.reason, stored_rows(site)) == (kept.timestamp, kept.reason, 1)
    assert [item.timestamp for item in site.burns.page(BurnListQuery()).items] == [kept.timestamp]
    assert (waiting_alarms(site), site.burns.trouble()) == ([], None)
    assert len(done.targets) > 2


def test_a_burn_that_did_not_wait_says_no_other_time(site: DoorSite) -> None:
    """Its leaf has the one time that it has."""

    async def main() -> None:
        async with site.running():
            await site.burn(NODE, wait_s=0.0)

    asyncio.run(main())
    assert "received" not in executed(site)[0]


def test_another_commit_is_a_reason_to_try(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next try does not wait for its pause when the store has just taken something else."""
    monkeypatch.setattr("app.capabilities.burn.service._RETRY_S", 3_600.0)
    monkeypatch.setattr("app.capabilities.burn.service._RETRY_MOST_S", 3_600.0)

    async def main() -> None:
        async with site.running():
            disk = Disk(site, monkeypatch)
            kept = await site.burn(NODE)
            await until(lambda: disk.asked > 1)
            disk.full = False
            await asyncio.to_thread(site.write, lambda tx: tx.audit("test.other", actor=ACTOR))
            await until(lambda: site.burns.get(kept.burn_id).stored)

    asyncio.run(main())


def test_a_full_disk_is_not_asked_without_end(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """After the failure that follows the call, the next try waits for its pause."""
    monkeypatch.setattr("app.capabilities.burn.service._RETRY_S", 3_600.0)
    monkeypatch.setattr("app.capabilities.burn.service._BETWEEN_S", 0.0)

    async def main() -> int:
        async with site.running():
            disk = Disk(site, monkeypatch)
            await site.burn(NODE)
            await until(lambda: disk.asked > 1)
            for _ in range(200):
                await asyncio.sleep(0)
            return disk.asked

    assert asyncio.run(main()) < 10


def test_both_scopes_wait_each_for_itself(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two burns of one node are kept and stored as two; the alarm stays until both are."""

    async def main() -> None:
        async with site.running():
            disk = Disk(site, monkeypatch)
            await site.burn(NODE)
            await site.burns.burn(BurnBody(node_id=NODE, scope="LOCAL_ONLY", reason="x"), actor=ACTOR)
            assert (kept_in(site), len(waiting_alarms(site))) == (2, 1)
            disk.full = False
            await until(lambda: stored_rows(site) == 2 and kept_in(site) == 0)

    asyncio.run(main())
    assert waiting_alarms(site) == []


def test_what_neither_store_nor_reserve_takes_is_told(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """503, denied all the same, and the alarm says that a restart would let the node in. When the reserve takes it
    again, the same call is answered; when the store does, it is stored."""

    def nothing(*_: object) -> int:
        raise StoreUnavailable("No space left on device.")

    async def main() -> None:
        async with site.running():
            disk = Disk(site, monkeypatch)
            with monkeypatch.context() as patch:
                patch.setattr(Reserve, "keep", nothing)
                for _ in range(2):
                    with pytest.raises(Problem, match="a restart would let it in") as caught:
                        await site.burn(NODE)
                    assert (caught.value.status, caught.value.headers["Retry-After"]) == (503, "1")
            assert standing(site) == ("REVOKED",) * 3
            (text,) = waiting_alarms(site)
            assert "memory alone" in text
            kept = await site.burn(NODE)
            assert (kept.stored, kept_in(site)) == (False, 1)
            (text,) = waiting_alarms(site)
            assert "also after a restart" in text
            disk.full = False
            await until(lambda: site.burns.get(kept.burn_id).stored)

    asyncio.run(main())
    assert len(executed(site)) == 1


def test_an_unknown_node_waits_as_unknown(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its reply and its stored burn say that nobody has the id."""

    async def main() -> None:
        async with site.running():
            disk = Disk(site, monkeypatch)
            kept = await site.burn("NOBODY")
            assert kept.known is False
            disk.full = False
            await until(lambda: site.burns.get(kept.burn_id).stored)
            assert site.burns.get(kept.burn_id).known is False
            assert [item.known for item in site.burns.page(BurnListQuery()).items] == [False]

    asyncio.run(main())
    assert executed(site)[0]["known"] is False


def test_what_belongs_to_a_burn_is_written_with_it(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A caller with rows of his own is answered; his rows, and those of one who joined, come when the burn is stored.
    One that fails harms neither the burn nor the others."""
    written: list[str] = []

    def fails(tx: Transaction, burn_id: str) -> None:
        raise LookupError(burn_id)

    def also(name: str) -> Any:
        return lambda tx, burn_id: written.append(f"{name} {burn_id}")

    async def main() -> str:
        async with site.running():
            disk = Disk(site, monkeypatch)
            how: dict[str, Any] = {"actor": "hr:test", "request_id": None}
            ids = {
                await site.burns.burn_with(NODE, "discharge", also=each, **how)
                for each in (fails, also("first"), also("second"))
            }
            assert (len(ids), written) == (1, [])
            disk.full = False
            await until(lambda: len(written) == 2)
            return ids.pop()

    burn_id = asyncio.run(main())
    assert sorted(written) == [f"first {burn_id}", f"second {burn_id}"]
    assert len(executed(site)) == 1


def test_a_start_denies_before_anything_is_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the reserve keeps is denied from the load on, told, and stored once; starts in between change nothing."""
    with door_site(tmp_path / "site") as first:
        first.person(NODE)

        async def burned() -> Burn:
            async with first.running():
                with monkeypatch.context() as patch:
                    Disk(first, patch)
                    return await first.burn(NODE)

        kept = asyncio.run(burned())
    for _ in range(2):
        with door_site(tmp_path / "site") as idle:
            entry = idle.registry.deny.denies_node(NODE)
            assert entry is not None
            assert (entry.cause, entry.reference) == ("burn", kept.burn_id)
            assert standing(idle) == ("REVOKED",) * 3
            assert len(waiting_alarms(idle)) == 1
            again = idle.burns.get(kept.burn_id)
            assert msgspec.structs.replace(again, epoch=kept.epoch) == kept
    with door_site(tmp_path / "site") as last:

        async def go_on() -> None:
            async with last.running():
                await until(lambda: last.burns.get(kept.burn_id).stored and kept_in(last) == 0)
                assert (await last.burn(NODE)).burn_id == kept.burn_id

        asyncio.run(go_on())
        (leaf,) = executed(last)
        assert (leaf["burn_id"], leaf["received"], stored_rows(last)) == (kept.burn_id, kept.timestamp, 1)
        with last.store.read() as connection:
            row = connection.execute(select(burn)).one()
        assert (row.actor, row.received_us) == (ACTOR, unix_us(kept.timestamp))


def test_a_record_of_a_stored_burn_is_freed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed between the commit and the erasure, the next start burns nothing twice, lifted or not."""
    with door_site(tmp_path / "site") as first:

        async def burned() -> Burn:
            async with first.running():
                disk = Disk(first, monkeypatch)
                kept = await first.burn(NODE)
                with monkeypatch.context() as patch:
                    patch.setattr(Reserve, "free", lambda *_: None)
                    disk.full = False
                    await until(lambda: first.burns.get(kept.burn_id).stored)
                    return kept

        asyncio.run(burned())
        assert (kept_in(first), stored_rows(first)) == (1, 1)
    with door_site(tmp_path / "site") as second:
        assert (kept_in(second), stored_rows(second), waiting_alarms(second)) == (0, 1, [])


def test_a_record_beside_another_burn_of_its_node_is_freed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store of elsewhere that has a burn of the node already: that one denies it, and is not burned again."""
    with door_site(tmp_path / "site") as site:

        async def main() -> None:
            async with site.running():
                await site.burn(NODE, wait_s=0.0)

        asyncio.run(main())
        record = {
            "v": 1,
            "burn_id": "burn_other",
            "node_id": NODE,
            "scope": "GLOBAL_REVOCATION",
            "reason": "x",
            "actor": ACTOR,
            "request_id": None,
            "received_us": 1,
            "local_deny_us": 1.0,
            "epoch": 1,
            "known": None,
            "drill": False,
        }
        Reserve(site.site.reserve_path, site.store.sealer).keep(msgspec.msgpack.encode(record))
    with door_site(tmp_path / "site") as again:
        assert (kept_in(again), waiting_alarms(again)) == (0, [])


def test_fsck_knows_the_reserve(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits is a note; a record that was edited, or claims a stored burn of another node, is a finding."""

    def found() -> tuple[list[str], list[str]]:
        notes: list[str] = []
        with sqlite3.connect(site.site.store_path) as raw:
            findings = list(check_reserve(site.site.reserve_path, site.store.sealer, raw, notes))
        return [one.what for one in findings], notes

    assert found() == ([], [])

    async def main() -> None:
        async with site.running():
            await site.burn("ARC-2", wait_s=0.0)
            Disk(site, monkeypatch)
            await site.burn(NODE)

    asyncio.run(main())
    findings, (note,) = found()
    assert (findings, note.endswith(": 1.")) == ([], True)
    (kept,) = read_records(site.site.reserve_path, site.store.sealer)
    record = msgspec.msgpack.decode(kept.record)
    with site.store.read() as connection:
        record["burn_id"] = connection.scalar(select(burn.c.burn_id))
    reserve = Reserve(site.site.reserve_path, site.store.sealer)
    reserve.open()
    reserve.keep(msgspec.msgpack.encode(record))
    reserve.keep(b"no record")
    findings, notes = found()
    assert ["is not the burn" in findings[0], "cannot be read" in findings[1], len(notes)] == [True, True, 1]
    data = bytearray(site.site.reserve_path.read_bytes())
    data[: 1 << 13] = data[1 << 13 : 2 << 13]
    site.site.reserve_path.write_bytes(data)
    findings, notes = found()
    assert (len(findings), notes) == (1, [])


def test_a_backup_holds_what_waits(site: DoorSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reserve is in the archive while it keeps something, and only then."""

    async def main() -> None:
        async with site.running():
            assert "burns.reserve" not in write_backup(site.site, tmp_path / "before", b"k" * 32).parts
            Disk(site, monkeypatch)
            await site.burn(NODE)
            assert "burns.reserve" in write_backup(site.site, tmp_path / "after", b"k" * 32).parts

    asyncio.run(main())


def test_burns_without_a_store(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """While nothing can be stored at all: a new burn is kept, a stored one is given back as it is, and nothing is left
    in memory alone once the reserve takes it."""

    async def main() -> None:
        async with site.running():
            stored = await site.burn("ARC-2", wait_s=0.0)
        short = BurnsWithoutStore(
            site.site, site.store, site.registry, site.alarms, site.bus, site.burns._listing._cursors, FULL
        )
        short.load()
        assert (short.trouble(), await short.keep_all()) == (None, True)
        assert (await short.burn(_body("ARC-2"), actor=ACTOR)).burn_id == stored.burn_id

        def nothing(*_: object) -> int:
            raise StoreUnavailable("No space left on device.")

        with monkeypatch.context() as patch:
            patch.setattr(Reserve, "keep", nothing)
            with pytest.raises(Problem) as caught:
                await short.burn(_body(NODE), actor=ACTOR)
            assert (caught.value.status, await short.keep_all(), kept_in(site)) == (503, False, 0)
        assert site.registry.deny.denies_node(NODE) is not None
        assert (await short.keep_all(), kept_in(site)) == (True, 1)
        kept = await asyncio.gather(*(short.burn(_body(NODE), actor=ACTOR) for _ in range(3)))
        assert ({one.burn_id for one in kept}, kept_in(site)) == ({kept[0].burn_id}, 1)
        both = await asyncio.gather(*(short.burn(_body("ARC-9"), actor=ACTOR) for _ in range(3)))
        assert ({one.burn_id for one in both}, kept_in(site)) == ({both[0].burn_id}, 2)
        assert short.get(kept[0].burn_id) == kept[0]
        assert short.get(stored.burn_id).stored
        items = short.page(BurnListQuery()).items
        assert [one.burn_id for one in items] == [both[0].burn_id, kept[0].burn_id, stored.burn_id]
        assert short.trouble() is not None

    asyncio.run(main())


def _body(node_id: str) -> BurnBody:
    return BurnBody(node_id=node_id, scope="GLOBAL_REVOCATION", reason="found on the street")
