"""A column of fixed width beside the main part of a page; its width follows the text scale."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console import theme


class Side(QWidget):
    """``width`` px at 100 % text; what stands in it is added to ``column``."""

    def __init__(self, width: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._width = width
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(12)
        self.setFixedWidth(theme.px(width))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self.setFixedWidth(theme.px(self._width))
        super().changeEvent(event)
