"""The third column: one widget that stands beside the main part of a wide page, and at its home in another."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtWidgets import QApplication, QLineEdit, QTabWidget, QVBoxLayout, QWidget

from app.console import theme
from app.console.theme.tokens import DARK
from app.console.widgets.breadth import COLUMN, COLUMN_FROM, COLUMN_STAYS, GUTTER, PAGE, PANEL, WIDEST
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.third_column import ThirdColumn

HIGH = 600


class Site(QWidget):
    """A page of three tabs: a field, a list that may stand beside them, another field."""

    def __init__(self) -> None:
        super().__init__()
        self.field = QLineEdit()
        self.rows = RowsModel([Column("ROW", str)], str)
        self.rows.set_rows(range(200))
        self.list = DataTable(self.rows, name="Rows")
        self.tabs = QTabWidget()
        self.tabs.addTab(self.field, "Field")
        place = QWidget()
        home = QVBoxLayout(place)
        self.tabs.addTab(place, "List")
        self.late = QLineEdit()
        self.tabs.addTab(self.late, "Field that is made after it")
        self.third = ThirdColumn(self.tabs, self.list, home, open_home=lambda: self.tabs.setCurrentIndex(1))
        self.tabs.currentChanged.connect(lambda at: self.third.keep_home(at == 1))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.third)

    def widen(self, width: int) -> None:
        """Become so wide, and be laid out."""
        self.resize(width, HIGH)
        for _ in range(3):
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
            QApplication.processEvents()


@pytest.fixture
def site(application: QApplication) -> Iterator[Site]:
    """The page on the screen, as wide as in the window of the design."""
    del application
    made = Site()
    theme.wear(made)
    made.show()
    made.widen(1252)
    made.activateWindow()
    yield made
    made.close()


def test_it_stands_beside_where_there_is_room(site: Site) -> None:
    """From ``COLUMN_FROM`` on, at the right of the main part."""
    assert not site.third.beside
    site.widen(COLUMN_FROM - 1)
    assert not site.third.beside
    site.widen(COLUMN_FROM)
    assert site.third.beside
    assert site.list.mapTo(site, QPoint(0, 0)).x() == site.tabs.width() + GUTTER
    assert site.list.width() == COLUMN


def test_a_scroll_bar_does_not_take_it_away(site: Site) -> None:
    """The page would waver: without the column the bar goes, and the column comes."""
    site.widen(COLUMN_FROM)
    site.widen(COLUMN_FROM - COLUMN_STAYS)
    assert site.third.beside
    site.widen(COLUMN_FROM - COLUMN_STAYS - 1)
    assert not site.third.beside


def test_it_takes_what_the_page_leaves(site: Site) -> None:
    """Main zone and side are as wide as they become, the column has the rest, up to a panel's most."""
    site.widen(PAGE + GUTTER + 900)
    assert (site.tabs.width(), site.list.width()) == (PAGE, 900)
    site.widen(WIDEST + 300)
    assert (site.tabs.width(), site.list.width()) == (PAGE, PANEL)


def test_larger_text_needs_more_room(site: Site, application: QApplication) -> None:
    """A width is px at 100 % text."""
    site.widen(COLUMN_FROM)
    theme.apply(application, DARK, scale=1.25)
    try:
        site.widen(COLUMN_FROM)
        assert not site.third.beside
    finally:
        theme.apply(application, DARK, scale=1.0)
    assert site.third.beside


def test_its_tab_takes_it_home(site: Site) -> None:
    """The tab works as in a narrow page: the list stands there while it is in front."""
    site.widen(COLUMN_FROM)
    site.tabs.setCurrentIndex(1)
    assert not site.third.beside
    assert site.tabs.isAncestorOf(site.list)
    assert site.list.isVisible()
    site.tabs.setCurrentIndex(0)
    assert site.third.beside


def test_rows_selection_and_scrolling_go_with_it(site: Site) -> None:
    """There and back."""
    site.widen(COLUMN_FROM)
    site.list.selectRow(120)
    site.list.scrollTo(site.rows.index(120, 0))
    for width in (1252, COLUMN_FROM):
        site.widen(width)
        assert [one.row() for one in site.list.selectionModel().selectedRows()] == [120]
    assert site.list.verticalScrollBar().value() > 0


def test_hands_in_it_stay_in_it(site: Site) -> None:
    """Where its home is a tab, that comes to the front with it."""
    site.widen(COLUMN_FROM)
    site.list.setFocus()
    site.widen(1252)
    assert site.tabs.currentIndex() == 1
    assert site.list.hasFocus()


def test_hands_elsewhere_stay_there_with_what_they_typed(site: Site) -> None:
    """A field hears nothing of it."""
    told: list[bool] = []
    site.field.setFocus()
    site.field.setText("half a nam")
    site.field.editingFinished.connect(lambda: told.append(True))
    for width in (COLUMN_FROM, 1252):
        site.widen(width)
        assert site.field.hasFocus()
    assert (site.field.text(), told) == ("half a nam", [])


@pytest.mark.parametrize("at", [0, 2])
def test_tab_leads_to_it_after_the_main_part(site: Site, at: int) -> None:
    """In the order in which they stand, however early each was made; and from there to the head of the page."""
    site.widen(COLUMN_FROM)
    site.tabs.setCurrentIndex(at)
    (site.field, site.late)[at // 2].setFocus()
    site.focusNextPrevChild(True)
    assert site.list.hasFocus()
    site.focusNextPrevChild(True)
    assert site.tabs.tabBar().hasFocus()
