"""What does not fit scrolls, and the keyboard reaches it."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


def scroller(inside: QWidget, name: str = "", *, sideways: bool = False) -> QScrollArea:
    """An area in which ``inside`` scrolls. With a ``name`` it is a text that is read: Tab leads to it, its frame shows
    the focus and the arrow keys scroll it. Without one there are controls in it, which lead the focus and the view
    along. It scrolls ``sideways`` only where its parts may be wider than a small window."""
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    if not sideways:
        area.setHorizontalScrollBarPolicy(QtCore.Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    if name:
        area.setProperty("role", "reads")
        area.setAccessibleName(name)
        area.setFocusPolicy(QtCore.Qt.FocusPolicy.StrongFocus)
    else:
        area.setFocusPolicy(QtCore.Qt.FocusPolicy.NoFocus)
    area.setWidget(inside)
    return area
