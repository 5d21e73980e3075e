"""Table, choice field, tiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QAccessible, QFocusEvent
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from app.console import theme
from app.console.failures import Failure
from app.console.theme.tokens import Meaning
from app.console.widgets.banner import Banner
from app.console.widgets.choice import Choice, ChoiceField, line_width
from app.console.widgets.kpi import KpiChoice, KpiTile, goal_foot
from app.console.widgets.marks import StateMark
from app.console.widgets.sparkline import Sparkline
from app.console.widgets.stepper import StageState, Stepper
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.table_cells import STATE_ROLE

ANNA = Choice("ARC-1", "Training Person 01", "ARC-1")
BORIS = Choice("ARC-2", "Training Person 02", "ARC-2")


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


DOORS = [Choice(f"door-{at}", f"data-hall-north-{at:02}", "Data hall") for at in range(12)]


@pytest.fixture
def narrow(application: QApplication, qtbot: Any) -> Iterator[ChoiceField]:
    """A field of 120 px, 10 px from the left edge of a window that is not shown yet."""
    window = QWidget()
    qtbot.addWidget(window)
    made = ChoiceField("Door", name="Door", parent=window)
    made.setGeometry(10, 10, 120, 32)
    yield made
    # Here, not in the tests: nothing else holds the window until they have ended.
    window.close()


@pytest.mark.qt_log_ignore(r"does not support (raise|grabbing the keyboard)", extend=True)
def test_answers_are_told_apart_in_a_narrow_field(narrow: ChoiceField, qtbot: Any) -> None:
    """Each line has room for its title and its detail."""
    window = narrow.window()
    window.resize(600, 400)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    narrow.setFocus()
    qtbot.waitUntil(narrow.hasFocus)
    narrow.offer(DOORS)
    popup = narrow._popup
    qtbot.waitUntil(popup.isVisible)
    assert max(map(line_width, DOORS)) > narrow.width()
    assert popup.visualRect(popup.model().index(0, 0)).width() >= max(map(line_width, DOORS))


def test_a_popup_ends_with_its_window(narrow: ChoiceField) -> None:
    """At the edge of a screen the rest of it would be out of sight."""
    window = narrow.window()
    window.resize(200, 200)
    narrow.offer(DOORS)
    assert narrow._popup.minimumWidth() == 200 - 10 - 12


@pytest.mark.qt_log_ignore(r"does not support (raise|grabbing the keyboard)", extend=True)  # offscreen's popups
def test_answers_that_are_short_leave_the_popup_as_wide_as_its_field(field: ChoiceField) -> None:
    """Nothing is narrower than what it belongs to."""
    field.resize(400, 32)
    field.offer([ANNA])
    assert field._popup.minimumWidth() == 400


@pytest.mark.qt_log_ignore(r"does not support (raise|grabbing the keyboard)", extend=True)  # offscreen's popups
def test_enter_takes_the_only_answer(field: ChoiceField, qtbot: Any) -> None:
    """Nothing more to point at."""
    with qtbot.waitSignal(field.searched):
        qtbot.keyClicks(field, "01")
    field.offer([ANNA])
    with qtbot.waitSignal(field.chosen):
        qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.choice == ANNA


@pytest.mark.qt_log_ignore(r"does not support (raise|grabbing the keyboard)", extend=True)
def test_enter_does_not_take_the_answer_to_an_earlier_text(field: ChoiceField, qtbot: Any) -> None:
    """What was typed since may mean another person."""
    with qtbot.waitSignal(field.searched):
        qtbot.keyClicks(field, "01")
    field.offer([ANNA])
    qtbot.keyClicks(field, "2")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.choice is None


def test_enter_before_the_answer_takes_it_when_it_comes(field: ChoiceField, qtbot: Any) -> None:
    """Asked at once, not after the pause of a typing hand; the whole id decides among several."""
    asked: list[str] = []
    field.searched.connect(asked.append)
    qtbot.keyClicks(field, "ARC-2")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert asked == ["ARC-2"]
    field.offer([ANNA, BORIS])
    assert field.choice == BORIS


@pytest.mark.qt_log_ignore(r"does not support (raise|grabbing the keyboard)", extend=True)
@pytest.mark.parametrize(
    ("reason", "choice"), [(Qt.FocusReason.TabFocusReason, BORIS), (Qt.FocusReason.MouseFocusReason, None)]
)
def test_enter_and_tab_before_the_answer_take_it_behind_the_hands(
    reason: Qt.FocusReason, choice: Choice | None, field: ChoiceField, qtbot: Any
) -> None:
    """A quick hand types a name, Enter, Tab, and goes on; who clicks elsewhere has left the question."""
    qtbot.keyClicks(field, "ARC-2")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    QApplication.sendEvent(field, QFocusEvent(QEvent.Type.FocusOut, reason))
    field.offer([ANNA, BORIS])
    assert field.choice == choice


@pytest.mark.qt_log_ignore(r"does not support (raise|grabbing the keyboard)", extend=True)
def test_an_edit_takes_enter_back(field: ChoiceField, qtbot: Any) -> None:
    """What is offered then is looked at again."""
    qtbot.keyClicks(field, "ARC-2")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    qtbot.keyClicks(field, "2")
    field.offer([ANNA, BORIS])
    assert field.choice is None


def test_a_name_that_is_typed_next_takes_the_place_of_the_chosen_one(field: ChoiceField, qtbot: Any) -> None:
    """When the keyboard comes back to the field, by a key of the page."""
    field.choose(ANNA)
    field.clearFocus()
    field.setFocus(Qt.FocusReason.ShortcutFocusReason)
    qtbot.keyClicks(field, "Bo")
    assert field.text() == "Bo"


def test_what_a_screen_reader_puts_in_is_searched(field: ChoiceField, qtbot: Any) -> None:
    """By the interface of editable texts, which Qt counts as no edit; what is found is told with the field."""
    with qtbot.waitSignal(field.searched) as asked:
        QAccessible.queryAccessibleInterface(field).editableTextInterface().insertText(0, "Train")
    assert asked.args == ["Train"]
    field._model.set([])
    field.offer([])
    assert field.accessibleDescription() == "Nobody and nothing is found"
    field.hide()  # no popup then
    field.offer([ANNA, BORIS])
    assert field.accessibleDescription() == "2 found: Training Person 01 ARC-1; Training Person 02 ARC-2"
    field.choose(ANNA)
    assert field.accessibleDescription() == ""


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
    tile.set("50", state=Meaning.OK, word="Operational", goal=True)
    tile.set_stale("STALE since 14:32:07")
    assert tile.value == "50"
    assert tile.state is Meaning.IDLE
    assert "STALE since 14:32:07" in tile.accessibleName()


def test_stages_are_read_out(application: QApplication, qtbot: Any) -> None:
    """What is seen as a bar is heard as words."""
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


def test_without_a_goal_no_tile_is_green(application: QApplication, qtbot: Any) -> None:
    """The word is still said; a state that calls is shown with or without one."""
    tile = KpiTile("Open burns")
    qtbot.addWidget(tile)
    tile.set("0", "no burn is open", Meaning.OK, "Complete")
    assert tile.state is None
    assert tile.accessibleName() == "Open burns 0 Complete · no burn is open"
    tile.set("2", "", Meaning.WARN, "Pending")
    assert tile.state is Meaning.WARN
    tile.set("104/104", "", Meaning.OK, "Online", goal=True)
    assert tile.state is Meaning.OK


@pytest.mark.parametrize(
    ("missed", "of", "foot"),
    [
        (9, 60, (Meaning.WARN, "Goal 50 ms missed 9 of 60 min")),
        (0, 60, (Meaning.OK, "Goal 50 ms kept")),
        (0, 0, (Meaning.IDLE, "Goal 50 ms: nothing measured")),
    ],
)
def test_a_goal_is_told_in_words(missed: int, of: int, foot: tuple[Meaning, str]) -> None:
    """And nothing that was not measured keeps one."""
    assert goal_foot(50.0, "ms", missed, of, "min") == foot


def test_a_trend_shows_values_gap_and_goal(application: QApplication, qtbot: Any) -> None:
    """It has no place in a tile without one."""
    tile = KpiTile("Handshake", "ms")
    qtbot.addWidget(tile)
    tile.resize(300, 110)
    line = tile.findChild(Sparkline)
    assert line is not None
    assert line.isHidden()

    def accent() -> int:
        image, wanted = line.grab().toImage(), int(theme.current().accent[1:], 16)
        return sum(image.pixel(x, y) & 0xFFFFFF == wanted for y in range(image.height()) for x in range(image.width()))

    tile.set_trend(np.array([1.0, 2.0, 1.5, 3.0]))
    whole = accent()
    assert line.size() == QSize(theme.px(110), theme.px(36))
    tile.set_trend(np.array([1.0, np.nan, np.nan, 3.0]))
    assert 0 < accent() < whole
    tile.set_trend(np.full(4, np.nan))
    assert accent() == 0


def test_a_tile_that_is_chosen_by_stays_chosen(application: QApplication, qtbot: Any) -> None:
    """Enter and Space choose it; nothing takes that back but another one."""
    tile = KpiChoice("Handshake", "Chart it.")
    qtbot.addWidget(tile)
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space):
        qtbot.keyClick(tile, key)
        assert tile.isChecked()
        assert tile.tile.property("look") == "chosen"
    tile.tile.set("0.72", "of one minute", unit="ms")
    tile.tell()
    assert (tile.accessibleName(), tile.accessibleDescription()) == ("Handshake 0.72 ms of one minute", "Chart it.")


def test_a_narrow_tile_says_its_foot_in_two_lines(application: QApplication, qtbot: Any) -> None:
    """The same words, beside the same shape."""
    tile = KpiTile("Handshake", "ms")
    qtbot.addWidget(tile)
    tile.set("58", "", Meaning.WARN, "Goal 50 ms missed 9 of 60 min", goal=True)
    tile.set_narrow(True)
    assert tile.state is Meaning.WARN
    assert [one.text() for one in tile.findChildren(QLabel) if not one.isHidden()][-1] == (
        "Goal 50 ms missed 9 of 60 min"
    )
    tile.set_narrow(False)
    assert tile.findChild(StateMark).word == "Goal 50 ms missed 9 of 60 min"


def test_a_tile_without_a_course_says_so(application: QApplication, qtbot: Any) -> None:
    """In its place."""
    tile = KpiTile("Certificates", "days")
    qtbot.addWidget(tile)
    tile.set_trend(np.array([1.0, 2.0]))
    assert tile.trends
    tile.say_no_trend("no history")
    assert not tile.trends
    assert "no history" in [one.text() for one in tile.findChildren(QLabel) if not one.isHidden()]
