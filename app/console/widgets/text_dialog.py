"""A text to read and to copy: words for a letter, sources of a law, a difference between two files."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.dialog_size import resize_dialog
from app.console.widgets.text import label


class TextDialog(Dialog):
    """``text`` stands in a field that takes no change; further buttons are added to ``buttons``, before "Close"."""

    def __init__(self, window: QWidget, title: str, sentence: str, text: str, *, mono: bool = False) -> None:
        super().__init__(window)
        self.setWindowTitle(title)
        self.setAccessibleName(title)
        self.setModal(True)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        resize_dialog(self, 720, 520)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(title, "title", wrap=True))
        if sentence:
            column.addWidget(label(sentence, "dim", wrap=True))
        self.above = QVBoxLayout()
        column.addLayout(self.above)
        self.text = QPlainTextEdit(text)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName(title)
        if mono:
            self.text.setFont(theme.mono(12))
        column.addWidget(self.text, 1)
        self.said = label("", "small", wrap=True)
        column.addWidget(self.said)
        row = QHBoxLayout()
        row.addWidget(plain_button(tr("Copy the text"), self.copy))
        row.addStretch(1)
        self.buttons = QHBoxLayout()
        row.addLayout(self.buttons)
        self.close_ = QPushButton(tr("Close"))
        self.close_.setAccessibleName(tr("Close"))
        self.close_.setDefault(True)
        self.close_.clicked.connect(self.reject)
        row.addWidget(self.close_)
        column.addLayout(row)
        self.text.setFocus()

    def copy(self) -> None:
        """Put the whole text on the clipboard."""
        QGuiApplication.clipboard().setText(self.text.toPlainText())
        self.said.setText(tr("The text is on the clipboard."))
