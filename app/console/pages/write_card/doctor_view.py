"""The reader doctor as a table; the selected line stands above it in full."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.write_card.doctor import ReaderFinding
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import TitledPanel, label

_WORST = (Meaning.CRIT, Meaning.BAD, Meaning.WARN)


class DoctorView(QWidget):
    """``show_findings`` fills it."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Reader doctor"), padding=12)
        outer.addWidget(panel)
        self.verdict = StateMark()
        panel.head.addWidget(self.verdict)
        panel.head.addWidget(ActionButton(table, "write_card.try_again", role="quiet", with_key=True))
        columns: list[Column[ReaderFinding]] = [
            Column(tr("WHERE"), lambda row: row.where, 168),
            Column(tr("FOUND"), lambda row: row.found, state=lambda row: row.state, least=220),
            Column(tr("WHAT TO DO"), lambda row: row.remedy or "–", least=260),
        ]
        self.rows = RowsModel(columns, lambda row: f"{row.where}/{row.found}")
        self.table = DataTable(self.rows, name=tr("What is the matter with readers and cards"))
        keep_lengths(self.table, lambda one: one.setMinimumHeight(height_of(4)))
        self.table.selected.connect(self._tell)
        self.words = label("", wrap=True, selectable=True)
        keep_lengths(self.words, lambda one: one.setMinimumHeight(theme.px(36)))
        panel.body.addWidget(self.words)
        panel.body.addWidget(self.table, 1)
        self._tell(-1)

    def show_findings(self, findings: Sequence[ReaderFinding]) -> None:
        """These; the same lines keep the selection."""
        self.rows.set_rows(findings)
        worst = next((state for state in _WORST if any(one.state is state for one in findings)), None)
        good = any(one.state is Meaning.OK for one in findings)
        if worst is None:
            words = tr("Nothing is wrong") if good else findings[0].found if findings else tr("Looking")
            self.verdict.set(Meaning.OK if good else Meaning.IDLE, words)
        else:
            many = sum(one.state in _WORST for one in findings)
            self.verdict.set(worst, tr("1 thing to do") if many == 1 else tr("{count} things to do", count=many))
        self._tell(self.table.currentIndex().row() if self.table.selectionModel().hasSelection() else -1)

    def _tell(self, row: int) -> None:
        if not 0 <= row < len(self.rows.rows):
            self.words.setText(tr("Select a line: it is told here in full."))
            return
        one = self.rows.rows[row]
        self.words.setText(" ".join(part for part in (f"{one.where}: {one.found}.", one.remedy) if part))
