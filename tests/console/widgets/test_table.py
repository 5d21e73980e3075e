"""Tables: the focus is seen, rows are sorted and copied, and the chosen row stays chosen."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.tokens import DARK, LIGHT, Meaning, ThemeTokens
from app.console.widgets.table import Column, DataTable, RowsModel
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
    table.setColumnHidden(1, True)
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
    assert [one.text().split("\t")[0] for one in made.menu().actions()] == ["Copy the row"]
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
    table.setColumnHidden(1, True)
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
        "Copy the row", "Sort by “Name”", "Sort by “Time”", "Sort by “State”",
        "Sort by the next column", "Turn the order around", "Order of the page",
    ]  # fmt: skip
    assert lines["Copy the row"].text().endswith("Ctrl+C")
    assert not lines["Order of the page"].isEnabled()
    lines["Copy the row"].trigger()
    assert QGuiApplication.clipboard().text() == "door-9\t12 ms\tbad"
    lines["Sort by “Name”"].trigger()
    assert names(table)[0] == "Door-1"
    menu.close()
    again = table.menu()
    assert [one.text() for one in again.actions() if one.isChecked()] == ["Sort by “Name”"]
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
