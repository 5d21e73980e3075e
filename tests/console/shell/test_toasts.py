"""Messages: one of a subject, in a lane that covers nothing, and kept behind the bell."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QPushButton, QTableView, QWidget

from app.console.actions import Action, ActionTable
from app.console.session import MessageWay
from app.console.shell import toasts as module
from app.console.shell.message_history import MessageHistory
from app.console.shell.toasts import Toasts
from app.console.theme.tokens import Meaning


@pytest.fixture
def owner(application: QApplication, qtbot: Any) -> QWidget:
    """A window."""
    made = QWidget()
    made.resize(900, 600)
    qtbot.addWidget(made)
    return made


@pytest.fixture
def lane(owner: QWidget) -> Toasts:
    """A lane in it."""
    actions = ActionTable(owner)
    actions.add([Action("console.messages", "Messages", lambda: None, "bell", ("Alt+M",))])
    made = Toasts(actions, owner)
    made.setGeometry(0, 300, 600, 28)  # not where the mouse is: what is pointed at stays
    owner.show()
    return made


def named(lane: Toasts, name: str) -> QPushButton:
    """The one button of that accessible name."""
    (found,) = [one for one in lane.findChildren(QPushButton) if one.accessibleName() == name]
    return found


def test_a_subject_has_one_message(lane: Toasts) -> None:
    """A release takes the place of what was said of the containment."""
    lane.show_message("ARC-1 is denied until 14:00.", "warn", subject="ARC-1")
    lane.show_message("ARC-2 is burned.", subject="ARC-2")
    lane.show_message("ARC-1 is released.", subject="ARC-1")
    assert lane.texts == ["ARC-2 is burned.", "ARC-1 is released."]
    assert lane.history[0].text == "ARC-1 is denied until 14:00."


def test_what_no_longer_holds_goes(lane: Toasts) -> None:
    """From the lane; the history keeps it. Another subject stays."""
    lane.show_message("ARC-1 is denied.", "warn", subject="ARC-1")
    lane.show_message("ARC-2 is denied.", "warn", subject="ARC-2")
    lane.withdraw("ARC-2")
    lane.withdraw("ARC-3")
    assert lane.texts == ["ARC-1 is denied."]
    assert len(lane.history) == 2


def test_the_worst_is_shown_of_these_the_newest(lane: Toasts) -> None:
    """A success does not hide a failure that nobody may have read."""
    lane.show_message("saved", "ok")
    lane.show_message("broken", "bad")
    lane.show_message("saved again", "ok")
    assert lane.shown is not None
    assert lane.shown.text == "broken"
    lane.show_message("broken anew", "bad")
    assert lane.shown.text == "broken anew"
    lane.dismiss()
    lane.dismiss()
    assert lane.shown.text == "saved again"


def test_the_same_text_again_is_one_message(lane: Toasts) -> None:
    """Without a subject the text is the subject."""
    lane.show_message("saved")
    lane.show_message("saved")
    assert lane.texts == ["saved"]


def test_buttons_name_their_subject(lane: Toasts, qtbot: Any) -> None:
    """A screen reader tells one Dismiss from another; what has no id has nothing to copy."""
    lane.show_message("ARC-1 is denied.", "warn", "req_1", subject="ARC-1")
    named(lane, "Copy id of ARC-1").click()
    assert QApplication.clipboard().text() == "req_1"
    spoken: list[bool] = []
    lane.spoke.connect(spoken.append)
    named(lane, "Dismiss ARC-1").click()
    assert lane.shown is None
    assert spoken == [False]
    assert not lane.dismiss()
    assert not any(one.isVisible() for one in lane.findChildren(QPushButton) if one is not lane.bell)
    lane.show_message("saved", subject="file")
    assert not named(lane, "Copy id of file").isVisible()


def test_a_message_ends_by_itself_and_trouble_later(lane: Toasts, qtbot: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not while the keys are on its button."""
    monkeypatch.setattr(module, "LIFE_S", 0.0)
    lane.show_message("done", "ok")
    lane.show_message("news", "info")
    for kind in ("warn", "bad", "crit"):
        lane.show_message(kind, kind)
    lane._sweep()
    assert lane.texts == ["warn", "bad", "crit"]
    monkeypatch.setattr(module, "TROUBLE_LIFE_S", 0.0)
    lane.show_message("crit", "crit")
    lane.window().activateWindow()
    button = named(lane, "Dismiss crit")
    button.setFocus()
    qtbot.waitUntil(button.hasFocus)
    lane._sweep()
    assert "crit" in lane.texts
    button.clearFocus()
    lane._sweep()
    assert lane.texts == ["warn", "bad"]


def test_the_bell_counts_what_is_new(lane: Toasts) -> None:
    """Until the history is opened."""
    assert (lane.bell.text(), lane.bell.accessibleName()) == ("", "Messages")
    lane.show_message("one")
    lane.show_message("two")
    assert (lane.unread, lane.bell.text(), lane.bell.accessibleName()) == (2, " 2", "Messages, 2 new")
    lane.mark_read()
    assert (lane.unread, lane.bell.text()) == (0, "")


def test_the_history_is_read_and_copied_by_keys(lane: Toasts, owner: QWidget, qtbot: Any) -> None:
    """Newest first; the whole text of the chosen one stands below the list."""
    lane.show_message("a long first message", "warn", "req_1")
    lane.show_message("second", "ok")
    dialog = MessageHistory(owner, lane)
    dialog.open()
    assert [(one.text, one.state) for one in dialog.rows.rows] == [
        ("second", Meaning.OK),
        ("a long first message", Meaning.WARN),
    ]
    table = dialog.findChild(QTableView)
    table.selectRow(1)
    assert dialog._whole.text() == "a long first message"
    dialog.copy.click()
    assert QApplication.clipboard().text().endswith("  a long first message  req_1")
    dialog.close()


def test_an_empty_history_says_so(lane: Toasts, owner: QWidget) -> None:
    """There is nothing to copy."""
    dialog = MessageHistory(owner, lane)
    assert not dialog.copy.isEnabled()
    assert dialog._whole.text() == "Nothing was said yet."
    dialog.deleteLater()


def test_the_history_is_bounded(lane: Toasts) -> None:
    """A window that is open for weeks keeps the newest."""
    for number in range(module.KEPT + 5):
        lane.show_message(f"message {number}", subject="one")
    assert (len(lane.history), lane.history[0].text, lane.unread) == (module.KEPT, "message 5", module.KEPT)


def test_a_message_leads_to_what_it_is_about(lane: Toasts) -> None:
    """By its button; one that leads nowhere has none."""
    led: list[tuple[str, dict[str, str]]] = []
    lane.led.connect(lambda page, arguments: led.append((page, arguments)))
    lane.show_message("Saved.", subject="file")
    assert lane.open.isHidden()
    assert not lane.follow()
    lane.show_message("ARC-1 is burned.", "warn", subject="ARC-1", way=MessageWay("burn", {"burn_id": "b1"}))
    named(lane, "Open ARC-1").click()
    assert led == [("burn", {"burn_id": "b1"})]


def test_what_can_be_taken_back_is_by_one_button(lane: Toasts) -> None:
    """The message goes: another one tells what came of it. One that cannot be taken back has no button."""
    undone: list[str] = []
    lane.show_message("ARC-2 is burned.", "warn", subject="ARC-2", way=MessageWay("burn"))
    assert lane.undo.isHidden()
    lane.show_message("ARC-1 is denied.", "warn", way=MessageWay(undo=lambda: undone.append("ARC-1")))
    named(lane, "Undo: ARC-1 is denied.").click()
    assert (undone, lane.texts) == (["ARC-1"], ["ARC-2 is burned."])
    assert not lane.take_back()


def test_the_history_leads_where_the_message_led(lane: Toasts, owner: QWidget) -> None:
    """Enter on a row of it, too; the history closes."""
    led: list[str] = []
    lane.led.connect(lambda page, _arguments: led.append(page))
    lane.show_message("ARC-1 is burned.", "warn", way=MessageWay("burn", {"burn_id": "b1"}))
    lane.show_message("Saved.")
    history = MessageHistory(owner, lane)
    history.open()
    assert not history.open_.isEnabled()
    history.table.selectRow(1)
    history.table.opened.emit(1)
    assert (led, history.isVisible()) == (["burn"], False)
