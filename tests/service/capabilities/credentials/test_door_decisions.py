"""What doors decided is kept beside the decisions: across restarts, bounded, without a door that waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select

from app.api.wire import rfc3339
from app.capabilities.credentials import decisions as module
from app.capabilities.credentials.decisions import DoorDecisions
from app.capabilities.credentials.messages import DoorDecisionQuery
from app.capabilities.credentials.tables import door_decision
from app.delivery.events import Event
from app.registry.messages.access import AccessEvent
from app.registry.service import now_us
from app.store.errors import BadCursor, StoreUnavailable
from tests.door_site import DoorSite, door_site, until

DAY_US = 86_400 * 1_000_000


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A store without readers; decisions are published as the doors publish them."""
    with door_site(tmp_path / "site") as made:
        yield made


def decide(
    site: DoorSite, node_id: str | None, reader_id: str = "east-1", *, grant: bool = True, at_us: int | None = None
) -> AccessEvent:
    """One decision, now or at another time."""
    at_us = now_us() if at_us is None else at_us
    body = AccessEvent(
        reader_id=reader_id,
        cluster_id="east",
        node_id=node_id,
        decision="GRANT" if grant else "DENY",
        reason="granted" if grant else "burned",
        ref=None if grant else "brn_1",
        latency_ms=0.25,
        epoch=7,
        at=rfc3339(at_us),
    )
    site.bus.publish(Event("access", body, at_us))
    return body


def listening(site: DoorSite, work: Callable[[], object]) -> None:
    """Runs ``work`` while the decisions are heard; ends as a killed process does, without a last write."""

    async def scene() -> None:
        await site.decisions.start()
        try:
            work()
        finally:
            assert site.decisions._writes is not None
            site.decisions._writes.cancel()

    asyncio.run(scene())


def nodes(decisions: DoorDecisions, **query: object) -> list[str | None]:
    """Nodes of the newest page."""
    return [item.node_id for item in decisions.page(DoorDecisionQuery(**query)).items]  # type: ignore[arg-type]


def stored(site: DoorSite) -> list[str | None]:
    """Nodes of the rows, in the order of their numbers."""
    with site.store.read() as connection:
        return list(connection.scalars(select(door_decision.c.node_id).order_by(door_decision.c.number)))


def test_a_restart_keeps_what_was_decided(tmp_path: Path) -> None:
    """Every fact of the event, newest first; numbers go on, and the record begins with its first row."""
    with door_site(tmp_path / "site") as site:

        async def first() -> list[AccessEvent]:
            await site.decisions.start()
            said = [decide(site, "ARC-1"), decide(site, None, "east-2", grant=False)]
            await site.decisions.stop()
            return said

        said = asyncio.run(first())
    with door_site(tmp_path / "site") as site:
        listening(site, lambda: said.append(decide(site, "ARC-2")))
        page = site.decisions.page(DoorDecisionQuery())
        assert page.items == said[::-1]
        assert (page.next, page.recorded_since) == (None, said[0].at)
        site.write(site.decisions._write_group)
        assert stored(site) == ["ARC-1", None, "ARC-2"]


def test_nothing_is_known_of_before_the_first_start(site: DoorSite) -> None:
    """Without a row the record begins with the service, and somebody who passed before left no trace in it."""
    page = site.decisions.page(DoorDecisionQuery())
    assert page.items == []
    assert now_us() - DAY_US < site.decisions.since_us() <= now_us()
    assert page.recorded_since == rfc3339(site.decisions.since_us())


def test_what_is_not_written_yet_is_read_too(site: DoorSite) -> None:
    """A reader finds a decision at once: in memory, then in the store, never twice and never not at all."""

    def work() -> None:
        decide(site, "ARC-1")
        assert nodes(site.decisions) == ["ARC-1"]
        site.write(site.decisions._write_group)
        assert (nodes(site.decisions), stored(site)) == (["ARC-1"], ["ARC-1"])
        decide(site, "ARC-2")
        assert nodes(site.decisions) == ["ARC-2", "ARC-1"]

    listening(site, work)


def test_pages_go_through_rows_and_memory(site: DoorSite) -> None:
    """Each decision once, whatever part of them is written; a cursor continues its own query alone."""

    def work() -> None:
        for number in range(3):
            decide(site, f"ARC-{number}", f"east-{number % 2}")
        site.write(site.decisions._write_group)
        for number in range(3, 5):
            decide(site, f"ARC-{number}", f"east-{number % 2}")
        found: list[str | None] = []
        cursor = None
        for size in (1, 2, 1, 1):
            page = site.decisions.page(DoorDecisionQuery(limit=size, cursor=cursor))
            found += [item.node_id for item in page.items]
            cursor = page.next
            assert len(page.items) == size
        assert (found, cursor) == ([f"ARC-{number}" for number in (4, 3, 2, 1, 0)], None)
        assert nodes(site.decisions, reader_id="east-1") == ["ARC-3", "ARC-1"]
        assert nodes(site.decisions, node_id="ARC-4") == ["ARC-4"]
        assert nodes(site.decisions, node_id="ARC-0") == ["ARC-0"]
        first = site.decisions.page(DoorDecisionQuery(limit=1))
        with pytest.raises(BadCursor):
            site.decisions.page(DoorDecisionQuery(cursor=first.next, node_id="ARC-4"))

    listening(site, work)


def test_the_last_grant_is_the_newest_one(site: DoorSite) -> None:
    """A denial is no entry; what waits for the store is newer than what is written."""

    def work() -> None:
        assert site.decisions.last_grant("ARC-1") is None
        old = decide(site, "ARC-1", "east-1")
        site.write(site.decisions._write_group)
        decide(site, "ARC-1", "east-9", grant=False)
        decide(site, "ARC-2", "east-8")
        found = site.decisions.last_grant("ARC-1")
        assert found is not None
        assert (rfc3339(found[0]), found[1]) == (old.at, "east-1")
        new = decide(site, "ARC-1", "east-2")
        for _ in range(2):
            found = site.decisions.last_grant("ARC-1")
            assert found is not None
            assert (rfc3339(found[0]), found[1]) == (new.at, "east-2")
            site.write(site.decisions._write_group)
        assert site.decisions.last_grant("ARC-3") is None

    listening(site, work)


def test_other_events_are_not_decisions(site: DoorSite) -> None:
    """The bus tells of much else."""

    def work() -> None:
        body = decide(site, "ARC-1")
        site.bus.publish(Event("scan", body, 1))
        assert nodes(site.decisions) == ["ARC-1"]

    listening(site, work)


def test_a_burst_is_written_in_groups(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """None is left out, and no transaction is longer than a group: a burn waits for one of them at most."""
    monkeypatch.setattr(module, "GROUP", 3)
    sizes: list[int] = []

    async def scene() -> None:
        await site.decisions.start()
        for number in range(8):
            decide(site, f"ARC-{number}")
        site.store.writer.on_commit(lambda: sizes.append(len(stored(site))))
        await site.decisions.write()
        await site.decisions.stop()

    asyncio.run(scene())
    assert sizes[:3] == [3, 6, 8]
    assert stored(site) == [f"ARC-{number}" for number in range(8)]


def test_no_more_are_kept_than_the_bound(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest go, and the record begins later."""
    monkeypatch.setattr(module, "KEPT", 2)

    def work() -> None:
        for number in range(4):
            decide(site, f"ARC-{number}")
            site.write(site.decisions._write_group)
        assert stored(site) == ["ARC-2", "ARC-3"]

    listening(site, work)


def test_what_is_too_old_goes(site: DoorSite) -> None:
    """After the days of the setting, and not a day before."""
    days = site.site.settings.door_history_days

    def work() -> None:
        decide(site, "ARC-1", at_us=now_us() - days * DAY_US - 1)
        decide(site, "ARC-2", at_us=now_us() - (days - 1) * DAY_US)
        site.write(site.decisions._write_group)
        gone: list[int] = []
        for _ in range(2):
            site.write(lambda tx: gone.append(site.decisions.sweep(tx)))
        assert (gone, stored(site)) == ([1, 0], ["ARC-2"])

    listening(site, work)


def test_a_sweep_is_bounded(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest first, a part in each transaction."""
    monkeypatch.setattr(module, "SWEPT", 2)

    def work() -> None:
        for number in range(3):
            decide(site, f"ARC-{number}", at_us=number + 1)
        site.write(site.decisions._write_group)
        site.write(site.decisions.sweep)
        assert stored(site) == ["ARC-2"]

    listening(site, work)


def test_a_store_that_takes_nothing_stops_no_door(site: DoorSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """Decisions wait and are read; beyond the bound the oldest are given up, and the record says since when."""
    monkeypatch.setattr(module, "WAITING", 2)
    monkeypatch.setattr(module, "EVERY_S", 0.01)

    async def scene() -> None:
        site.store.writer.refuse("no room")
        await site.decisions.start()
        first = decide(site, "ARC-1")
        with pytest.raises(StoreUnavailable):
            await site.decisions.write()
        before = site.decisions.since_us()
        second, third = decide(site, "ARC-2"), decide(site, "ARC-3")
        assert nodes(site.decisions) == ["ARC-3", "ARC-2"]
        assert first.at < rfc3339(site.decisions.since_us()) <= second.at < third.at
        assert before < site.decisions.since_us()
        site.store.writer._refusal = None
        await until(lambda: stored(site) == ["ARC-2", "ARC-3"])
        await site.decisions.stop()

    asyncio.run(scene())


def test_an_erasure_takes_what_waits_too(site: DoorSite) -> None:
    """Neither a row nor a decision that the next group would write; those of others stay."""

    def work() -> None:
        for node_id in ("ARC-1", "ARC-2"):
            decide(site, node_id)
        site.write(site.decisions._write_group)
        for node_id in ("ARC-1", "ARC-3"):
            decide(site, node_id)
        with site.store.read() as connection:
            assert site.decisions.held_records(connection, "ARC-1").rows == 1
        gone: list[int] = []
        site.write(lambda tx: gone.append(site.decisions.forget(tx, "ARC-1")))
        site.write(site.decisions._write_group)
        assert (gone, stored(site), nodes(site.decisions, node_id="ARC-1")) == ([2], ["ARC-2", "ARC-3"], [])

    listening(site, work)


def test_decisions_cost_no_leaf(site: DoorSite) -> None:
    """The log does not state them: a badge must not make it grow."""

    def work() -> None:
        before = site.log.head()
        decide(site, "ARC-1")
        site.write(site.decisions._write_group)
        site.write(site.decisions._write_group)
        assert site.log.head() == before
        with site.store.read() as connection:
            assert connection.scalar(select(func.count()).select_from(door_decision)) == 1

    listening(site, work)
