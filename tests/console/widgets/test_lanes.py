"""Events in lanes over one clock: chosen by keys and clicks, zoomed by dragging, told to those who do not see them."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

from app.console.theme.tokens import Meaning
from app.console.widgets.lanes import DAY_S, LaneChart, LaneMark

LOW = 1_764_115_200.0
HIGH = LOW + DAY_S / 2
HOUR = 3600.0


def mark(key: str, hours: float, lane: int = 0) -> LaneMark:
    return LaneMark(key, LOW + hours * HOUR, lane, Meaning.OK, f"Event {key}")


@pytest.fixture
def chart(application: Any, qtbot: Any) -> LaneChart:
    """Twelve hours with four events; 720 px for the clock, so that an hour is 60 px wide."""
    made = LaneChart(("Doors", "Card"), name="Events")
    qtbot.addWidget(made)
    made.resize(800, made.sizeHint().height())
    made.set_range(LOW, HIGH)
    made.show_marks([mark("a", 1), mark("b", 2, 1), mark("c", 6), mark("d", 11)], LOW + 11.5 * HOUR)
    made.show()
    return made


def keys(chart: LaneChart) -> list[str]:
    return [one.key for one in chart._visible()]


def at(chart: LaneChart, hours: float, lane: int = 0) -> QPoint:
    return QPoint(round(chart._x(LOW + hours * HOUR)), round(chart._plot().top() + 13 + 27 * lane))


def test_the_arrow_keys_go_from_event_to_event(chart: LaneChart, qtbot: Any) -> None:
    """From none to the newest, then back in time, and no further than the first."""
    heard: list[str] = []
    chart.chosen.connect(heard.append)
    for _ in range(5):
        qtbot.keyClick(chart, Qt.Key.Key_Left)
    assert heard == ["d", "c", "b", "a", "a"]
    assert "Event a" in chart.accessibleDescription()


def test_a_click_takes_the_event_of_its_lane(chart: LaneChart, qtbot: Any) -> None:
    """Beside it, or in another lane, nothing is chosen."""
    heard: list[str] = []
    chart.chosen.connect(heard.append)
    for where in (at(chart, 2), at(chart, 3, 1), at(chart, 2, 1)):
        qtbot.mouseClick(chart, Qt.MouseButton.LeftButton, pos=where)
    assert heard == ["b"]


def test_dragging_zooms_and_a_double_click_goes_out(chart: LaneChart, qtbot: Any) -> None:
    """To the stretch under the pointer, told to those who list its events."""
    heard: list[tuple[float, float]] = []
    chart.ranged.connect(lambda low, high: heard.append((low, high)))
    qtbot.mousePress(chart, Qt.MouseButton.LeftButton, pos=at(chart, 7))
    qtbot.mouseMove(chart, at(chart, 1.5))
    qtbot.mouseRelease(chart, Qt.MouseButton.LeftButton, pos=at(chart, 1.5))
    assert heard == [chart.shown]
    assert heard[0] == pytest.approx((LOW + 1.5 * HOUR, LOW + 7 * HOUR), abs=60)
    assert keys(chart) == ["b", "c"]
    qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=at(chart, 3))
    assert (chart.shown, chart.zoomed) == ((LOW, HIGH), False)


def test_by_keys_alone_it_zooms_around_the_chosen_event(chart: LaneChart, qtbot: Any) -> None:
    """Plus goes in to an hour and less, never under a minute; minus and Home go out, never over the range."""
    chart.choose("c")
    for _ in range(30):
        qtbot.keyClick(chart, Qt.Key.Key_Plus)
    low, high = chart.shown
    assert high - low == pytest.approx(60)
    assert keys(chart) == ["c"]
    for _ in range(30):
        qtbot.keyClick(chart, Qt.Key.Key_Minus)
    assert chart.shown == (LOW, HIGH)
    qtbot.keyClick(chart, Qt.Key.Key_Plus)
    qtbot.keyClick(chart, Qt.Key.Key_Home)
    assert not chart.zoomed


def test_a_growing_range_keeps_a_zoom(chart: LaneChart, qtbot: Any) -> None:
    """An hour more does not take the stretch away from under the eyes; a range without it does."""
    chart.choose("c")
    qtbot.keyClick(chart, Qt.Key.Key_Plus)
    before = chart.shown
    chart.set_range(LOW, HIGH + HOUR)
    assert chart.shown == before
    chart.set_range(HIGH, HIGH + DAY_S)
    assert chart.shown == (HIGH, HIGH + DAY_S)


def test_it_is_painted_with_the_focus_and_without(chart: LaneChart, qtbot: Any) -> None:
    """The ring around it is what tells hands where they are."""
    chart.window().activateWindow()
    chart.clearFocus()
    plain = chart.grab().toImage()
    chart.setFocus()
    qtbot.waitUntil(chart.hasFocus)
    assert chart.grab().toImage() != plain
