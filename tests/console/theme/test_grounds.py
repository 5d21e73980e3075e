"""Each part of a window wears the style sheet by itself: what can be seen at once or in turns, what is hidden later."""

from __future__ import annotations

import gc
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import shiboken6
from PySide6.QtCore import QEvent
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication, QCompleter, QLabel, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.grounds import Grounds


class Words(QLabel):
    """Counts how often it is painted."""

    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1
        super().paintEvent(event)


class Page(QWidget):
    """Notes in ``order`` when it is dressed."""

    def __init__(self, parent: QWidget | None, order: list[QWidget]) -> None:
        super().__init__(parent)
        self._order = order

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_order"):
            self._order.append(self)
        super().changeEvent(event)


class Window(QWidget):
    """A part that is dressed at once, and two pages that are dressed later; the second is hidden."""

    def __init__(self) -> None:
        super().__init__()
        self.order: list[QWidget] = []
        self.part, self.page, self.hidden = (Page(None, self.order) for _ in range(3))
        column = QVBoxLayout(self)
        for one in (self.part, self.page, self.hidden):
            column.addWidget(one)
        self.words = Words("words")
        QVBoxLayout(self.page).addWidget(self.words)
        self.resize(300, 200)
        self.hidden.hide()


@pytest.fixture
def grounds(application: QApplication) -> Iterator[Grounds]:
    """Those of this test alone."""
    made = Grounds(application)
    yield made
    made.deleteLater()


@pytest.fixture
def window(grounds: Grounds, qtbot: Any) -> Iterator[Window]:
    """On the screen, dressed in the first sheet."""
    made = Window()
    grounds.change(sheet())
    grounds.add(made.part, later=False)
    for page in (made.page, made.hidden):
        grounds.add(page, later=True)
    made.show()
    qtbot.waitUntil(lambda: bool(made.hidden.styleSheet()))
    yield made
    made.close()
    made.deleteLater()


_numbers = itertools.count()


def sheet() -> str:
    """Another one at each call."""
    return f"QLabel {{ padding: {next(_numbers)}px; }}"


def test_what_may_not_wait_is_dressed_at_once(window: Window, grounds: Grounds) -> None:
    """A part of the window, when ``change`` returns."""
    grounds.change(new := sheet())
    assert window.part.styleSheet() == new


def test_a_page_has_a_turn_of_its_own(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """Between two the window answers."""
    grounds.change(new := sheet())
    assert window.page.styleSheet() != new
    qtbot.waitUntil(lambda: window.page.styleSheet() == new)


def test_a_page_is_not_dressed_in_a_turn_that_is_long_already(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """What was done before and the dressing would be one gap."""
    grounds.change(new := sheet())
    asked: list[str] = []

    def busy() -> bool:
        asked.append(window.page.styleSheet())
        return len(asked) == 1

    grounds.busy = busy
    qtbot.waitUntil(lambda: window.page.styleSheet() == new)
    assert new not in asked[:2]


def test_a_loop_that_is_always_busy_is_dressed_all_the_same(window: Window, grounds: Grounds, qtbot: Any) -> None:
    grounds.busy = lambda: True
    grounds.change(new := sheet())
    qtbot.waitUntil(lambda: window.hidden.styleSheet() == new)


def test_a_window_paints_on_after_each_change(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """It must never be left with what it showed before."""
    for _ in range(3):
        painted = window.words.painted
        grounds.change(sheet())
        qtbot.waitUntil(lambda painted=painted: window.words.painted > painted and not grounds.waits)
        painted = window.words.painted
        window.words.setText(window.words.text() + ".")
        qtbot.waitUntil(lambda painted=painted: window.words.painted > painted)


def test_a_hidden_page_comes_last(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """What can be seen is not kept waiting by what cannot."""
    window.order.clear()
    grounds.change(new := sheet())
    qtbot.waitUntil(lambda: window.hidden.styleSheet() == new)
    assert list(dict.fromkeys(window.order)) == [window.part, window.page, window.hidden]


def test_a_page_is_dressed_as_it_is_shown_first(window: Window, grounds: Grounds) -> None:
    """It may be opened before its turn comes, and would look like the toolkit's own."""
    page = QWidget(window)
    grounds.add(page, later=True)
    bare = page.styleSheet()
    page.show()
    assert (bare, page.styleSheet()) == ("", window.part.styleSheet())


def test_a_page_that_is_shown_comes_before_those_that_are_not(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """It is opened before its turn."""
    other = Page(window, window.order)
    other.hide()
    grounds.add(other, later=True)
    qtbot.waitUntil(lambda: bool(other.styleSheet()))
    window.order.clear()
    grounds.change(new := sheet())
    other.show()
    qtbot.waitUntil(lambda: window.hidden.styleSheet() == new)
    assert list(dict.fromkeys(window.order)) == [window.part, window.page, other, window.hidden]


def test_a_hidden_page_is_arranged_when_all_are_dressed(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """To give its parts other places takes as long as to dress it: in one turn with the others the window stood."""
    worn: list[str] = []
    grounds.change(new := sheet())
    grounds.arrange(window.hidden, lambda: worn.append(window.hidden.styleSheet()))
    assert worn == []
    qtbot.waitUntil(lambda: bool(worn))
    assert worn == [new]


def test_what_can_be_seen_is_arranged_at_once(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """And what waited for it is not done after it."""
    done: list[str] = []
    grounds.arrange(window.hidden, lambda: done.append("late"))
    window.hidden.show()
    grounds.arrange(window.hidden, lambda: done.append("now"))
    assert done == ["now"]
    grounds.change(new := sheet())
    qtbot.waitUntil(lambda: window.hidden.styleSheet() == new)
    assert done == ["now"]


def test_a_page_that_is_shown_before_its_turn_is_arranged_before_any_is_dressed(
    window: Window, grounds: Grounds, qtbot: Any
) -> None:
    """The window is not settled before."""
    worn: list[str] = []
    grounds.change(new := sheet())
    grounds.arrange(window.hidden, lambda: worn.append(window.page.styleSheet()))
    window.hidden.show()
    assert grounds.waits
    qtbot.waitUntil(lambda: bool(worn))
    assert new not in worn
    qtbot.waitUntil(lambda: not grounds.waits)


def test_a_page_that_is_gone_is_not_arranged(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """It was closed before its turn."""
    page = QWidget(window)
    page.hide()
    done: list[int] = []
    grounds.arrange(page, lambda: done.append(1))
    shiboken6.delete(page)
    grounds.change(new := sheet())
    qtbot.waitUntil(lambda: window.hidden.styleSheet() == new)
    QApplication.processEvents()
    assert done == []


def test_what_stands_on_a_ground_is_none(window: Window, grounds: Grounds) -> None:
    """It would be dressed twice."""
    grounds.add(window.words, later=False)
    assert window.words.styleSheet() == ""


def test_a_page_that_is_gone_is_forgotten(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """A dialog ends, and the look still changes."""
    window.hidden.deleteLater()
    grounds.change(new := sheet())
    qtbot.waitUntil(lambda: window.page.styleSheet() == new)


def test_what_qt_made_follows_each_change(window: Window, grounds: Grounds, qtbot: Any) -> None:
    """Nobody else keeps what Python knows a list of suggestions by."""
    completer = QCompleter(["one"], window)
    popup = completer.popup()
    assert popup is not None
    grounds.add(popup, later=True)
    del popup
    gc.collect()
    grounds.change(new := sheet())
    qtbot.waitUntil(lambda: (found := completer.popup()) is not None and found.styleSheet() == new)


def test_the_application_wears_none(application: QApplication) -> None:
    """It would make every widget of every page wait for every other."""
    theme.apply(application, theme.DARK)
    assert application.styleSheet() == ""
