"""Larger text, offered once on a large screen."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QApplication

from app.console.page import PageRow
from app.console.preferences import Preferences, PreferenceStore, decode
from app.console.shell.text_offer import TextOffer, is_due
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live

LARGE = QSize(3840, 2160)
PAGE = PageRow("sample", "Sample", "server", "Ctrl+1", "tests.console.sample_page")


@dataclass(frozen=True)
class Screen:
    """What the window asks a screen."""

    pixels: QSize
    scale: float = 1.0

    def size(self) -> QSize:
        """In logical pixels."""
        return self.pixels / self.scale

    def devicePixelRatio(self) -> float:
        """How many device pixels one logical pixel has."""
        return self.scale


@pytest.mark.parametrize(
    ("screen", "value", "due"),
    [
        (Screen(LARGE), Preferences(), True),
        (Screen(QSize(5120, 2880)), Preferences(), True),
        (Screen(LARGE, 1.5), Preferences(), False),
        (Screen(QSize(3440, 1440)), Preferences(), False),
        (Screen(QSize(5120, 1440)), Preferences(), False),
        (Screen(QSize(2160, 3840)), Preferences(), False),
        (Screen(QSize(1920, 1080)), Preferences(), False),
        (Screen(LARGE), Preferences(text_scale=125), False),
        (Screen(LARGE), Preferences(larger_text="declined"), False),
        (Screen(LARGE), Preferences(larger_text="taken"), False),
    ],
)
def test_it_is_offered_where_text_is_small_and_nobody_has_chosen(screen: Any, value: Preferences, due: bool) -> None:
    """A system that scales the screen has chosen already, and so has a person."""
    assert is_due(screen, value) is due


@pytest.fixture
def window(
    preferences: PreferenceStore, loop: asyncio.AbstractEventLoop, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> Iterator[MainWindow]:
    """A window on a large screen."""
    made = MainWindow("training", preferences, (PAGE,))
    qtbot.addWidget(made)
    made.session.live = Live(made.session.clock, made)
    monkeypatch.setattr(made, "screen", lambda: Screen(LARGE))
    made.show()
    yield made
    made.finish()


def offers(window: MainWindow, application: QApplication) -> list[TextOffer]:
    """The offers that are seen, a second later."""
    window._each_second()
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    application.processEvents()
    return [one for one in window.findChildren(TextOffer) if one.isVisible()]


@pytest.mark.parametrize(
    ("answer", "scale", "kept"),
    [(lambda offer: offer.take, 150, "taken"), (lambda offer: offer.leave, 100, "declined")],
)
def test_either_answer_is_kept(
    window: MainWindow,
    application: QApplication,
    preferences: PreferenceStore,
    answer: Callable[[TextOffer], Any],
    scale: int,
    kept: str,
) -> None:
    """It is offered once however long it stands, and not at the next start."""
    offers(window, application)
    (offer,) = offers(window, application)
    answer(offer).click()
    assert offers(window, application) == []
    assert (preferences.value.text_scale, preferences.value.larger_text) == (scale, kept)
    written = decode((preferences.directory / "preferences.json").read_bytes())
    assert not is_due(Screen(LARGE), written._replace(text_scale=100))  # type: ignore[arg-type]


def test_it_lies_over_nothing(window: MainWindow, application: QApplication) -> None:
    """It stands above the page, and takes no focus."""
    focus = window.focusWidget()
    (offer,) = offers(window, application)
    top = window.stack.mapTo(window, window.stack.rect().topLeft()).y()
    assert offer.mapTo(window, offer.rect().bottomLeft()).y() < top
    assert window.focusWidget() is focus


def test_another_size_of_text_is_an_answer(
    window: MainWindow, application: QApplication, preferences: PreferenceStore
) -> None:
    """The person has found the keys: the offer goes, and does not come again."""
    assert offers(window, application)
    preferences.set(text_scale=125)
    assert offers(window, application) == []
    preferences.set(text_scale=100)
    assert offers(window, application) == []
    assert preferences.value.larger_text == "declined"
