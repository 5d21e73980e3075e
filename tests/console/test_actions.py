"""The one action table."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from app.console.actions import Action, ActionTable, KeyTaken


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
