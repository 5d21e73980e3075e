"""A main part with a side: beside each other where there is room, else one below the other."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.tokens import DARK
from app.console.widgets.breadth import BESIDE_FROM
from app.console.widgets.folding import MainAndSide
from app.console.widgets.front_tabs import FrontTabs
from app.console.widgets.scroller import scroller
from app.console.widgets.side import Side

SIDE, BELOW = 400, 300


class Site(QScrollArea):
    """A page that scrolls, with a list, what is chosen in it, and what stands below the list."""

    def __init__(self) -> None:
        super().__init__()
        self.list, self.rest = QLabel("list"), QLabel("rest")
        self.list.setMinimumWidth(500)
        self.side = Side(SIDE)
        self.parts = MainAndSide(self.list, self.side, self.rest, below=BELOW)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.parts)
        self.setWidgetResizable(True)
        self.setWidget(inside)

    def widen(self, width: int) -> None:
        """Become so wide, and be laid out."""
        self.resize(width, 700)
        lay_out()


def lay_out() -> None:
    """Have layouts take their turns."""
    for _ in range(3):
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        QApplication.processEvents()


@pytest.fixture
def site(application: QApplication, qtbot: object) -> Iterator[Site]:
    """The page on the screen, with room for the side."""
    del application, qtbot
    made = Site()
    made.show()
    made.widen(BESIDE_FROM + 100)
    yield made
    made.close()


def test_a_side_stands_beside_both_parts(site: Site) -> None:
    """At its width, as high as they are."""
    assert not site.parts.narrow
    assert site.side.x() > site.list.x() + site.list.width()
    assert site.side.width() == theme.px(SIDE)
    assert site.side.height() == site.parts.height()


def test_a_side_without_room_stands_between_them(site: Site) -> None:
    """As wide as they are, though the page would scroll and never become narrower by itself; and back."""
    site.widen(BESIDE_FROM - 100)
    assert site.list.y() < site.side.y() < site.rest.y()
    assert site.side.width() == site.list.width() == site.parts.width()
    assert site.side.height() >= theme.px(BELOW)
    assert site.horizontalScrollBar().maximum() == 0
    site.widen(BESIDE_FROM + 100)
    assert site.side.x() > site.list.x() + site.list.width()
    assert site.side.minimumHeight() == 0


def test_larger_text_takes_the_room_of_the_side(site: Site, application: QApplication) -> None:
    """In the same window."""
    theme.apply(application, DARK, scale=1.5)
    lay_out()
    assert site.parts.narrow
    assert site.side.minimumHeight() == theme.px(BELOW)


def test_a_hidden_tab_does_not_make_the_page_longer(application: QApplication, qtbot: object) -> None:
    """The page scrolls while the long tab is in front, and only then."""
    del application, qtbot
    tabs = FrontTabs()
    long, short = QLabel("long"), QLabel("short")
    long.setMinimumHeight(900)
    for title, part in (("Short", short), ("Long", long)):
        tabs.addTab(part, title)
    area = scroller(tabs)
    area.resize(400, 300)
    area.show()
    lay_out()
    assert area.verticalScrollBar().maximum() == 0
    tabs.setCurrentWidget(long)
    lay_out()
    assert area.verticalScrollBar().maximum() > 0
    tabs.setCurrentWidget(short)
    lay_out()
    assert area.verticalScrollBar().maximum() == 0
    area.close()
