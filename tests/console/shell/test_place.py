"""Size, place and page of the window are there again after a restart of the console."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from app.console.page import PageRow
from app.console.preferences import PreferenceStore
from app.console.shell.place import GRIP, place_again, place_of, place_text
from app.console.shell.window import MainWindow
from tests.console.conftest import until

PAGES = (
    PageRow("sample", "Sample", "server", "Ctrl+1", "tests.console.sample_page"),
    PageRow("settings", "Settings", "settings", "Ctrl+2", "app.console.pages.settings", offline=True),
    PageRow("other", "Other", "list", "Ctrl+3", "tests.console.sample_page"),
)
LEAST = QSize(960, 600)
LEFT, RIGHT = QRect(0, 0, 1920, 1080), QRect(1920, 0, 1280, 1024)
Open = Callable[[], MainWindow]


@given(st.builds(QRect, *[st.integers(-9999, 9999)] * 2, *[st.integers(0, 99_999)] * 2))
def test_a_place_is_read_as_it_was_written(place: QRect) -> None:
    """At any corner of many screens, left and above of the first, too; within the length of a preference."""
    assert place_of(place_text(place)) == place
    assert len(place_text(place)) <= 64


@pytest.mark.parametrize("text", ["", "1480x900", "1480x900+1+2 ", "ax900+1+2", "1480x900+1+2+3", "-5x900+1+2"])
def test_another_text_is_no_place(text: str) -> None:
    """Of another program, of another version, of a hand that erred."""
    assert place_of(text) is None
    assert place_again(text, LEAST, [LEFT]) is None


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("1200x800+100+50", QRect(100, 50, 1200, 800)),
        ("1200x800+2000+50", QRect(2000, 50, 1200, 800)),
        ("1900x1000+1800+0", QRect(1800, 0, 1280, 1000)),  # most of its edge is on the smaller screen
        ("2500x2000+0+0", QRect(0, 0, 1920, 1080)),
        ("1200x800-1040+0", QRect(-1040, 0, 1200, 800)),
        ("1200x800-1041+0", None),  # 159 px of its edge
        ("1200x800+100+1048", QRect(100, 1048, 1200, 800)),
        ("1200x800+100+1049", None),
        ("1200x800+100-1", None),  # its upper edge is above the screen: the title cannot be taken hold of
        ("1200x800+5000+50", None),
        ("959x800+100+50", None),
        ("1200x599+100+50", None),
    ],
)
def test_the_window_comes_back_only_where_it_can_be_reached(text: str, place: QRect | None) -> None:
    """On a screen that is still there, and no larger than it."""
    assert place_again(text, LEAST, [LEFT, RIGHT]) == place


def test_a_screen_that_is_gone_gives_the_window_back() -> None:
    """What stood on the second screen does not open out of sight."""
    assert place_again("1200x800+2000+50", LEAST, [LEFT]) is None
    assert place_again("1200x800+2000+50", LEAST, []) is None
    # A screen smaller than the smallest window: it is put there, as every window is.
    assert place_again("1200x800+0+0", LEAST, [QRect(0, 0, 800, 600)]) == QRect(QPoint(0, 0), LEAST)


@pytest.fixture
def open_console(tmp_path: Path, loop: asyncio.AbstractEventLoop) -> Iterator[Open]:
    """Each call closes the window that is open and starts anew, from the same file of preferences."""
    opened: list[MainWindow] = []

    def end() -> None:
        while opened:
            gone = opened.pop()
            gone.finish()
            gone.deleteLater()

    def start() -> MainWindow:
        end()
        made = MainWindow("training", PreferenceStore(tmp_path / "preferences.json"), PAGES)
        opened.append(made)
        made.show_again()
        loop.run_until_complete(until(made.isVisible))
        return made

    yield start
    end()


def test_the_window_and_its_page_are_there_again(open_console: Open) -> None:
    """Size, place, page; a first start has its own."""
    window = open_console()
    assert (window.size(), window.page) == (QSize(1480, 900), "sample")
    screen = QGuiApplication.primaryScreen().availableGeometry()
    wanted = LEAST.expandedTo(QSize(screen.width() - 60, screen.height() - 90))
    window.resize(wanted)
    window.move(screen.topLeft() + QPoint(40, 50))
    window.navigate("other", {})
    place = QRect(window.pos(), window.size())
    again = open_console()
    assert (QRect(again.pos(), again.size()), again.page) == (place, "other")


def test_a_console_that_is_killed_has_written_it_down(open_console: Open, tmp_path: Path, loop: Any) -> None:
    """Within a moment of the last change, not only when it is closed."""
    window = open_console()
    window.navigate("settings", {})
    file = tmp_path / "preferences.json"
    loop.run_until_complete(until(lambda: file.exists() and json.loads(file.read_bytes())["page"] == "settings"))


def test_a_maximized_window_is_maximized_again(open_console: Open, application: QApplication) -> None:
    """And keeps the place that it goes back to."""
    window = open_console()
    window.resize(LEAST)
    window.remember()
    before = window.session.preferences.value.window
    assert before.startswith("960x600")
    window.showMaximized()
    application.processEvents()
    again = open_console()
    assert again.isMaximized()
    assert again.session.preferences.value.window == before


def test_a_minimized_window_keeps_its_place(open_console: Open) -> None:
    """It stands nowhere; it comes back as it was."""
    window = open_console()
    window.remember()
    before = window.session.preferences.value
    window.showMinimized()
    window.resize(LEAST)
    window.remember()
    assert window.session.preferences.value == before


def test_the_chosen_first_page_wins(open_console: Open) -> None:
    """Who chose a first page gets it, whichever was shown last; a page that is gone is none."""
    window = open_console()
    window.navigate("other", {})
    window.session.preferences.set(home="settings")
    assert open_console().page == "settings"
    window = open_console()
    window.session.preferences.set(home="gone")
    window.navigate("other", {})
    assert open_console().page == "other"


@pytest.mark.parametrize(
    "changes",
    [
        {"window": "somewhere"},
        {"window": 7},
        {"window": "9" * 400},
        {"window": "1480x900+90000+90000"},
        {"maximized": "yes"},
        {"page": ["other"]},
        {"page": "of another console"},
    ],
)
def test_what_cannot_be_used_is_the_default_and_costs_nothing_else(
    changes: dict[str, object], open_console: Open, tmp_path: Path
) -> None:
    """The theme that somebody chose stays, and no sentence is shown for what nobody chose."""
    told = {"version": 1, "text_scale": 125, "window": "", "maximized": False, "page": "", **changes}
    (tmp_path / "preferences.json").write_text(json.dumps(told))
    window = open_console()
    assert (window.size(), window.page, window.isMaximized()) == (QSize(1480, 900), "sample", False)
    assert (window.session.preferences.value.text_scale, window.session.preferences.problem) == (125, "")


def test_to_remember_dresses_nothing(open_console: Open, qtbot: Any) -> None:
    """A window that was moved is not polished anew."""
    window = open_console()
    with qtbot.assertNotEmitted(window.session.preferences.changed):
        window.navigate("other", {})
        window.remember()
    assert window.session.preferences.value.page == "other"


def test_a_grip_is_smaller_than_the_smallest_window() -> None:
    """Else a window that is wholly in sight would be sent away."""
    assert GRIP.width() < LEAST.width()
