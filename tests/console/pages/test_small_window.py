"""The smallest screen that the console is made for: at 1024 x 700 no page cuts its controls or scrolls sideways."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QApplication, QTabWidget

from app.console import theme
from app.console.page import PageRow
from app.console.pages import PAGES
from app.console.preferences import PreferenceStore
from app.console.shell.window import MainWindow
from app.console.telemetry.live import Live
from app.console.tour.eyes import Eyes
from app.console.tour.layout import cut_controls, wide_tables

SMALL = QSize(1024, 700)


@pytest.fixture
def window(application: QApplication, preferences: PreferenceStore, loop: Any) -> Iterator[MainWindow]:
    """The window of the product at that size, on a training site (its pages have the most controls), without a
    service: what is fixed is what is measured."""
    made = MainWindow("training", preferences, PAGES)
    made.session.live = Live(made.session.clock, made)
    made.resize(SMALL)
    made.show()
    yield made
    loop.run_until_complete(made.close_pages())
    made.finish()
    made.deleteLater()


@pytest.mark.parametrize("row", PAGES, ids=lambda row: row.id)
def test_no_page_cuts_its_controls_on_a_small_screen(
    row: PageRow, window: MainWindow, application: QApplication
) -> None:
    """In every tab buttons have room for their words, the primary ones are whole in sight, nothing scrolls sideways."""
    window.add_presenter(row.id, importlib.import_module(row.module).make(window.session))
    view = window.presenter(row.id).view
    window.navigate(row.id, {})
    window.stack.setCurrentWidget(view)
    tabs = next(iter(view.findChildren(QTabWidget)), None)
    found = []
    for at in range(tabs.count() if tabs else 1):
        if tabs is not None:
            tabs.setCurrentIndex(at)
        # The layout takes two turns: widths first, then what wraps for them.
        for _ in range(3):
            application.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            application.processEvents()
        assert window.size() == SMALL
        name = tabs.tabText(at) if tabs else row.title
        found += [f"{name}: {fault}" for fault in (*cut_controls(Eyes(window), view), *wide_tables(view, theme.px(8)))]
    assert "\n".join(found) == ""


def test_a_strike_is_whole_on_a_small_screen(window: MainWindow, application: QApplication) -> None:
    """What stands in the place of the draft on the page Enforcement."""
    presenter = importlib.import_module("app.console.pages.enforcement").make(window.session)
    window.add_presenter("enforcement", presenter)
    window.navigate("enforcement", {})
    window.stack.setCurrentWidget(presenter.view)
    presenter.view.show_section("strike")
    for _ in range(3):
        application.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        application.processEvents()
    assert [*cut_controls(Eyes(window), presenter.view), *wide_tables(presenter.view, theme.px(8))] == []
