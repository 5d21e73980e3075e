"""What does not fit scrolls, and the keyboard reaches it."""

from __future__ import annotations

from PySide6 import QtCore
from PySide6.QtWidgets import QFrame, QLayout, QScrollArea, QWidget

BAR_PX = 12
"""How wide the style sheet makes a scroll bar."""


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
    # As the style sheet has it, also where the area wears none: below a row of tabs Qt's palette is of the look before.
    for part in (inside, area.viewport()):
        part.setAutoFillBackground(False)
    return area


def bring_into_sight(widget: QWidget) -> None:
    """Scroll the nearest area that ``widget`` stands in, if it stands in one, until all of it is seen."""
    place = widget.parentWidget()
    while place is not None and not isinstance(place, QScrollArea):
        place = place.parentWidget()
    if place is not None:
        place.ensureWidgetVisible(widget, 0, 0)


def page_scroller(inside: QWidget, layout: QLayout) -> QScrollArea:
    """``scroller`` for a whole page, ``BAR_PX`` wider at the right than what it shows: its bar stands in the margin of
    the page. What it shows (``layout`` of ``inside``) is as wide with a bar as without, and ends where other pages do.
    """
    area = scroller(inside, sideways=True)
    bar = area.verticalScrollBar()

    def keep_room(_least: int, most: int) -> None:
        layout.setContentsMargins(0, 0, 0 if most else BAR_PX, 0)

    bar.rangeChanged.connect(keep_room)
    keep_room(0, bar.maximum())
    return area
