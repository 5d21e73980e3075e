"""What charts mark of a site: alarms, burns, restarts."""

from __future__ import annotations

import msgspec
import pytest

from app.capabilities.burn.messages import BurnEvent, Containment, ContainmentEvent
from app.console.moments import api_time
from app.console.session import WindowSession
from app.console.telemetry.live import LiveEvent
from app.console.telemetry.site_events import KEPT, SiteEvents
from app.console.theme.tokens import Meaning
from app.delivery.messages import Alarm, AlarmEvent

AT = 1_772_000_000.0


def alarm(number: int, state: str = "raised", at: float = AT) -> LiveEvent:
    """An event of the stream about one alarm."""
    opened = Alarm(
        alarm_id=f"alm_{number}", kind="infrastructure.down", since=api_time(at), node_id=None, ref="a-01",
        text="a-01 does not answer",
    )  # fmt: skip
    return LiveEvent("alarm", msgspec.json.encode(AlarmEvent(state=state, alarm=opened)), at)  # type: ignore[arg-type]


def burn(number: int, elapsed_ms: float, *, drill: bool = False) -> LiveEvent:
    """An event of the stream about one burn."""
    event = BurnEvent(
        burn_id=f"brn_{number}", node_id="ARC-1", scope="LOCAL_ONLY", state="PARTIAL", target=None, open=1, total=2,
        elapsed_ms=elapsed_ms, at=api_time(AT + elapsed_ms / 1000), drill=drill,
    )  # fmt: skip
    return LiveEvent("burn", msgspec.json.encode(event), AT)


@pytest.fixture
def events(session: WindowSession) -> SiteEvents:
    """Of a session whose service was started once."""
    session.service_starts = 1
    return SiteEvents(session)


def test_an_alarm_stands_where_it_was_raised(events: SiteEvents) -> None:
    """Not where somebody took it, and only once."""
    events._take_alarms([alarm(1), alarm(1, "taken", AT + 60), alarm(1, "raised", AT + 90), alarm(2, at=AT - 5)])
    assert [(one.at, one.state, one.word) for one in events.all()] == [
        (AT - 5, Meaning.BAD, "Alarm"),
        (AT, Meaning.BAD, "Alarm"),
    ]


def test_a_burn_stands_where_it_began(events: SiteEvents) -> None:
    """Each of its targets tells how long ago that was."""
    events._take_burns([burn(1, 2000.0), burn(1, 60_000.0)])
    found = events.all()
    assert [(one.word, one.sentence, one.state) for one in found] == [("Burn", "ARC-1", Meaning.CRIT)]
    assert found[0].at == pytest.approx(AT, abs=0.01)


def test_a_drill_is_told_apart_from_a_burn(events: SiteEvents) -> None:
    """Nobody's access has ended."""
    events._take_burns([burn(1, 0.0, drill=True)])
    assert [(one.word, one.state) for one in events.all()] == [("Drill", Meaning.IDLE)]


def test_what_is_no_event_changes_nothing(events: SiteEvents) -> None:
    """The log has it."""
    events._take_alarms([LiveEvent("alarm", b"{", AT)])
    events._take_burns([LiveEvent("burn", b"[]", AT)])
    assert events.all() == []


def test_a_service_that_was_started_anew_is_a_restart(events: SiteEvents, session: WindowSession) -> None:
    """A connection that was lost is none."""
    session.connected.emit()
    assert events.all() == []
    session.service_starts = 2
    session.connected.emit()
    session.connected.emit()
    assert [one.word for one in events.all()] == ["Restart"]


def test_the_oldest_go_first(events: SiteEvents) -> None:
    """A window that is open for months keeps a bounded number."""
    events._take_alarms([alarm(number, at=AT + number) for number in range(KEPT + 3)])
    assert len(events.all()) == KEPT
    assert events.all()[0].at == AT + 3


def contained(number: int, state: str = "contained") -> LiveEvent:
    """An event of the stream about one containment."""
    item = Containment(
        containment_id=f"con_{number}", node_id="ARC-2", display_name=None, state=state, cause="containment",  # type: ignore[arg-type]
        message=None, actor="key_1", since=api_time(AT), until=None,
    )  # fmt: skip
    return LiveEvent("containment", msgspec.json.encode(ContainmentEvent(containment=item)), AT)


def test_who_was_contained_is_marked_where_it_is_asked_for(session: WindowSession) -> None:
    """Once, when it began; what the brake only lists denies nobody."""
    events = SiteEvents(session, contained=True)
    events._take_contained([contained(1), contained(1, "released"), contained(2, "queued")])
    assert [(one.word, one.sentence, one.state) for one in events.all()] == [("Contained", "ARC-2", Meaning.WARN)]


def test_what_was_dropped_is_no_quiet_time(events: SiteEvents) -> None:
    """Who shows the events knows from when on they are all there."""
    events._take_alarms([alarm(number, at=AT + number) for number in range(KEPT + 3)])
    assert events.forgotten_until == AT + 2
