from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.console.shell.page_stack import PageStack


class CountedLabel(QLabel):
    painted = 0

    def paintEvent(self, event: QPaintEvent) -> None:
        self.painted += 1
        super().paintEvent(event)


class CountedPage(QWidget):
    """A page as those of the console are: it fills its ground, and holds widgets that do not."""

    def __init__(self, *, least: int = 40) -> None:
        super().__init__()
        self.setAutoFillBackground(True)
        column = QVBoxLayout(self)
        self.labels = [CountedLabel("one"), CountedLabel("two")]
        self.field = QLineEdit()
        self.field.setMinimumWidth(least)
        for part in (*self.labels, self.field):
            column.addWidget(part)


class RoomWindow(QWidget):
    """The window around a stack, with something else in it that takes the keys."""

    def __init__(self) -> None:
        super().__init__()
        self.resize(400, 300)
        column = QVBoxLayout(self)
        self.stack = PageStack()
        column.addWidget(self.stack)
        self.outside = QLineEdit()
        column.addWidget(self.outside)


@pytest.fixture
def window(qtbot: QtBot) -> RoomWindow:
    made = RoomWindow()
    qtbot.addWidget(made)
    return made


@pytest.fixture
def pages(window: RoomWindow, qtbot: QtBot) -> tuple[CountedPage, CountedPage]:
    both = CountedPage(), CountedPage(least=200)
    for page in both:
        window.stack.addWidget(page)
    with qtbot.waitExposed(window):
        window.show()
        window.activateWindow()
    qtbot.waitUntil(lambda: all(label.painted for label in both[0].labels))
    return both


def test_the_first_page_is_shown_and_the_others_wait(pages: tuple[CountedPage, CountedPage]) -> None:
    assert [page.isVisible() for page in pages] == [True, False]


def test_one_page_is_shown_at_a_time(window: RoomWindow, pages: tuple[CountedPage, CountedPage]) -> None:
    window.stack.setCurrentWidget(pages[1])
    assert [page.isVisible() for page in pages] == [False, True]
    assert window.stack.currentWidget() is pages[1]


def test_a_page_is_painted_once_as_it_is_opened(
    window: RoomWindow, pages: tuple[CountedPage, CountedPage], qtbot: QtBot
) -> None:
    window.stack.setCurrentWidget(pages[1])
    pages[1].labels[0].setText("said as the page opens")
    qtbot.waitUntil(lambda: all(label.painted for label in pages[1].labels))
    assert [label.painted for label in pages[1].labels] == [1, 1]


def test_a_page_is_as_large_as_the_place(window: RoomWindow, pages: tuple[CountedPage, CountedPage]) -> None:
    window.stack.setCurrentWidget(pages[1])
    assert pages[1].size() == window.stack.size()


def test_the_page_follows_the_size_of_the_place(
    window: RoomWindow, pages: tuple[CountedPage, CountedPage], qtbot: QtBot
) -> None:
    before = window.stack.size()
    window.resize(600, 500)
    qtbot.waitUntil(lambda: window.stack.size() != before)
    assert pages[0].size() == window.stack.size()


def test_only_the_page_that_is_shown_claims_room(window: RoomWindow, pages: tuple[CountedPage, CountedPage]) -> None:
    narrow = window.stack.minimumSizeHint().width()
    window.stack.setCurrentWidget(pages[1])
    assert narrow < 200 <= window.stack.minimumSizeHint().width()


def test_a_page_that_needs_more_room_gets_it(
    window: RoomWindow, pages: tuple[CountedPage, CountedPage], qtbot: QtBot
) -> None:
    pages[0].field.setMinimumWidth(700)
    qtbot.waitUntil(lambda: window.width() > 700)


def test_a_stack_without_a_page_claims_no_room(qtbot: QtBot) -> None:
    stack = PageStack()
    qtbot.addWidget(stack)
    assert stack.minimumSizeHint() == QSize()
    assert stack.currentWidget() is None


def test_the_hands_come_back_to_where_they_were_on_a_page(
    window: RoomWindow, pages: tuple[CountedPage, CountedPage], qtbot: QtBot
) -> None:
    pages[0].field.setFocus()
    qtbot.waitUntil(pages[0].field.hasFocus)
    window.stack.setCurrentWidget(pages[1])
    assert not pages[0].field.hasFocus()
    window.stack.setCurrentWidget(pages[0])
    assert pages[0].field.hasFocus()


def test_hands_that_are_elsewhere_stay_there(
    window: RoomWindow, pages: tuple[CountedPage, CountedPage], qtbot: QtBot
) -> None:
    pages[1].field.setFocus()
    window.outside.setFocus()
    qtbot.waitUntil(window.outside.hasFocus)
    window.stack.setCurrentWidget(pages[1])
    assert window.outside.hasFocus()
