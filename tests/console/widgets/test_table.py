"""Tables: the focus is seen, rows are sorted and copied, and the chosen row stays chosen."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QAction, QContextMenuEvent, QFontMetrics, QGuiApplication, QImage, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.table_layout import AS_MADE, TableLayout
from app.console.theme.tokens import DARK, LIGHT, Meaning, ThemeTokens
from app.console.widgets.breadth import COLUMN
from app.console.widgets.bulk_bar import BulkBar
from app.console.widgets.desk import Trace
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.table_cells import PADDING, Course
from app.console.widgets.table_head import head_words
from app.console.widgets.table_order import figure, in_order, natural, of_state

Row = tuple[str, str, str]
ROWS: list[Row] = [("door-10", "9.5 ms", "good"), ("door-9", "12 ms", "bad"), ("Door-1", "–", "good")]
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier


@pytest.fixture
def place(application: QApplication, qtbot: Any) -> QWidget:
    """A window with a table of (name, time, word) that sorts, and a button that can have the focus instead."""
    columns: list[Column[Row]] = [
        Column("NAME", lambda row: row[0], 120, mono=True),
        Column("TIME", lambda row: row[1], 90, right=True),
        Column("STATE", lambda row: row[2], state=lambda row: Meaning.OK if row[2] == "good" else Meaning.BAD),
    ]
    model = RowsModel(columns, lambda row: row[0])
    model.set_rows(ROWS)
    made = QWidget()
    column = QVBoxLayout(made)
    column.addWidget(DataTable(model, name="Rows", sorts=True))
    column.addWidget(QPushButton("Elsewhere"))
    qtbot.addWidget(made)
    made.resize(420, 300)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


@pytest.fixture
def table(place: QWidget) -> DataTable:
    """Its table."""
    made = place.findChild(DataTable)
    assert made is not None
    return made


def names(table: DataTable) -> list[str]:
    """The first column as it is shown."""
    model = table.model()
    return [str(model.index(at, 0).data()) for at in range(model.rowCount())]


def chosen(table: DataTable) -> list[str]:
    """The names of the chosen rows, and that of the current one."""
    rows = [str(index.data()) for index in table.selectionModel().selectedRows()]
    return [*rows, str(table.model().index(table.currentIndex().row(), 0).data())]


def click_head(table: DataTable, column: int, qtbot: Any) -> None:
    """Click the head of a column, as the mouse does."""
    header = table.horizontalHeader()
    middle = header.sectionViewportPosition(column) + header.sectionSize(column) // 2
    qtbot.mouseClick(header.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(middle, header.height() // 2))


def inks(image: QImage, colour: str) -> int:
    """How many pixels of the picture have that colour."""
    wanted = int(colour[1:], 16)
    return sum(image.pixel(x, y) & 0xFFFFFF == wanted for y in range(image.height()) for x in range(image.width()))


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=["dark", "light"])
def test_the_focus_of_a_table_is_seen(
    place: QWidget, table: DataTable, tokens: ThemeTokens, application: QApplication
) -> None:
    """A ring of the accent on all four sides, and nothing in the table moves for it."""
    theme.apply(application, tokens)
    place.findChild(QPushButton).setFocus()  # type: ignore[union-attr]
    without, at_first = table.grab().toImage(), table.visualRect(table.model().index(1, 1))
    table.setFocus()
    with_focus = table.grab().toImage()
    around = 2 * (table.width() + table.height())
    assert inks(without, tokens.accent) == 0
    # Two pixels wide, less the rounded corners.
    assert inks(with_focus, tokens.accent) > 2 * around - 80
    assert table.visualRect(table.model().index(1, 1)) == at_first


def test_a_click_on_a_head_sorts_turns_and_gives_the_order_back(table: DataTable, qtbot: Any) -> None:
    """Numbers in names go as numbers; the third click shows the rows as the page gave them."""
    given = [row[0] for row in ROWS]
    click_head(table, 0, qtbot)
    assert names(table) == ["Door-1", "door-9", "door-10"]
    click_head(table, 0, qtbot)
    assert names(table) == ["door-10", "door-9", "Door-1"]
    click_head(table, 0, qtbot)
    assert names(table) == given


def test_figures_go_by_value_and_what_has_none_stands_last(table: DataTable, qtbot: Any) -> None:
    """In both directions."""
    click_head(table, 1, qtbot)
    assert names(table) == ["door-10", "door-9", "Door-1"]
    click_head(table, 1, qtbot)
    assert names(table) == ["door-9", "door-10", "Door-1"]


def test_the_worst_state_comes_first(table: DataTable, qtbot: Any) -> None:
    """A sorted column of states begins with what somebody must look at."""
    click_head(table, 2, qtbot)
    assert names(table)[0] == "door-9"


def test_the_chosen_row_stays_chosen(table: DataTable, qtbot: Any) -> None:
    """By its key: when it is sorted, when values change its place, and when rows come in above it."""
    table.selectRow(1)
    click_head(table, 1, qtbot)
    assert chosen(table) == ["door-9", "door-9"]
    model = table.model()
    assert isinstance(model, RowsModel)
    model.set_rows([("door-10", "9.5 ms", "good"), ("door-9", "1 ms", "bad"), ("Door-1", "–", "good")])
    assert names(table)[0] == "door-9"
    assert chosen(table) == ["door-9", "door-9"]
    model.set_rows([*model.rows, ("door-2", "0.5 ms", "good")])
    assert names(table) == ["door-2", "door-9", "door-10", "Door-1"]
    assert chosen(table) == ["door-9", "door-9"]
    assert [model.row_of(name) for name in names(table)] == [0, 1, 2, 3]
    click_head(table, 1, qtbot)
    click_head(table, 1, qtbot)
    assert chosen(table) == ["door-9", "door-9"]


def test_rows_that_go_leave_a_sorted_table_sorted(table: DataTable) -> None:
    """Those that are left stand in the order of the column."""
    table.sort_by(0)
    model = table.model()
    assert isinstance(model, RowsModel)
    model.set_rows([("b", "1 ms", "good"), ("a", "2 ms", "good")])
    assert names(table) == ["a", "b"]
    table.sort_by(-1)
    assert names(table) == ["b", "a"]


def test_the_sorted_column_is_marked(table: DataTable, application: QApplication) -> None:
    """By a chevron of the accent, which turns with the order, and for who hears the head."""
    header = table.horizontalHeader()
    table.sort_by(1)
    up = header.grab().toImage()
    assert inks(up, theme.current().accent) > 0
    assert table.model().headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole) == (
        "TIME, sorted upwards"
    )
    table.sort_turn()
    assert header.grab().toImage() != up
    assert table.model().headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole) == (
        "TIME, sorted downwards"
    )
    table.sort_by(-1)
    assert inks(header.grab().toImage(), theme.current().accent) == 0


def test_keys_sort_by_each_column_in_turn(table: DataTable, qtbot: Any) -> None:
    """After the last one comes the order of the page; columns that are hidden are left out."""
    table.head.show_column(1, False)
    table.setFocus()
    seen = []
    for _ in range(3):
        qtbot.keyClick(table, Qt.Key.Key_S, ALT)
        seen.append(table.horizontalHeader().sortIndicatorSection())
    assert seen == [0, 2, -1]
    qtbot.keyClick(table, Qt.Key.Key_S, ALT | Qt.KeyboardModifier.ShiftModifier)
    assert names(table) == [row[0] for row in ROWS]


def test_a_table_whose_order_tells_something_does_not_sort(application: QApplication, qtbot: Any) -> None:
    """Neither by a click nor by a key, and its menu offers nothing of the kind."""
    model = RowsModel([Column[Row]("NAME", lambda row: row[0], 120)], lambda row: row[0])
    model.set_rows(ROWS)
    made = DataTable(model, name="Newest first")
    qtbot.addWidget(made)
    made.show()
    click_head(made, 0, qtbot)
    made.sort_next()
    made.sort_by(0)
    assert names(made) == [row[0] for row in ROWS]
    lines = " ".join(one.text() for one in made.menu().actions())
    assert "Copy the row" in lines
    assert "ort" not in lines
    assert inks(made.horizontalHeader().grab().toImage(), theme.current().accent) == 0


def test_the_row_is_copied_as_it_is_shown(table: DataTable, qtbot: Any) -> None:
    """Tabs between the cells, line breaks inside them gone, what is hidden left out."""
    model = table.model()
    assert isinstance(model, RowsModel)
    model.set_rows([("door-1", "1 ms", "good\tor\nnot")])
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("before")
    assert not table.copy_row()
    assert clipboard.text() == "before"
    table.selectRow(0)
    qtbot.keyClick(table, Qt.Key.Key_C, CONTROL)
    assert clipboard.text() == "door-1\t1 ms\tgood or not"
    table.head.show_column(1, False)
    assert table.copy_row()
    assert clipboard.text() == "door-1\tgood or not"


@pytest.mark.qt_log_ignore("does not support (raise|grabbing the keyboard)", extend=True)  # the platform offscreen
def test_the_menu_says_what_can_be_done(table: DataTable, application: QApplication) -> None:
    """By right click or the menu key; each line does what it says, and does not block the loop."""
    table.selectRow(1)
    application.sendEvent(
        table.viewport(),
        QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(5, 5), table.mapToGlobal(QPoint(5, 5))),
    )
    menu = QApplication.activePopupWidget()
    assert menu is not None
    lines = {one.text().split("\t")[0]: one for one in menu.actions() if one.text()}
    assert list(lines) == [
        "Copy the cell", "Copy the row", "Columns", "Fit “Name” to its texts", "Make “Name” wider",
        "Make “Name” narrower", "Move “Name” to the left", "Move “Name” to the right", "Columns of the page",
        "Sort by", "Sort by the next column", "Turn the order around", "Order of the page",
    ]  # fmt: skip
    assert lines["Copy the row"].text().endswith("Ctrl+C")
    assert not lines["Order of the page"].isEnabled()
    lines["Copy the row"].trigger()
    assert QGuiApplication.clipboard().text() == "door-9\t12 ms\tbad"
    lines["Copy the cell"].trigger()
    assert QGuiApplication.clipboard().text() == "door-9"
    sorts = {one.text(): one for one in lines["Sort by"].menu().actions()}  # type: ignore[attr-defined]
    sorts["Name"].trigger()
    assert names(table)[0] == "Door-1"
    menu.close()
    again = table.menu()
    by = next(one for one in again.actions() if one.text() == "Sort by")
    assert [one.text() for one in by.menu().actions() if one.isChecked()] == ["Name"]  # type: ignore[attr-defined]
    again.actions()[-1].trigger()
    assert names(table) == [row[0] for row in ROWS]
    again.close()


@pytest.mark.parametrize(
    ("text", "key"), [("Door-12b", ("door-", 12, "b")), ("", None), (" – ", None), ("7" * 40, ("", int("7" * 18), ""))]
)
def test_a_natural_key(text: str, key: tuple[str | int, ...] | None) -> None:
    """Numbers as numbers; a text of thousands of digits is no number of thousands of digits."""
    made = natural(text)
    assert (made if made is None else made[:3]) == key


@pytest.mark.parametrize(
    ("text", "value"), [("1,024.5 ms", 1024.5), (" -3", -3.0), ("12 (-4)", 12.0), ("none yet 3", None), ("–", None)]
)
def test_a_figure_is_what_the_text_begins_with(text: str, value: float | None) -> None:
    """Without its unit and its commas."""
    assert figure(text) == value


def test_states_go_by_urgency_then_by_word() -> None:
    """Every state has its place, and a cell without one stands after them."""
    ranks = [of_state(state, "x") for state in Meaning]
    assert len(set(ranks)) == len(Meaning)
    assert of_state(Meaning.CRIT, "b") < of_state(Meaning.BAD, "a") < of_state(Meaning.OK, "") < of_state(None, "a")
    assert of_state(Meaning.OK, "a 9") < of_state(Meaning.OK, "a 10")


def test_equal_keys_keep_their_order() -> None:
    """Upwards and downwards, so that two lists of the same rows never differ."""
    rows = [("b", 1), ("a", 1), ("c", 0), ("d", None)]
    assert in_order(rows, lambda row: row[1], descending=False) == [2, 0, 1, 3]
    assert in_order(rows, lambda row: row[1], descending=True) == [0, 1, 2, 3]


class KeptLayouts:
    """A desk that keeps layouts in memory, and the names of the tables that were saved."""

    def __init__(self) -> None:
        self.layouts: dict[str, TableLayout] = {}
        self.saved: list[str] = []
        self.lines: list[list[str]] = []
        self.said: list[str] = []

    def layout_of(self, name: str) -> TableLayout:
        """As kept."""
        return self.layouts.get(name, AS_MADE)

    def keep_layout(self, name: str, layout: TableLayout) -> None:
        """Keep it."""
        self.layouts[name] = layout

    def save_lines(self, name: str, heads: Sequence[str], lines: Iterable[Sequence[str]], count: int) -> None:
        """Note it."""
        self.lines = [list(line) for line in lines]
        assert len(self.lines) == count
        self.saved.append(f"{name}: {', '.join(heads)}")

    def save_evidence(self, name: str, traces: Sequence[Trace], rows: int) -> None:
        """Note it."""
        self.saved.append(f"{name}: {list(traces)} of {rows}")

    def say(self, text: str) -> None:
        """Note it."""
        self.said.append(text)


@dataclass
class Wide:
    """A window with a table of five columns, two of them spare."""

    desk: KeptLayouts
    window: QWidget
    table: DataTable
    rows: RowsModel[Row]


@pytest.fixture
def wide(application: QApplication, qtbot: Any) -> Wide:
    """Shown, 700 px wide."""
    return make_wide(KeptLayouts(), qtbot)


def make_wide(desk: KeptLayouts, qtbot: Any) -> Wide:
    """A window of that desk."""
    rows = RowsModel[Row](
        [
            Column("NAME", lambda row: row[0], 120, mono=True),
            Column("TIME", lambda row: row[1], 90, right=True),
            Column("KIND", lambda row: "a kind", 100, spare=1),
            Column("EPOCH", lambda row: "12", 90, right=True, spare=3),
            Column("WHY", lambda row: row[2], least=150),
        ],
        lambda row: row[0],
    )
    rows.set_rows(ROWS)
    window = QWidget()
    window.table_desk = desk  # type: ignore[attr-defined]
    table = DataTable(rows, name="Wide rows", sorts=True, marks=True)
    QVBoxLayout(window).addWidget(table)
    qtbot.addWidget(window)
    window.resize(700, 300)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return Wide(desk, window, table, rows)


def heads(table: DataTable) -> list[str]:
    """Titles of the columns that are shown, from the left."""
    return [table.head.titles[at] for at in table.head.places()]


def drag(head: QWidget, start: QPoint, end: QPoint, qtbot: Any) -> None:
    """Drag with the left button, as the hand does: in steps."""
    viewport = head.viewport()  # type: ignore[attr-defined]
    qtbot.mousePress(viewport, Qt.MouseButton.LeftButton, pos=start)
    for part in (0.3, 0.7, 1.0):
        at = QPointF(start + (end - start) * part)
        event = QMouseEvent(
            QEvent.Type.MouseMove, at, viewport.mapToGlobal(at), Qt.MouseButton.NoButton, Qt.MouseButton.LeftButton,
            Qt.KeyboardModifier.NoModifier,
        )  # fmt: skip
        QApplication.sendEvent(viewport, event)
    qtbot.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=end)


def edge(table: DataTable, column: int) -> QPoint:
    """The right edge of a head."""
    head = table.head
    return QPoint(head.sectionViewportPosition(column) + head.sectionSize(column) - 1, head.height() // 2)


def test_spare_columns_go_one_after_the_other(wide: Wide) -> None:
    """The highest number first; they come back with the room."""
    seen = []
    for width in (700, 560, 440, 700):
        wide.window.resize(width, 300)
        seen.append(heads(wide.table))
    assert seen[0] == ["NAME", "TIME", "KIND", "EPOCH", "WHY"] == seen[3]
    assert seen[1] == ["NAME", "TIME", "KIND", "WHY"]
    assert seen[2] == ["NAME", "TIME", "WHY"]


def test_an_id_is_not_elided_while_another_column_can_go(wide: Wide, qtbot: Any) -> None:
    """A column of the first priority grows with what it shows, and does not shrink again."""
    long = "ARC-" + "0123456789" * 3
    before = wide.table.columnWidth(0)
    wide.rows.set_rows([*ROWS, (long, "1 ms", "good")])
    needed = QFontMetrics(theme.mono(12)).horizontalAdvance(long) + 2 * PADDING
    qtbot.waitUntil(lambda: wide.table.columnWidth(0) >= needed)
    assert "EPOCH" not in heads(wide.table)
    wide.rows.set_rows(ROWS)
    wide.table.head.fit(wide.table.viewport().width())
    assert wide.table.columnWidth(0) >= needed > before


def test_a_dragged_edge_stays_and_is_kept(wide: Wide, qtbot: Any) -> None:
    """At another size of the window, and in the next window; a column of the rest gives way."""
    why = wide.table.columnWidth(4)
    start = edge(wide.table, 1)
    drag(wide.table.head, start, start + QPoint(60, 0), qtbot)
    qtbot.waitUntil(lambda: wide.table.columnWidth(4) == why - 60)
    width = wide.table.columnWidth(1)
    assert width == 150
    qtbot.waitUntil(lambda: bool(wide.desk.layouts))
    wide.window.resize(900, 300)
    assert wide.table.columnWidth(1) == width
    again = make_wide(wide.desk, qtbot)
    assert again.table.columnWidth(1) == width


def test_a_double_click_on_an_edge_fits_the_column(wide: Wide, qtbot: Any) -> None:
    """To its cells in sight and its head."""
    wide.rows.set_rows([("a", "a time that is far longer than its column", "good")])
    viewport = wide.table.head.viewport()
    wide.table.head.widen(1, 200)
    at = edge(wide.table, 1)
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=at)
    qtbot.mouseDClick(viewport, Qt.MouseButton.LeftButton, pos=at)
    text = QFontMetrics(theme.ui(13)).horizontalAdvance("a time that is far longer than its column")
    assert text + 2 * PADDING <= wide.table.columnWidth(1) <= text + 2 * PADDING + 4


def test_a_dragged_head_moves_its_column(wide: Wide, qtbot: Any) -> None:
    """What is copied and what is kept follows."""
    head = wide.table.head
    middle = [QPoint(head.sectionViewportPosition(at) + head.sectionSize(at) // 2, head.height() // 2) for at in (0, 1)]
    drag(head, middle[1], middle[0] - QPoint(30, 0), qtbot)
    assert heads(wide.table)[:2] == ["TIME", "NAME"]
    wide.table.selectRow(0)
    wide.table.copy_row()
    assert QGuiApplication.clipboard().text().startswith("9.5 ms\tdoor-10")
    qtbot.waitUntil(lambda: bool(wide.desk.layouts))
    again = make_wide(wide.desk, qtbot)
    assert heads(again.table)[:2] == ["TIME", "NAME"]


def test_keys_set_the_current_column(wide: Wide, qtbot: Any) -> None:
    """Right and Left choose it; wider, narrower, fitted, moved."""
    table = wide.table
    table.setFocus()
    table.selectRow(0)
    control, shift = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(table, Qt.Key.Key_Right)
    qtbot.keyClick(table, Qt.Key.Key_Right, control | shift)
    assert table.columnWidth(1) == 106
    qtbot.keyClick(table, Qt.Key.Key_Left, control | shift)
    assert table.columnWidth(1) == 90
    qtbot.keyClick(table, Qt.Key.Key_Left, control | ALT)
    assert heads(table)[:2] == ["TIME", "NAME"]
    qtbot.keyClick(table, Qt.Key.Key_F, control | shift)
    assert table.columnWidth(1) < 90
    table.head.restore()
    assert (heads(table)[:2], table.columnWidth(1)) == (["NAME", "TIME"], 90)


def test_the_cell_under_the_hands_is_seen(wide: Wide, qtbot: Any) -> None:
    """A line of the accent under it, as soon as the hands have gone to it."""
    wide.table.setFocus()
    wide.table.selectRow(0)
    row = wide.table.visualRect(wide.rows.index(0, 1))

    def line() -> int:
        return inks(wide.table.viewport().grab(row).toImage(), theme.current().accent)

    assert line() == 0
    qtbot.keyClick(wide.table, Qt.Key.Key_Right)
    assert line() >= row.width()


def test_a_column_is_hidden_and_shown_by_the_menu(wide: Wide, qtbot: Any) -> None:
    """One that has no room is shown all the same when the operator asks for it; the last one cannot go."""

    def choose(title: str) -> QAction:
        menu = wide.table.menu()
        columns = next(one for one in menu.actions() if one.text() == "Columns").menu()
        return next(one for one in columns.actions() if one.text() == title)  # type: ignore[attr-defined]

    choose("Kind").trigger()
    assert heads(wide.table) == ["NAME", "TIME", "EPOCH", "WHY"]
    wide.window.resize(470, 300)
    assert heads(wide.table) == ["NAME", "TIME", "WHY"]
    choose("Epoch").trigger()
    assert heads(wide.table) == ["NAME", "TIME", "EPOCH", "WHY"]
    for title in ("Name", "Time", "Epoch"):
        choose(title).trigger()
    assert not choose("Why").isEnabled()
    assert heads(wide.table) == ["WHY"]


def test_the_order_is_kept(wide: Wide, qtbot: Any) -> None:
    """The next window shows the rows in the same order."""
    wide.table.sort_by(1, descending=True)
    wide.window.hide()
    again = make_wide(wide.desk, qtbot)
    assert names(again.table) == ["door-9", "door-10", "Door-1"]


def test_what_is_set_as_the_page_has_it_is_not_kept(wide: Wide) -> None:
    """A change that was taken back is none."""
    wide.table.head.shift(0, 1)
    wide.table.head.restore()
    wide.window.hide()
    assert wide.desk.layouts == {"Wide rows": AS_MADE}


def test_space_marks_rows(wide: Wide, qtbot: Any) -> None:
    """Each by its key: values that change leave the mark, a row that goes takes it along."""
    table, told = wide.table, []
    table.marked.connect(told.append)
    table.setFocus()
    table.selectRow(1)
    qtbot.keyClick(table, Qt.Key.Key_Space)
    qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Space)
    assert wide.rows.marked == ["door-9", "Door-1"]
    wide.rows.set_rows([("door-9", "3 ms", "good"), ("door-2", "4 ms", "good")])
    assert wide.rows.marked == ["door-9"]
    table.mark_all(True)
    assert wide.rows.marked == ["door-9", "door-2"]
    table.mark_all(False)
    assert told == [1, 2, 1, 2, 0]


def test_the_box_before_a_row_marks_it(wide: Wide, qtbot: Any) -> None:
    """A click beside it does not."""
    cell = wide.table.visualRect(wide.rows.index(1, 0))
    qtbot.mouseClick(wide.table.viewport(), Qt.MouseButton.LeftButton, pos=cell.topLeft() + QPoint(14, 10))
    assert wide.rows.marked == ["door-9"]
    qtbot.mouseClick(wide.table.viewport(), Qt.MouseButton.LeftButton, pos=cell.topLeft() + QPoint(60, 10))
    assert wide.rows.marked == ["door-9"]


def test_the_bar_of_marked_rows(wide: Wide, qtbot: Any) -> None:
    """Comes with the first mark, says how many there are, and goes when they are taken away."""
    bar = BulkBar(wide.table, "row", "rows")
    wide.window.layout().addWidget(bar)
    assert not bar.isVisible()
    wide.table.mark_row(0)
    wide.table.mark_row(1)
    assert bar.isVisible()
    assert bar.height() == theme.px(48)
    assert bar.count.text() == "2 rows marked"
    buttons = {one.text(): one for one in bar.findChildren(QPushButton)}
    wide.table.sort_by(1, descending=True)
    qtbot.mouseClick(buttons["Copy"], Qt.MouseButton.LeftButton)
    assert [line.split("\t")[0] for line in QGuiApplication.clipboard().text().split("\n")] == ["door-9", "door-10"]
    qtbot.mouseClick(buttons["Save as CSV"], Qt.MouseButton.LeftButton)
    assert wide.desk.saved == ["Wide rows: Name, Time, Kind, Epoch, Why"]
    qtbot.mouseClick(bar.clear, Qt.MouseButton.LeftButton)
    assert not bar.isVisible()
    assert wide.rows.marked == []


def test_the_bar_of_marked_rows_folds_for_a_narrow_place(wide: Wide) -> None:
    """Two lines, and back to one; nothing that it offers is lost."""
    bar = BulkBar(wide.table, "row", "rows")
    wide.window.layout().addWidget(bar)
    wide.table.mark_row(0)
    whole = bar.minimumSizeHint().width()
    bar.fold(True)
    assert (bar.height(), bar.minimumSizeHint().width() < whole) == (theme.px(88), True)
    assert bar.minimumSizeHint().width() <= theme.px(COLUMN - 24)
    bar.fold(False)
    assert (bar.height(), bar.minimumSizeHint().width()) == (theme.px(48), whole)


def test_the_bar_says_whole_which_rows_are_marked(wide: Wide, qtbot: Any) -> None:
    """In a second line where they have no room beside the buttons, and in one again where they have."""
    bar = BulkBar(wide.table, "row", "rows", note=lambda: "leaves 344, 345, 346")
    wide.window.layout().addWidget(bar)
    wide.window.resize(bar.minimumSizeHint().width() + 40, 300)
    wide.table.mark_row(0)
    qtbot.waitUntil(lambda: bar.height() == theme.px(88) and not bar.which.elided)
    wide.window.resize(1400, 300)
    qtbot.waitUntil(lambda: bar.height() == theme.px(48) and not bar.which.elided)


def narrower(rows: RowsModel[Row]) -> list[Column[Row]]:
    """The columns of a narrow place: the name is the first to go."""
    name, *rest = rows.columns
    return [replace(name, spare=9), *rest]


def test_other_columns_show_the_same_rows(wide: Wide) -> None:
    """Selection and marks stay; what is left out is another column."""
    wide.table.selectRow(1)
    wide.table.mark_row(2)
    wide.window.resize(430, 300)
    before = heads(wide.table)
    wide.table.show_columns(narrower(wide.rows), "Narrow rows")
    assert "NAME" in before
    assert "NAME" not in heads(wide.table)
    assert [one.row() for one in wide.table.selectionModel().selectedRows()] == [1]
    assert len(wide.rows.marked) == 1


def test_what_the_operator_sets_is_kept_for_each_place(wide: Wide, qtbot: Any) -> None:
    """A width of the wide place would not fit the narrow one."""
    made = wide.rows.columns
    wide.table.head.widen(4, 100)
    wide.table.show_columns(narrower(wide.rows), "Narrow rows")
    assert wide.desk.layouts["Wide rows"].widths.keys() == {"WHY"}
    assert not wide.table.head.is_changed
    wide.table.head.show_column(1, False)
    qtbot.waitUntil(lambda: "Narrow rows" in wide.desk.layouts)
    wide.table.show_columns(made, "Wide rows")
    assert wide.desk.layouts["Narrow rows"].hidden == ("TIME",)
    assert "TIME" in heads(wide.table)
    assert wide.table.head.is_changed


def test_other_columns_are_as_many(wide: Wide) -> None:
    """Selection and order name columns by their number."""
    with pytest.raises(ValueError, match="as many"):
        wide.rows.set_columns(wide.rows.columns[:2])


def test_the_chosen_row_stays_chosen_where_others_come_before_it(wide: Wide) -> None:
    """A list that grows at its top while somebody looks at one of its rows."""
    wide.table.selectRow(1)
    chosen = wide.rows.rows[1]
    wide.table.take_rows([("door-new", "1", "is new"), *wide.rows.rows])
    assert [wide.rows.rows[one.row()] for one in wide.table.selectionModel().selectedRows()] == [chosen]


@pytest.mark.qt_log_ignore("does not support (raise|grabbing the keyboard)", extend=True)  # the platform offscreen
def test_the_menu_opens_by_shift_f10(wide: Wide, qtbot: Any) -> None:
    """At the current cell; it saves the rows by the desk."""
    wide.table.setFocus()
    wide.table.selectRow(0)
    qtbot.keyClick(wide.table, Qt.Key.Key_F10, Qt.KeyboardModifier.ShiftModifier)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    next(one for one in menu.actions() if one.text() == "Save 3 rows as CSV").trigger()
    menu.close()
    assert wide.desk.saved == ["Wide rows: Name, Time, Kind, Epoch, Why"]


def test_a_hundred_thousand_rows_are_measured_by_those_in_sight(wide: Wide) -> None:
    """A fit asks no cell that cannot be seen."""
    asked: list[str] = []
    column = Column[Row]("NAME", lambda row: asked.append(row[0]) or row[0], 120)  # type: ignore[func-returns-value]
    rows = RowsModel([column], lambda row: row[0])
    table = DataTable(rows, name="Many rows")
    wide.window.layout().addWidget(table)
    rows.set_rows([(f"row-{at}", "", "") for at in range(100_000)])
    table.show()
    QApplication.processEvents()
    asked.clear()
    rows.set_rows([(f"other-{at}", "", "") for at in range(100_000)])
    table.head.fit(table.viewport().width())
    assert 0 < len(asked) <= table.viewport().height() // theme.row_height() + 2


def test_a_cell_is_measured_once(wide: Wide) -> None:
    """A page that is opened gives its tables several sizes, one after the other."""
    asked: list[str] = []
    column = Column[Row]("NAME", lambda row: asked.append(row[0]) or row[0], 120)  # type: ignore[func-returns-value]
    table = DataTable(RowsModel([column], lambda row: row[0]), name="Rows")
    wide.window.layout().addWidget(table)
    table.take_rows([("Anna", "", ""), ("Boris", "", "")])
    table.show()
    QApplication.processEvents()
    asked.clear()
    table.head.fit(200)
    assert asked == []


def test_a_name_that_comes_later_has_room(wide: Wide, qtbot: Any) -> None:
    """The model says nothing of it: the desk that knows names asks for a fit."""
    names: dict[str, str] = {}
    rows = RowsModel([Column[Row]("NAME", lambda row: names.get(row[0], row[0]), 40)], lambda row: row[1])
    table = DataTable(rows, name="Rows")
    wide.window.layout().addWidget(table)
    rows.set_rows([("A", "1", "")])
    table.show()
    QApplication.processEvents()
    narrow = table.head.sectionSize(0)
    names["A"] = "Somebody with a long name"
    table.head.fit_soon()
    qtbot.waitUntil(lambda: table.head.sectionSize(0) > narrow)


def test_a_row_that_takes_the_place_of_another_is_measured(wide: Wide) -> None:
    """It stands where a shorter one was measured."""
    rows = RowsModel([Column[Row]("NAME", lambda row: row[0], 40)], lambda row: row[1])
    table = DataTable(rows, name="Rows")
    wide.window.layout().addWidget(table)
    rows.set_rows([("A", "1", ""), ("B", "2", "")])
    table.show()
    QApplication.processEvents()
    narrow = table.head.sectionSize(0)
    rows.set_rows([("Somebody with a long name", "3", "")])
    table.head.fit(table.viewport().width())
    assert table.head.sectionSize(0) > narrow


@pytest.mark.parametrize(
    ("title", "words"),
    [("KEY ID", "Key ID"), ("NOW ms", "Now ms"), ("P99", "p99"), ("OPEN FOR", "Open for")],
)
def test_heads_are_in_sentence_case(title: str, words: str) -> None:
    """What stands for itself keeps its letters."""
    assert head_words(title) == words


def test_a_cell_may_be_copied_as_more_than_it_shows(application: QApplication, qtbot: Any) -> None:
    """In a row, alone, and in the file."""
    column = Column[Row]("NAME", lambda row: row[0], copied=lambda row: f"{row[0]} ({row[2]})")
    rows = RowsModel([column], lambda row: row[0])
    rows.set_rows(ROWS[:1])
    window, desk = QWidget(), KeptLayouts()
    window.table_desk = desk  # type: ignore[attr-defined]
    table = DataTable(rows, name="Named", parent=window)
    qtbot.addWidget(window)
    window.show()
    table.selectRow(0)
    for copy in (table.copy_row, lambda: table.copy_cell(0)):
        copy()
        assert QGuiApplication.clipboard().text() == "door-10 (good)"
    table.save_rows()
    assert desk.lines == [["door-10 (good)"]]


# --- evidence --------------------------------------------------------------------------------------------------------


@dataclass
class Proving:
    """A window with a table whose rows the audit log tells of, but for "door-9"."""

    desk: KeptLayouts
    window: QWidget
    table: DataTable
    bar: BulkBar

    def press(self) -> None:
        """Ctrl+E, as it arrives at the table itself."""
        QTest.keyClick(self.table, Qt.Key.Key_E, CONTROL)


@pytest.fixture
def proving(application: QApplication, qtbot: Any) -> Proving:
    """Shown, with nothing chosen."""
    leaves = {"door-10": 7, "Door-1": 3}
    model = RowsModel[Row]([Column("NAME", lambda row: row[0], 200)], lambda row: row[0])
    model.set_rows(ROWS)
    made, desk = QWidget(), KeptLayouts()
    made.table_desk = desk  # type: ignore[attr-defined]
    column = QVBoxLayout(made)
    table = DataTable(model, name="Doors", marks=True, proof=lambda row: leaves.get(row[0]), no_proof="No leaf.")
    bar = BulkBar(table, "door", "doors")
    column.addWidget(table)
    column.addWidget(bar)
    qtbot.addWidget(made)
    made.show()
    return Proving(desk, made, table, bar)


def test_ctrl_e_saves_the_evidence_of_the_chosen_row(proving: Proving) -> None:
    """Without a row it says how to choose one."""
    proving.press()
    assert (proving.desk.saved, proving.desk.said[0][:18]) == ([], "No row is chosen. ")
    proving.table.selectRow(2)
    proving.press()
    assert proving.desk.saved == ["Doors: [3] of 1"]


def test_marked_rows_come_before_the_chosen_one(proving: Proving) -> None:
    """From above, and the bar has a button for them."""
    for at in (2, 0):
        proving.table.mark_row(at)
    proving.table.selectRow(1)
    proving.press()
    button = next(one for one in proving.bar.findChildren(QPushButton) if one.text() == "Evidence bundle")
    button.click()
    assert proving.desk.saved == ["Doors: [7, 3] of 2"] * 2
    assert proving.desk.said == []


def test_a_row_that_the_log_does_not_tell_of_is_left_out_and_said(proving: Proving) -> None:
    """Alone it is refused with the reason of the table."""
    proving.table.selectRow(1)
    proving.press()
    assert (proving.desk.saved, proving.desk.said) == ([], ["No leaf."])
    proving.table.mark_all(True)
    proving.press()
    assert proving.desk.saved == ["Doors: [7, 3] of 2"]
    assert proving.desk.said[1:] == ["1 of the 3 rows left out. No leaf."]


def test_a_table_without_leaves_says_why(wide: Wide) -> None:
    """It names itself and where the log is."""
    wide.table.selectRow(0)
    assert not wide.table.proves
    assert wide.table.name in wide.table.save_evidence()
    assert "Audit" in wide.table.save_evidence()


def test_a_course_is_drawn_in_place_of_the_text(application: QApplication, qtbot: Any) -> None:
    """A gap breaks it, what has none says so, and a repaint of the same values draws nothing anew."""
    courses = {
        "whole": Course((0.2, 0.8, 0.4, 0.9), 0.95),
        "broken": Course((0.2, math.nan, math.nan, 0.9), 0.95),
        "none": None,
    }
    rows: RowsModel[str] = RowsModel(
        [Column("COURSE", lambda row: f"{row} in words", course=lambda row: courses[row])], lambda row: row
    )
    table = DataTable(rows, name="Courses")
    qtbot.addWidget(table)
    table.resize(300, 200)
    rows.set_rows(list(courses))
    table.show()
    table.clearFocus()

    def accent(at: int) -> int:
        picture = table.viewport().grab(table.visualRect(rows.index(at, 0)).adjusted(4, 0, 0, 0)).toImage()
        return inks(picture, theme.current().accent)

    assert accent(0) > accent(1) > 0
    assert accent(2) == 0
    drawn = dict(table._cells._courses)
    table.viewport().grab()
    assert table._cells._courses == drawn
    assert rows.index(0, 0).data() == "whole in words"
