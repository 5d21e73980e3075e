"""The smallest screen that the console is made for, and large text: no page, no dialog and no wall cuts its words or
controls, lays parts over each other, or scrolls sideways."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QTabWidget, QWidget

from app.console import theme
from app.console.language import PSEUDO, language
from app.console.page import PageRow
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.shell.wall import SCENES
from app.console.shell.window import MainWindow, dress
from app.console.telemetry.live import Live
from app.console.tour.eyes import Eyes
from app.console.tour.layout import cut_controls, layout_of, overlaps, wide_tables
from tests.console.dialogs import DIALOGS, watched_alarms

LOOKS = (
    {"1480x900": (QSize(1480, 900), 100)}
    if language() == PSEUDO
    else {
        "1024x700": (QSize(1024, 700), 100),
        "1480x900-150%": (QSize(1480, 900), 150),
        "1920x1080-200%": (QSize(1920, 1080), 200),
    }
)
"""Sizes of the window with the text size, per cent. Between them there is more room. Words that are longer by
two fifths are wanted at the usual size alone."""
Make = Callable[[QSize, int], MainWindow]


@pytest.fixture
def make_window(application: QApplication, preferences: PreferenceStore, loop: Any) -> Iterator[Make]:
    """The window of the product at a size and a text size, on a training site (its pages have the most controls),
    without a service: what is fixed is what is measured."""
    windows: list[MainWindow] = []

    def make(size: QSize, text: int) -> MainWindow:
        preferences.set(text_scale=text)
        dress(application, preferences.value)
        made = MainWindow("training", preferences, PAGES)
        windows.append(made)
        made.session.live = Live(made.session.clock, made)
        made.resize(size)
        made.show()
        return made

    yield make
    for made in windows:
        loop.run_until_complete(made.close_pages())
        made.finish()
        made.deleteLater()


def faults_of(window: QWidget, view: QWidget, application: QApplication) -> list[str]:
    """What is wrong with a page as it stands there."""
    # The layout takes some turns: widths first, then what wraps for them.
    for _ in range(4):
        application.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        application.processEvents()
    eyes = Eyes(window)
    found = (*cut_controls(eyes, view), *wide_tables(view, theme.px(8)), *layout_of(eyes).cut, *overlaps(view))
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)
def test_no_page_cuts_anything(row: PageRow, look: str, make_window: Make, application: QApplication) -> None:
    """In every tab words and buttons have room, the primary buttons are whole in sight, nothing scrolls sideways."""
    size, text = LOOKS[look]
    window = make_window(size, text)
    window.add_presenter(row.id, importlib.import_module(row.module).make(window.session))
    view = window.presenter(row.id).view
    window.navigate(row.id, {})
    window.stack.setCurrentWidget(view)
    tabs = next(iter(view.findChildren(QTabWidget)), None)
    found = []
    for at in range(tabs.count() if tabs else 1):
        if tabs is not None:
            tabs.setCurrentIndex(at)
        name = tabs.tabText(at) if tabs else row.title
        found += [f"{name}: {fault}" for fault in faults_of(window, view, application)]
        assert window.size() == size
    assert "\n".join(found) == ""


@pytest.mark.parametrize("look", LOOKS)
def test_a_strike_is_whole(look: str, make_window: Make, application: QApplication) -> None:
    """What stands in the place of the draft on the page Enforcement."""
    window = make_window(*LOOKS[look])
    presenter = importlib.import_module("app.console.pages.enforcement").make(window.session)
    window.add_presenter("enforcement", presenter)
    window.navigate("enforcement", {})
    window.stack.setCurrentWidget(presenter.view)
    presenter.view.show_section("strike")
    assert faults_of(window, presenter.view, application) == []


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", DIALOGS)
def test_no_dialog_cuts_anything(name: str, look: str, make_window: Make, application: QApplication) -> None:
    """As it opens, and it is no larger than the window."""
    size, text = LOOKS[look]
    dialog = DIALOGS[name](make_window(size, text))
    dialog.open()
    found = faults_of(dialog, dialog, application)
    if dialog.width() > size.width() or dialog.height() > size.height():
        found.append(f"it is {dialog.width()} x {dialog.height()} px")
    dialog.done(0)
    assert "\n".join(found) == ""


@pytest.mark.parametrize("look", LOOKS)
def test_no_scene_of_the_wall_cuts_anything(look: str, make_window: Make, application: QApplication) -> None:
    """With alarms of more kinds than a scene has lines; no service says how frames and doors are."""
    size, _text = LOOKS[look]
    window = make_window(*LOOKS[look])
    window.watch_alarms(watched_alarms(window))
    window.turn_wall()
    window.showNormal()
    window.resize(size)
    wall = window._wall
    assert wall is not None
    found = []
    for scene in SCENES:
        found += [f"{scene}: {fault}" for fault in faults_of(window, wall, application)]
        QTest.keyClick(wall, Qt.Key.Key_Right)
    assert window.size() == size
    assert "\n".join(found) == ""
