"""The palm tab's parts: terminals, their decisions, one decision, and the training terminal."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from app.console.actions import ActionTable
from app.console.clock import clock_time, date_time, utc_time
from app.console.language import number, tr
from app.console.pages.verify.words import (
    INTENTS,
    Place,
    ShownDecision,
    confidence_word,
    decided_words,
    factor_word,
    rate_word,
    sureness,
)
from app.console.standing import standing_word
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.scroller import scroller
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator
from app.console.widgets.verdict import PassingVerdict

FACTS = (
    ("at", tr("Time"), False),
    ("terminal", tr("Terminal"), True),
    ("intent", tr("Intent"), True),
    ("node", tr("Person"), True),
    ("confidence", tr("Confidence"), False),
    ("standing", tr("Standing"), False),
    ("factor", tr("Second factor"), False),
    ("liveness", tr("Liveness"), False),
    ("rate", tr("False match rate"), False),
)


class PalmView(QWidget):
    """``chosen`` gives the id of the decision under the cursor, ``placed`` the terminal under the other one."""

    chosen = Signal(str)
    placed = Signal(str)

    def __init__(self, table: ActionTable, mark: StateMark, *, training: bool) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 16, 0, 0)
        row.setSpacing(12)
        left = QVBoxLayout()
        left.setSpacing(12)
        left.addWidget(self._places())
        left.addWidget(self._decisions(table, mark, training), 1)
        row.addLayout(left, 1)
        side = Side(360)
        side.column.addWidget(self._decision(table), 1)
        if training:
            side.column.addWidget(self._training(table))
        row.addWidget(side)
        self.show_decision(None)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _places(self) -> TitledPanel:
        """The terminals, with what each has decided."""
        panel = TitledPanel(tr("Terminals, the last 24 hours"), padding=8)
        columns: list[Column[Place]] = [
            Column(tr("TERMINAL"), lambda row: row.terminal or tr("All"), 150, mono=True),
            Column(tr("NAME"), lambda row: row.name, least=140),
            Column(tr("MATCHES"), lambda row: number(row.matches, ","), 90, right=True),
            Column(tr("NO MATCH"), lambda row: number(row.others, ","), 90, right=True, spare=2),
            Column(tr("LAST DECISION"), lambda row: row.last.mark[1] if row.last else tr("None yet"), 140,
                   state=lambda row: row.last.mark[0] if row.last else Meaning.IDLE),
            Column(tr("AT"), lambda row: clock_time(row.last.at) if row.last else "–", 90, dim=True,
                   spare=1),
        ]  # fmt: skip
        self.place_rows = RowsModel(columns, lambda row: row.terminal)
        self.place_table = DataTable(self.place_rows, name=tr("Palm terminals and what they decided"))
        keep_lengths(self.place_table, lambda one: one.setFixedHeight(height_of(4)))
        self.place_table.selected.connect(
            lambda at: self.placed.emit(self.place_rows.rows[at].terminal if at >= 0 else "")
        )
        panel.body.addWidget(self.place_table)
        return panel

    def _decisions(self, table: ActionTable, mark: StateMark, training: bool) -> TitledPanel:
        """The decisions of the chosen terminal."""
        panel = TitledPanel(tr("Decisions"), padding=8)
        self.count = label("", "dim")
        panel.head.addWidget(self.count)
        panel.head.addWidget(mark)
        columns: list[Column[ShownDecision]] = [
            Column(tr("TIME"), lambda row: clock_time(row.at), 84, hint=lambda row: utc_time(row.at)),
            Column(tr("TERMINAL"), lambda row: row.terminal, 104, mono=True, spare=3),
            Column(tr("INTENT"), lambda row: row.intent, 144, mono=True, dim=True, spare=1),
            Column(tr("DECISION"), lambda row: row.mark[1], 128, state=lambda row: row.mark[0]),
            *person_columns(self, lambda row: row.node_id, 0, title=tr("PERSON")),
            Column(tr("CONFIDENCE"), confidence_word, 92, right=True),
            Column(tr("STANDING"), lambda row: standing_word(row.standing) or "–", 172,
                   state=lambda row: state_of(row.standing), spare=2),
            Column(tr("SECOND FACTOR"), factor_word, 116, dim=True, spare=5),
            Column(tr("RATE"), rate_word, 150, dim=True, hint=sureness, spare=4),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.decision_id)
        self.table = DataTable(self.rows, name=tr("Decisions by palm, newest first"), proof=lambda row: row.decision_id)
        self.table.selected.connect(
            lambda at: self.chosen.emit(self.rows.rows[at].decision_id if 0 <= at < len(self.rows.rows) else "")
        )
        here = tr(" Here a drawn palm can be laid on a training terminal.") if training else ""
        self.empty = EmptyState(
            "fingerprint",
            tr("No palm was laid on a terminal in the last 24 hours."),
            tr("Each decision appears here at once, with terminal, intent, confidence and standing.{here}", here=here),
            table=table,
            action="verify.lay" if training else "",
        )
        self.stack = Stack(120)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        panel.body.addWidget(self.stack, 1)
        return panel

    def _decision(self, table: ActionTable) -> TitledPanel:
        """The decision under the cursor, and how far it may be believed."""
        panel = TitledPanel(tr("Decision"), padding=12)
        self.verdict = PassingVerdict(22)
        panel.body.addWidget(self.verdict)
        self.name = ElidedLabel("", "mono")
        panel.body.addWidget(self.name)
        self.words = label("", "", wrap=True)
        panel.body.addWidget(self.words)
        buttons = QGridLayout()
        buttons.setSpacing(8)
        for at, (action, text) in enumerate(
            (("verify.audit", tr("In the audit log")), ("verify.person", tr("Find the person")))
        ):
            buttons.addWidget(ActionButton(table, action, text=text), 0, at)
        panel.body.addLayout(buttons)
        panel.body.addWidget(separator())
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        self.facts = Facts(FACTS)
        self.sure = label("", "small", wrap=True)
        column.addWidget(self.facts)
        column.addWidget(self.sure)
        column.addStretch(1)
        self.area = scroller(inside, tr("The chosen decision"))
        panel.body.addWidget(self.area, 1)
        self._rest = QWidget()
        panel.body.addWidget(self._rest, 1)
        return panel

    def _training(self, table: ActionTable) -> TitledPanel:
        """The training terminal: whose palm is laid, and where."""
        panel = TitledPanel(tr("Training: lay a palm"), padding=12)
        mark = StateMark()
        mark.set(Meaning.IDLE, tr("TRAINING"))
        panel.head.addWidget(mark)
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        self.person = ChoiceField(
            tr("Name or id of the person"), name=tr("Person whose drawn palm is laid"), icon="user"
        )
        self.terminal = QComboBox()
        self.intent = QComboBox()
        for intent, title in INTENTS:
            self.intent.addItem(title, intent)
        for at, (title, field) in enumerate(
            ((tr("Whose palm"), self.person), (tr("On terminal"), self.terminal), (tr("Intent"), self.intent))
        ):
            name = label(title, "dim")
            name.setBuddy(field)
            if field is not self.person:
                field.setAccessibleName(title)
            grid.addWidget(name, at, 0)
            grid.addWidget(field, at, 1)
        panel.body.addLayout(grid)
        panel.body.addWidget(ActionButton(table, "verify.lay", text=tr("Lay the palm"), role="primary", with_key=True))
        return panel

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_places(self, found: Sequence[Place], wanted: str) -> None:
        """These terminals, with the cursor on ``wanted``."""
        self.place_rows.set_rows(found)
        _point(self.place_table, max(0, self.place_rows.row_of(wanted)))

    def show_terminals(self, names: Sequence[str]) -> None:
        """What the training palm can be laid on; the choice stays."""
        if names != [self.terminal.itemText(at) for at in range(self.terminal.count())]:
            kept = self.terminal.currentText()
            self.terminal.clear()
            self.terminal.addItems(list(names))
            self.terminal.setCurrentIndex(max(0, self.terminal.findText(kept)))

    def show_decisions(self, found: Sequence[ShownDecision], wanted: str, *, complete: bool) -> None:
        """These decisions, newest first, with the cursor on ``wanted``."""
        self.rows.set_rows(found)
        if self.rows.row_of(wanted) >= 0:
            _point(self.table, self.rows.row_of(wanted))
        self.stack.setCurrentWidget(self.table if found else self.empty)
        if not found:
            self.count.setText("")
        elif complete:
            self.count.setText(number(len(found), ","))
        else:
            self.count.setText(tr("{count:,} and older ones in the log", count=len(found)))

    def show_decision(self, decision: ShownDecision | None) -> None:
        """The decision under the cursor; None: there is none."""
        self.area.setVisible(decision is not None)
        self._rest.setVisible(decision is None)
        if decision is None:
            self.verdict.set(Meaning.IDLE, tr("None yet"))
            self.name.setText("")
            self.words.setText(tr("What was decided, and how far it may be believed, appears here."))
            return
        self.name.setText(decision.decision_id)
        self.words.setText(decided_words(decision))
        values = {
            "at": date_time(decision.at),
            "terminal": decision.terminal,
            "intent": decision.intent,
            "node": decision.node_id or tr("Nobody"),
            "confidence": confidence_word(decision),
            "standing": standing_word(decision.standing),
            "factor": factor_word(decision),
            "liveness": tr("Not reported")
            if decision.liveness is None
            else tr("{liveness}, as the sensor says", liveness=decision.liveness),
            "rate": rate_word(decision),
        }
        for key, value in values.items():
            self.facts.set(key, value)
        self.sure.setText(sureness(decision))


def _point(table: DataTable, row: int) -> None:
    if table.currentIndex().row() != row:
        table.selectRow(row)
