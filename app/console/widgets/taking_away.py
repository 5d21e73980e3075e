"""Widgets that leave a layout that stays.

Never by ``takeAt``, which leaves Qt's item to nobody; and ``itemAt`` makes PySide keep a wrapper of the item by its
address, after Qt has deleted it. An object that comes to stand there then ends with foreign memory, and so does the
console. For the same reason a layout is put into another before it is filled, wherever its widgets may leave it.
"""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtWidgets import QLayout, QWidget


def take_away(layout: QLayout, widgets: Iterable[QWidget]) -> None:
    """Take these out of the layout and delete them. They may be what the event that is handled came from."""
    for one in widgets:
        layout.removeWidget(one)
        one.hide()
        one.deleteLater()
