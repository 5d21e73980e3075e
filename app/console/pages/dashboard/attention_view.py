"""What needs a person: the state line with the worst of it, and below it the list, the most pressing first."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import age, utc_time
from app.console.language import tr
from app.console.pages.dashboard.attention_words import SEVERITY, AttentionRow
from app.console.pages.dashboard.closed import ClosedRow
from app.console.pages.dashboard.closed_view import NothingOpen
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.clock_cells import StepDelegate
from app.console.widgets.empty import EmptyState
from app.console.widgets.hero import StateHero
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel

MOST_ROWS, MOST_ROWS_TALL = 3, 6
"""Rows that are in sight at once: on the screen of the design, and on a taller one. The others are scrolled to."""
TALL_FROM = 1000
"""Height of the page, px at 100 % text, from which it is a taller one."""
_HEAD = 36
"""Height of the heads of the columns with the lines around them, px at 100 % text."""
_EMPTY = 108
"""Height of what stands where nothing is open, px at 100 % text."""


class StateLine(StateHero):
    """The first thing on the page: whether anybody is needed, the worst in one sentence, and what can be done now."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__(name=tr("State of the site"))
        self.mute = ActionButton(table, "dashboard.mute_worst", text=tr("Mute 15 min"), role="quiet")
        self.take = ActionButton(table, "dashboard.take_worst", text=tr("Take it"), role="primary")
        for button in (self.mute, self.take):
            self.row.addWidget(button)
            button.hide()

    def offer(self, *, take: bool, mute: bool) -> None:
        """Show which buttons belong to what is said."""
        self.take.setVisible(take)
        self.mute.setVisible(mute)


class AttentionPanel(TitledPanel):
    """Emits ``opened`` and ``taken`` with the row. ``now`` gives Unix seconds of the service's clock."""

    opened = Signal(object)
    taken = Signal(object)

    def __init__(self, table: ActionTable, now: Callable[[], float]) -> None:
        super().__init__(tr("Needs you"), padding=12)
        self._now = now
        self._tall = False
        self.mark = StateMark()
        self.head.addWidget(self.mark)
        self.head.addWidget(ActionButton(table, "dashboard.seen", role="quiet", bare=True))
        self.head.addWidget(ActionButton(table, "dashboard.mute", role="quiet", bare=True))
        columns: list[Column[AttentionRow]] = [
            Column(tr("WHAT"), lambda row: row.title, state=lambda row: row.shown_state, least=200, weight=2.2,
                   hint=lambda row: f"{row.text}\n{row.hint}".rstrip(), second=lambda row: row.below),
            Column(tr("SINCE"), lambda row: age(max(0.0, now() - row.since)), 58, right=True, dim=True,
                   hint=lambda row: utc_time(row.since)),
            Column(tr("OWNER"), lambda row: row.owner_words(), least=128, spare=1,
                   second=lambda row: row.note_words(now())),
            Column(tr("STEP"), self._step, 92, right=True),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.key)
        self.table = DataTable(
            self.rows,
            name=tr("Needs you"),
            proof=lambda row: row.alarm_id or row.arguments.get("burn_id"),
            no_proof=tr("What is measured now is no entry of the audit log: its alarm is one as soon as it is raised."),
        )
        self.table.setItemDelegateForColumn(len(columns) - 1, StepDelegate(self.table))
        self.table.opened.connect(lambda row: self.opened.emit(self.rows.rows[row]))
        self.table.clicked.connect(self._press)
        self.nothing = NothingOpen()
        self.unknown = EmptyState("circle-question-mark", tr("Nobody knows."), tr("The service does not answer."))
        self.loading = EmptyState("history", tr("Loading."), tr("Alarms, burns and readers are being read."))
        self.stack = Stack(_EMPTY)
        for part in (self.table, self.nothing, self.unknown, self.loading):
            self.stack.addWidget(part)
        self.body.addWidget(self.stack, 1)
        # Its texts are of any length: they must not move the columns.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._may_take = False

    def allow_taking(self, on: bool) -> None:
        """Whether the operator may take alarms."""
        self._may_take = on

    def _step(self, row: AttentionRow) -> str:
        """The word on the button of a row."""
        if row.waits_for_owner and self._may_take and not row.muted_until:
            return tr("Take")
        return tr("Open") if row.page else ""

    def _press(self, index: QModelIndex) -> None:
        """A click on the button of a row takes it, or opens what it is about."""
        row = self.rows.get(index.row())
        if row is None or index.column() != len(self.rows.columns) - 1:
            return
        (self.taken if self._step(row) == tr("Take") else self.opened).emit(row)

    def show_rows(self, rows: Sequence[AttentionRow], stale: str, *, loading: bool = False) -> None:
        """Show these rows. ``stale``: since when nothing is known, empty while it is; ``loading``: the first answer is
        awaited."""
        self.table.take_rows(rows)
        open_ = sum(not row.muted_until for row in rows)
        if stale:
            self.mark.set(Meaning.IDLE, stale)
        elif open_:
            worst = min((row.state for row in rows if not row.muted_until), key=SEVERITY.__getitem__)
            self.mark.set(worst, tr("{count} open", count=open_))
        else:
            self.mark.set(Meaning.IDLE if rows else Meaning.OK, tr("All muted") if rows else tr("Clear", "state"))
        nothing: QWidget = self.loading if loading else self.unknown if stale else self.nothing
        self.stack.setCurrentWidget(self.table if rows else nothing)
        self._fit_rows()

    def show_closed(self, rows: Sequence[ClosedRow]) -> None:
        """Show what was closed last; it is in sight where nothing is open."""
        self.nothing.show_closed(rows)
        self._fit_rows()

    def show_ages(self) -> None:
        """Time has passed: how long each row waits is another figure."""
        if self.rows.rows:
            last = self.rows.index(len(self.rows.rows) - 1, len(self.rows.columns) - 1)
            self.rows.dataChanged.emit(self.rows.index(0, 0), last)

    def set_tall(self, on: bool) -> None:
        """Show more rows at once, because the page is tall."""
        if on != self._tall:
            self._tall = on
            self._fit_rows()

    def _fit_rows(self) -> None:
        """As high as its rows, up to a bound; what is left over belongs to the frames."""
        most = MOST_ROWS_TALL if self._tall else MOST_ROWS
        rows = min(len(self.rows.rows), most)
        head = theme.px(_HEAD) + 2 * self.table.frameWidth()
        empty = max(theme.px(_EMPTY), self.nothing.least_px)
        self.stack.set_least(head + rows * self.table.row_px() if rows else empty)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_may_take"):
            self._fit_rows()

    def focus_list(self) -> None:
        """Bring the keys here; choose the first row when none is chosen."""
        if self.rows.rows and not self.table.currentIndex().isValid():
            self.table.selectRow(0)
        self.table.setFocus()

    @property
    def chosen(self) -> AttentionRow | None:
        """The row under the cursor."""
        return self.rows.get(self.table.currentIndex().row())
