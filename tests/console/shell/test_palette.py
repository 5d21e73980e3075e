"""Enter in the palette before the answer has come: it is taken with the answer to exactly what is typed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.console.actions import Action, ActionTable
from app.console.shell.palette import Palette
from app.console.shell.palette_entries import Entry
from tests.console.conftest import until

Answer = Callable[[Sequence[Entry]], None]


class Desk:
    """A palette over a window, whose search answers when the test says so; ``led`` is what its lines have run."""

    def __init__(self) -> None:
        self.window = QWidget()
        QVBoxLayout(self.window).addWidget(QLineEdit())
        self.window.resize(800, 600)
        self.palette = Palette(self.window, ActionTable(self.window), lambda _page: None)
        self.asked: dict[str, Answer] = {}
        self.palette.add_search("@", "People", "users", lambda text, answer: self.asked.update({text: answer}))
        self.led: list[str] = []

    def lines(self, *people: str) -> list[Entry]:
        """Two lines of each person, by id: open and burn."""
        return [
            Entry(f"{verb}: Training Person", person, "user", lambda led=f"{verb} {person}": self.led.append(led))  # type: ignore[misc]  # default binds now
            for person in people
            for verb in ("Open", "Burn")
        ]

    def type(self, text: str) -> None:
        """Letters, and Enter at once."""
        QTest.keyClicks(self.palette.field, text)
        QTest.keyClick(self.palette.field, Qt.Key.Key_Return)


@pytest.fixture
def desk(application: Any, loop: asyncio.AbstractEventLoop) -> Iterator[Desk]:
    """Shown, with the palette open."""
    made = Desk()
    made.window.show()
    made.window.activateWindow()
    loop.run_until_complete(until(made.window.isActiveWindow, "the window's activation"))
    made.palette.open()
    yield made
    made.window.close()
    made.window.deleteLater()


def test_enter_before_the_answer_takes_the_person_typed(desk: Desk) -> None:
    """The question goes out with Enter, and its answer is run: the first line, which only opens."""
    desk.type("@ARC-T0003")
    assert desk.led == []
    desk.asked["ARC-T0003"](desk.lines("ARC-T0003", "ARC-T00031"))
    assert desk.led == ["Open ARC-T0003"]
    assert not desk.palette.isVisible()


def test_the_only_person_of_a_name_is_taken(desk: Desk) -> None:
    """All lines are about one person, whatever was typed."""
    desk.type("@Anna")
    desk.asked["Anna"](desk.lines("ARC-T0003"))
    assert desk.led == ["Open ARC-T0003"]


def test_of_several_people_none_is_taken_unseen(desk: Desk) -> None:
    """The lines are shown, and the next Enter takes the chosen one."""
    desk.type("@Person")
    desk.asked["Person"](desk.lines("ARC-T0003", "ARC-T0004"))
    assert desk.led == []
    QTest.keyClick(desk.palette.field, Qt.Key.Key_Return)
    assert desk.led == ["Open ARC-T0003"]


def test_enter_never_takes_the_answer_to_an_earlier_text(desk: Desk, loop: asyncio.AbstractEventLoop) -> None:
    """The lines of the beginning still stand there when the rest was typed."""
    QTest.keyClicks(desk.palette.field, "@ARC")
    loop.run_until_complete(until(lambda: "ARC" in desk.asked))
    desk.asked["ARC"](desk.lines("ARC-T0001"))
    desk.type("-T0003")
    assert desk.led == []
    desk.asked["ARC-T0003"](desk.lines("ARC-T0003"))
    assert desk.led == ["Open ARC-T0003"]


def test_an_edit_takes_the_early_enter_back(desk: Desk, loop: asyncio.AbstractEventLoop) -> None:
    """Enter was for another text."""
    desk.type("@ARC-T0003")
    QTest.keyClicks(desk.palette.field, "9")
    loop.run_until_complete(until(lambda: "ARC-T00039" in desk.asked))
    desk.asked["ARC-T0003"](desk.lines("ARC-T0003"))
    desk.asked["ARC-T00039"](desk.lines("ARC-T00039"))
    assert desk.led == []


def test_escape_takes_the_early_enter_back(desk: Desk) -> None:
    """Also where the palette is open again with the same text."""
    desk.type("@ARC-T0003")
    late = desk.asked["ARC-T0003"]
    QTest.keyClick(desk.palette.field, Qt.Key.Key_Escape)
    desk.palette.open("@ARC-T0003")
    late(desk.lines("ARC-T0003"))
    assert desk.led == []


def test_the_name_of_a_page_finds_the_page_first(desk: Desk) -> None:
    """Not an action of another page whose title begins with it."""
    titles = {"People without a card": "", "Ask to burn a list of people": "", "Go to People": "People"}
    desk.palette._actions.add(
        Action(f"console.{page or title}", title, lambda at=title: desk.led.append(at), goes_to=page)  # type: ignore[misc]  # default binds now
        for title, page in titles.items()
    )
    for typed in ("peo", "people"):
        desk.palette.open()
        desk.type(typed)
    assert desk.led == ["Go to People", "Go to People"]
