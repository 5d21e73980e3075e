"""Licences of what ships with the console: the parts, and the texts."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QGridLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.widgets.scroller import scroller
from app.console.widgets.text import TitledPanel, label


@dataclass(frozen=True)
class LicensedPart:
    """Something that ships with the console: name, version (may be empty), licence."""

    name: str
    version: str
    licence: str


class LicencesView(QWidget):
    """Empty until ``show_licences``."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(12)
        parts = TitledPanel(tr("What ships with the console"))
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(32)
        self._grid.setVerticalSpacing(6)
        self._grid.setColumnStretch(2, 1)
        self._grid.setContentsMargins(0, 0, 12, 0)
        rows = QWidget()
        rows.setLayout(self._grid)
        parts.body.addWidget(scroller(rows, tr("What ships with the console"), sideways=True))
        texts = TitledPanel(tr("Licence texts"))
        self.texts = QPlainTextEdit()
        self.texts.setReadOnly(True)
        self.texts.setAccessibleName(tr("Licence texts"))
        self.texts.setFont(theme.mono(12))
        texts.body.addWidget(self.texts)
        column.addWidget(parts, 1)
        column.addWidget(texts, 1)
        self.shown = False

    def show_licences(self, parts: list[LicensedPart], texts: str) -> None:
        """Fill it, once."""
        self.shown = True
        for at, part in enumerate(parts):
            self._grid.addWidget(label(part.name), at, 0)
            self._grid.addWidget(label(part.version, "mono"), at, 1)
            self._grid.addWidget(label(part.licence, "dim", wrap=True), at, 2)
        self.texts.setPlainText(texts)
