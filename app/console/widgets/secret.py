"""Shows a secret this one time: fields to copy from, which are emptied when the dialog closes."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.banner import Banner
from app.console.widgets.dialog import Dialog
from app.console.widgets.text import label

CLIPBOARD_S = 60


@dataclass(frozen=True)
class Secret:
    """Something that is shown once; ``name`` says what it is."""

    name: str
    value: str

    def __repr__(self) -> str:
        return f"Secret({self.name})"


class SecretDialog(Dialog):
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
        self.banner.show_note(warning, "", Meaning.WARN)
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
            copy = QPushButton(tr("Copy"))
            copy.setAccessibleName(tr("Copy the {name}", name=secret.name[:1].lower() + secret.name[1:]))
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
        self.done_ = QPushButton(tr("I have kept it"))
        self.done_.setAccessibleName(tr("I have kept it: close"))
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
        """Put a secret on the clipboard, from which it is taken again unless something else is there."""
        self._touched = True
        clipboard = QGuiApplication.clipboard()
        clipboard.setText(field.text())
        digest = hashlib.sha256(field.text().encode()).digest()

        def empty() -> None:
            if hashlib.sha256(clipboard.text().encode()).digest() == digest:
                clipboard.clear()

        QTimer.singleShot(CLIPBOARD_S * 1000, clipboard, empty)
        self.said.setText(
            tr(
                "{name} is on the clipboard for {seconds} s.",
                name=field.accessibleName(),
                seconds=CLIPBOARD_S,
            )
        )

    def reject(self) -> None:
        """Esc; the first one only warns while nothing was copied."""
        if self._touched or self._warned:
            super().reject()
            return
        self._warned = True
        self.said.setText(tr("Nothing was copied yet. Esc again closes it, and it can never be shown again."))

    def _forget(self) -> None:
        for field in self.fields:
            field.clear()
