"""One strike: where it stands, what was declared, its notices and every change of them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.capabilities.enforcement.messages import NoticeEvent, Strike, StrikeNotice
from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.names import OperatorNames, who
from app.console.pages.enforcement.law_words import field_title
from app.console.pages.enforcement.words import (
    CHANNELS,
    KINDS,
    STATES,
    STRIKE_STATES,
    has_left,
    notice_number,
    notice_state,
    strike_facts,
    utc_second,
)
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.facts import Facts
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.note_band import NoteBand
from app.console.widgets.scroller import scroller
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import ElidedLabel, TitledPanel, label
from app.console.widgets.wrap_row import WrapRow

FACTS = (
    ("law", tr("Law"), False),
    ("evidence", tr("Shows the fraud"), False),
    ("addresses", tr("Addresses"), True),
    ("statement", tr("Why it is illegal"), False),
    ("declared", tr("Declared by"), False),
    ("attested", tr("Attested"), False),
    ("work", tr("Work"), False),
    ("mandate", tr("Mandate"), True),
    ("issued", tr("Issued"), False),
    ("document", tr("Document"), False),
    ("sha256", "SHA-256", True),
)


class HistoryRow:
    """One change of one notice."""

    def __init__(self, notice: StrikeNotice, event: NoticeEvent) -> None:
        self.notice, self.event = notice, event


class StrikePanel(TitledPanel):
    """Says that none is chosen until ``show_strike`` gets one."""

    def __init__(self, table: ActionTable, names: OperatorNames) -> None:
        super().__init__(tr("Strike"), padding=12)
        self._names = names
        self.token = ElidedLabel("", "mono")
        self.head.insertWidget(1, self.token, 8)
        self.mark = StateMark()
        self.mark.hide()
        self.state = StateMark(Meaning.IDLE, tr("None is chosen"))
        self.head.addWidget(self.mark)
        self.head.addWidget(self.state)
        self.head.addWidget(ActionButton(table, "enforcement.draft", text=tr("Back to the draft"), role="quiet"))
        buttons = WrapRow()
        for action, text in (
            ("enforcement.supply", tr("Supply details")),
            ("enforcement.bundle", tr("Evidence bundle")),
            ("enforcement.declaration", tr("Declaration (PDF)")),
            ("enforcement.copy", tr("Copy the token")),
            ("enforcement.audit", tr("In the audit log")),
            ("enforcement.withdraw", tr("Withdraw")),
        ):
            buttons.addWidget(ActionButton(table, action, text=text))
        self.body.addLayout(buttons)
        self.note = NoteBand()
        self.body.addWidget(self.note)
        below = QHBoxLayout()
        below.setSpacing(16)
        below.addWidget(self._facts(), 9)
        below.addLayout(self._tables(names), 11)
        self.body.addLayout(below, 1)

    def _facts(self) -> QScrollArea:
        """What was declared; ids and addresses are whole, on as many lines as they need."""
        self.facts = Facts(FACTS)
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(4, 4, 8, 4)
        column.addWidget(self.facts)
        column.addStretch(1)
        return scroller(inside, tr("What was declared"))

    def _tables(self, names: OperatorNames) -> QVBoxLayout:
        """The notices of the strike, and what happened to them."""
        notices: list[Column[StrikeNotice]] = [
            Column(tr("NO."), notice_number, 40, dim=True, hint=lambda row: row.tracking),
            Column(tr("STATE"), lambda row: notice_state(row, self._now)[1], 150,
                   state=lambda row: notice_state(row, self._now)[0], hint=lambda row: row.fault or row.tracking),
            Column(tr("PLATFORM"), lambda row: row.platform_name, least=120),
            Column(tr("KIND"), lambda row: KINDS[row.kind], 100),
            Column(tr("CHANNEL"), lambda row: CHANNELS[row.channel], 72, dim=True, spare=2),
            Column(tr("REFERENCE"), lambda row: row.reference or "–", 152, mono=True, spare=1),
        ]  # fmt: skip
        self._now = 0.0
        self.notices = RowsModel(notices, lambda row: row.notice_id)
        self.notices_table = DataTable(self.notices, name=tr("Notices of this strike"), proof=lambda row: row.notice_id)
        history: list[Column[HistoryRow]] = [
            Column(tr("AT (UTC)"), lambda row: utc_second(row.event.at)[5:], 134, mono=True, dim=True),
            Column(tr("NO."), lambda row: notice_number(row.notice), 40, dim=True,
                   hint=lambda row: tr("{kind} to {platform}", kind=KINDS[row.notice.kind],
                                           platform=row.notice.platform_name)),
            Column(tr("PLATFORM"), lambda row: row.notice.platform_name, 150, spare=2,
                   hint=lambda row: f"{KINDS[row.notice.kind]} {row.notice.tracking}"),
            Column(tr("STATE"), lambda row: STATES[row.event.state][1], 148,
                   state=lambda row: STATES[row.event.state][0]),
            Column(tr("WHAT"), lambda row: row.event.detail, least=280, hint=lambda row: row.event.detail),
            who(names, tr("BY"), lambda row: row.event.actor, 120, dim=True, spare=3),
            Column(tr("LEAF"), lambda row: "" if row.event.leaf is None else str(row.event.leaf), 56, right=True,
                   dim=True,
                   spare=1),
        ]  # fmt: skip
        self.history = RowsModel(history, lambda row: f"{row.notice.notice_id} {row.event.at} {row.event.state}")
        self.history_table = DataTable(
            self.history, name=tr("What happened to its notices, newest first"), proof=lambda row: row.event.leaf
        )
        column = QVBoxLayout()
        column.setSpacing(8)
        column.addWidget(label(tr("Notices"), "dim"))
        column.addWidget(self.notices_table, 2)
        column.addWidget(label(tr("History, newest first"), "dim"))
        column.addWidget(self.history_table, 3)
        # Whole rows: three changes, and as many notices as a declaration with its takedown to two platforms has. In
        # large text one less of each: the head of the board stays in sight.
        keep_lengths(self.notices_table, lambda one: one.setMinimumHeight(height_of(3 if _is_large() else 4)))
        keep_lengths(self.history_table, lambda one: one.setMinimumHeight(height_of(2 if _is_large() else 3)))
        return column

    def show_strike(self, strike: Strike | None, token: str, now: float, general: Sequence[str] = ()) -> None:
        """Show a strike; None: that of ``token`` is being read, or none is chosen. ``general``: warnings that belong to
        its law, and to no strike of it in particular."""
        self._now = now
        self.token.setText(token)
        if strike is None:
            self.state.set(Meaning.IDLE, tr("Loading") if token else tr("None is chosen"))
            self.note.say(Meaning.IDLE, "")
            self.facts.clear()
            self.notices.set_rows(())
            self.history.set_rows(())
            return
        self.state.set(*STRIKE_STATES[strike.state])
        for key, value in strike_facts(strike).items():
            self.facts.set(key, self._names.in_text(value))
        self.notices.set_rows(strike.notices)
        self.history.set_rows(_history(strike.notices))
        self._show_note(strike, general)

    def _show_note(self, strike: Strike, general: Sequence[str]) -> None:
        """What is missing, or what to take care of."""
        warnings = [one for one in strike.warnings if one not in general]
        if strike.missing:
            names = dict.fromkeys(field_title(one.pointer) or one.element for one in strike.missing)
            details = " ".join(dict.fromkeys(one.detail for one in strike.missing))
            lacks = ", ".join(names)
            nothing = tr("Nothing leaves before this is supplied: {names}.", names=lacks)
            wait = tr("Takedown notices wait until this is supplied: {names}.", names=lacks)
            self.note.say(Meaning.WARN, wait if has_left(strike) else nothing, details)
        elif warnings:
            self.note.say(Meaning.WARN, warnings[0], " ".join(warnings[1:]))
        else:
            self.note.say(Meaning.IDLE, "")


def _is_large() -> bool:
    """Whether text is so large that less rows fit, from 150 %."""
    return theme.px(100) >= 150


def _history(notices: Sequence[StrikeNotice]) -> list[HistoryRow]:
    rows = [HistoryRow(notice, event) for notice in notices for event in notice.history]
    rows.reverse()  # of two changes at one moment the later one stands above
    return sorted(rows, key=lambda row: row.event.at, reverse=True)
