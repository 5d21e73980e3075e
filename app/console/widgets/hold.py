"""Hold to burn: the action happens only when the button was held for the whole time, by mouse or by Space.

Letting go, losing the focus or leaving the button takes it back. The text is painted twice, clipped, so that on each
part of the fill it has the ink that is legible there.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from app.console import theme

HOLD_MS = 1500


class HoldButton(QAbstractButton):
    """Emits ``held`` after ``hold_ms`` of holding, ``aborted`` when it is let go earlier."""

    held = Signal()
    aborted = Signal()

    def __init__(self, text: str, *, hold_ms: int = HOLD_MS, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self._hold_ms = hold_ms
        self._since: float | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)
        self.setAccessibleDescription(
            f"Hold the mouse button or Space for {hold_ms / 1000:g} seconds; let go to abort."
        )
        self._timer = QTimer(self)
        self._timer.setInterval(16)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    @property
    def share(self) -> float:
        """How much of the time it has been held, 0..1."""
        if self._since is None:
            return 0.0
        return min(1.0, (time.monotonic() - self._since) * 1000 / self._hold_ms)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + theme.px(48), theme.px(40))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def _begin(self) -> None:
        if self._since is None and self.isEnabled():
            self._since = time.monotonic()
            self._timer.start()
            self.update()

    def _abort(self) -> None:
        if self._since is not None:
            self._since = None
            self._timer.stop()
            self.update()
            self.aborted.emit()

    def _beat(self) -> None:
        if self.share >= 1.0:
            self._since = None
            self._timer.stop()
            self.update()
            self.held.emit()
        else:
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._begin()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.rect().contains(event.position().toPoint()):
            self._abort()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._abort()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            # A held key repeats itself: only its first press begins.
            if not event.isAutoRepeat():
                self._begin()
            event.accept()
        elif event.key() == Qt.Key.Key_Escape and self._since is not None:
            self._abort()
            event.accept()
        else:
            # Not QAbstractButton's own handler: its Enter and Select would click without holding.
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._abort()
            event.accept()
        else:
            event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._abort()
        super().focusOutEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.EnabledChange and not self.isEnabled():
            self._abort()
        super().changeEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        tokens = theme.current()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        shape = QPainterPath()
        shape.addRoundedRect(box, 6, 6)
        enabled = self.isEnabled()
        painter.fillPath(shape, QColor(tokens.panel))
        done = box.left() + box.width() * self.share
        filled = QRectF(box.left(), box.top(), done - box.left(), box.height())
        painter.setFont(theme.ui(14, self.font().Weight.DemiBold))
        for clip, ground, ink in (
            (QRectF(done, box.top(), box.right() - done + 1, box.height()), None, tokens.crit),
            (filled, tokens.crit, tokens.on_fill),
        ):
            painter.save()
            painter.setClipRect(clip)
            if ground:
                painter.fillPath(shape, QColor(ground))
            painter.setPen(QColor(ink if enabled else tokens.idle))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text())
            painter.restore()
        edge = tokens.crit if enabled else tokens.line
        painter.setPen(QPen(QColor(edge), 1.5))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawPath(shape)
        if self.hasFocus():
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 7, 7)
