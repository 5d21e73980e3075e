"""The strip of the last hour: what it marks, what it says, and how hands go to a moment."""

from __future__ import annotations

import time
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage

from app.console.session import WindowSession
from app.console.shell.time_strip import CLEAR_PX, LIVE_PX, TimeStrip
from app.console.shown_time import REACH_S
from app.console.theme.tokens import DARK, Meaning
from app.console.widgets.chart_plot import ChartEvent
from tests.console.known_hour import Hour

CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def hour() -> Hour:
    """A quiet one of which all is known."""
    return Hour()


@pytest.fixture
def strip(session: WindowSession, hour: Hour, qtbot: Any) -> TimeStrip:
    """As wide as in the window of the design, over a live stream."""
    session.attach(object(), "http://127.0.0.1:1", "citadel")  # type: ignore[arg-type]
    session.live._note_pulse()
    made = TimeStrip(session)
    qtbot.addWidget(made)
    made.resize(1284, 20)
    made.begin(hour)  # type: ignore[arg-type]
    made.show()
    return made


def burn(at: float) -> ChartEvent:
    """A burn."""
    return ChartEvent(at, Meaning.CRIT, "Burn", "ARC-1")


def ago(session: WindowSession) -> float:
    """How far in the past the moment that is shown is, seconds; 0: it is now."""
    at = session.shown_time.at
    return 0.0 if at is None else session.live.now() - at


def picture(strip: TimeStrip) -> QImage:
    """The strip as it is seen."""
    return strip.grab().toImage()


def test_there_is_a_tick_each_ten_minutes(strip: TimeStrip) -> None:
    """Six of them in an hour, on whole ten minutes of the clock, labelled so."""
    labels = strip.labels()
    assert len(labels) in (6, 7)
    assert {time.localtime(at).tm_min % 10 for at, _ in labels} == {0}
    named = [(words, time.strftime("%H:%M", time.localtime(at))) for at, words in labels if words]
    assert len(named) >= 5
    assert all(words == clock for words, clock in named)


def test_a_label_near_a_shape_is_left_out(strip: TimeStrip, hour: Hour) -> None:
    """The shape says more; a label that is far enough away stays."""
    at, words = next((at, words) for at, words in strip.labels() if words and strip.x_of(at) > 2 * CLEAR_PX)
    second = REACH_S / strip.end_x
    hour.events = [burn(at + (CLEAR_PX - 2) * second)]
    strip.refresh()
    assert dict(strip.labels())[at] == ""
    hour.events = [burn(at + (CLEAR_PX + 2) * second)]
    strip.refresh()
    assert dict(strip.labels())[at] == words


def test_an_event_is_a_shape_in_the_colour_of_its_state(strip: TimeStrip, hour: Hour, session: WindowSession) -> None:
    """Where it happened."""
    hour.events = [burn(session.live.now() - 1234.0)]
    strip.refresh()
    image = picture(strip)
    at = QPoint(round(strip.x_of(hour.events[0].at)), 10)
    assert image.pixelColor(at) == QColor(DARK.crit)


def test_what_is_not_known_is_hatched_and_said(strip: TimeStrip, hour: Hour) -> None:
    """A quiet strip and one that could not be asked do not look alike, nor sound alike."""
    quiet, heard = picture(strip), strip.value_text
    hour.span = None
    strip.refresh()
    assert picture(strip) != quiet
    assert heard == "Live, 0 events in the last hour"
    assert strip.value_text == "Live, 0 events in the last hour; events unknown"


def test_events_that_are_missing_since_a_while_are_said(strip: TimeStrip, hour: Hour, session: WindowSession) -> None:
    """The stream was lost a minute ago."""
    hour.span = (0.0, session.live.now() - 60.0)
    strip.refresh()
    assert strip.missing_words.startswith("events since ")


def test_the_end_is_live_only_while_the_stream_lives(strip: TimeStrip, session: WindowSession) -> None:
    """A word that reassures is true."""
    assert strip.end_word == "Live"
    session.live._say("lost")
    assert strip.end_word == "Not live"


@pytest.mark.parametrize(
    ("keys", "seconds"),
    [
        ([(Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier)], 10),
        ([(Qt.Key.Key_Left, CONTROL)], 1),
        ([(Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier)], 600),
        ([(Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier)], 3600),
        ([(Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_Right, CONTROL)], 599),
        (
            [(Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier)],
            3600,
        ),
        ([(Qt.Key.Key_Left, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier)], 0),
        ([(Qt.Key.Key_PageUp, CONTROL)], 3600),
        ([(Qt.Key.Key_PageUp, CONTROL)] * 3, 10_800),
        ([(Qt.Key.Key_PageUp, CONTROL)] * 3 + [(Qt.Key.Key_PageDown, CONTROL)] * 2, 3600),
        ([(Qt.Key.Key_PageUp, CONTROL)] * 2 + [(Qt.Key.Key_PageDown, CONTROL)] * 2, 0),
        ([(Qt.Key.Key_PageUp, CONTROL)] * 3 + [(Qt.Key.Key_PageUp, Qt.KeyboardModifier.NoModifier)] * 4, 12_600),
        ([(Qt.Key.Key_PageUp, CONTROL)] * 3 + [(Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier)], 12_600),
        ([(Qt.Key.Key_PageUp, CONTROL)] * 3 + [(Qt.Key.Key_PageDown, Qt.KeyboardModifier.NoModifier)] * 9, 9000),
        ([(Qt.Key.Key_PageUp, CONTROL)] * 3 + [(Qt.Key.Key_End, Qt.KeyboardModifier.NoModifier)], 0),
        ([(Qt.Key.Key_Home, Qt.KeyboardModifier.NoModifier), (Qt.Key.Key_End, CONTROL)], 0),
    ],
)
def test_keys_go_through_the_hour(
    keys: list[tuple[Any, Any]], seconds: int, strip: TimeStrip, session: WindowSession, qtbot: Any
) -> None:
    """Never out of it, and over its end into live; whole hours go further back."""
    for key, modifier in keys:
        qtbot.keyClick(strip, key, modifier)
    assert ago(session) == pytest.approx(seconds, abs=2.0)
    assert session.shown_time.is_past is bool(seconds)


def test_shift_goes_from_event_to_event(strip: TimeStrip, hour: Hour, session: WindowSession, qtbot: Any) -> None:
    """To its very moment; after the last one comes live."""
    now = session.live.now()
    hour.events = [burn(now - 2000.0), burn(now - 500.0)]
    strip.refresh()
    moments = []
    for key in (Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Right):
        qtbot.keyClick(strip, key, SHIFT)
        moments.append(session.shown_time.at)
    assert moments == [now - 500.0, now - 2000.0, now - 2000.0, now - 500.0, None]


def test_a_click_goes_to_its_time_and_a_drag_follows(strip: TimeStrip, session: WindowSession, qtbot: Any) -> None:
    """Half of the strip is half an hour."""
    middle = QPoint(round(strip.end_x / 2), 10)
    qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=middle)
    assert ago(session) == pytest.approx(1800.0, abs=5.0)
    qtbot.mouseMove(strip, QPoint(middle.x() // 2, 10))
    assert ago(session) == pytest.approx(2700.0, abs=8.0)
    qtbot.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=QPoint(middle.x() // 2, 10))
    qtbot.mouseMove(strip, middle)
    assert ago(session) == pytest.approx(2700.0, abs=8.0)


def test_a_click_on_a_shape_goes_to_its_event(strip: TimeStrip, hour: Hour, session: WindowSession, qtbot: Any) -> None:
    """A pixel is three seconds: the event's own time is meant."""
    hour.events = [burn(session.live.now() - 1000.0)]
    strip.refresh()
    place = QPoint(round(strip.x_of(hour.events[0].at)) + 4, 10)
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=place)
    assert session.shown_time.at == hour.events[0].at


def test_a_click_on_live_goes_back(strip: TimeStrip, session: WindowSession, qtbot: Any) -> None:
    """The word is the way back."""
    strip.go_to(session.live.now() - 100.0)
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(strip.width() - LIVE_PX // 2, 10))
    assert not session.shown_time.is_past


def test_the_moment_and_its_events_are_heard(strip: TimeStrip, hour: Hour, session: WindowSession) -> None:
    """Name, value and keys, for a screen reader."""
    hour.events = [burn(session.live.now() - 1000.0)]
    strip.go_to(session.live.now() - 1003.0)
    assert strip.accessibleName() == "Time strip, the last hour"
    words = session.shown_time.words.removeprefix("PAST ")
    assert strip.value_text == f"Past {words}, here: Burn ARC-1, 1 event in the last hour"
    assert strip.accessibleDescription().startswith(strip.value_text)


def test_the_moment_is_announced_where_the_hands_rest(strip: TimeStrip, session: WindowSession, qtbot: Any) -> None:
    """Once, not at each key of a row of them."""
    said: list[str] = []
    strip._say_soon.timeout.connect(lambda: said.append(strip.value_text))
    for _ in range(5):
        qtbot.keyClick(strip, Qt.Key.Key_Left)
    qtbot.waitUntil(lambda: bool(said))
    assert said == [strip.value_text]
    assert session.shown_time.is_past


def test_words_over_a_hatch_cover_neither_a_shape_nor_a_label(
    strip: TimeStrip, hour: Hour, session: WindowSession
) -> None:
    """What is known in it stays legible: they stand elsewhere, or not at all."""
    now = session.live.now()
    hour.span = (now - 1000.0, now)
    strip.refresh()
    ((left, right),) = strip.unknown_stretches()
    free = strip.place_words(left, right)
    assert free is not None
    assert [words for at, words in strip.labels() if free[0] <= strip.x_of(at) + 20 <= free[1]] in ([], [""])
    hour.events = [burn(now - REACH_S + (free[0] + 10) / strip.end_x * REACH_S)]
    strip.refresh()
    moved = strip.place_words(left, right)
    assert moved is not None
    assert not moved[0] <= strip.x_of(hour.events[0].at) <= moved[1]
    assert strip.place_words(left, left + 60) is None


def test_labels_of_another_day_name_it_once(strip: TimeStrip, session: WindowSession) -> None:
    """The first that has room, and the first after midnight."""
    today = time.strftime("%Y-%m-%d", time.localtime(session.live.now()))
    # At noon: an hour that holds a midnight is of two days.
    noon = time.mktime((*time.localtime(session.live.now() - 2 * 86_400)[:3], 12, 0, 0, 0, 0, -1))
    session.shown_time.go_to(noon)
    named = [words for _at, words in strip.labels() if words]
    day = time.strftime("%Y-%m-%d", time.localtime(session.shown_time.at))
    assert day != today
    assert named[0].startswith(day)
    days = {time.strftime("%Y-%m-%d", time.localtime(at)) for at, words in strip.labels() if words}
    assert sum(len(words) > 5 for words in named) == len(days)
    midnight = time.mktime((*time.localtime(session.live.now() - 5 * 86_400)[:3], 0, 0, 0, 0, 0, -1))
    session.shown_time.go_to(midnight + 60)
    named = [words for _at, words in strip.labels() if len(words) > 5]
    assert [words[11:] for words in named] == ["23:40", "00:00"]


def test_a_dated_label_stands_beside_no_shape(strip: TimeStrip, hour: Hour, session: WindowSession) -> None:
    """The next one names the day then."""
    session.shown_time.go_to(session.live.now() - 50 * 3600)
    (at, _), *others = [(at, words) for at, words in strip.labels() if words]
    hour.events = [burn(at + 90)]
    strip.refresh()
    labels = dict(strip.labels())
    assert labels[at] == ""
    assert len(labels[others[0][0]]) > 5


def test_what_was_awaited_is_announced_when_it_is_there(
    strip: TimeStrip, hour: Hour, session: WindowSession, qtbot: Any
) -> None:
    """Who hears the strip need not ask it again; the words over the hatch say that the service is asked."""
    said: list[str] = []
    strip._say_soon.timeout.connect(lambda: said.append(strip.value_text))
    hour.asking, hour.span = True, None
    session.shown_time.go_to(session.live.now() - 7200)
    words = session.shown_time.clock
    assert strip.unknown_words == "Asking for events"
    qtbot.waitUntil(lambda: bool(said))
    hour.asking, hour.span = False, (0.0, 1e12)
    hour.events = [burn(session.live.now() - 7100)]
    hour.changed.emit()
    qtbot.waitUntil(lambda: len(said) == 2)
    assert said == [
        f"Past {words}, events being read",
        f"Past {words}, 1 event in that hour",
    ]
    assert strip.accessibleName() == f"Time strip, the hour around {words}"


def test_after_the_last_event_of_an_older_hour_nothing_follows(
    strip: TimeStrip, hour: Hour, session: WindowSession, qtbot: Any
) -> None:
    """Live is hours away: the moment stays."""
    at = session.live.now() - 7200
    hour.events = [burn(at - 60), burn(at + 60)]
    session.shown_time.go_to(at)
    for _ in range(3):
        qtbot.keyClick(strip, Qt.Key.Key_Right, SHIFT)
    assert session.shown_time.at == at + 60
