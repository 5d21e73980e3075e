"""Toasts: what happened in the background. They live in a lane of the status bar, where they cover no table and no
button, and never take the focus. Each has a subject: the next one of that subject takes its place. What went by stays
in the history behind the bell."""

from __future__ import annotations

import time
from collections import deque
from typing import NamedTuple

from PySide6.QtCore import QEvent, QSize, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from app.console import theme
from app.console.actions import ActionTable, keys_text
from app.console.language import tr
from app.console.session import MessageWay
from app.console.theme import icons
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import StateMark
from app.console.widgets.text import ElidedLabel

STATES = {"info": Meaning.IDLE, "ok": Meaning.OK, "warn": Meaning.WARN, "bad": Meaning.BAD, "crit": Meaning.CRIT}
RANKS = (Meaning.IDLE, Meaning.OK, Meaning.WARN, Meaning.BAD, Meaning.CRIT)
"""What is shown when several stand: the worst, of these the newest."""
LIFE_S, TROUBLE_LIFE_S = 6.0, 12.0
NO_WAY = MessageWay()
KEPT = 200
"""How many the history keeps; the audit log keeps everything."""


class Toast(NamedTuple):
    """One message. ``at`` is Unix time, ``ends`` of the monotonic clock."""

    number: int
    subject: str
    text: str
    state: Meaning
    reference: str
    at: float
    ends: float
    way: MessageWay = NO_WAY


class Toasts(QWidget):
    """The lane of one window. Emits ``spoke`` (whether a message is shown) when that changes, and ``led`` with the page
    and the arguments to which a message leads."""

    spoke = Signal(bool)
    led = Signal(str, dict)

    def __init__(self, actions: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._standing: list[Toast] = []
        self.history: deque[Toast] = deque(maxlen=KEPT)
        self._numbers = 0
        self._seen = 0
        self.quiet = False
        """Nothing is read aloud: the desk is locked, and messages name people."""
        self.setAccessibleName(tr("Messages"))
        row = QHBoxLayout(self)
        row.setContentsMargins(8, 0, 0, 0)
        row.setSpacing(8)
        self._mark = StateMark()
        row.addWidget(self._mark)
        self._text = ElidedLabel("")
        row.addWidget(self._text, 1)
        self.open = self._button(tr("Open"))
        self.open.setProperty("link", "true")
        self.open.clicked.connect(self.follow)
        row.addWidget(self.open)
        self.undo = self._button(tr("Undo"))
        self.undo.setProperty("link", "true")
        self.undo.clicked.connect(self.take_back)
        row.addWidget(self.undo)
        self._copy = self._button(tr("Copy id"))
        self._copy.clicked.connect(self._copy_reference)
        row.addWidget(self._copy)
        self._dismiss = self._button(tr("Dismiss"))
        self._dismiss.clicked.connect(self.dismiss)
        row.addWidget(self._dismiss)
        self.bell = self._button("")
        opened = actions.get("console.messages")
        self.bell.setToolTip(f"{opened.title}   {keys_text(opened)}")
        self.bell.clicked.connect(lambda: actions.trigger("console.messages"))
        row.addWidget(self.bell)
        self._timer = QTimer(self)
        self._timer.setInterval(500)
        self._timer.timeout.connect(self._sweep)
        self._dressed = -1
        self._show()

    def _button(self, text: str) -> QPushButton:
        made = QPushButton(text)
        made.setProperty("role", "cell")
        return made

    @property
    def texts(self) -> list[str]:
        """The messages that stand, oldest first; the lane shows ``shown``."""
        return [toast.text for toast in self._standing]

    @property
    def shown(self) -> Toast | None:
        """The message in the lane; None: there is none."""
        return max(self._standing, key=lambda one: (RANKS.index(one.state), one.number), default=None)

    def show_message(
        self, text: str, kind: str = "ok", reference: str = "", subject: str = "", way: MessageWay | None = None
    ) -> None:
        """Add a message; it takes the place of what was said of its subject (default: the text itself)."""
        subject = subject or text
        self._numbers += 1
        state = STATES.get(kind, Meaning.IDLE)
        life = LIFE_S if state in (Meaning.IDLE, Meaning.OK) else TROUBLE_LIFE_S
        toast = Toast(
            self._numbers, subject, text, state, reference, time.time(), time.monotonic() + life, way or NO_WAY
        )
        self._standing = [*(one for one in self._standing if one.subject != subject), toast]
        self.history.append(toast)
        self._timer.start()
        self._show()
        if self.quiet:
            return
        # Imported here: the enumerations of QAccessible are not needed before the first paint.
        from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent

        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def withdraw(self, subject: str) -> None:
        """What was said of the subject no longer holds: it goes from the lane, and stays in the history."""
        self._standing = [one for one in self._standing if one.subject != subject]
        self._show()

    def dismiss(self) -> bool:
        """Take the shown message away; returns whether there was one."""
        toast = self.shown
        if toast is not None:
            self.withdraw(toast.subject)
        return toast is not None

    def follow(self) -> bool:
        """Go where the shown message leads; returns whether it leads anywhere."""
        toast = self.shown
        if toast is None or not toast.way.page:
            return False
        self.led.emit(toast.way.page, dict(toast.way.arguments))
        return True

    def take_back(self) -> bool:
        """Start the change that takes back what the shown message tells of; returns whether there is one. The message
        goes: what comes of the change is told by another."""
        toast = self.shown
        if toast is None or toast.way.undo is None:
            return False
        self.withdraw(toast.subject)
        toast.way.undo()
        return True

    def mark_read(self) -> None:
        """The history was opened: nothing in it is new."""
        self._seen = self._numbers
        self._show()

    @property
    def unread(self) -> int:
        """How many messages came since the history was opened."""
        return min(self._numbers - self._seen, KEPT)

    def _sweep(self) -> None:
        """End what stood long enough; not while somebody points at it or has the keys on it."""
        if self.underMouse() or any(one.hasFocus() for one in (self.open, self.undo, self._copy, self._dismiss)):
            return
        now = time.monotonic()
        self._standing = [one for one in self._standing if one.ends > now]
        self._show()

    def _copy_reference(self) -> None:
        if self.shown is not None:
            QGuiApplication.clipboard().setText(self.shown.reference)

    def _show(self) -> None:
        """Bring the lane in line with what stands."""
        toast = self.shown
        self._text.setText(toast.text if toast else "")
        self._text.setAccessibleName(toast.text if toast else "")
        self._mark.setVisible(toast is not None)
        self._dismiss.setVisible(toast is not None)
        self._copy.setVisible(toast is not None and bool(toast.reference))
        self.open.setVisible(toast is not None and bool(toast.way.page))
        self.undo.setVisible(toast is not None and toast.way.undo is not None)
        if toast is None:
            self._timer.stop()
        else:
            self._mark.set(toast.state, "")
            self.open.setAccessibleName(tr("Open {subject}", subject=toast.subject))
            self.undo.setAccessibleName(tr("Undo: {text}", text=toast.text))
            self._dismiss.setAccessibleName(tr("Dismiss {subject}", subject=toast.subject))
            self._copy.setAccessibleName(tr("Copy id of {subject}", subject=toast.subject))
            self._copy.setToolTip(toast.reference)
        self.bell.setText(f" {self.unread}" if self.unread else "")
        self.bell.setAccessibleName(tr("Messages, {unread} new", unread=self.unread) if self.unread else tr("Messages"))
        self._dress()
        self.spoke.emit(toast is not None)

    def _dress(self) -> None:
        if self._dressed != theme.edition():
            self._dressed = theme.edition()
            side = theme.px(14)
            self.bell.setIcon(icons.icon("bell", theme.current().text, size=side))
            self.bell.setIconSize(QSize(side, side))

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "bell"):
            self._dress()
        super().changeEvent(event)
