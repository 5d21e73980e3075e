"""Hold to burn: the action happens only when the button was held for the whole time, by mouse or by Space.

Letting go, losing the focus, another key or button, a dialog or a pop-up takes it back. The text is painted twice,
clipped, so that on each part of the fill it has the ink that is legible there.

A window system that repeats a held key may send each repeat as a release and a press, with nothing that tells them
from a hand's (XAutoRepeat; remote desktops). So a release counts when no press has followed it for ``JOIN_MS``, and a
press counts when the key was up for that long before it.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr

HOLD_MS = 1500
JOIN_MS = 60
"""A release and a press closer than this are one held key that repeats itself. Repeats come up to 25 times a second; a
hand needs about 80 ms to press the same key again."""
BEAT_MS = 16
LATE_BEATS = 2
"""What the window system has sent by the time that a beat is due may be read only after that beat. So what a beat
finds is acted on at the next one, when the queue was emptied in between."""


class HoldButton(QAbstractButton):
    """Emits ``held`` after ``hold_ms`` of holding, ``aborted`` when it is let go earlier."""

    held = Signal()
    aborted = Signal()

    def __init__(self, text: str, *, hold_ms: int = HOLD_MS, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self._hold_ms = hold_ms
        self._since: float | None = None
        self._by_key = False
        self._full_beats = 0
        """Beats since the time was over."""
        self._key_is_down = False
        """Space is down, or was let go less than ``JOIN_MS`` ago."""
        self._lifted: float | None = None
        """When Space was let go, while that does not count yet."""
        self._lifted_beats = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(text)
        self.setAccessibleDescription(
            tr("Hold the mouse button or Space for {hold_ms:g} seconds; let go to abort.", hold_ms=hold_ms / 1000)
        )
        self._timer = QTimer(self)
        self._timer.setInterval(BEAT_MS)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)

    @property
    def share(self) -> float:
        """How much of the time it has been held, 0..1."""
        if self._since is None:
            return 0.0
        return min(1.0, (time.monotonic() - self._since) * 1000 / self._hold_ms)

    @property
    def is_ready(self) -> bool:
        """Whether a press of Space would begin a hold now: it is enabled, and the key was up for a while."""
        return self.isEnabled() and not self._key_is_down and self._since is None

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance(self.text()) + theme.px(48), theme.px(40))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # --- holding -----------------------------------------------------------------------------------------------------

    def _begin(self, *, by_key: bool) -> None:
        """Start to count. A second hand at the button takes the hold of the first one back."""
        if self._since is not None:
            self._abort()
        elif self.isEnabled() and not self._is_covered():
            self._since = time.monotonic()
            self._by_key = by_key
            self._full_beats = 0
            self._timer.start()
            self.update()

    def _abort(self) -> None:
        if self._since is not None:
            self._since = None
            self.update()
            self.aborted.emit()

    def _beat(self) -> None:
        """Count on: a release that no press followed takes the hold back; the end of the time completes it."""
        if self._lifted is not None:
            self._lifted_beats += 1
            if self._lifted_beats >= LATE_BEATS and (time.monotonic() - self._lifted) * 1000 >= JOIN_MS:
                self._lifted = None
                self._key_is_down = False
                if self._by_key:
                    self._abort()
        if self._since is None:
            if self._lifted is None:
                self._timer.stop()
            return
        if self._is_covered():
            self._abort()
            return
        # A release that does not count yet holds the end back: it was before the end, so it must not burn.
        if self.share >= 1.0 and not (self._by_key and self._lifted is not None):
            self._full_beats += 1
            if self._full_beats >= LATE_BEATS:
                self._since = None
                self.held.emit()
        self.update()

    def _is_covered(self) -> bool:
        """Whether a dialog or a pop-up lies between the hand and this button."""
        modal = QApplication.activeModalWidget()
        return QApplication.activePopupWidget() is not None or (modal is not None and modal is not self.window())

    def _lift(self) -> None:
        """Space was let go, or may have been: that counts when no press follows."""
        self._key_is_down = True
        self._lifted = time.monotonic()
        self._lifted_beats = 0
        self._timer.start()

    # --- events ------------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._begin(by_key=False)
        else:
            self._abort()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._by_key and not self.rect().contains(event.position().toPoint()):
            self._abort()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._abort()
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            # A held key repeats itself: only its first press begins.
            repeats = event.isAutoRepeat() or self._key_is_down
            self._key_is_down = True
            self._lifted = None
            if self._since is not None and not self._by_key:
                self._abort()
            elif not repeats:
                self._begin(by_key=True)
            event.accept()
        elif self._since is not None:
            self._abort()
            event.accept()
        else:
            # Not QAbstractButton's own handler: its Enter and Select would click without holding.
            event.ignore()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Space:
            if not event.isAutoRepeat():
                self._lift()
            event.accept()
        else:
            event.ignore()

    def focusInEvent(self, event: QFocusEvent) -> None:
        # The Space that brought the focus here may still be down: what it repeats is no press.
        self._lift()
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._abort()
        super().focusOutEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._abort()
        super().hideEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if (event.type() == QEvent.Type.EnabledChange and not self.isEnabled()) or (
            event.type() == QEvent.Type.ActivationChange and not self.isActiveWindow()
        ):
            self._abort()
        super().changeEvent(event)

    def event(self, event: QEvent) -> bool:
        if self._since is not None:
            if event.type() == QEvent.Type.UngrabMouse and not self._by_key:
                self._abort()
            elif (
                event.type() == QEvent.Type.ShortcutOverride
                and isinstance(event, QKeyEvent)
                and event.key() != Qt.Key.Key_Space
            ):
                # Asked before the shortcuts: the key comes here, ends the hold, and does nothing else.
                event.accept()
                return True
        return super().event(event)

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
