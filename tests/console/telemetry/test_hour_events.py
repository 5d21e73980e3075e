"""What the time strip knows of the last hour, and what it does not."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.capabilities.gateway.audit.messages import AuditEntry, AuditPage, AuditQuery
from app.client import ClientError, Unreachable
from app.console.moments import api_time
from app.console.session import WindowSession
from app.console.shown_time import REACH_S
from app.console.telemetry import site_events
from app.console.telemetry.hour_events import HourEvents
from app.console.telemetry.live import LiveEvent
from app.console.telemetry.site_events import EXECUTED
from tests.console.conftest import Run, until


class Log:
    """Stands where the service's log stands: ``burns`` seconds ago, newest first, in pages; or ``fault``."""

    def __init__(self, session: WindowSession, burns: list[float]) -> None:
        self.session, self.burns = session, burns
        self.fault: ClientError | None = None
        self.asked = 0

    async def gateway_audit_log_query(self, query: AuditQuery) -> AuditPage:
        """A page of the entries of one action."""
        self.asked += 1
        if self.fault is not None:
            raise self.fault
        criteria: Any = query.criteria
        rows = self.burns if criteria.action == EXECUTED else []
        start = int(criteria.cursor or 0)
        page = rows[start : start + criteria.limit]
        more = start + criteria.limit < len(rows)
        now = self.session.live.now()
        return AuditPage(
            entries=[entry(start + at, now - ago) for at, ago in enumerate(page)],
            next=str(start + criteria.limit) if more else None,
            checkpoint="",
            log_ahead_s=0.0,
        )


def entry(number: int, at: float) -> AuditEntry:
    """The entry of a burn."""
    return AuditEntry(
        seq=number, timestamp=api_time(at), actor="key_1", action=EXECUTED, node_id=f"ARC-{number}",
        outcome="ACCEPTED", detail={"burn_id": f"brn_{number}"}, leaf_hash="ab" * 32,
    )  # fmt: skip


def attach(session: WindowSession, log: Log) -> None:
    """The service of that log answers, and its stream lives."""
    session.attach(log, "http://127.0.0.1:1", "citadel")  # type: ignore[arg-type]
    session.live._note_pulse()


def is_known_now(events: HourEvents) -> bool:
    """Whether every event up to now is known."""
    span = events.known_span()
    return span is not None and events._session.live.now() - span[1] < 1.0


def test_before_the_log_was_read_nothing_is_known(session: WindowSession) -> None:
    """Not even that it was quiet."""
    events = HourEvents(session)
    assert events.known_span() is None
    assert events.trouble


def test_the_whole_hour_is_known_once_the_log_was_read(session: WindowSession, run: Run) -> None:
    """What is older than an hour is not of it."""
    log = Log(session, [60.0, 600.0, 7200.0])
    events = HourEvents(session)

    async def scene() -> None:
        attach(session, log)
        await until(lambda: is_known_now(events), "the hour")
        await asyncio.sleep(0)

    run(scene())
    span = events.known_span()
    assert span is not None
    assert span[1] - span[0] == pytest.approx(REACH_S, abs=5.0)
    assert [one.sentence for one in events.all()] == ["ARC-1", "ARC-0"]
    assert events.trouble == ""


def test_a_log_that_cannot_be_read_is_no_quiet_hour(session: WindowSession, run: Run, monkeypatch: Any) -> None:
    """It is asked again, until it answers."""
    log = Log(session, [60.0])
    log.fault = Unreachable("Nobody listens.")
    events = HourEvents(session)
    events._retry.setInterval(1)

    async def scene() -> None:
        attach(session, log)
        await until(lambda: events.trouble == "Nobody listens.", "the trouble")
        assert events.known_span() is None
        log.fault = None
        await until(lambda: is_known_now(events), "the hour")

    run(scene())
    assert len(events.all()) == 1


def test_a_stream_that_is_lost_ends_what_is_known(session: WindowSession, run: Run) -> None:
    """Until the log is read again, when it is back."""
    log = Log(session, [])
    events = HourEvents(session)

    async def scene() -> None:
        attach(session, log)
        await until(lambda: is_known_now(events), "the hour")
        session.live._say("lost")
        before = events.known_span()
        await asyncio.sleep(0.05)
        assert events.known_span() == before
        log.burns = [1.0]
        session.live._note_pulse()
        await until(lambda: len(events.all()) == 1, "the burn of meanwhile")
        assert is_known_now(events)

    run(scene())


def test_a_gap_in_the_stream_has_the_log_read_again(session: WindowSession, run: Run) -> None:
    """What was lost is there."""
    log = Log(session, [])
    events = HourEvents(session)

    async def scene() -> None:
        attach(session, log)
        await until(lambda: is_known_now(events), "the hour")
        log.burns = [1.0]
        events._take_gap([LiveEvent("gap", b"{}", 0.0)])
        await until(lambda: len(events.all()) == 1, "the burn that was lost")

    run(scene())


def test_more_than_is_read_is_unknown_before(session: WindowSession, run: Run, monkeypatch: Any) -> None:
    """A mass burn: what is older than the last page is not called quiet."""
    monkeypatch.setattr(site_events, "READ", 2)
    monkeypatch.setattr(site_events, "PAGES", 2)
    log = Log(session, [10.0, 20.0, 30.0, 40.0, 50.0])
    events = HourEvents(session)

    async def scene() -> None:
        attach(session, log)
        await until(lambda: is_known_now(events), "the hour")

    run(scene())
    span = events.known_span()
    assert span is not None
    assert session.live.now() - span[0] == pytest.approx(40.0, abs=5.0)
