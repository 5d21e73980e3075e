"""The amber frame round the page."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QPushButton

from app.console import theme
from app.console.page import PageView
from app.console.shell.past_frame import BACK, PastCover, PastFrame
from app.console.theme.tokens import DARK, LIGHT

MOMENT = "PAST 14:32:07Z"


@pytest.fixture
def button() -> QPushButton:
    """What stands first on the page."""
    return QPushButton("First")


@pytest.fixture
def frame(application: QApplication, button: QPushButton, qtbot: Any) -> PastFrame:
    """Round a page, on the screen."""
    view = PageView("Sample")
    view.body.addWidget(button)
    made = PastFrame(view)
    qtbot.addWidget(made)
    made.resize(900, 500)
    made.show()
    return made


def test_nothing_on_the_page_moves(frame: PastFrame, button: QPushButton, application: QApplication) -> None:
    """The frame stands in the margin that every page has."""
    place = button.mapTo(frame, QPoint())
    frame.show_past(MOMENT, "This page shows now.")
    application.processEvents()
    assert button.mapTo(frame, QPoint()) == place
    bar = frame.findChild(PastCover)
    assert bar is not None
    assert bar.geometry() == frame.rect()


@pytest.mark.parametrize("tokens", [DARK, LIGHT], ids=lambda one: one.name)
def test_the_frame_is_amber_on_every_side(frame: PastFrame, application: QApplication, tokens: Any) -> None:
    """It cannot be overlooked, in either theme."""
    theme.apply(application, tokens)
    frame.show_past(MOMENT, "This page shows now.")
    image = frame.grab().toImage()
    sides = [(450, 2), (1, 250), (898, 250), (450, 498)]
    assert {image.pixelColor(*at).name() for at in sides} == {QColor(tokens.band).name()}


def test_larger_text_makes_room_instead_of_covering_the_page(
    frame: PastFrame, button: QPushButton, application: QApplication
) -> None:
    """Also when it becomes larger while the past is shown."""
    frame.show_past(MOMENT, "This page shows now.")
    theme.apply(application, DARK, scale=2.0)
    application.processEvents()
    assert button.mapTo(frame, QPoint()).y() >= theme.px(15)


def test_the_frame_is_heard_and_goes(frame: PastFrame) -> None:
    """Its name says the moment, what shows it, and the way back."""
    frame.show_past(MOMENT, "This page shows now.")
    cover = frame.findChild(PastCover)
    assert cover is not None
    assert cover.accessibleName() == f"{MOMENT}. This page shows now. {BACK}"
    frame.show_past("", "")
    assert not cover.isVisible()
    assert frame.words == ""
