"""How loud a microphone hears: cells from silence to full scale, the loudest moment of late, and words."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr

LEAST_DB, LOUD_DB, CLIP_DB = -60.0, -12.0, -3.0
"""Left end of the meter, and where too loud and cut off begin; dB of full scale."""
FALL_DB = 1.5
"""The mark of the loudest moment falls so much at each level."""
_CELL, _GAP, _HIGH = 4, 2, 14


class LevelMeter(QWidget):
    """``set`` shows a level of now; None: nothing is heard."""

    def __init__(self, *, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._level: float | None = None
        self._peak = LEAST_DB
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set(None)

    @property
    def level(self) -> float | None:
        """The level shown, dB of full scale."""
        return self._level

    def set(self, level: float | None) -> None:
        """Show a level, dB of full scale."""
        self._level = level
        self._peak = LEAST_DB if level is None else max(level, self._peak - FALL_DB)
        heard = tr("nothing is heard") if level is None else f"{level:.0f} dBFS"
        self.setAccessibleName(f"{self._name}: {heard}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(_HIGH))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(120), theme.px(_HIGH))

    def _x(self, level: float) -> float:
        return (min(max(level, LEAST_DB), 0.0) - LEAST_DB) / -LEAST_DB * self.width()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        step = theme.px(_CELL + _GAP)
        lit = 0.0 if self._level is None else self._x(self._level)
        for left in range(0, self.width() - theme.px(_CELL) + 1, step):
            level = LEAST_DB - LEAST_DB * left / self.width()
            colour = QColor(tokens.bad if level >= CLIP_DB else tokens.warn if level >= LOUD_DB else tokens.ok)
            if left >= lit:
                colour.setAlpha(48)
            painter.fillRect(QRectF(left, 0, theme.px(_CELL), self.height()), colour)
        if self._level is not None and self._peak > LEAST_DB:
            painter.setPen(QPen(QColor(tokens.text), 2))
            at = self._x(self._peak)
            painter.drawLine(QPointF(at, 0), QPointF(at, self.height()))
