"""A screen reader's questions that Qt's own interfaces do not survive."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QGraphicsView, QLabel, QScrollArea, QTableWidget
from pytestqt.qtbot import QtBot


@pytest.mark.parametrize("kind", [QScrollArea, QGraphicsView])
def test_a_child_past_the_end_is_none(kind: type[QAbstractScrollArea], qtbot: QtBot, application: QApplication) -> None:
    """The scroll bar went after the children were counted. Qt reads behind its list there, and this process ends."""
    area = kind()
    qtbot.addWidget(area)
    interface = QAccessible.queryAccessibleInterface(area)
    assert interface.childCount() > 0
    assert interface.child(interface.childCount()) is None
    assert interface.child(-1) is None


def test_what_scrolls_is_heard(qtbot: QtBot, application: QApplication) -> None:
    """The content stands below the area, by way of its viewport."""
    area, content = QScrollArea(), QLabel("Every door refuses")
    qtbot.addWidget(area)
    area.setWidget(content)
    area.show()
    interface = QAccessible.queryAccessibleInterface(content)
    above = []
    while interface.parent() is not None:
        interface = interface.parent()
        above.append(interface.object())
    assert above[:2] == [area.viewport(), area]


def test_what_has_an_interface_of_its_own_keeps_it(qtbot: QtBot, application: QApplication) -> None:
    """A table scrolls, too, and is heard as a table."""
    table = QTableWidget(2, 3)
    qtbot.addWidget(table)
    assert QAccessible.queryAccessibleInterface(table).role() is QAccessible.Role.Table
