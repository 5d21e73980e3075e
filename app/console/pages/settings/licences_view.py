"""Licences of what ships with the console: the parts, and the texts."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel


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
        columns: list[Column[LicensedPart]] = [
            Column(tr("PART"), lambda part: part.name, least=220, weight=1.4),
            Column(tr("VERSION"), lambda part: part.version, 120, mono=True),
            Column(tr("LICENCE"), lambda part: part.licence, least=220, weight=2, dim=True),
        ]
        self.parts = RowsModel(columns, lambda part: part.name)
        table = DataTable(self.parts, name=tr("What ships with the console"), sorts=True)
        parts.body.addWidget(table)
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
        self.parts.set_rows(parts)
        self.texts.setPlainText(texts)
