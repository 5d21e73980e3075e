"""Making and rotating a key, and the one time that its secret is shown."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from app.api.keys_messages import CreateKey
from app.console import theme
from app.console.clock import api_time
from app.console.theme.tokens import State
from app.console.widgets.banner import Banner
from app.console.widgets.form import FormDialog
from app.console.widgets.text import label

CLEARANCES: tuple[tuple[Literal["sovereign", "citadel"], str], ...] = (
    ("sovereign", "Sovereign: all but burning, keys and the registry"),
    ("citadel", "Citadel: everything"),
)
LIVES = ((90, "In 90 days"), (30, "In 30 days"), (365, "In a year"), (0, "Never"), (-1, "On a day that I name"))
"""Days of life of a new key; 0: for ever, -1: the person names the day."""
OVERLAPS = (
    (None, "As the site has it (24 hours if nobody changed it)"),
    (3600, "One hour more"),
    (604_800, "Seven days more"),
    (0, "Not at all: it ends now"),
)
DAY_SHAPE = "A day such as 2027-01-31, with or without a time such as 18:00."
CLIPBOARD_S = 60


class KeyForm(FormDialog):
    """Emits ``asked`` with a ``CreateKey``."""

    asked = Signal(object)

    def __init__(self, window: QWidget, now: float) -> None:
        """``now``: Unix seconds by the service's clock, from which the life of the key counts."""
        super().__init__(
            window,
            "Make an API key",
            "Its secret is shown once, right after this. Give every system a key of its own.",
            "Make the key",
            shapes={"label": "Say in 1 to 200 characters whose key it is.", "expires_at": DAY_SHAPE},
        )
        self._now = now
        self.label = self.line("label", "Label", "Badge printer, north tower")
        self.clearance = QComboBox()
        for value, words in CLEARANCES:
            self.clearance.addItem(words, value)
        self.add("clearance", "Clearance", self.clearance)
        self.life = QComboBox()
        for days, words in LIVES:
            self.life.addItem(words, days)
        self.add("life", "It expires", self.life)
        self.day = self.line("expires_at", "Day", "2027-01-31")
        self.life.currentIndexChanged.connect(self._follow)
        self._follow()
        self.label.setFocus()

    def _follow(self) -> None:
        self.day.setEnabled(self.life.currentData() == -1)

    def ask(self) -> bool:
        named = self.label.text().strip()
        if not named:
            self.mark("label", "Say whose key it is: that is what the audit log will name.")
        days = self.life.currentData()
        expires = None if days == 0 else self._now + days * 86400
        if days == -1:
            try:
                expires = datetime.fromisoformat(self.day.text().strip()).astimezone().timestamp()
            except (ValueError, OverflowError):
                self.mark("expires_at", DAY_SHAPE)
                return False
        if not named:
            return False
        self.asked.emit(
            CreateKey(
                label=named,
                clearance=self.clearance.currentData(),
                expires_at=None if expires is None else api_time(expires),
            )
        )
        return True


class RotateForm(FormDialog):
    """Emits ``asked`` with the seconds for which the old secret still opens; None: as the site has it."""

    asked = Signal(object)

    def __init__(self, window: QWidget, name: str) -> None:
        super().__init__(
            window,
            f"Rotate the key of {name}?",
            "It gets a new secret, which is shown once. Whoever calls with the old one must change to the new one in "
            "time. The label, the clearance and the webhook secret stay.",
            "Rotate the key",
        )
        self.overlap = QComboBox()
        for seconds, words in OVERLAPS:
            self.overlap.addItem(words, seconds)
        self.add("overlap_seconds", "The old secret opens", self.overlap)
        self.overlap.setFocus()

    def ask(self) -> bool:
        self.asked.emit(self.overlap.currentData())
        return True


@dataclass(frozen=True)
class Secret:
    """Something that is shown once; ``name`` says what it is."""

    name: str
    value: str

    def __repr__(self) -> str:
        return f"Secret({self.name})"


class SecretDialog(QDialog):
    """Shows secrets once, each in a field to copy from. Nothing of them is left when it closes: the fields are emptied,
    and what was copied leaves the clipboard after a minute.

    Closing before anything was copied asks for it twice: the secret cannot be had again.
    """

    def __init__(self, window: QWidget, title: str, warning: str, secrets: list[Secret]) -> None:
        super().__init__(window)
        self.setWindowTitle(title)
        self.setAccessibleName(f"{title}. {warning}")
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(theme.px(640))
        self._touched = False
        self._warned = False
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "title"))
        self.banner = Banner()
        column.addWidget(self.banner)
        self.banner.show_note(warning, "", State.WARN)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        self.fields: list[QLineEdit] = []
        self.copies: list[QPushButton] = []
        for at, secret in enumerate(secrets):
            field = QLineEdit(secret.value)
            field.setReadOnly(True)
            field.setFont(theme.mono(12))
            field.setCursorPosition(0)
            field.setAccessibleName(secret.name)
            field.selectionChanged.connect(self._touch)
            name = label(secret.name, "dim")
            name.setBuddy(field)
            copy = QPushButton("Copy")
            copy.setAccessibleName(f"Copy the {secret.name.lower()}")
            copy.setAutoDefault(False)
            copy.clicked.connect(lambda _checked=False, field=field: self._copy(field))
            for place, part in enumerate((name, field, copy)):
                grid.addWidget(part, at, place)
            self.fields.append(field)
            self.copies.append(copy)
        column.addLayout(grid)
        self.said = label("", "small", wrap=True)
        self.said.setMinimumHeight(theme.px(20))
        column.addWidget(self.said)
        row = QHBoxLayout()
        row.addStretch(1)
        self.done_ = QPushButton("I have kept it")
        self.done_.setAccessibleName("I have kept it: close")
        self.done_.setProperty("role", "primary")
        self.done_.setAutoDefault(False)
        self.done_.clicked.connect(self.accept)
        row.addWidget(self.done_)
        column.addLayout(row)
        self.finished.connect(self._forget)
        self.copies[0].setFocus()

    def _touch(self) -> None:
        # A selection is how the secret is copied by Ctrl+C or by the mouse.
        self._touched = True

    def _copy(self, field: QLineEdit) -> None:
        self._touched = True
        clipboard = QGuiApplication.clipboard()
        clipboard.setText(field.text())
        digest = hashlib.sha256(field.text().encode()).digest()

        def empty() -> None:
            if hashlib.sha256(clipboard.text().encode()).digest() == digest:
                clipboard.clear()

        QTimer.singleShot(CLIPBOARD_S * 1000, clipboard, empty)
        self.said.setText(f"{field.accessibleName()} is on the clipboard for {CLIPBOARD_S} s.")

    def reject(self) -> None:
        """Esc: the first one only warns while nothing was copied."""
        if self._touched or self._warned:
            super().reject()
            return
        self._warned = True
        self.said.setText("Nothing was copied yet. Esc again closes it, and the key can never be shown again.")

    def _forget(self) -> None:
        for field in self.fields:
            field.clear()
