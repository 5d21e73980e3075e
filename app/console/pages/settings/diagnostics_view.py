"""What the console measures of itself, as a table."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console.language import tr
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel


@dataclass(frozen=True)
class Fact:
    """One line of the diagnostics table."""

    name: str
    value: str
    state: Meaning
    meaning: str


class DiagnosticsView(QWidget):
    """The table of facts."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__()
        columns: list[Column[Fact]] = [
            Column(tr("MEASURED"), lambda fact: fact.name, 220),
            Column(tr("NOW"), lambda fact: fact.value, 320, state=lambda fact: fact.state),
            Column(tr("WHAT IT MEANS"), lambda fact: fact.meaning, dim=True),
        ]
        self.facts = RowsModel(columns, lambda fact: fact.name)
        self.table = DataTable(self.facts, name=tr("Diagnostics"))
        panel = TitledPanel(tr("The console measures itself"), padding=12)
        panel.head.addWidget(ActionButton(session.actions, "settings.copy", role="quiet"))
        panel.body.addWidget(self.table)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(panel)
