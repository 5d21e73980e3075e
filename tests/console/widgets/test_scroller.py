"""Where a page that scrolls ends at its right."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.console.widgets.scroller import BAR_PX, page_scroller
from app.console.widgets.text import TitledPanel


def test_a_page_is_as_wide_with_a_bar_as_without(qtbot: QtBot, application: QApplication) -> None:
    """The bar stands in the margin: nothing moves when it comes."""
    inside = QWidget()
    column = QVBoxLayout(inside)
    panel = TitledPanel("Panel")
    column.addWidget(panel)
    area = page_scroller(inside, column)
    qtbot.addWidget(area)
    area.resize(400, 300)
    area.show()
    qtbot.waitUntil(lambda: panel.width() == 400 - BAR_PX)
    panel.setMinimumHeight(900)
    qtbot.waitUntil(area.verticalScrollBar().isVisible)
    qtbot.waitUntil(lambda: panel.width() == 400 - BAR_PX)
