"""The list of scans beside the one that is shown, newest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

NEAR_END = 10
"""Rows before the end of the list at which more are asked for."""


@dataclass(frozen=True)
class ScanRow:
    """A scan in the list. ``worth``: its false-alarm rate in words, or a dash."""

    scan_id: str
    name: str
    state: Meaning
    word: str
    worth: str
    asked: str
    url: str


class ScanList(TitledPanel):
    """``chosen`` gives the id of the scan under the cursor; ``more`` asks for older ones."""

    chosen = Signal(str)
    more = Signal()

    def __init__(self, mark: StateMark) -> None:
        super().__init__(tr("Scans"), padding=12)
        self.head.addWidget(mark)
        columns: list[Column[ScanRow]] = [
            Column(tr("FILE"), lambda one: one.name, hint=lambda one: one.url, least=140),
            Column(tr("RESULT"), lambda one: one.word, 144, state=lambda one: one.state,
                   hint=lambda one: tr("{word}; false alarms: {worth}", word=one.word, worth=one.worth)),
            Column(tr("FALSE ALARMS"), lambda one: one.worth, 112, right=True, dim=True, spare=2),
            Column(tr("ASKED"), lambda one: one.asked, 100, dim=True, spare=1),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda one: one.scan_id)
        self.table = DataTable(self.rows, name=tr("Scans of this site, newest first"), proof=lambda one: one.scan_id)
        self.table.selected.connect(self._choose)
        self.table.verticalScrollBar().valueChanged.connect(lambda _at: self._near_end())
        self.nothing = label(tr("No scan yet. What was scanned stands here, newest first."), "dim", wrap=True)
        self.nothing.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self.stack = Stack(140)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.nothing)
        self.stack.setCurrentWidget(self.nothing)
        self.body.addWidget(self.stack, 1)

    def show_rows(self, rows: Sequence[ScanRow], chosen: str) -> None:
        """Show the list, with the cursor on the scan of that id."""
        self.table.blockSignals(True)
        self.rows.set_rows(rows)
        at = self.rows.row_of(chosen)
        if at >= 0 and at != self.table.currentIndex().row():
            self.table.selectRow(at)
        self.table.blockSignals(False)
        self.stack.setCurrentWidget(self.table if rows else self.nothing)

    def show_closed(self) -> None:
        """The key of this console may not see scans."""
        self.nothing.setText(tr("A Sovereign key does not see what was scanned."))
        self.stack.setCurrentWidget(self.nothing)

    def _near_end(self) -> None:
        bar = self.table.verticalScrollBar()
        if bar.value() >= bar.maximum() - NEAR_END * theme.row_height():
            self.more.emit()

    def _choose(self, at: int) -> None:
        row = self.rows.get(at)
        if row is not None:
            self.chosen.emit(row.scan_id)
