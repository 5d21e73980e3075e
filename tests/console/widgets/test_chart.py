"""Charts: hands, keys, what several charts of a page share, what is read out, and their table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QMouseEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.console import theme
from app.console.clock import clock_time
from app.console.table_layout import AS_MADE, TableLayout
from app.console.theme.tokens import DARK, LIGHT, Meaning, ThemeTokens
from app.console.widgets.chart import TimeChart
from app.console.widgets.chart_plot import ChartEvent, Plot, Series
from app.console.widgets.chart_range import TimeRange
from app.console.widgets.table import DataTable

START = 1_772_000_000.0
X = START + np.arange(600.0)
SHIFT, CONTROL = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
NOTHING = Qt.KeyboardModifier.NoModifier


class SavedLines:
    """A desk that notes what is saved and said."""

    def __init__(self) -> None:
        self.saved: list[tuple[str, list[str], list[list[str]]]] = []
        self.said: list[str] = []

    def layout_of(self, name: str) -> TableLayout:
        """Nothing is kept."""
        return AS_MADE

    def keep_layout(self, name: str, layout: TableLayout) -> None:
        """Nothing is kept."""

    def save_lines(self, name: str, heads: Sequence[str], lines: Iterable[Sequence[str]], count: int) -> None:
        """Note them."""
        made = [list(line) for line in lines]
        assert len(made) == count
        self.saved.append((name, list(heads), made))

    def say(self, text: str) -> None:
        """Note it."""
        self.said.append(text)


class Page(QWidget):
    """Two charts that share one stretch of time."""

    def __init__(self) -> None:
        super().__init__()
        self.table_desk = SavedLines()
        self.span = TimeRange(self)
        self.above = TimeChart(
            [Series("p99", "text"), Series("p50")], unit="ms", name="Above", log=True, span=self.span
        )
        self.below = TimeChart([Series("missed", "dim", dash=True)], unit="probes", name="Below", span=self.span)
        column = QVBoxLayout(self)
        column.addWidget(self.above)
        column.addWidget(self.below)

    def fill(self, start: float = START) -> None:
        """Ten minutes from ``start`` on; the sixth is not measured."""
        x = X - START + start
        y = np.where((X >= START + 300) & (X < START + 360), np.nan, 5.0)
        self.above.set_data({"p50": (x, y), "p99": (x, y * 2)}, start=start, end=start + 600, step=1.0)
        self.below.set_data({"missed": (x, y)}, start=start, end=start + 600, step=1.0)


@pytest.fixture
def page(application: QApplication, qtbot: Any) -> Page:
    """Shown, with its data."""
    made = Page()
    qtbot.addWidget(made)
    made.resize(800, 600)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.fill()
    return made


def place(plot: Plot, after: float) -> QPointF:
    """Where so many seconds after the start are."""
    return QPointF(plot.x_of(START + after), plot.box.center().y())


def mouse(plot: Plot, kind: QEvent.Type, at: QPointF, keys: Qt.KeyboardModifier) -> None:
    """One event of the mouse, with the left button."""
    button = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else Qt.MouseButton.LeftButton
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else Qt.MouseButton.LeftButton
    QApplication.sendEvent(plot, QMouseEvent(kind, at, plot.mapToGlobal(at), button, held, keys))


def drag(plot: Plot, first: float, last: float, keys: Qt.KeyboardModifier = NOTHING) -> None:
    """Drag from one time to another (seconds after the start, as they lie when it begins)."""
    start, end = place(plot, first), place(plot, last)
    mouse(plot, QEvent.Type.MouseButtonPress, start, keys)
    for part in (0.4, 0.8, 1.0):
        mouse(plot, QEvent.Type.MouseMove, start + (end - start) * part, keys)
    mouse(plot, QEvent.Type.MouseButtonRelease, end, keys)


def seconds(stretch: tuple[float, float] | None) -> tuple[int, int]:
    """A stretch in whole seconds after the start."""
    assert stretch is not None
    return round(stretch[0] - START), round(stretch[1] - START)


def inks(widget: QWidget, colour: str) -> int:
    """How many pixels of it have that colour."""
    image, wanted = widget.grab().toImage(), int(colour[1:], 16)
    return sum(image.pixel(x, y) & 0xFFFFFF == wanted for y in range(image.height()) for x in range(image.width()))


def test_a_drag_zooms_all_charts_of_the_page(page: Page) -> None:
    """A double click on any of them goes out."""
    drag(page.above.plot, 100, 200)
    assert seconds(page.below.plot.shown) == seconds(page.above.plot.shown) == (100, 200)
    assert page.above.out.isVisible()
    mouse(page.below.plot, QEvent.Type.MouseButtonDblClick, place(page.below.plot, 150), NOTHING)
    assert seconds(page.above.plot.shown) == (0, 600)
    assert not page.above.out.isVisible()


def test_a_small_drag_is_a_click(page: Page) -> None:
    """Nothing is zoomed by a hand that trembles, and never further than two samples."""
    plot = page.above.plot
    at = place(plot, 100)
    mouse(plot, QEvent.Type.MouseButtonPress, at, NOTHING)
    mouse(plot, QEvent.Type.MouseMove, at + QPointF(3, 0), NOTHING)
    mouse(plot, QEvent.Type.MouseButtonRelease, at + QPointF(3, 0), NOTHING)
    assert page.span.zoom is None
    plot.zoom((START + 100.0, START + 100.1))
    assert plot.shown[1] - plot.shown[0] == pytest.approx(2.0)


def test_shift_drag_pans_what_is_zoomed(page: Page) -> None:
    """As far as there is anything; without a zoom there is nothing to pan."""
    plot = page.above.plot
    drag(plot, 300, 200, SHIFT)
    assert page.span.zoom is None
    drag(plot, 100, 200)
    drag(plot, 150, 130, SHIFT)
    assert seconds(plot.shown) == (120, 220)
    drag(plot, 130, 500, SHIFT)
    assert seconds(plot.shown) == (0, 100)


def test_ctrl_drag_selects_and_says_what_changed(page: Page) -> None:
    """On all charts, each of its own series; its buttons zoom in and take it away."""
    drag(page.above.plot, 100, 200, CONTROL)
    assert seconds(page.span.selection) == (100, 200)
    assert page.above.change.text().endswith("p50 hardly changed: 5.00 before, 5.00 ms in it.")
    assert "missed" in page.below.change.text()
    page.above.zoom_selection()
    assert (seconds(page.below.plot.shown), page.span.selection) == ((100, 200), None)
    assert not page.above.change.isVisible()


def test_the_crosshair_stands_on_all_charts(page: Page) -> None:
    """Each reads out its own values there; in a gap it says that there is no sample."""
    page.span.point(START + 100)
    assert page.above.legend["p99"].text() == "p99  10.0 ms"
    assert page.below.legend["missed"].text() == "missed  5.00 probes"
    page.span.point(START + 330)
    assert page.above.legend["p99"].text() == "p99  –"
    assert page.above.plot.values_at(START + 330) == {"p99": None, "p50": None}


def test_a_hand_that_hovers_moves_the_crosshair(page: Page, qtbot: Any) -> None:
    """And takes it away when it leaves."""
    plot = page.above.plot
    at = place(plot, 250)
    event = QMouseEvent(
        QEvent.Type.MouseMove, at, plot.mapToGlobal(at), Qt.MouseButton.NoButton, Qt.MouseButton.NoButton, NOTHING
    )
    QApplication.sendEvent(plot, event)
    assert page.span.at == pytest.approx(START + 250)
    QApplication.sendEvent(plot, QEvent(QEvent.Type.Leave))
    assert page.span.at is None


def test_keys_move_the_crosshair_select_and_zoom(page: Page, qtbot: Any) -> None:
    """Everything that a drag can do."""
    plot, span = page.above.plot, page.span
    plot.setFocus()
    qtbot.keyClick(plot, Qt.Key.Key_Home)
    assert span.at == START
    qtbot.keyClick(plot, Qt.Key.Key_Right, CONTROL)
    qtbot.keyClick(plot, Qt.Key.Key_Right)
    assert span.at == START + 11
    assert plot.accessibleDescription() == f"{clock_time(START + 11)}: p99 10.0 ms, p50 5.00 ms"
    for _ in range(3):
        qtbot.keyClick(plot, Qt.Key.Key_Right, CONTROL | SHIFT)
    qtbot.keyClick(plot, Qt.Key.Key_Left, SHIFT)
    assert seconds(span.selection) == (11, 40)
    qtbot.keyClick(plot, Qt.Key.Key_Return)
    assert (seconds(plot.shown), span.selection) == ((11, 40), None)
    qtbot.keyClick(plot, Qt.Key.Key_PageDown)
    assert seconds(plot.shown) == (26, 54)
    qtbot.keyClick(plot, Qt.Key.Key_Backspace)
    assert span.zoom is None


def test_keys_step_over_gaps(page: Page, qtbot: Any) -> None:
    """From sample to sample."""
    page.above.plot.setFocus()
    page.span.point(START + 299)
    qtbot.keyClick(page.above.plot, Qt.Key.Key_Right)
    assert page.span.at == START + 360


def test_a_chart_says_what_it_shows(page: Page) -> None:
    """For who hears it: span, newest values, gaps, goal, events."""
    page.above.set_goal(50.0)
    page.above.set_events([ChartEvent(START + 60, Meaning.CRIT, "Burn", "ARC-1")])
    page.above.plot.setFocus()
    said = page.above.plot.accessibleDescription()
    assert said.startswith(f"{clock_time(START)} to {clock_time(START + 600)}; newest p50 5.00 ms, p99 10.0 ms; 1 gap")
    assert f"goal 50 ms; events {clock_time(START + 60)} Burn" in said


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=["dark", "light"])
def test_the_focus_of_a_chart_is_seen(page: Page, tokens: ThemeTokens, application: QApplication) -> None:
    """A ring of the accent."""
    theme.apply(application, tokens)
    page.above.as_table.setFocus()
    before = inks(page.below.plot, tokens.accent)
    page.below.plot.setFocus()
    assert inks(page.below.plot, tokens.accent) - before > 2 * (page.below.plot.width() + page.below.plot.height())


def test_a_goal_and_an_event_are_painted(page: Page) -> None:
    """The goal in the ink of text, the event with its shape under the axis and its line through the chart."""
    plot = page.below.plot
    before = inks(plot, theme.current().text)
    page.below.set_goal(3.0)
    assert inks(plot, theme.current().text) - before > plot.box.width() / 3
    crit = theme.current().crit
    assert inks(plot, crit) == 0
    page.below.set_events([ChartEvent(START + 60, Meaning.CRIT, "Burn", "ARC-1")])
    assert inks(plot, crit) > 30
    page.span.zoom_to((START + 100, START + 200))
    assert inks(plot, crit) == 0


def test_a_gap_is_hatched(page: Page) -> None:
    """The line is broken there, and the hatch is only there."""
    plot = page.below.plot
    assert [seconds(gap) for gap in plot.gaps()] == [(299, 360)]
    inside = plot.grab().toImage().copy(round(plot.x_of(START + 310)), 30, 40, 60)
    outside = plot.grab().toImage().copy(round(plot.x_of(START + 100)), 30, 40, 60)
    marked = []
    for image in (inside, outside):
        pixels = Counter(image.pixel(x, y) for x in range(40) for y in range(60))
        marked.append(pixels.total() - max(pixels.values()))
    assert marked[0] > 3 * marked[1]


def test_values_that_hold_have_no_gap_between_them(page: Page) -> None:
    """A missing step is one, from the end of what was measured last."""
    x = START + np.array([0.0, 60.0, 180.0, 240.0])
    page.below.set_data({"missed": (x, np.ones(4))}, start=START, end=START + 300, step=60.0, holds=True)
    assert [seconds(gap) for gap in page.below.plot.gaps()] == [(120, 180)]


def test_what_is_gone_takes_zoom_selection_and_crosshair_along(page: Page) -> None:
    """Live data move on; a stretch that is still there in part stays."""
    page.span.zoom_to((START + 10, START + 50))
    page.span.select((START + 20, START + 30))
    page.span.point(START + 20)
    page.fill(START + 25)
    assert (seconds(page.span.zoom), seconds(page.span.selection)) == ((10, 50), (20, 30))
    assert page.span.at is None
    page.fill(START + 60)
    assert (page.span.zoom, page.span.selection) == (None, None)


def test_a_stretch_without_length_is_painted(page: Page) -> None:
    """One sample, as the first one is."""
    page.above.set_data({"p50": (np.array([START]), np.array([2.0]))}, start=START, end=START, step=1.0)
    assert page.above.plot.grab().width() == page.above.plot.width()
    assert page.above.legend["p50"].text() == "p50  2.00 ms"


def test_one_slow_answer_does_not_flatten_the_others(page: Page) -> None:
    """The axis becomes logarithmic, and nothing that is zero is drawn."""
    x = START + np.arange(4.0)
    page.above.set_data({"p50": (x, np.array([2.0, 4.0, 420.0, 0.0]))}, start=START, end=START + 3, step=1.0)
    axis = page.above.plot.axis
    shares = axis.share(np.array([2.0, 4.0, 0.0]))
    assert axis.log
    assert shares[1] - shares[0] > 0.1
    assert np.isnan(shares[2])


def test_a_chart_has_a_table(page: Page, qtbot: Any) -> None:
    """Newest first, of what is shown, with every series; the button goes back to the plot."""
    chart = page.above
    drag(chart.plot, 290, 310)
    qtbot.mouseClick(chart.as_table, Qt.MouseButton.LeftButton)
    table = chart.findChild(DataTable)
    assert table is not None
    assert table.isVisible()
    model = table.rows_model
    assert model is not None
    assert [row.at for row in model.rows] == sorted((row.at for row in model.rows), reverse=True)
    assert seconds((model.rows[-1].at, model.rows[0].at)) == (290, 299)
    assert [str(model.index(0, at).data()) for at in range(3)] == [clock_time(START + 299), "10.0", "5.00"]
    page.span.zoom_to(None)
    assert model.rowCount() == 540
    qtbot.mouseClick(chart.as_table, Qt.MouseButton.LeftButton)
    assert chart.plot.isVisible()


def test_a_picture_goes_to_the_clipboard(page: Page, qtbot: Any) -> None:
    """As it is seen, without the tools."""
    qtbot.mouseClick(page.above.copy, Qt.MouseButton.LeftButton)
    picture = QGuiApplication.clipboard().image()
    assert picture.size() == page.above.size() * page.above.devicePixelRatioF()
    assert page.above.copy.isVisible()
    assert page.table_desk.said == ["The chart is on the clipboard as a picture."]


def test_values_are_saved_as_csv(page: Page, qtbot: Any) -> None:
    """Those that are shown, in UTC, with the unit in the head and no rounding to what the eye needs."""
    page.span.zoom_to((START + 10.5, START + 12.5))
    qtbot.mouseClick(page.above.save, Qt.MouseButton.LeftButton)
    name, heads, lines = page.table_desk.saved[0]
    assert (name, heads) == ("Above", ["time", "p99 ms", "p50 ms"])
    assert lines[0] == ["2026-02-25T06:13:31.000000Z", "10", "5"]
    assert len(lines) == 2


@pytest.mark.qt_log_ignore("does not support (raise|grabbing the keyboard)", extend=True)  # the platform offscreen
def test_a_narrow_chart_has_its_tools_in_the_menu(page: Page, qtbot: Any) -> None:
    """The same four."""
    page.resize(400, 500)
    assert not page.above.copy.isVisible()
    menu = page.above.menu()
    lines = {one.text().split("\t")[0]: one for one in menu.actions()}
    assert list(lines) == ["Zoom out", "Show as a table", "Copy as a picture", "Save the values as CSV"]
    assert not lines["Zoom out"].isEnabled()
    lines["Show as a table"].trigger()
    assert page.above.findChild(DataTable).isVisible()  # type: ignore[union-attr]
    menu.close()
