"""Where the window stood: as the preferences keep it, and whether it may stand there again."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize

_TEXT = r"([0-9]{1,5})x([0-9]{1,5})([+-][0-9]{1,5})([+-][0-9]{1,5})"
GRIP = QSize(160, 32)
"""So much of the window's upper edge must be on a screen: else nobody could take hold of it."""


def place_text(place: QRect) -> str:
    """``1480x900+20-10``: width, height, left, top, in logical px."""
    return f"{place.width()}x{place.height()}{place.x():+d}{place.y():+d}"


def place_of(text: str) -> QRect | None:
    """The place that ``place_text`` wrote; None for any other text."""
    found = re.fullmatch(_TEXT, text)
    if found is None:
        return None
    width, height, left, top = map(int, found.groups())
    return QRect(QPoint(left, top), QSize(width, height))


def place_again(text: str, least: QSize, screens: Sequence[QRect]) -> QRect | None:
    """Where the window is put: at the place of the text, no larger than the screen that has most of its upper edge, no
    smaller than ``least``. None where the text is none, or where no screen (its usable area) has enough of that edge:
    the screen is gone, and the window would be out of sight."""
    place = place_of(text)
    if place is None or place.width() < least.width() or place.height() < least.height():
        return None
    edge = QRect(place.topLeft(), QSize(place.width(), GRIP.height()))
    seen = [(edge & screen, screen) for screen in screens]
    seen = [(part, screen) for part, screen in seen if part.width() >= GRIP.width() and part.height() >= GRIP.height()]
    if not seen:
        return None
    screen = max(seen, key=lambda one: one[0].width())[1]
    return QRect(place.topLeft(), place.size().boundedTo(screen.size()).expandedTo(least))
