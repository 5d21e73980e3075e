"""How large a dialog is: what it asks for, and never more than the window over which it opens."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QDialog, QFrame, QScrollArea, QWidget

from app.console import theme

AROUND_PX = 80
"""Of the window stays in sight, in each direction."""
LEAST_PX = 120
"""Height at 100 % text that fields which scroll keep."""


def room_for(dialog: QDialog) -> QSize:
    """The largest size, px, that a dialog may have over its window."""
    parent = dialog.parentWidget()
    window = parent.window().size() if parent is not None else dialog.screen().availableSize()
    return window - QSize(AROUND_PX, AROUND_PX)


def resize_dialog(dialog: QDialog, width: int, height: int) -> None:
    """Give a dialog ``width`` x ``height`` px at 100 % text, and less where its window is smaller."""
    dialog.resize(QSize(theme.px(width), theme.px(height)).boundedTo(room_for(dialog)))


def grow_dialog(dialog: QDialog) -> None:
    """Make a dialog as high as what stands in it, up to the room that it has; it never shrinks."""
    layout = dialog.layout()
    if layout is None:
        return
    wide = max(dialog.width(), layout.totalMinimumSize().width())
    high = layout.totalHeightForWidth(wide) if layout.hasHeightForWidth() else layout.totalSizeHint().height()
    high = max(dialog.height(), min(high, room_for(dialog).height()))
    if QSize(wide, high) != dialog.size():
        dialog.resize(wide, high)


class FieldScroller(QScrollArea):
    """The fields of a form: as high as they are, and with a bar where the dialog has no room for that."""

    def __init__(self, inside: QWidget) -> None:
        super().__init__()
        self._inside = inside
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setWidget(inside)

    def _high(self, wide: int) -> int:
        inside = self._inside
        layout = inside.layout()
        if layout is not None and layout.hasHeightForWidth():
            return layout.totalHeightForWidth(wide)
        return inside.sizeHint().height()

    def sizeHint(self) -> QSize:
        wide = max(self.viewport().width(), self._inside.minimumSizeHint().width())
        return QSize(self._inside.sizeHint().width(), self._high(wide))

    def minimumSizeHint(self) -> QSize:
        # The bar takes its room from the fields.
        wide = self._inside.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width()
        return QSize(wide, min(theme.px(LEAST_PX), self.sizeHint().height()))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        done = super().eventFilter(watched, event)
        if watched is self._inside and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return done
