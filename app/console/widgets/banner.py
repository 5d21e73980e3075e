"""A failure at the head of its page: shape, code, sentence, next step, request id to copy."""

from __future__ import annotations

import time

from PySide6.QtCore import QRectF, QTimer, Signal
from PySide6.QtGui import QColor, QGuiApplication, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.failures import Failure
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape
from app.console.widgets.text import label


class Banner(QFrame):
    """Hidden while there is nothing to say. ``rate_limited`` counts its seconds down."""

    dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "raised")
        self._state = Meaning.BAD
        self._until = 0.0
        self._failure: Failure | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(250)
        self._timer.timeout.connect(self._count)
        self.hide()

    def _furnish(self) -> None:
        """Make labels and buttons at the first message: every page and form has a banner, most never speak, and one is
        on the first frame."""
        if self.layout() is not None:
            return
        row = QHBoxLayout(self)
        row.setContentsMargins(36, 8, 8, 8)
        row.setSpacing(8)
        words = QVBoxLayout()
        words.setSpacing(2)
        self._sentence = label("", "", wrap=True, selectable=True)
        self._next = label("", "small", wrap=True)
        words.addWidget(self._sentence)
        words.addWidget(self._next)
        row.addLayout(words, 1)
        self._copy = QPushButton(tr("Copy request id"))
        self._copy.setProperty("role", "quiet")
        self._copy.clicked.connect(self._copy_id)
        self._close = QPushButton(tr("Dismiss"))
        self._close.setProperty("role", "quiet")
        self._close.clicked.connect(self.clear)
        row.addWidget(self._copy)
        row.addWidget(self._close)

    @property
    def text(self) -> str:
        """The sentence shown; empty when hidden."""
        return "" if self.isHidden() else self._sentence.text()

    def show_failure(self, failure: Failure) -> None:
        """Show a failure."""
        self._furnish()
        self._failure = failure
        self._state = Meaning.WARN if failure.unknown or failure.code == "rate_limited" else Meaning.BAD
        self._sentence.setText(failure.sentence)
        self._copy.setVisible(bool(failure.request_id))
        self._until = time.monotonic() + failure.retry_after_s if failure.retry_after_s else 0.0
        self._count()
        if self._until:
            self._timer.start()
        self._show(failure.sentence)

    def show_note(self, sentence: str, next_step: str = "", state: Meaning = Meaning.IDLE) -> None:
        """Show a message that is no failure (what the page waits for)."""
        self._furnish()
        self._failure = None
        self._state = state
        self._sentence.setText(sentence)
        self._next.setText(next_step)
        self._next.setVisible(bool(next_step))
        self._copy.hide()
        self._timer.stop()
        self._show(sentence)

    def withdraw(self, failure: Failure | None) -> None:
        """Hide the banner if it still shows this failure, because it is over."""
        if failure is not None and failure is self._failure:
            self.clear()

    def take_answer(self) -> None:
        """The service has answered: that it could not be reached, with nothing sent, is over. What was sent and never
        answered stays."""
        failure = self._failure
        if failure is not None and failure.code == "connection_lost" and not failure.unknown:
            self.clear()

    def clear(self) -> None:
        """Hide the banner."""
        self._failure = None
        self._timer.stop()
        if not self.isHidden():
            self.hide()
            self.dismissed.emit()

    def _show(self, sentence: str) -> None:
        self.setAccessibleName(sentence)
        self.show()
        self.update()

    def _count(self) -> None:
        """Show the next step, or how long it takes until the call can be tried again; and code and request id."""
        failure = self._failure
        if failure is None:
            return
        left = self._until - time.monotonic()
        parts = [failure.next_step]
        if self._until and left > 0:
            parts = [tr("It can be tried again in {seconds:.0f} s.", seconds=left)]
        else:
            self._timer.stop()
        if failure.request_id:
            parts.append(f"{failure.code} · {failure.request_id}")
        else:
            parts.append(failure.code)
        self._next.setText("  ".join(part for part in parts if part))
        self._next.show()

    def _copy_id(self) -> None:
        if self._failure is not None:
            QGuiApplication.clipboard().setText(self._failure.request_id)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        ink = QColor(theme.current().state(self._state))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(ink, 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        side = theme.px(12)
        paint_shape(painter, QRectF(14, (self.height() - side) / 2, side, side), self._state)
