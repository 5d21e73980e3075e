"""Are burns fast enough? The verdict, each system, and the worst five burns."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from app.capabilities.burn.messages import BurnSpeedReport, SlowBurn, SystemSpeed
from app.console.clock import date_time
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.pages.burn.speed_words import (
    SPANS,
    doors_words,
    in_time,
    slow_state,
    system_state,
    verdict,
)
from app.console.pages.burn.words import duration, kind_word
from app.console.theme.tokens import Meaning
from app.console.widgets.hero import StateHero
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

STARTS_AT = 2
"""The span that is chosen at first: the last 30 days."""


class BurnSpeedView(QWidget):
    """``show_report`` fills it; ``asked`` says that another range, or drills, are wanted."""

    asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        outer.setSpacing(12)
        self.mark = StateMark()
        self.hero = StateHero(name=tr("Time to the last door"))
        outer.addWidget(self.hero)
        self._goal_ms = 0.0

        head = QHBoxLayout()
        self.spans = QComboBox()
        self.spans.setAccessibleName(tr("Range of the burns"))
        for span in SPANS:
            self.spans.addItem(span.title, span)
        self.spans.setCurrentIndex(STARTS_AT)
        self.drills = QCheckBox(tr("Drills alone"))
        self.spans.activated.connect(lambda _at: self.asked.emit())
        self.drills.clicked.connect(lambda _on: self.asked.emit())
        for part in (self.spans, self.drills, self.mark):
            head.addWidget(part)
        head.addStretch(1)
        outer.addLayout(head)

        columns: list[Column[SystemSpeed]] = [
            Column(tr("SYSTEM"), lambda row: kind_word(row.kind), least=132, state=system_state),
            Column(tr("HALF WITHIN"), lambda row: duration(row.p50_ms), 104, right=True, order=lambda row: row.p50_ms),
            Column(tr("95 % WITHIN"), lambda row: duration(row.p95_ms), 104, right=True, order=lambda row: row.p95_ms),
            Column(tr("LONGEST"), lambda row: duration(row.max_ms), 96, right=True, order=lambda row: row.max_ms),
            Column(tr("IN TIME"), in_time, 112, right=True, order=lambda row: row.within, spare=1),
            Column(tr("OPEN"), lambda row: number(row.open, ","), 72, right=True),
            Column(tr("NO PROOF"), lambda row: number(row.unproven, ","), 88, right=True, spare=2,
                   hint=lambda _row: tr("Delivered without a proof, not found, or given up by a person.")),
        ]  # fmt: skip
        self.systems = RowsModel(columns, lambda row: row.kind)
        self.systems_table = DataTable(self.systems, name=tr("Time from the call to the proof, by system"))
        panel = TitledPanel(tr("By system"), padding=8)
        panel.head.addWidget(label(tr("from the call to the proof"), "dim"))
        panel.body.addWidget(self.systems_table, 1)
        outer.addWidget(panel, 3)

        worst: list[Column[SlowBurn]] = [
            Column(tr("LAST DOOR"), lambda row: duration(row.last_door_ms), 112,
                   state=lambda row: slow_state(row, self._goal_ms), order=lambda row: row.last_door_ms),
            Column(tr("CALLED"), lambda row: date_time(parse_time(row.timestamp)), 168, hint=lambda row: row.timestamp),
            *person_columns(self, lambda row: row.node_id, 124),
            Column(tr("DOORS"), doors_words, 132, spare=1),
            Column(tr("WAITED LONGEST FOR"), lambda row: row.slowest or "–", least=140),
        ]  # fmt: skip
        self.worst = RowsModel(worst, lambda row: row.burn_id)
        self.worst_table = DataTable(
            self.worst, name=tr("The worst five burns; Enter opens the board"), proof=lambda one: one.burn_id
        )
        below = TitledPanel(tr("The worst five"), padding=8)
        below.head.addWidget(label(tr("Enter opens the board"), "dim"))
        below.body.addWidget(self.worst_table, 1)
        outer.addWidget(below, 2)
        self.hero.set(Meaning.IDLE, tr("No figure"), tr("Nothing was read yet."), "")

    def show_report(self, report: BurnSpeedReport) -> None:
        """Show the figures of a range."""
        self._goal_ms = report.goal_ms
        self.hero.set(*verdict(report))
        self.systems.set_rows(report.systems)
        self.worst.set_rows(report.slowest)

    def show_stale(self, words: str) -> None:
        """What is shown is old: it judges nothing."""
        _, _, detail = self.hero.words
        self.hero.set(Meaning.IDLE, tr("Not current"), tr("The figures are not current: {why}.", why=words), detail)
