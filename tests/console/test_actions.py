"""The one action table."""

from __future__ import annotations

from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.console.actions import Action, ActionTable, Effect, KeyTaken, of_section
from app.console.widgets.buttons import ActionButton


@pytest.fixture
def owner(application: QApplication, qtbot: Any) -> QWidget:
    """A window."""
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_a_key_is_given_once_a_page(owner: QWidget) -> None:
    """Two actions of one page cannot answer the same key."""
    table = ActionTable(owner)
    table.add([Action("a.x", "X", print, keys=("Ctrl+R",), page="a")])
    with pytest.raises(KeyTaken):
        table.add([Action("a.y", "Y", print, keys=("Ctrl+R",), page="a")])


def test_a_key_of_everywhere_is_no_page_s(owner: QWidget) -> None:
    """An action of every page keeps its key on every page."""
    table = ActionTable(owner)
    table.add([Action("console.x", "X", print, keys=("F5",))])
    with pytest.raises(KeyTaken):
        table.add([Action("a.y", "Y", print, keys=("F5",), page="a")])


def test_two_pages_may_use_one_key(owner: QWidget, qtbot: Any) -> None:
    """The page that is shown gets it."""
    heard: list[str] = []
    table = ActionTable(owner)
    table.add(
        [
            Action("a.x", "X", lambda: heard.append("a"), keys=("Ctrl+Return",), page="a"),
            Action("b.x", "X", lambda: heard.append("b"), keys=("Ctrl+Return",), page="b"),
        ]
    )
    owner.show()
    owner.activateWindow()
    qtbot.waitUntil(owner.isActiveWindow)
    table.set_page("b")
    qtbot.keyClick(owner, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert heard == ["b"]


def test_what_cannot_be_done_is_not_run(owner: QWidget) -> None:
    """``when`` is asked at the moment of running, not only at the last repaint."""
    allowed = True
    heard: list[str] = []
    table = ActionTable(owner)
    table.add([Action("a.x", "X", lambda: heard.append("x"), when=lambda: allowed)])
    allowed = False
    assert not table.trigger("a.x")
    assert heard == []


def test_a_changing_key_belongs_to_its_section(owner: QWidget, qtbot: Any) -> None:
    """Ctrl+N in the list of people adds no key. The palette and the buttons may do both, and a key that only leads
    somewhere answers everywhere on the page."""
    heard: list[str] = []
    front = "people"

    def make(name: str, keys: str, effect: Effect = Effect.CHANGE) -> Action:
        return Action(f"a.{name}", name, lambda: heard.append(name), keys=(keys,), page="a", effect=effect)

    table = ActionTable(owner)
    table.add(of_section(lambda: front == "people", [make("person", "Ctrl+N")]))
    table.add(of_section(lambda: front == "keys", [make("key", "Ctrl+N"), make("go", "F9", Effect.NONE)]))
    owner.show()
    owner.activateWindow()
    qtbot.waitUntil(owner.isActiveWindow)
    table.set_page("a")
    qtbot.keyClick(owner, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(owner, Qt.Key.Key_F9)
    assert heard == ["person", "go"]
    front = "keys"
    table.refresh()
    qtbot.keyClick(owner, Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
    assert heard == ["person", "go", "key"]
    assert table.trigger("a.person")


def test_a_key_is_given_once_a_section(owner: QWidget) -> None:
    """And what is of the whole page takes it from every section."""
    table = ActionTable(owner)
    one, other = (lambda: True), (lambda: False)
    made = [Action(f"a.{name}", name, print, keys=("F7",), page="a", effect=Effect.CHANGE) for name in "xyz"]
    table.add(of_section(one, made[:1]))
    with pytest.raises(KeyTaken):
        table.add(of_section(one, made[1:2]))
    with pytest.raises(KeyTaken):
        table.add(made[1:2])
    table.add(of_section(other, made[1:2]))
    with pytest.raises(KeyTaken):
        table.add(of_section(one, [Action("b.x", "X", print, keys=("F7",), effect=Effect.CHANGE)]))


PAST = "The console shows the past."


def past_table(owner: QWidget, ran: list[str]) -> ActionTable:
    """A table of a window that shows the past, with an action of each effect and an urgent one."""
    table = ActionTable(owner)
    table.add(
        [
            Action("a.look", "Look", lambda: ran.append("look")),
            Action("a.change", "Change", lambda: ran.append("change"), keys=("Ctrl+M",), effect=Effect.CHANGE),
            Action("a.end", "End", lambda: ran.append("end"), effect=Effect.IRREVERSIBLE),
            Action("a.burn", "Burn", lambda: ran.append("burn"), effect=Effect.IRREVERSIBLE, ends_past=True),
        ]
    )
    table.set_past(PAST)
    return table


def test_nothing_that_changes_runs_while_the_past_is_shown(owner: QWidget) -> None:
    """To look is possible; the refusal is what a button says of it."""
    ran: list[str] = []
    table = past_table(owner, ran)
    assert [table.trigger(name) for name in ("a.look", "a.change", "a.end")] == [True, False, False]
    assert ran == ["look"]
    assert [table.refusal(name) for name in ("a.look", "a.change", "a.end")] == ["", PAST, PAST]
    table.set_past("")
    assert table.trigger("a.change")


def test_the_key_of_a_change_says_why_it_does_nothing(owner: QWidget, qtbot: Any) -> None:
    """A key without an answer would be pressed again and again."""
    ran: list[str] = []
    told: list[str] = []
    table = past_table(owner, ran)
    table.refused.connect(told.append)
    owner.show()
    owner.activateWindow()
    qtbot.waitUntil(owner.isActiveWindow)
    qtbot.keyClick(owner, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert (ran, told) == ([], [PAST])


def test_what_is_urgent_asks_for_live_before_it_runs(owner: QWidget) -> None:
    """The burn key is never locked out."""
    ran: list[str] = []
    table = past_table(owner, ran)

    def go_live(title: str) -> None:
        ran.append(f"live for {title}")
        table.set_past("")

    table.live_wanted.connect(go_live)
    assert table.trigger("a.burn")
    assert table.trigger("a.burn")
    assert ran == ["live for Burn", "burn", "burn"]


def test_a_button_of_another_page_follows_when_its_page_is_in_front(owner: QWidget, qtbot: Any) -> None:
    """Until then nobody sees it, and most buttons of the window are of other pages."""
    asked: list[int] = []
    table = ActionTable(owner)
    table.add([Action("a.x", "X", print, page="a", when=lambda: bool(asked.append(1)) or True, hint="For X.")])
    button = ActionButton(table, "a.x")
    qtbot.addWidget(button)
    table.set_page("b")
    table.refresh()
    assert (button.isEnabled(), asked) == (False, [])
    table.set_page("a")
    assert button.isEnabled()
    assert button.toolTip() == "For X."


def test_a_button_that_qt_deleted_is_told_nothing(owner: QWidget, qtbot: Any) -> None:
    """Somebody may still hold what Python knows it by; the buttons after it follow all the same."""
    allowed = False
    table = ActionTable(owner)
    table.add([Action("a.x", "X", print, when=lambda: allowed)])
    gone, left = ActionButton(table, "a.x"), ActionButton(table, "a.x")
    qtbot.addWidget(left)
    shiboken6.delete(gone)
    allowed = True
    table.refresh()
    assert left.isEnabled()


def test_a_key_is_off_as_soon_as_its_page_is_not_in_front(owner: QWidget) -> None:
    """And from its declaration on until its page is."""
    table = ActionTable(owner)
    table.add([Action("a.x", "X", print, keys=("Ctrl+R",), page="a")])
    said = [table.answers("Ctrl+R")]
    for page in ("a", "b"):
        table.set_page(page)
        said.append(table.answers("Ctrl+R"))
    assert said == [False, True, False]


def test_a_button_made_before_its_action_shows_it_from_its_declaration_on(owner: QWidget, qtbot: Any) -> None:
    """A view is built before its presenter declares anything; its page may not be in front."""
    table = ActionTable(owner)
    button = ActionButton(table, "a.x")
    qtbot.addWidget(button)
    table.add([Action("a.x", "Explain", print, page="a")])
    assert button.text() == "Explain"
