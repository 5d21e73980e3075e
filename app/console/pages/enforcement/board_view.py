"""The board: the notices of all strikes with their deadline clocks, the most urgent first."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QHeaderView, QLineEdit, QPushButton

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.enforcement.words import CHANNELS, STATE_HINTS, ShownNotice, kind_and_law
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import fix_field
from app.console.widgets.clock_cells import ClockDelegate, DeadlineClock, StepDelegate
from app.console.widgets.empty import EmptyState
from app.console.widgets.fold_row import FoldRow
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

NEAR_END = 20
"""Rows before the end of the list at which more are asked for."""
_ROW = 34


class NoticesTable(DataTable):
    """Its rows have room for a button."""

    def _rows_high(self) -> None:
        rows = self.verticalHeader()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(8)
        rows.setDefaultSectionSize(max(theme.row_height(), theme.px(_ROW)))


class BoardPanel(TitledPanel):
    """``chosen`` gives the id of the notice under the cursor, ``opened`` the one whose strike is asked for, ``pressed``
    the one whose next step is; ``more`` asks for further notices; ``sought`` gives a tracking token that was typed."""

    chosen = Signal(str)
    opened = Signal(str)
    pressed = Signal(str)
    more = Signal()
    sought = Signal(str)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Notices"), padding=12)
        self.note = label(tr("most urgent first, times in UTC"), "dim")
        self.head.insertWidget(1, self.note)
        self.mark = StateMark()
        self.mark.hide()
        self.count = StateMark()
        self.count.hide()
        self.token = QLineEdit()
        self.token.setPlaceholderText("ARC-ST-…   /")
        self.token.setAccessibleName(tr("Find a strike by its tracking token"))
        self.token.setClearButtonEnabled(True)
        fix_field(self.token, 190)
        self.token.returnPressed.connect(lambda: self.sought.emit(self.token.text().strip()))
        for control in (self.mark, self.count, self.token):
            self.head.addWidget(control)
        self.open, self.resolved = QPushButton(), QPushButton()
        for button in (self.open, self.resolved):
            button.setProperty("role", "choice")
            button.setCheckable(True)
            button.setAutoDefault(False)
            button.clicked.connect(lambda _on, of=button: self._choose_list(table, of))
            self.head.addWidget(button)
        columns: list[Column[ShownNotice]] = [
            Column(tr("STATE"), lambda row: row.word, 132, state=lambda row: row.state,
                   hint=lambda row: row.notice.fault or STATE_HINTS[row.notice.state]),
            Column(tr("PLATFORM"), lambda row: row.notice.platform_name, 160),
            Column(tr("KIND AND LAW"), kind_and_law_of, 158, spare=1),
            Column(tr("CHANNEL"), lambda row: CHANNELS[row.notice.channel], 72, dim=True, spare=3),
            Column(tr("DEADLINE CLOCK"), lambda row: f"{row.clock.words} {row.clock.until}".strip(), least=250,
                   hint=clock_hint),
            Column(tr("REFERENCE"), lambda row: row.notice.reference or "–", 152, mono=True, spare=2,
                   hint=_reference_hint),
            Column(tr("NEXT"), lambda row: row.step.word if row.step is not None else "", 164, right=True),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.notice.notice_id)
        self.table = NoticesTable(
            self.rows, name=tr("Notices of all strikes, most urgent first"), proof=lambda row: row.notice.notice_id
        )
        self.table.setMouseTracking(True)
        self._next = len(columns) - 1
        self.table.setItemDelegateForColumn(4, ClockDelegate(self._clock, self.table))
        self.table.setItemDelegateForColumn(self._next, StepDelegate(self.table))
        self.table.selected.connect(lambda at: self.chosen.emit(self._id_at(at)))
        self.table.opened.connect(lambda at: self.opened.emit(self._id_at(at)))
        self.table.clicked.connect(self._press)
        self.table.verticalScrollBar().valueChanged.connect(lambda _at: self.near_end())
        self.nothing = EmptyState(
            "scale",
            tr("No notice is open."),
            tr(
                "A strike is a signed declaration that platforms must take seriously. Fill in the draft "
                "above and issue it: its notices stand here until each has come to its end."
            ),
        )
        self.no_end = EmptyState(
            "circle-check", tr("Nothing is resolved yet."), tr("Notices that have come to their end stand here.")
        )
        self.closed = EmptyState(
            "lock",
            tr("Enforcement needs Citadel clearance."),
            tr("This console is connected with a Sovereign key: it sees no strike and may issue none."),
        )
        self.waits = EmptyState("refresh-cw", tr("The notices are being read."))
        self.stack = Stack(132)
        for part in (self.table, self.nothing, self.no_end, self.closed, self.waits):
            self.stack.addWidget(part)
        self.stack.setCurrentWidget(self.waits)
        self.body.addWidget(self.stack, 1)
        self.ends = FoldRow()
        self.ends.clicked.connect(lambda: self._unfold(table))
        self.body.addWidget(self.ends)
        self._resolved = False
        self._show_switch(resolved=False, count="")
        self.show_ends("", "")

    def _clock(self, at: int) -> DeadlineClock | None:
        row = self.rows.get(at)
        return None if row is None else row.clock

    # --- what the cursor is on ---------------------------------------------------------------------------------------

    @property
    def notice(self) -> ShownNotice | None:
        """The notice under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def _id_at(self, at: int) -> str:
        row = self.rows.get(at)
        return "" if row is None else row.notice.notice_id

    def _press(self, index: QModelIndex) -> None:
        row = self.rows.get(index.row())
        if index.column() == self._next and row is not None and row.step is not None:
            self.pressed.emit(row.notice.notice_id)

    def near_end(self) -> None:
        """Ask for more rows if the last ones that are there are in sight, or nearly."""
        bar = self.table.verticalScrollBar()
        if bar.value() >= bar.maximum() - NEAR_END * theme.px(_ROW):
            self.more.emit()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_closed(self) -> None:
        """The key of this console may see none of it."""
        self.stack.setCurrentWidget(self.closed)
        self.count.set(Meaning.IDLE, tr("Closed"))
        self.count.show()
        for control in (self.token, self.open, self.resolved):
            control.setEnabled(False)
        self.ends.hide()

    def show_rows(self, rows: Sequence[ShownNotice], wanted: str, *, resolved: bool, whole: bool) -> None:
        """Show these notices with the cursor on ``wanted``. ``resolved``: those that have come to their end; ``whole``:
        there are no more than these."""
        to_table = self.table.hasFocus()
        self.rows.set_rows(rows)
        at = self.rows.row_of(wanted)
        if at >= 0 and self.table.currentIndex().row() != at:
            self.table.selectRow(at)
        self.stack.setCurrentWidget(self.table if rows else self.no_end if resolved else self.nothing)
        count = str(len(rows)) if whole else tr("{count} or more", count=len(rows))
        urgent = 0 if resolved else sum(row.state is Meaning.BAD for row in rows)
        self.count.set(Meaning.BAD, tr("{count} to act on", count=urgent))
        self.count.setVisible(urgent > 0)
        self._show_switch(resolved=resolved, count=count)
        if to_table and rows:
            self.table.setFocus()

    def _unfold(self, table: ActionTable) -> None:
        """List the resolved notices. The row goes as they come, and stands for them again as they go."""
        self.ends.setChecked(False)
        table.trigger("enforcement.resolved")

    def _choose_list(self, table: ActionTable, button: QPushButton) -> None:
        """List the open notices, or the resolved ones; those that are listed stay."""
        listed = self.resolved if self._resolved else self.open
        listed.setChecked(True)
        if button is not listed:
            button.setChecked(False)
            table.trigger("enforcement.resolved")

    def _show_switch(self, *, resolved: bool, count: str) -> None:
        """Show which notices are listed, and how many of them there are."""
        self._resolved = resolved
        self.open.setChecked(not resolved)
        self.resolved.setChecked(resolved)
        _say(self.open, tr("Open notices"), tr("Open", "notices"), "" if resolved else count)
        if resolved:
            _say(self.resolved, tr("Resolved notices"), tr("Resolved"), count)

    def show_ends(self, count: str, words: str) -> None:
        """Say how many are resolved, and what became of them; without ``words`` these are listed themselves, or there
        are none."""
        if not self._resolved:
            _say(self.resolved, tr("Resolved notices"), tr("Resolved"), count)
        self.ends.show_words(words)
        self.ends.setVisible(bool(words))


def _say(button: QPushButton, name: str, word: str, count: str) -> None:
    """Give a button its word, with the number of what it lists."""
    button.setText(f"{word} {count}".strip())
    button.setAccessibleName(f"{name}: {count}" if count else name)


def kind_and_law_of(row: ShownNotice) -> str:
    """What it is and under which law, of a row of the table."""
    return kind_and_law(row.row)


def clock_hint(row: ShownNotice) -> str:
    """The whole clock, with what the law says about it."""
    notice = row.notice
    lines = [f"{row.clock.words} {row.clock.until}".strip(), notice.deadline_basis or ""]
    if notice.deadline_about:
        lines.append(tr("Business days are Monday to Friday, without holidays."))
    return "\n".join(line for line in lines if line)


def _reference_hint(row: ShownNotice) -> str:
    """The tracking token, and what the platform calls it."""
    return f"{row.notice.tracking}\n" + (row.notice.reference or tr("The platform gave none"))
