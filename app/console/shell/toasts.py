"""Toasts: what happened in the background. They stack at the lower right, leave after 6 s (trouble after 12 s), stay
while pointed at, and never take the focus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRectF, QTimer
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from app.console import theme
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import paint_shape
from app.console.widgets.text import label

STATES = {"info": Meaning.IDLE, "ok": Meaning.OK, "warn": Meaning.WARN, "bad": Meaning.BAD, "crit": Meaning.CRIT}
LIFE_MS, TROUBLE_LIFE_MS = 6000, 12000
MOST = 4


class Toast(QFrame):
    """One message."""

    def __init__(self, owner: Toasts, text: str, kind: str, reference: str) -> None:
        super().__init__(owner.window_)
        self.setProperty("role", "popup")
        self._owner = owner
        self._state = STATES.get(kind, Meaning.IDLE)
        self.text = text
        self.setAccessibleName(text)
        row = QHBoxLayout(self)
        row.setContentsMargins(36, 8, 8, 8)
        row.setSpacing(8)
        row.addWidget(label(text, "", wrap=True), 1)
        if reference:
            copy = QPushButton("Copy id")
            copy.setProperty("role", "quiet")
            copy.setToolTip(reference)
            copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(reference))
            row.addWidget(copy)
        close = QPushButton("Dismiss")
        close.setProperty("role", "quiet")
        close.clicked.connect(lambda: owner.drop(self))
        row.addWidget(close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(
            TROUBLE_LIFE_MS if self._state in (Meaning.BAD, Meaning.WARN, Meaning.CRIT) else LIFE_MS
        )
        self._timer.timeout.connect(lambda: owner.drop(self))
        self._timer.start()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.stop()
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._timer.start()
        super().leaveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(theme.current().state(self._state)), 1))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 8, 8)
        side = theme.px(12)
        paint_shape(painter, QRectF(14, (self.height() - side) / 2, side, side), self._state)


class Toasts(QObject):
    """The stack of one window."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.window_ = window
        self._toasts: list[Toast] = []
        window.installEventFilter(self)

    @property
    def texts(self) -> list[str]:
        """The messages that are shown, oldest first."""
        return [toast.text for toast in self._toasts]

    def show(self, text: str, kind: str = "ok", reference: str = "") -> None:
        """Add a message; the oldest goes when there are too many. The same text again only renews it."""
        for toast in [toast for toast in self._toasts if toast.text == text]:
            self.drop(toast)
        while len(self._toasts) >= MOST:
            self.drop(self._toasts[0])
        toast = Toast(self, text, kind, reference)
        self._toasts.append(toast)
        toast.show()
        self._place()
        # Imported here: the enumerations of QAccessible are not needed before the first paint.
        from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(toast, text))

    def drop(self, toast: Toast) -> None:
        """Remove a message."""
        if toast in self._toasts:
            self._toasts.remove(toast)
            toast.hide()
            toast.deleteLater()
            self._place()

    def _place(self) -> None:
        width = min(theme.px(420), self.window_.width() - 32)
        bottom = self.window_.height() - theme.px(28) - 16
        for toast in reversed(self._toasts):
            toast.setFixedWidth(width)
            height = max(theme.px(48), toast.heightForWidth(width))
            toast.setGeometry(self.window_.width() - width - 16, bottom - height, width, height)
            toast.raise_()
            bottom -= height + 8

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.window_ and event.type() == QEvent.Type.Resize:
            self._place()
        return False
