"""Table, choice field, chart, tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from app.console.clock import clock_time
from app.console.failures import Failure
from app.console.theme.tokens import Meaning
from app.console.widgets.banner import Banner
from app.console.widgets.chart import Series, TimeChart, _LogAxis, figures, log_range, sample_at, thin
from app.console.widgets.choice import Choice, ChoiceField
from app.console.widgets.kpi import KpiTile
from app.console.widgets.stepper import StageState, Stepper
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.table_cells import STATE_ROLE

ANNA = Choice("ARC-1", "Training Person 01", "ARC-1")
BORIS = Choice("ARC-2", "Training Person 02", "ARC-2")


@given(st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), max_size=400), st.integers(1, 40))
def test_thinning_keeps_the_extremes(values: list[float], columns: int) -> None:
    """The highest and the lowest value are still there, and there are never more than two points a column."""
    y = np.array(values, dtype=np.float64)
    x = np.arange(len(y), dtype=np.float64)
    thin_x, thin_y = thin(x, y, columns)
    assert len(thin_x) <= max(len(y) if len(y) <= 2 * columns else 2 * columns, 0)
    if np.isfinite(y).any():
        assert (np.nanmin(thin_y), np.nanmax(thin_y)) == (np.nanmin(y), np.nanmax(y))
    assert list(thin_x) == sorted(thin_x)


@given(st.floats(0.001, 1e6), st.floats(1, 1e4))
def test_a_log_axis_holds_its_values_between_round_numbers(low: float, factor: float) -> None:
    """At least a decade, never more than is needed by a decade and a half, bounds of 1, 2 or 5."""
    bottom, top = log_range(low, low * factor)
    assert bottom <= low * (1 + 1e-6)
    assert top >= low * factor * (1 - 1e-6)
    assert 9.99 <= top / bottom <= 100 * factor
    assert all(f"{bound:e}"[0] in "125" for bound in (bottom, top))


def test_one_slow_answer_does_not_flatten_the_others(application: QApplication, qtbot: Any) -> None:
    """On the logarithmic axis 2 and 4 ms are told apart beside 420 ms, and nothing that is zero is drawn."""
    chart = TimeChart([Series("p50")], unit="ms", name="Handshake", log=True)
    qtbot.addWidget(chart)
    chart.set_data({"p50": (np.arange(4.0), np.array([2.0, 4.0, 420.0, 0.0]))}, start=0.0, end=3.0, step=1.0)
    low, high = chart.plot.getPlotItem().viewRange()[1]
    drawn = chart._curves["p50"].getData()[1]
    assert (drawn[1] - drawn[0]) / (high - low) > 0.1
    assert np.isnan(drawn[3])


def test_a_log_axis_has_readable_ticks(application: QApplication) -> None:
    """1, 2 and 5 while there is room, powers of ten when there is little."""
    axis = _LogAxis()
    roomy = axis.tickStrings(axis.tickValues(0.0, 3.0, 400)[0][1], 1, 1)
    tight = axis.tickStrings(axis.tickValues(-1.0, 3.0, 60)[0][1], 1, 1)
    assert roomy == ["1", "2", "5", "10", "20", "50", "100", "200", "500", "1,000"]
    assert tight == ["0.1", "1", "10", "100", "1,000"]


@pytest.mark.parametrize(
    ("at", "value"),
    [(10.0, 1.0), (10.4, 1.0), (10.5, 1.0), (10.6, 2.0), (12.5, 2.0), (12.6, None), (20.0, 4.0), (18.4, None),
     (18.6, 4.0), (8.4, None), (8.5, 1.0), (21.5, 4.0), (21.6, None), (15.1, None)],
)  # fmt: skip
def test_a_readout_is_of_the_nearest_sample_or_of_none(at: float, value: float | None) -> None:
    """No further than a step and a half; what was probed and not measured has no value either."""
    x, y = np.array([10.0, 11.0, 15.0, 20.0]), np.array([1.0, 2.0, np.nan, 4.0])
    assert sample_at(x, y, at, 1.0) == value


def test_a_chart_without_samples_reads_out_none() -> None:
    """Nothing was ever measured."""
    assert sample_at(np.empty(0), np.empty(0), 3.0, 1.0) is None


def test_the_readout_follows_the_data_and_ends_with_the_range(application: QApplication, qtbot: Any) -> None:
    """A gap says so; new values change it; another range, or a time that has left the chart, takes it away."""
    chart = TimeChart([Series("p50"), Series("p99")], unit="ms", name="Handshake")
    qtbot.addWidget(chart)
    chart.resize(600, 300)
    chart.show()
    x = np.arange(100.0)

    def show(values: Any, start: float, end: float, step: float = 1.0) -> str:
        chart.set_data({"p50": (x, values), "p99": (x, values * 2)}, start=start, end=end, step=step)
        return " ".join([chart._readout.text(), *(words.text() for words in chart._legend.values())])

    gap = np.where((x > 40) & (x < 60), np.nan, 5.0)
    show(gap, 0.0, 100.0)
    item = chart.plot.getPlotItem()
    place = item.vb.mapViewToScene(QPointF(50.0, 1.0))
    chart._point(place)
    assert chart._readout.text().endswith("no sample")
    assert [words.text() for words in chart._legend.values()] == ["p50  –", "p99  –"]
    assert chart._cursor.isVisible()
    part = np.where(x < 60, 5.0, 7.0)
    assert show(part, 0.0, 100.0).endswith("p50  5.00 ms p99  10.0 ms")
    assert chart._readout.text() == clock_time(50.0)
    assert "ms · " not in show(part, 10.0, 110.0)
    assert "p50  7.00 ms" in show(part, 60.0, 160.0)
    assert "ms · " in chart._readout.text()
    assert not chart._cursor.isVisible()
    chart._point(place)
    assert "ms · " in show(part, 0.0, 200.0)
    chart._point(place)
    assert chart._at is not None
    assert "ms · " in show(part, 0.0, 200.0, 5.0)
    chart._point(place)
    chart.set_data({}, start=0.0, end=200.0, step=5.0)
    assert chart._at is None
    chart._point(QPointF(-50.0, -50.0))
    assert not chart._cursor.isVisible()


def test_a_chart_shows_the_newest_value(application: QApplication, qtbot: Any) -> None:
    """In its legend, with the unit."""
    chart = TimeChart([Series("p50")], unit="ms", name="Handshake")
    qtbot.addWidget(chart)
    chart.set_data({"p50": (np.array([1.0, 2.0, 3.0]), np.array([5.0, 2.5, np.nan]))}, start=1.0, end=3.0, step=1.0)
    assert chart._legend["p50"].text() == "p50  2.50 ms"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0.00"),
        (0.0123, "0.012"),
        (0.5, "0.500"),
        (6.16, "6.16"),
        (42.07, "42.1"),
        (128.35, "128"),
        (1283.4, "1,283"),
    ],
)
def test_a_value_has_three_figures(value: float, shown: str) -> None:
    """However large it is: a legend beside a small chart keeps its room."""
    assert figures(value) == shown


@pytest.fixture
def table(application: QApplication, qtbot: Any) -> DataTable:
    """Three rows of (name, word)."""
    columns: list[Column[tuple[str, str]]] = [
        Column("NAME", lambda row: row[0], 120, mono=True),
        Column("STATE", lambda row: row[1], state=lambda row: Meaning.OK if row[1] == "good" else Meaning.BAD),
    ]
    model = RowsModel(columns, lambda row: row[0])
    model.set_rows([("a", "good"), ("b", "bad"), ("c", "good")])
    made = DataTable(model, name="Rows")
    qtbot.addWidget(made)
    made.show()
    return made


def test_the_selection_outlives_new_values(table: DataTable) -> None:
    """Same rows with other values: who was selected stays selected."""
    table.selectRow(1)
    model = table.model()
    assert isinstance(model, RowsModel)
    model.set_rows([("a", "bad"), ("b", "good"), ("c", "good")])
    assert [index.row() for index in table.selectionModel().selectedRows()] == [1]
    assert model.index(1, 1).data(STATE_ROLE) == Meaning.OK


def test_enter_opens_the_row(table: DataTable, qtbot: Any) -> None:
    """As a double click does."""
    table.selectRow(2)
    with qtbot.waitSignal(table.opened) as heard:
        qtbot.keyClick(table, Qt.Key.Key_Return)
    assert heard.args == [2]


@pytest.fixture
def field(application: QApplication, qtbot: Any) -> ChoiceField:
    """A field that has the focus."""
    made = ChoiceField("Name or id", name="Person")
    qtbot.addWidget(made)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    made.setFocus()
    return made


def test_typing_asks_once(field: ChoiceField, qtbot: Any) -> None:
    """Three letters typed at once are one question."""
    asked: list[str] = []
    field.searched.connect(asked.append)
    qtbot.keyClicks(field, "Per")
    qtbot.waitUntil(lambda: bool(asked))
    assert asked == ["Per"]


@pytest.mark.qt_log_ignore(r"does not support (raise|grabbing the keyboard)", extend=True)  # offscreen's popups
def test_enter_takes_the_only_answer(field: ChoiceField, qtbot: Any) -> None:
    """Nothing more to point at."""
    qtbot.keyClicks(field, "01")
    field.offer([ANNA])
    with qtbot.waitSignal(field.chosen):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.choice == ANNA


def test_enter_does_not_guess(field: ChoiceField, qtbot: Any) -> None:
    """Two answers and no whole id typed: nobody is chosen."""
    qtbot.keyClicks(field, "Tra")
    field._model.set([ANNA, BORIS])
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.choice is None


def test_editing_takes_the_choice_back(field: ChoiceField, qtbot: Any) -> None:
    """A name that was changed by hand is nobody's."""
    field.choose(ANNA)
    with qtbot.waitSignal(field.cleared):
        qtbot.keyClicks(field, "x")
    assert field.choice is None


def test_a_stale_tile_keeps_its_value_and_says_since_when(application: QApplication, qtbot: Any) -> None:
    """Never green when the data stopped."""
    tile = KpiTile("Frames", "of 52")
    qtbot.addWidget(tile)
    tile.set("50", state=Meaning.OK, word="Operational")
    tile.set_stale("STALE since 14:32:07")
    assert tile.value == "50"
    assert tile._mark.state is Meaning.IDLE
    assert "STALE since 14:32:07" in tile.accessibleName()


def test_stages_are_read_out(application: QApplication, qtbot: Any) -> None:
    """What is seen as circles is heard as words."""
    stepper = Stepper(["Keys", "PIN"])
    qtbot.addWidget(stepper)
    stepper.set_stage(0, StageState.DONE, "12 APDUs")
    stepper.set_stage(1, StageState.FAILED, "SW 6982")
    assert stepper.accessibleName() == "Keys done, PIN failed"


def test_a_banner_carries_the_request_id(application: QApplication, qtbot: Any) -> None:
    """And puts it on the clipboard."""
    banner = Banner()
    qtbot.addWidget(banner)
    banner.show_failure(Failure("not_found", "No such node.", request_id="req_7"))
    banner._copy.click()
    assert QApplication.clipboard().text() == "req_7"


def test_a_banner_withdraws_what_is_over_and_nothing_else(application: QApplication, qtbot: Any) -> None:
    """The failure of a reading goes when a reading succeeds; what was told since then stays."""
    banner = Banner()
    qtbot.addWidget(banner)
    reading, writing = Failure("dependency_unavailable", "The store is away."), Failure("state_conflict", "Refused.")
    banner.withdraw(None)
    banner.show_failure(reading)
    banner.withdraw(writing)
    assert banner.text == "The store is away."
    banner.show_failure(writing)
    banner.withdraw(reading)
    assert banner.text == "Refused."
    banner.withdraw(writing)
    assert banner.text == ""
    banner.show_note("Wait.")
    banner.withdraw(None)
    assert banner.text == "Wait."


@pytest.mark.parametrize(
    ("failure", "left"),
    [
        (Failure("connection_lost", "Silent."), ""),
        (Failure("connection_lost", "Silent.", unknown=True), "Silent."),
        (Failure("state_conflict", "Refused."), "Refused."),
    ],
    ids=["unsent", "unknown", "refusal"],
)
def test_an_answer_ends_the_word_that_nobody_answers(
    application: QApplication, qtbot: Any, failure: Failure, left: str
) -> None:
    """ "Does not answer" never stands beside answers; what may have been changed, and refusals, stay."""
    banner = Banner()
    qtbot.addWidget(banner)
    banner.take_answer()
    banner.show_failure(failure)
    banner.take_answer()
    assert banner.text == left
