"""The code tab's parts: the rotating code with its session, and the field that a scanner types into."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.capabilities.keystone.messages import LIFETIME_S, CodeSession, QrSession
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import clock_time, utc_time
from app.console.language import tr
from app.console.pages.verify.code_words import RELAY, CodeJudgement, left_words
from app.console.pages.verify.fields import named_fields
from app.console.pages.verify.words import INTENTS
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.dialog import Dialog
from app.console.widgets.facts import Facts
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.rotating_code import RENEW_S, RotatingCode
from app.console.widgets.scroller import scroller
from app.console.widgets.side import Side
from app.console.widgets.table import Column, DataTable, RowsModel, height_of
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.verdict import PassingVerdict

SCANNED_MAX = 256
"""Characters: more than any code has, so that a wrong one is told as wrong and not cut to a right length."""
NOTHING = tr("No code is shown. Choose a terminal; F7 shows its code, which a phone scans off this screen.")
FACTS = (("terminal", tr("Terminal"), True), ("sid", tr("Session"), True), ("ends", tr("Ends in"), False))


class CodeView(QWidget):
    """``scanned`` when a scanner, or a person, ends a code with Enter."""

    scanned = Signal()

    def __init__(self, table: ActionTable, mark: StateMark) -> None:
        super().__init__()
        self._table = table
        self._full: FullCode | None = None
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 16, 0, 0)
        row.setSpacing(12)
        panel = TitledPanel(tr("The code that is shown"), padding=12)
        panel.head.addWidget(mark)
        panel.head.addWidget(ActionButton(table, "verify.code_full", text=tr("Full window")))
        self.room = panel.body
        self.code = RotatingCode()
        self.code.clear(NOTHING)
        self.room.addWidget(self.code, 1)
        panel.body.addWidget(label(RELAY, "dim", wrap=True))
        row.addWidget(panel, 1)
        side = Side(420)
        inside = QWidget()
        parts = QVBoxLayout(inside)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(12)
        parts.addWidget(self._session(table))
        parts.addWidget(self._scan(table), 1)
        side.column.addWidget(scroller(inside))
        row.addWidget(side)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _session(self, table: ActionTable) -> TitledPanel:
        """Whose code is shown, and the session behind it."""
        panel = TitledPanel(tr("Session"), padding=12)
        self.terminal = QComboBox()
        self.person = ChoiceField(tr("Empty: the terminal's own code"), name=tr("Person that the code is shown for"))
        self.intent = QComboBox()
        self.intent.addItem(tr("None said"), "")
        for intent, title in INTENTS:
            self.intent.addItem(title, intent)
        panel.body.addLayout(
            named_fields(((tr("Terminal"), self.terminal), (tr("Person"), self.person), (tr("Intent"), self.intent)))
        )
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(
            ActionButton(table, "verify.code_show", text=tr("Show the code"), role="primary", with_key=True)
        )
        buttons.addWidget(ActionButton(table, "verify.code_stop", text=tr("Stop"), with_key=True))
        buttons.addStretch(1)
        panel.body.addLayout(buttons)
        self.facts = Facts(FACTS)
        panel.body.addWidget(self.facts)
        return panel

    def _scan(self, table: ActionTable) -> TitledPanel:
        """The field of the scanner, and what was judged."""
        panel = TitledPanel(tr("Scan", "code"), padding=12)
        self.payload = QLineEdit()
        self.payload.setAccessibleName(tr("Scanned code: a scanner types here and ends with Enter"))
        self.payload.setPlaceholderText(tr("A scanner types here   F9"))
        self.payload.setFont(theme.mono())
        self.payload.setMaxLength(SCANNED_MAX)
        self.payload.returnPressed.connect(self.scanned)
        panel.body.addWidget(self.payload)
        self.verdict = PassingVerdict(22)
        panel.body.addWidget(self.verdict)
        self.said = label("", "", wrap=True)
        panel.body.addWidget(self.said)
        buttons = QHBoxLayout()
        buttons.setSpacing(8)
        buttons.addWidget(ActionButton(table, "verify.code_log", text=tr("In the audit log")))
        buttons.addWidget(ActionButton(table, "verify.code_alarm", text=tr("See the alarm")))
        buttons.addStretch(1)
        panel.body.addLayout(buttons)
        columns: list[Column[CodeJudgement]] = [
            Column(tr("TIME"), lambda row: clock_time(row.at), 84, hint=lambda row: utc_time(row.at)),
            Column(tr("RESULT"), lambda row: row.word, 128, state=lambda row: row.state, hint=lambda row: row.said),
            Column(tr("AGE"), lambda row: row.age or "–", least=96, dim=True),
            Column(tr("TERMINAL"), lambda row: row.terminal, 104, mono=True, spare=1),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: str(row.number))
        self.scans = DataTable(self.rows, name=tr("Codes that this console has judged, newest first"))
        keep_lengths(self.scans, lambda one: one.setMinimumHeight(height_of(1)))
        panel.body.addWidget(self.scans, 1)
        self.verdict.set(Meaning.IDLE, tr("None yet"))
        self.said.setText(tr("Scan the code that a terminal shows: accepted once, and only within its time."))
        return panel

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_terminals(self, names: Sequence[tuple[str, str]]) -> None:
        """``(terminal_id or the empty text, title)``; the choice stays."""
        field = self.terminal
        if list(names) != [(field.itemData(at), field.itemText(at)) for at in range(field.count())]:
            kept = field.currentData()
            field.clear()
            for terminal_id, title in names:
                field.addItem(title, terminal_id)
            field.setCurrentIndex(max(0, field.findData(kept)))

    def lock(self, *, locked: bool) -> None:
        """What the session is for can be chosen only while there is none."""
        for field in (self.terminal, self.person, self.intent):
            field.setEnabled(not locked)

    def show_session(self, session: CodeSession, received_ns: int, reply: QrSession) -> None:
        """The codes of this session."""
        self.code.show_session(session, received_ns)
        self.facts.set("terminal", reply.terminal_id)
        self.facts.set("sid", reply.sid)

    def show_none(self, why: str = NOTHING) -> None:
        """No code, and why."""
        self.code.clear(why)
        self.facts.clear()
        if self._full is not None:
            self._full.tell(why)

    def show_left(self, seconds: float) -> None:
        """Show how many seconds the session still lasts."""
        left = left_words(seconds)
        self.facts.set("ends", tr("{left}; renewed {seconds} s before", left=left, seconds=LIFETIME_S - RENEW_S))
        if self._full is not None:
            self._full.tell(tr("The session ends in {left} and is renewed before.", left=left))

    def show_judgements(self, found: Sequence[CodeJudgement], now: float) -> None:
        """The newest first, and the newest large. ``now``: by the clock of their times."""
        newest = found[0]
        self.verdict.decide(newest.state, newest.word, newest.at, now)
        self.said.setText(newest.said)
        self.rows.set_rows(found)

    # --- the whole window --------------------------------------------------------------------------------------------

    def open_full(self) -> None:
        """The code as large as the window, for a phone that scans it; Esc goes back."""
        if self._full is None:
            self._full = FullCode(self.window(), self.code)
            self._full.finished.connect(self._back)
            self._full.open()

    def _back(self) -> None:
        full, self._full = self._full, None
        if full is not None:
            self.room.insertWidget(0, self.code, 1)
            self.code.show()
            full.deleteLater()


class FullCode(Dialog):
    """Lies over the whole window and takes the code in until it is closed."""

    def __init__(self, window: QWidget, code: RotatingCode) -> None:
        super().__init__(window, Qt.WindowType.FramelessWindowHint | Qt.WindowType.Dialog)
        self.setAccessibleName(tr("The rotating code, full window"))
        self.setWindowTitle(tr("Rotating code"))
        self.setModal(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 12)
        column.setSpacing(8)
        column.addWidget(code, 1)
        code.show()
        self._told = label("", "dim")
        row = QHBoxLayout()
        row.addWidget(self._told)
        row.addStretch(1)
        row.addWidget(label(tr("Esc goes back"), "dim"))
        column.addLayout(row)

    def tell(self, words: str) -> None:
        """Say how the session stands."""
        if self._told.text() != words:
            self._told.setText(words)

    def showEvent(self, event: QShowEvent) -> None:
        parent = self.parentWidget()
        if parent is not None:
            self.setGeometry(parent.geometry())
        super().showEvent(event)
