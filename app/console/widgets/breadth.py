"""How wide things become at most, however wide the screen is; lengths are px at 100 % text.

A page has a main zone and a side; what is left over on a wider screen is a third zone, never wider buttons or lines of
text that the eye loses.
"""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QBoxLayout, QLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.widgets.lengths import keep_lengths

BUTTON = 352
"""A side panel holds 336: a button that ended before the field above it would look misaligned."""
TEXT = 720
"""Of sentences and of fields."""
PANEL = 1600
"""Of a panel, and of the main zone of a page."""
SIDE_ZONE = 512
GUTTER = 12
PAGE = PANEL + GUTTER + SIDE_ZONE
"""Of a page with main zone and side."""
WIDEST = PAGE + GUTTER + PANEL
"""Of a page with a third zone."""
ONE_COLUMN_BELOW = 1040
"""Width of a page below which what stood side by side stands one below the other."""
NOTHING_BESIDE_BELOW = 720
"""The same below which no narrow side has room beside the main part either: 200 % text in the default window."""
BESIDE_FROM = ONE_COLUMN_BELOW - 32
"""The same of what stands in a page between its margins."""
THIRD_FROM = PAGE + 2 * GUTTER + SIDE_ZONE
"""Width of a page from which there is room for a third zone beside main zone and side."""
COLUMN = 428
"""Of a third column that holds what a page has of the past: at 1920 x 1080 what stands beside it is exactly as wide as
in the window of 1480 x 900. Beside a page that is as wide as it becomes it takes what is left."""
COLUMN_FROM = 1676
"""Width of what stands in a page from which it has that column."""
COLUMN_STAYS = 16
"""So much narrower it keeps the column: a scroll bar that comes because of the column must not take it away again."""
UNBOUNDED = 16_777_215
"""The largest height or width that Qt knows, px: that of a widget without a bound."""


class Narrow(QVBoxLayout):
    """A column that is at most ``widest`` px wide and stands at the left of its place: Qt would centre a widget that is
    narrower than its place."""

    def __init__(self, widest: int, *parts: QWidget | QLayout, parent: QWidget | None = None) -> None:
        if parent is None:
            super().__init__()
        else:
            super().__init__(parent)
        self._widest = widest
        self.invalidate()
        self.setContentsMargins(0, 0, 0, 0)
        for part in parts:
            if isinstance(part, QWidget):
                self.addWidget(part)
            else:
                self.addLayout(part)

    def set_widest(self, widest: int) -> None:
        """Become at most so wide, px at 100 % text."""
        if widest != self._widest:
            self._widest = widest
            self.invalidate()

    def _room(self, width: int) -> int:
        margins = self.contentsMargins()
        return min(width, theme.px(self._widest) + margins.left() + margins.right())

    def invalidate(self) -> None:
        # Qt asks for the height of each width many times in one pass, from level to level, and remembers one answer.
        self._heights: dict[int, int] = {}
        self._least_heights: dict[int, int] = {}
        super().invalidate()

    def heightForWidth(self, width: int, /) -> int:
        room = self._room(width)
        found = self._heights.get(room)
        if found is None:
            found = self._heights[room] = super().heightForWidth(room)
        return found

    def minimumHeightForWidth(self, width: int, /) -> int:
        room = self._room(width)
        found = self._least_heights.get(room)
        if found is None:
            found = self._least_heights[room] = super().minimumHeightForWidth(room)
        return found

    def setGeometry(self, rect: QRect, /) -> None:
        super().setGeometry(QRect(rect.left(), rect.top(), self._room(rect.width()), rect.height()))


def lay(parts: QBoxLayout, *, across: bool) -> None:
    """Have the parts of a row or column side by side, or one below the other."""
    way = QBoxLayout.Direction.LeftToRight if across else QBoxLayout.Direction.TopToBottom
    if way is not parts.direction():
        parts.setDirection(way)


def fix_field(field: QWidget, width: int) -> None:
    """Keep a field at that width, px at 100 % text; to be called once. The most of any field is in the style sheet,
    which would overrule ``setFixedWidth``."""
    keep_lengths(field, lambda one: one.setMinimumWidth(theme.px(width)))
    field.setSizePolicy(QSizePolicy.Policy.Fixed, field.sizePolicy().verticalPolicy())
