"""The cards at doors that a window knows: the record and the stream as one list."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import msgspec
import pytest

from app.api.wire import rfc3339
from app.capabilities.credentials.messages import DoorDecisionPage, DoorDecisionQuery
from app.client import Client, Unreachable
from app.console.moments import parse_time
from app.console.session import WindowSession
from app.console.telemetry import door_feed as module
from app.console.telemetry.door_feed import DoorFeed
from app.console.telemetry.live import LiveEvent
from app.registry.messages.access import AccessEvent
from tests.console.conftest import Run, until

SINCE = rfc3339(1)


def decision(second: int, reader_id: str = "east-1") -> AccessEvent:
    """A grant at that second."""
    return AccessEvent(
        reader_id=reader_id, cluster_id="east", node_id="ARC-1", decision="GRANT", reason="granted", ref=None,
        latency_ms=0.2, epoch=1, at=rfc3339(second * 1_000_000),
    )  # fmt: skip


class Record:
    """A service's record: each call waits for its turn, then gives the next page or raises."""

    def __init__(self) -> None:
        self.turns: asyncio.Queue[list[AccessEvent] | Exception] = asyncio.Queue()
        self.asked = 0

    async def door_decisions_list(self, query: DoorDecisionQuery) -> DoorDecisionPage:
        """The page, as long as the console asks for."""
        self.asked += 1
        turn = await self.turns.get()
        if isinstance(turn, Exception):
            raise turn
        return DoorDecisionPage(items=turn[: query.limit], next=None, recorded_since=SINCE)


@pytest.fixture
def record(session: WindowSession) -> Record:
    """The record of the service to which the session is connected."""
    made = Record()
    session.attach(cast(Client, made), "http://127.0.0.1:1", "citadel")
    return made


def hear(session: WindowSession, *events: AccessEvent) -> None:
    """The stream tells of them."""
    session.doors.take_accesses([LiveEvent("access", msgspec.json.encode(event), 0.0) for event in events])


def shown(feed: DoorFeed) -> list[tuple[float, bool]]:
    """Second and whether it was heard, of each row."""
    return [(row.at, row.heard) for row in feed.rows]


def test_the_record_is_read_once_the_stream_is_joined(session: WindowSession, record: Record, run: Run) -> None:
    """Not before: what came in between would be in neither. What is in both is one row, and was heard."""

    async def work() -> None:
        feed = session.doors
        await asyncio.sleep(0)
        assert (record.asked, feed.recorded_since) == (0, None)
        session.live._say("live")
        hear(session, decision(3))
        record.turns.put_nowait([decision(3), decision(2), decision(2, "east-2"), decision(1)])
        await until(lambda: len(feed.rows) == 4)
        assert sorted(shown(feed)) == [(1.0, False), (2.0, False), (2.0, False), (3.0, True)]
        assert shown(feed)[0] == (3.0, True)
        hear(session, decision(2), decision(4))
        assert [row.at for row in feed.rows] == [4.0, 3.0, 2.0, 2.0, 1.0]
        assert sum(row.heard for row in feed.rows) == 3
        assert feed.recorded_since == parse_time(SINCE)

    run(work())


def test_a_feed_that_is_made_late_reads_at_once(session: WindowSession, record: Record, run: Run) -> None:
    """A page that is made while the stream is live waits for nothing."""

    async def work() -> None:
        session.live._say("live")
        record.turns.put_nowait([decision(1)])
        await until(lambda: session.doors.rows)

    run(work())


def test_each_new_stream_and_each_gap_reads_again(session: WindowSession, record: Record, run: Run) -> None:
    """A service that was started anew, or a stream that lost something: the record fills it. A call that is under way
    began too early, so one more follows it."""

    async def work() -> None:
        feed = session.doors
        session.live._say("live")
        await until(lambda: record.asked == 1)
        session.live._say("lost")
        session.live._say("live")
        record.turns.put_nowait([decision(1)])
        await until(lambda: record.asked == 2)
        record.turns.put_nowait([decision(2)])
        await until(lambda: len(feed.rows) == 2)
        await until(lambda: not feed._reading)
        session.live._listeners["gap"][0]([])
        record.turns.put_nowait([decision(3)])
        await until(lambda: len(feed.rows) == 3)
        assert record.asked == 3

    run(work())


def test_a_record_that_cannot_be_read_leaves_what_is_shown(session: WindowSession, record: Record, run: Run) -> None:
    """The reason is there for the page, no toast; the next stream reads again and takes it back."""

    async def work() -> None:
        feed = session.doors
        toasts: list[Any] = []
        session.toast.connect(lambda *words: toasts.append(words))
        hear(session, decision(1))
        session.live._say("live")
        record.turns.put_nowait(Unreachable("Nobody listens."))
        await until(lambda: feed.trouble)
        assert shown(feed) == [(1.0, True)]
        session.live._say("lost")
        session.live._say("live")
        record.turns.put_nowait([])
        await until(lambda: not feed.trouble)
        assert (len(feed.rows), toasts) == (1, [])

    run(work())


def test_without_a_service_nothing_is_read(session: WindowSession) -> None:
    """The stream of a service that is just gone asks nobody."""
    feed = session.doors
    session.live._say("live")
    assert (feed._reading, session.doors) == (False, feed)


def test_the_list_is_bounded_and_rubbish_is_counted(session: WindowSession, monkeypatch: pytest.MonkeyPatch) -> None:
    """The newest stay."""
    monkeypatch.setattr(module, "KEPT", 2)
    hear(session, decision(1), decision(3), decision(2))
    assert [row.at for row in session.doors.rows] == [3.0, 2.0]
    session.doors.take_accesses([LiveEvent("access", b"{}", 0.0)])
    assert (len(session.doors.rows), session.live.lost) == (2, 1)
