"""Tabs that take the height there is, in a page that scrolls."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QLabel

from app.console import theme
from app.console.widgets.room_tabs import RoomTabs

LEAST = QSize(200, 100)
LARGE = 900


def tabs_with_a_large_part(*, scrolls: bool) -> RoomTabs:
    """Tabs of which the hidden one needs much height."""
    tabs = RoomTabs(LEAST, scrolls=scrolls)
    large = QLabel("word " * 400)
    large.setWordWrap(True)
    large.setMinimumHeight(LARGE)
    for part in (QLabel("short"), large):
        tabs.addTab(part, "Tab")
    return tabs


def test_what_scrolls_in_its_tab_asks_for_no_height(application: QApplication) -> None:
    """Nor does the text of a hidden tab that wraps."""
    del application
    tabs = tabs_with_a_large_part(scrolls=True)
    assert tabs.minimumSizeHint() == tabs.sizeHint() == QSize(theme.px(200), theme.px(100))
    assert not tabs.hasHeightForWidth()


def test_what_does_not_scroll_has_the_room_of_the_largest_tab(application: QApplication) -> None:
    """And of ``least``, where that is more."""
    del application
    tabs = tabs_with_a_large_part(scrolls=False)
    assert tabs.minimumSizeHint().height() > LARGE
    tabs.set_least(QSize(0, 2 * LARGE))
    assert tabs.minimumSizeHint().height() == theme.px(2 * LARGE)
