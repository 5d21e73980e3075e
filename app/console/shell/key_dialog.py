"""Asks once for the API key of a service elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.widgets.dialog import Dialog
from app.console.widgets.text import label

KEY = re.compile(r"arc_(cit|sov)_[0-9A-Za-z]{38}")


class KeyDialog(Dialog):
    """``answer(key, keep)`` is called once; ``key`` is empty when the operator gives up."""

    def __init__(self, window: QWidget, url: str, reason: str, answer: Callable[[str, bool], None]) -> None:
        super().__init__(window)
        self.setWindowTitle(tr("API key"))
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._answer = answer
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(tr("API key"), "title"))
        column.addWidget(label(tr("{reason} {url} asks for a key.", reason=reason, url=url).strip(), "dim", wrap=True))
        self.field = QLineEdit()
        self.field.setEchoMode(QLineEdit.EchoMode.Password)
        self.field.setPlaceholderText(tr("arc_cit_… or arc_sov_…"))
        self.field.setAccessibleName(tr("API key"))
        self.field.setMinimumWidth(theme.px(420))
        column.addWidget(self.field)
        self._wrong = label("", "error")
        column.addWidget(self._wrong)
        self.keep = QCheckBox(tr("Keep it in this system's keyring"))
        self.keep.setChecked(True)
        column.addWidget(self.keep)
        row = QHBoxLayout()
        row.addStretch(1)
        cancel = QPushButton(tr("Cancel"))
        cancel.clicked.connect(self.reject)
        connect = QPushButton(tr("Connect"))
        connect.setProperty("role", "primary")
        connect.setDefault(True)
        connect.clicked.connect(self._try)
        row.addWidget(cancel)
        row.addWidget(connect)
        column.addLayout(row)
        self.rejected.connect(lambda: answer("", False))

    def _try(self) -> None:
        key = self.field.text().strip()
        if not KEY.fullmatch(key):
            self._wrong.setText(tr("A key is arc_cit_ or arc_sov_ and 38 letters and digits."))
            theme.mark_invalid(self.field, True)
            self.field.setFocus()
            return
        keep = self.keep.isChecked()
        self.accept()
        self._answer(key, keep)
