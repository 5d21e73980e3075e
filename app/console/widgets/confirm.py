"""Asks before something is deleted or ends: what goes, what stays, and which button does it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.console.language import tr
from app.console.widgets.dialog import Dialog
from app.console.widgets.text import label


class ConfirmDialog(Dialog):
    """``confirmed`` is called when the operator agrees. The focus begins on the safe button, ``safe``."""

    def __init__(
        self,
        window: QWidget,
        title: str,
        sentence: str,
        verb: str,
        confirmed: Callable[[], object],
        *,
        safe: str = tr("Keep it"),
    ) -> None:
        super().__init__(window)
        self.setWindowTitle(title)
        self.setAccessibleName(f"{title} {sentence}")
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "title"))
        words = label(sentence, "dim", wrap=True)
        words.setMinimumWidth(400)
        column.addWidget(words)
        row = QHBoxLayout()
        row.addStretch(1)
        keep = QPushButton(safe)
        keep.setAccessibleName(safe)
        keep.setDefault(True)
        keep.clicked.connect(self.reject)
        self.do = QPushButton(verb)
        self.do.setAccessibleName(verb)
        self.do.setAutoDefault(True)
        self.do.clicked.connect(self.accept)
        row.addWidget(keep)
        row.addWidget(self.do)
        column.addLayout(row)
        self.accepted.connect(confirmed)
        keep.setFocus()
