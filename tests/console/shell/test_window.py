"""The window around the pages."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollArea,
    QWidget,
)

from app.capabilities.infrastructure.messages import HOURS_KEPT_S
from app.console.actions import Action
from app.console.diagnostics.stall import StallWatch
from app.console.operations import Change
from app.console.page import PageRow
from app.console.pages import settings
from app.console.preferences import PreferenceStore
from app.console.shell.message_history import MessageHistory
from app.console.shell.palette_entries import Entry, score
from app.console.shell.time_field import TimeField
from app.console.shell.time_strip import TimeStrip
from app.console.shell.window import MainWindow
from app.console.shown_time import KEPT_S
from app.console.telemetry.live import Live
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import DEBOUNCE_MS, ChoiceField
from app.console.widgets.table import Column, DataTable, RowsModel
from tests.console import sample_page
from tests.console.built import built
from tests.console.conftest import until
from tests.console.known_hour import Hour

PAGES = (
    PageRow("sample", "Sample", "server", "Ctrl+1", "tests.console.sample_page"),
    PageRow("settings", "Settings", "settings", "Ctrl+Shift+2", "app.console.pages.settings", offline=True),
)
AT = 1_772_000_127.0
"""2026-02-25 06:15:27 UTC."""


@pytest.fixture
def window(preferences: PreferenceStore, loop: asyncio.AbstractEventLoop, qtbot: Any) -> Iterator[MainWindow]:
    """A window with two pages, shown, with a service attached."""
    made = MainWindow("training", preferences, PAGES)
    qtbot.addWidget(made)
    made.session.live = Live(made.session.clock, made)

    async def scene() -> None:
        made.add_presenter("sample", sample_page.make(made.session))
        made.add_presenter("settings", built(settings, made.session))
        made.show()
        made.activateWindow()
        await until(made.isActiveWindow, "the window's activation")
        made.session.attach(object(), "http://127.0.0.1:1", "citadel")  # type: ignore[arg-type]
        await asyncio.sleep(0)

    loop.run_until_complete(scene())
    yield made
    loop.run_until_complete(made.close_pages())
    made._ready_to_close = True


def sample(window: MainWindow) -> sample_page.SamplePresenter:
    """The sample page's presenter."""
    presenter = window.presenter("sample")
    assert isinstance(presenter, sample_page.SamplePresenter)
    return presenter


def turn(loop: asyncio.AbstractEventLoop) -> None:
    """Let tasks take their next step."""
    loop.run_until_complete(asyncio.sleep(0.01))


CONTROL = Qt.KeyboardModifier.ControlModifier


def test_the_rail_shows_the_pages_that_exist(window: MainWindow) -> None:
    """One button a row, nothing that leads nowhere."""
    assert list(window.rail.buttons) == ["sample", "settings"]


def test_a_hidden_page_has_the_size_of_the_window_before_it_is_opened(window: MainWindow, loop: Any) -> None:
    """What it arranges anew for another size it does not do while somebody waits for it."""
    view = window.presenter("settings").view
    arranged: list[int] = []
    view.arrange = lambda: arranged.append(view.width())  # type: ignore[method-assign]
    window.resize(1111, 777)
    loop.run_until_complete(until(lambda: view.size() == window.stack.size(), "the size"))
    assert not view.isVisible()
    assert arranged[-1] == window.stack.width()


class Canvas(QWidget):
    """Tells of each of its paintings."""

    painted = Signal()

    def paintEvent(self, _event: QPaintEvent) -> None:
        self.painted.emit()


@pytest.fixture
def canvas(window: MainWindow, loop: asyncio.AbstractEventLoop) -> Canvas:
    """One that lies in the window, and was painted there."""
    made, seen = Canvas(window), list[str]()
    made.painted.connect(lambda: seen.append("painted"))
    made.show()
    loop.run_until_complete(until(lambda: bool(seen), "the first painting"))
    turn(loop)
    return made


def order_of_a_turn(canvas: Canvas, loop: asyncio.AbstractEventLoop) -> list[str]:
    """What comes first after a turn that changed something to be seen: its painting, or a timer that was due."""
    came: list[str] = []
    canvas.painted.connect(lambda: came.append("painted"))
    began, due = QTimer(canvas), QTimer(canvas)
    for timer in (began, due):
        timer.setSingleShot(True)
    began.timeout.connect(canvas.update)
    began.timeout.connect(due.start)
    due.timeout.connect(lambda: came.append("timer"))
    began.start()
    loop.run_until_complete(until(lambda: len(came) == 2, "both"))
    return came


def test_after_a_long_turn_what_waits_comes_before_the_painting(
    window: MainWindow, canvas: Canvas, loop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both together would be one gap in which no key is answered."""
    monkeypatch.setattr(StallWatch, "busy_s", 0.030)
    assert order_of_a_turn(canvas, loop) == ["timer", "painted"]


def test_after_a_short_turn_the_painting_comes_at_once(
    window: MainWindow, canvas: Canvas, loop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(StallWatch, "busy_s", 0.005)
    assert order_of_a_turn(canvas, loop) == ["painted", "timer"]


def test_a_frame_waits_once(window: MainWindow, canvas: Canvas, loop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop that is always busy paints all the same."""
    monkeypatch.setattr(StallWatch, "busy_s", 9.0)
    seen: list[str] = []
    canvas.painted.connect(lambda: seen.append("painted"))
    for count in (1, 2, 3):
        canvas.update()
        loop.run_until_complete(until(lambda count=count: len(seen) == count, "the painting"))  # type: ignore[misc]


def test_what_has_to_be_seen_at_once_does_not_wait(
    window: MainWindow, canvas: Canvas, loop: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frame that was put off is not painted twice."""
    monkeypatch.setattr(StallWatch, "busy_s", 9.0)
    seen: list[str] = []
    canvas.painted.connect(lambda: seen.append("painted"))
    canvas.update()
    QApplication.sendPostedEvents(window, QEvent.Type.UpdateRequest)
    assert not seen
    window.repaint()
    turn(loop)
    assert seen == ["painted"]


def test_what_a_key_goes_to_is_seen(window: MainWindow, loop: Any) -> None:
    """In a page that scrolls, also where no Tab led there."""
    area, inside = QScrollArea(), QWidget()
    inside.setFixedHeight(5000)
    below = QPushButton("Below", inside)
    below.move(0, 4800)
    area.setWidget(inside)
    window.stack.addWidget(area)
    window.stack.setCurrentWidget(area)
    turn(loop)
    below.setFocus(Qt.FocusReason.ShortcutFocusReason)
    assert area.viewport().rect().contains(below.geometry().translated(0, -area.verticalScrollBar().value()))


def test_a_page_that_comes_back_stands_where_it_was(window: MainWindow, loop: Any) -> None:
    """The hands go to where they were last, and the page does not scroll there: its head says whom it is about."""
    page, area, inside = sample(window).view, QScrollArea(), QWidget()
    inside.setFixedHeight(5000)
    below = QPushButton("Below", inside)
    below.move(0, 4800)
    area.setWidget(inside)
    page.body.addWidget(area)
    turn(loop)
    below.setFocus(Qt.FocusReason.ShortcutFocusReason)
    area.verticalScrollBar().setValue(0)
    window.navigate("settings", {})
    turn(loop)
    window.navigate("sample", {})
    turn(loop)
    assert QApplication.focusWidget() is below
    assert area.verticalScrollBar().value() == 0


@pytest.mark.parametrize("is_first", [False, True])
def test_coming_back_opens_no_suggestions(
    window: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch, is_first: bool
) -> None:
    """The hands are where they were, or at the first control, but nobody went there: a type-ahead waits for a key."""
    field, asked = ChoiceField("Name", name="Person"), []
    field.searched.connect(asked.append)
    sample(window).view.body.addWidget(field)
    if is_first:
        monkeypatch.setattr(sample(window), "first_control", lambda: field)
    qtbot.waitUntil(field.isVisible)
    field.setFocus(Qt.FocusReason.PopupFocusReason)
    assert field.hasFocus()
    window.navigate("settings", {})
    assert not field.hasFocus()
    window.navigate("sample", {})
    assert field.hasFocus()
    qtbot.wait(3 * DEBOUNCE_MS)
    assert asked == []


def test_leaving_a_page_ends_its_tasks(window: MainWindow, loop: Any) -> None:
    """A page owns what it started."""
    window.navigate("settings", {})
    turn(loop)
    assert sample(window).life == ["enter {}", "leave"]


def test_a_page_is_opened_filled_in(window: MainWindow, loop: Any) -> None:
    """Arguments of ``navigate`` reach the page's work."""
    window.session.navigate("sample", node_id="ARC-1")
    turn(loop)
    assert sample(window).life[-1] == "enter {'node_id': 'ARC-1'}"


def test_keys_open_pages(window: MainWindow, qtbot: Any) -> None:
    """Ctrl+Shift+2 is Settings, Alt+Left goes back, and no further than there is a page before."""
    qtbot.keyClick(window, Qt.Key.Key_At, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(window, Qt.Key.Key_2, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert window.page == "settings"
    qtbot.keyClick(window, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert window.page == "sample"


def test_the_page_s_key_runs_its_action(window: MainWindow, qtbot: Any) -> None:
    """Ctrl+Enter is the primary action of the page that is shown."""
    qtbot.keyClick(window, Qt.Key.Key_Return, CONTROL)
    assert sample(window).done == ["do"]


def test_slash_goes_to_the_filter(window: MainWindow, qtbot: Any) -> None:
    """And typed into the field it is a slash."""
    qtbot.keyClick(window, Qt.Key.Key_Slash)
    field = sample(window).view.field
    assert field.hasFocus()
    qtbot.keyClick(field, Qt.Key.Key_Slash)
    assert field.text() == "/"


def test_a_lost_service_keeps_the_page(window: MainWindow, loop: Any) -> None:
    """What was typed stays; the page's work ends; the sentence is told."""
    sample(window).view.field.setText("typed")
    window.session.detach("The service was ended by signal 9.")
    turn(loop)
    assert window.stack.currentWidget() is sample(window).view
    assert sample(window).view.field.text() == "typed"
    assert window.banner.text == "The service was ended by signal 9."
    assert sample(window).life[-1] == "leave"


def test_a_service_that_comes_back_is_entered(window: MainWindow, loop: Any) -> None:
    """The page's work begins again and the banner goes."""
    window.session.detach("It ended.")
    turn(loop)
    window.session.attach(object(), "http://127.0.0.1:2", "citadel")  # type: ignore[arg-type]
    turn(loop)
    assert sample(window).life == ["enter {}", "leave", "enter {}"]
    assert window.banner.text == ""


def test_a_service_that_was_given_up_shows_its_last_words(window: MainWindow, loop: Any) -> None:
    """The log's tail stands where the page was, with the way out beside it."""
    window.session.detach("It ended.")
    window.show_service_stopped("The service does not stay up", "Five times.", ["disk full"])
    assert window.stack.currentWidget() is window.service
    assert window.service.last_words.log.toPlainText() == "disk full"
    assert window.actions_.is_enabled("console.copy_log")


def test_settings_are_there_without_a_service(window: MainWindow) -> None:
    """A person can still change the theme."""
    window.session.detach("It ended.")
    window.navigate("settings", {})
    assert window.stack.currentWidget() is window.presenter("settings").view


def test_a_change_reaches_the_page_that_is_shown(window: MainWindow) -> None:
    """And no other."""
    window.session.changed.emit(Change(frozenset({"nodes"}), None, None))
    assert [change.kinds for change in sample(window).changes] == [frozenset({"nodes"})]


def test_every_button_is_an_action(window: MainWindow, application: QApplication) -> None:
    """Buttons of pages come from the table; what the shell adds is navigation, a tab or a status cell."""
    known = {"rail", "search", "cell"}
    strays = [
        button.accessibleName() or button.text()
        for button in window.findChildren(QAbstractButton)
        if isinstance(button, QPushButton)
        and not isinstance(button, ActionButton)
        and button.property("role") not in known
        and not window.banner.isAncestorOf(button)
        and not any(
            page.banner.isAncestorOf(button) for page in (sample(window).view, window.presenter("settings").view)
        )
    ]
    assert strays == []


def test_every_control_has_a_name(window: MainWindow) -> None:
    """What can have the focus can be read out."""
    window.navigate("settings", {})
    nameless = [
        type(child).__name__
        for child in window.findChildren(QWidget)
        if isinstance(child, QAbstractButton | QLineEdit | QComboBox | QPlainTextEdit | QAbstractItemView)
        and child.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not child.objectName().startswith("qt_")
        and child.window() is window  # the list of a closed combo box is a window of its own
        and not (child.accessibleName() or (isinstance(child, QAbstractButton) and child.text()))
    ]
    assert nameless == []


def test_every_action_is_in_the_palette(window: MainWindow) -> None:
    """Except those that are a bare key."""
    window.palette_.open()
    titles = {entry.title for entry in window.palette_.entries}
    assert titles == {action.title for action in window.actions_.all() if not action.hidden}


def test_the_palette_never_burns(window: MainWindow, loop: Any, qtbot: Any) -> None:
    """An irreversible action only opens its page."""
    window.navigate("settings", {})
    window.palette_.open("Burn it all")
    qtbot.keyClick(window.palette_.field, Qt.Key.Key_Return)
    turn(loop)
    assert window.page == "sample"
    assert sample(window).done == []


def test_the_palette_gives_the_focus_back(window: MainWindow, qtbot: Any) -> None:
    """Ctrl+K and Esc leave everything as it was."""
    field = sample(window).view.field
    field.setFocus()
    qtbot.keyClick(field, Qt.Key.Key_K, CONTROL)
    assert window.palette_.field.hasFocus()
    qtbot.keyClick(window.palette_.field, Qt.Key.Key_Escape)
    assert field.hasFocus()
    assert window.page == "sample"


def test_a_late_answer_is_not_shown(window: MainWindow, loop: Any) -> None:
    """People found for "an" must not stand under "bo"."""
    answers: dict[str, Any] = {}
    window.palette_.add_search("@", "People", "users", lambda text, answer: answers.update({text: answer}))
    window.palette_.open("@an")
    loop.run_until_complete(until(lambda: "an" in answers))
    window.palette_.field.setText("@bo")
    answers["an"]([Entry("Anna", "", "", lambda: None)])
    assert all(entry.title != "Anna" for entry in window.palette_.entries)


@pytest.mark.parametrize(
    ("better", "worse"), [("Burn", "Sunburn"), ("Go to Burn", "Sunburn"), ("Sunburn", "b u r n s")]
)
def test_beginnings_of_words_come_first(better: str, worse: str) -> None:
    """What was typed is looked for at the beginning, then at words, then anywhere."""
    assert score(better, "burn") > score(worse, "burn") > 0


def test_the_cheat_sheet_does_not_block(window: MainWindow, loop: Any) -> None:
    """It is opened, never executed: tasks go on under it."""
    window.actions_.trigger("console.keys")
    turn(loop)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    dialog.close()


def test_the_keys_of_tables_answer_while_a_table_has_the_focus(window: MainWindow, qtbot: Any) -> None:
    """They copy its row and sort it; elsewhere they are free, and the palette has them for the table it came from."""
    model = RowsModel([Column[str]("NAME", lambda row: row, 200)], lambda row: row)
    model.set_rows(["b", "a"])
    table = DataTable(model, name="Rows", sorts=True, parent=window)
    fixed = DataTable(model, name="Steps", parent=window)
    for one in (table, fixed):
        one.setGeometry(300, 200, 300, 200)
        one.show()
    answered = window.actions_.answers
    assert not any(answered(key) for key in ("Ctrl+C", "Alt+S", "Alt+Shift+S"))
    table.setFocus()
    assert all(answered(key) for key in ("Ctrl+C", "Alt+S", "Alt+Shift+S"))
    clipboard = QGuiApplication.clipboard()
    clipboard.setText("before")
    qtbot.keyClick(table, Qt.Key.Key_C, CONTROL)
    assert clipboard.text() == "before"
    assert "No row is chosen" in window.toasts.texts[0]
    table.selectRow(0)
    qtbot.keyClick(table, Qt.Key.Key_C, CONTROL)
    assert clipboard.text() == "b"
    assert "The row is on the clipboard" in window.toasts.texts[0]
    qtbot.keyClick(table, Qt.Key.Key_S, Qt.KeyboardModifier.AltModifier)
    assert model.rows == ["a", "b"]
    window.palette_.open("table's order")
    qtbot.keyClick(window.palette_.field, Qt.Key.Key_Return)
    assert model.rows == ["b", "a"]
    fixed.setFocus()
    assert [answered(key) for key in ("Ctrl+C", "Alt+S", "Alt+Shift+S")] == [True, False, False]
    window.rail.buttons["sample"].setFocus()
    assert not answered("Ctrl+C")


def test_ctrl_e_is_the_evidence_of_what_is_marked_shown_or_chosen(window: MainWindow, qtbot: Any) -> None:
    """In this order; where there is none it says why, and without a table or a page with evidence the key is free."""
    page = sample(window)
    model = RowsModel([Column[str]("NAME", lambda row: row, 200)], lambda row: row)
    model.set_rows(["b", "a"])
    plain = DataTable(model, name="Steps", parent=window)
    proven = DataTable(model, name="Entries", marks=True, proof=lambda row: f"id of {row}", parent=window)
    asked: list[list[object]] = []
    window.table_desk.save_evidence = lambda _name, traces, _rows: asked.append(list(traces))  # type: ignore[method-assign]
    for one in (plain, proven):
        one.setGeometry(300, 200, 300, 200)
        one.show()
    window.rail.buttons["sample"].setFocus()
    assert not window.actions_.answers("Ctrl+E")

    def press(table: DataTable) -> None:
        table.setFocus()
        qtbot.keyClick(table, Qt.Key.Key_E, CONTROL)

    press(plain)
    assert "no entries of the audit log" in window.toasts.texts[0]
    proven.selectRow(0)
    press(proven)
    page.provable = True
    window.actions_.refresh()
    press(proven)
    proven.mark_row(1)
    press(proven)
    assert (asked, page.done) == ([["id of b"], ["id of a"]], ["prove"])


def test_the_theme_is_switched_by_key(window: MainWindow, qtbot: Any, preferences: PreferenceStore) -> None:
    """And kept."""
    qtbot.keyClick(window, Qt.Key.Key_T, CONTROL | Qt.KeyboardModifier.ShiftModifier)
    assert preferences.value.theme == "light"


def test_a_narrow_window_has_a_narrow_rail(window: MainWindow) -> None:
    """Icons alone below 1200 px, names above."""
    window.resize(1480, 900)
    wide = window.rail.width()
    window.resize(1000, 700)
    assert (wide, window.rail.width()) == (196, 56)


def test_a_training_site_says_so(window: MainWindow) -> None:
    """In the title and in the status bar."""
    assert "training" in window.windowTitle()
    assert any(child.accessibleName() == "Profile training" for child in window.status.findChildren(QWidget))


@pytest.mark.parametrize("width", [960, 1480])
def test_a_message_covers_nothing(window: MainWindow, qtbot: Any, width: int) -> None:
    """It has a lane of the status bar for itself: no table, no button and no figure above its limit lies under it."""
    window.resize(width, 700)
    window.status.set_cell("p99", "900 ms", "slow", over=True)
    window.session.notify(
        "ARC-T0001 is denied at this site until 14:00:00. Ctrl+U releases.", "warn", subject="ARC-T0001"
    )
    lane = window.toasts
    qtbot.waitUntil(lambda: lane.width() > 300)
    mine = QRect(lane.mapTo(window, QPoint(0, 0)), lane.size())
    for other in window.findChildren(QWidget):
        if other.isVisible() and other is not lane and not lane.isAncestorOf(other) and not other.isAncestorOf(lane):
            assert not mine.intersects(QRect(other.mapTo(window, QPoint(0, 0)), other.size())), other
    assert window.status._cells["p99"].isVisible()
    assert not window.status._service.isVisible()
    window.session.withdraw("ARC-T0001")
    assert window.toasts.texts == []
    assert window.status._service.isVisible()


def test_one_figure_above_its_limit_stands_beside_a_message(window: MainWindow) -> None:
    """More would cut the sentence; the others are back after it."""
    for name in ("p99", "frame", "stall"):
        window.status.set_cell(name, "900 ms", "slow", over=True)
    window.session.notify("A message.", "warn", subject="Somebody")
    shown = [name for name, cell in window.status._cells.items() if cell.isVisible()]
    window.session.withdraw("Somebody")
    after = [name for name, cell in window.status._cells.items() if cell.isVisible()]
    assert (shown, after) == (["p99"], ["p99", "frame", "stall"])


def test_a_figure_above_its_limit_stands_beside_the_link(window: MainWindow) -> None:
    """The others are told by the link, with what each means."""
    window.status.set_cell("p99", "900 ms", "99 of 100 calls took less.", over=True)
    assert [name for name, cell in window.status._cells.items() if cell.isVisible()] == ["p99"]
    told = {one.text(): one.toolTip() for one in window.status.link_figures().actions()}
    assert told["Call p99 900 ms"] == "99 of 100 calls took less."
    assert len(told) == 5


def test_a_figure_of_the_link_opens_diagnostics(window: MainWindow, qtbot: Any) -> None:
    """Where it is explained."""
    with qtbot.waitSignal(window.status.diagnostics):
        window.status.link_figures().actions()[0].trigger()


def test_the_link_says_how_old_events_are_and_what_is_wrong(window: MainWindow) -> None:
    """Its shape is that of its state, and the top bar speaks only when nobody answers."""
    window.status._lag = "12 ms"
    window._show_link(Meaning.OK, "Connected", "")
    assert window.status.link.accessibleName() == "Link: Live, 12 ms"
    assert window.top.service.isHidden()
    window._show_link(Meaning.WARN, "No live data", "")
    assert window.status.link.accessibleName() == "Link: No live data"
    assert not window.top.service.isHidden()


def test_the_history_of_messages_opens_by_its_key(window: MainWindow, qtbot: Any) -> None:
    """And nothing in it is new then."""
    window.session.notify("saved")
    qtbot.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.AltModifier)
    (dialog,) = window.findChildren(MessageHistory)
    assert [one.text for one in dialog.rows.rows] == ["saved"]
    assert window.toasts.unread == 0
    dialog.close()


def test_escape_clears_and_never_leaves_the_page(window: MainWindow, qtbot: Any) -> None:
    """The filter under the hands first, then the message; Alt+Left goes back."""
    window.navigate("settings", {})
    presenter = window.presenter("settings")
    field = QLineEdit(window)
    field.show()
    edited: list[str] = []
    field.textEdited.connect(edited.append)
    presenter.filter_field = lambda: field  # type: ignore[method-assign]
    field.setText("somebody")
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    window.session.notify("saved")
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (field.text(), edited, window.toasts.texts) == ("", [""], ["saved"])
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert window.toasts.texts == []
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert window.page == "settings"


def test_closing_waits_for_the_start_up(window: MainWindow, qtbot: Any) -> None:
    """Tasks still write to the window, so it goes only when they have ended."""
    with qtbot.waitSignal(window.closing):
        window.close()
    assert window.isVisible()


def test_esc_goes_back_to_live_before_it_empties_the_filter(window: MainWindow, qtbot: Any) -> None:
    """That is what the frame says of the key."""
    field = sample(window).view.field
    field.setFocus()
    field.setText("door")
    window.session.shown_time.go_to(AT)
    assert window.past_frame.words == "PAST 2026-02-25 06:15:27Z This page shows now. Esc for live"
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    assert (window.session.shown_time.is_past, window.past_frame.words, field.text()) == (False, "", "door")


def test_a_page_says_what_of_it_is_of_then(window: MainWindow) -> None:
    """One that does not say so shows now, and the window says it."""
    sample(window).past_words = "The rows show that moment."
    window.session.shown_time.go_to(AT)
    assert "The rows show that moment." in window.past_frame.words
    window.navigate("settings", {})
    assert "This page shows now." in window.past_frame.words


def test_what_is_urgent_brings_the_window_back_to_live(window: MainWindow) -> None:
    """The operator at night is told, and is not refused."""
    done: list[bool] = []
    window.actions_.add(
        [Action("sample.urgent", "Burn", lambda: done.append(window.session.shown_time.is_past), ends_past=True)]
    )
    window.session.shown_time.go_to(AT)
    assert window.actions_.trigger("sample.urgent")
    assert done == [False]
    shown = window.toasts.shown
    assert shown is not None
    assert shown.text == "Back to live for “Burn”; the console showed PAST 2026-02-25 06:15:27Z."


@pytest.mark.parametrize("action", ["page.burn", "console.alarms"])
def test_burns_and_alarms_are_never_locked_out(action: str, preferences: PreferenceStore, qtbot: Any) -> None:
    """Their keys go back to live first."""
    pages = (PageRow("burn", "Burn", "flame", "Ctrl+3", "app.console.pages.burn"),)
    made = MainWindow("training", preferences, pages)
    qtbot.addWidget(made)
    assert made.actions_.get(action).ends_past


def test_a_covered_window_shows_now(window: MainWindow) -> None:
    """The next operator does not find yesterday's moment behind the lock."""
    window.session.shown_time.go_to(AT)
    window._locked = True
    window._show_front()
    window._locked = False
    window._show_front()
    assert not window.session.shown_time.is_past


def test_a_moment_that_is_no_longer_kept_is_left(window: MainWindow) -> None:
    """Nothing of it could be shown."""
    window.session.shown_time.go_to(window.session.live.now() - HOURS_KEPT_S - 1)
    window._leave_what_is_gone()
    assert not window.session.shown_time.is_past
    shown = window.toasts.shown
    assert shown is not None
    assert shown.text.startswith("Back to live: ")
    assert "is too long ago: how frames answered is kept for 30 days" in shown.text


def test_a_moment_that_has_grown_old_is_asked_of_the_service(window: MainWindow, monkeypatch: Any) -> None:
    """What the window measured itself of it is gone; the moment stays."""
    shown, at = window.session.shown_time, window.session.live.now() - 60.0
    shown.go_to(at)
    for later, is_older in ((KEPT_S - 61.0, False), (KEPT_S, True)):
        monkeypatch.setattr(window.session.live, "now", lambda later=later: at + 60.0 + later)
        window._leave_what_is_gone()
        assert (shown.at, shown.hour is not None) == (at, is_older)


def test_the_strip_takes_twenty_pixels(window: MainWindow) -> None:
    """Between the top bar and the page, on every page."""
    assert window.strip.height() == 20
    assert window.strip.geometry().top() == window.top.geometry().bottom() + 1
    assert window.past_frame.geometry().top() == window.strip.geometry().bottom() + 1


@pytest.fixture
def strip(window: MainWindow, qtbot: Any) -> TimeStrip:
    """The strip with the hands on it, over an hour in which nothing happened."""
    window.watch_hour(Hour())  # type: ignore[arg-type]
    assert window.actions_.trigger("console.time")
    qtbot.waitUntil(window.strip.hasFocus)
    return window.strip


def time_field(window: MainWindow) -> TimeField:
    """The field in which a time is typed."""
    (found,) = window.findChildren(TimeField)
    return found


def test_a_time_typed_on_the_strip_is_shown(window: MainWindow, strip: TimeStrip, qtbot: Any) -> None:
    """The first sign opens the field, Enter goes there, and the hands are on the strip again."""
    qtbot.keyClicks(strip, "-")
    edit = time_field(window).edit
    assert (edit.hasFocus(), edit.text()) == (True, "-")
    qtbot.keyClicks(edit, "5m")
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    at = window.session.shown_time.at
    assert at is not None
    assert window.session.live.now() - at == pytest.approx(300, abs=2)
    assert (time_field(window).isVisible(), strip.hasFocus()) == (False, True)


def test_a_time_that_is_refused_stays_with_the_reason(window: MainWindow, strip: TimeStrip, qtbot: Any) -> None:
    """Nothing else is shown, and the next one that is typed takes its place."""
    qtbot.keyClick(strip, Qt.Key.Key_Return)
    field = time_field(window)
    qtbot.keyClicks(field.edit, "soon")
    qtbot.keyClick(field.edit, Qt.Key.Key_Return)
    assert field.said.text().startswith("“soon” is no time. Type 14:32:07, 14:32, -5m, -3h, -2d or ")
    assert field.edit.accessibleDescription() == field.said.text()
    assert (field.isVisible(), field.edit.text(), window.session.shown_time.is_past) == (True, "soon", False)
    qtbot.keyClicks(field.edit, "-1m")
    assert field.edit.text() == "-1m"
    assert field.said.text().startswith("14:32:07 or 14:32")


def test_esc_in_the_field_closes_it_alone(window: MainWindow, strip: TimeStrip, qtbot: Any) -> None:
    """The past that is shown stays."""
    window.session.shown_time.go_to(window.session.live.now() - 100.0)
    qtbot.keyClicks(strip, "1")
    qtbot.keyClick(time_field(window).edit, Qt.Key.Key_Escape)
    assert window.session.shown_time.is_past
    assert (time_field(window).isVisible(), strip.hasFocus()) == (False, True)


def test_alt_g_on_the_strip_opens_the_field(window: MainWindow, strip: TimeStrip) -> None:
    """Twice from anywhere: the second time it is typed."""
    assert strip.hasFocus()
    assert window.actions_.trigger("console.time")
    assert time_field(window).edit.hasFocus()


def test_the_field_goes_when_the_hands_go_elsewhere(window: MainWindow, strip: TimeStrip) -> None:
    """It never stays over a page that somebody works on."""
    strip.type_time()
    sample(window).view.field.setFocus()
    assert not time_field(window).isVisible()


def test_f6_stops_at_the_strip(window: MainWindow, strip: TimeStrip, qtbot: Any) -> None:
    """Between the top bar and the page, in both directions."""
    sample(window).view.field.setFocus()
    assert window.actions_.trigger("console.pane_back")
    assert strip.hasFocus()
    assert window.actions_.trigger("console.pane_back")
    assert window.top.isAncestorOf(QApplication.focusWidget())
    assert window.actions_.trigger("console.pane")
    assert strip.hasFocus()
    assert window.actions_.trigger("console.pane")
    assert window.stack.isAncestorOf(QApplication.focusWidget())
