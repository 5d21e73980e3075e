"""Widgets that leave a layout that stays."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QGridLayout, QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.console.pages.people.profile_view import LinesPanel
from app.console.pages.people.words import Line
from app.console.widgets.taking_away import take_away
from tests.console.layout_items import stale_items


def gone() -> None:
    """What is to be deleted later is."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def test_what_is_taken_away_is_deleted(qtbot: QtBot, application: QApplication) -> None:
    """Hidden at once, and gone when the event is handled; the layout holds nothing of it."""
    del application
    place = QWidget()
    qtbot.addWidget(place)
    grid = QGridLayout(place)
    made = [QLabel("one"), QLabel("two")]
    ended: list[int] = []
    for at, one in enumerate(made):
        one.destroyed.connect(lambda _one=None, at=at: ended.append(at))
        grid.addWidget(one, at, 0)
    take_away(grid, made)
    assert (grid.count(), ended) == (0, [])
    gone()
    assert ended == [0, 1]


def test_a_person_after_another_leaves_no_wrapper_of_an_item(qtbot: QtBot, application: QApplication) -> None:
    """The console ended with ``free(): invalid pointer`` some time after a person with cards was left."""
    del application
    panel = LinesPanel("Cards")
    qtbot.addWidget(panel)
    for person in range(3):
        panel.show_lines([Line(f"card {person}", "Active", "Kept", mono=True)])
        gone()
    assert stale_items() == []


def test_a_wrapper_of_an_item_that_is_gone_is_found(application: QApplication) -> None:
    """A layout that is filled and then put into another, whose widget is deleted; it ends with the outer layout."""
    del application
    place = QWidget()
    inner, word = QVBoxLayout(), QLabel("word")
    inner.addWidget(word)
    QVBoxLayout(place).addLayout(inner)
    word.deleteLater()
    gone()
    assert stale_items() == ["QWidget"]
    place.deleteLater()
    gone()
    assert stale_items() == []
