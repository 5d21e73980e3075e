"""A batch that runs or has run: the readers large, how far it is, every line, and what it leaves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.capabilities.provisioning.batches.messages import BatchRow, BatchState, BatchSummary
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import clock_time, date_time, parse_time, utc_time
from app.console.language import tr
from app.console.pages.batch.board import NEEDS, ROW_STATES, ROW_WORDS, Station, remaining, who
from app.console.pages.batch.tiles import CountsBar, ReaderTiles
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label
from app.console.widgets.verdict import VerdictLabel

BATCH_WORDS: dict[BatchState, tuple[Meaning, str]] = {
    "RUNNING": (Meaning.WORK, tr("Running")),
    "PAUSED": (Meaning.IDLE, tr("Paused")),
    "DONE": (Meaning.OK, tr("Done")),
    "CANCELLED": (Meaning.IDLE, tr("Cancelled")),
}


def batch_mark(summary: BatchSummary) -> tuple[Meaning, str]:
    """State and word of a batch; one that left somebody without a card is not green."""
    state, word = BATCH_WORDS[summary.state]
    if summary.state == "DONE" and summary.counts.failed:
        return Meaning.BAD, tr("Done, {count} failed", count=summary.counts.failed)
    return state, word


HOLDING = ("RUNNING", "TORN", "COMPLETE")
"""States of lines that a card has."""
OVER = ("COMPLETE", "CANCELLED")
"""States of lines that nobody has to do with any more; they sink below the others."""


class RunView(QWidget):
    """Emits ``filtered`` (text) and ``opened`` (n of a line)."""

    filtered = Signal(str)
    opened = Signal(int)

    def __init__(self, table: ActionTable, *, training: bool) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        self.none = EmptyState(
            "id-card",
            tr("No batch is open."),
            tr("Once a list has begun, the readers stand here large: each card that is put in takes the next line."),
            table=table,
            action="batch.list",
        )
        self.shown = QWidget()
        inside = QVBoxLayout(self.shown)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(12)
        inside.addWidget(self._head(table, training=training))
        self.tiles = ReaderTiles()
        inside.addWidget(self.tiles)
        inside.addWidget(self._lines(table), 1)
        self.stack = Stack(theme.px(400))
        self.stack.addWidget(self.none)
        self.stack.addWidget(self.shown)
        column.addWidget(self.stack, 1)

    def _head(self, table: ActionTable, *, training: bool) -> TitledPanel:
        """How far the batch is, and what can be done with it."""
        panel = TitledPanel(padding=12)
        top = QHBoxLayout()
        top.setSpacing(12)
        self.verdict = VerdictLabel(18)
        self.title = ElidedLabel("", "heading")
        self.stale = StateMark()
        self.stale.hide()
        self.muted = StateMark(Meaning.IDLE, tr("Muted"))
        top.addWidget(self.verdict)
        top.addWidget(self.title, 1)
        top.addWidget(self.stale)
        top.addWidget(self.muted)
        if training:
            top.addWidget(ActionButton(table, "batch.swap", with_key=True))
        self.pause = ActionButton(table, "batch.pause", with_key=True)
        self.resume = ActionButton(table, "batch.resume", role="primary", with_key=True)
        for button in (
            ActionButton(table, "batch.mute", bare=True),
            self.pause,
            self.resume,
            ActionButton(table, "batch.cancel", with_key=True),
        ):
            top.addWidget(button)
        panel.body.addLayout(top)
        self.bar = CountsBar()
        panel.body.addWidget(self.bar)
        below = QHBoxLayout()
        below.setSpacing(16)
        self.written, self.torn, self.failed, self.working, self.left = (StateMark() for _ in range(5))
        for mark in (self.written, self.torn, self.failed, self.working, self.left):
            below.addWidget(mark)
        below.addStretch(1)
        self.pace = label("", "dim")
        below.addWidget(self.pace)
        panel.body.addLayout(below)
        return panel

    def _lines(self, table: ActionTable) -> TitledPanel:
        """The lines, those that need somebody first."""
        panel = TitledPanel(padding=12)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter lines   /"))
        self.filter.setAccessibleName(tr("Filter the lines by person, node, state, reader or reason"))
        self.filter.setClearButtonEnabled(True)
        self.filter.setMinimumWidth(theme.px(200))
        self.filter.textChanged.connect(self.filtered)
        self.count = label("", "dim")
        row.addWidget(self.filter)
        row.addWidget(self.count)
        row.addStretch(1)
        self.saved = StateMark()
        self.saved.hide()
        row.addWidget(self.saved)
        for name in ("batch.next_bad", "batch.open_line"):
            row.addWidget(ActionButton(table, name))
        panel.body.addLayout(row)
        columns: list[Column[BatchRow]] = [
            Column(tr("LINE"), lambda row: str(row.n), 56, right=True, dim=True),
            Column(tr("STATE"), lambda row: ROW_WORDS[row.state], 104, state=lambda row: ROW_STATES[row.state]),
            Column(tr("PERSON"), who, 172),
            Column(tr("NODE"), lambda row: row.node_id, 104, mono=True, spare=2),
            Column(tr("READER"), lambda row: row.reader or "–", 136, dim=True, spare=1),
            Column(tr("CARDS TRIED"), tried_cards, 100, right=True, dim=True, spare=3),
            Column(tr("ENDED"), end_time, 80, dim=True,
                   hint=lambda row: utc_time(parse_time(row.ended_at)) if row.ended_at
                   else tr("not yet")),
            Column(tr("WHY"), why, least=200),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: str(row.n))
        self.table = DataTable(
            self.rows,
            name=tr("Lines of the batch, those that need somebody first"),
            proof=lambda row: row.provision_id,
            no_proof=tr("No card was written for it yet: the audit log has nothing of it."),
        )
        self.table.opened.connect(lambda at: self.opened.emit(self.rows.rows[at].n))
        panel.body.addWidget(self.table, 1)
        self.saves = QHBoxLayout()
        self.saves.setSpacing(8)
        self.saves.addWidget(label(tr("Save"), "dim"))
        for name, short in (
            ("batch.report", tr("Report")),
            ("batch.receipts", tr("Receipts")),
            ("batch.mailers", tr("PIN mailers")),
            ("batch.badges", tr("Badges")),
            ("batch.labels", tr("Labels")),
        ):
            self.saves.addWidget(ActionButton(table, name, text=short, with_key=True))
        self.saves.addStretch(1)
        panel.body.addLayout(self.saves)
        return panel

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_summary(self, summary: BatchSummary, others: int, now: float) -> None:
        """Head of the page. ``others``: further batches that are open; the oldest takes cards first."""
        self.verdict.set(*batch_mark(summary))
        self.title.setText(summary.label)
        self.pause.setVisible(summary.state != "PAUSED")
        self.resume.setVisible(summary.state == "PAUSED")
        counts = summary.counts
        self.bar.show_counts(counts)
        for mark, state, count, words in (
            (self.written, Meaning.OK, counts.complete, tr("{count} written", count=counts.complete)),
            (self.torn, Meaning.BAD, counts.torn, tr("{count} torn", count=counts.torn)),
            (self.failed, Meaning.BAD, counts.failed, tr("{count} failed", count=counts.failed)),
            (self.working, Meaning.WORK, counts.running, tr("{count} in work", count=counts.running)),
            (self.left, Meaning.IDLE, counts.waiting or counts.cancelled,
             tr("{count} cancelled", count=counts.cancelled) if counts.cancelled and not counts.waiting
             else tr("{count} wait", count=counts.waiting)),
        ):  # fmt: skip
            mark.set(state if count else Meaning.IDLE, words)
        parts = [summary.fips_standard]
        if summary.cards_per_minute is not None:
            parts.append(tr("{rate:g} cards a minute", rate=summary.cards_per_minute))
        if summary.eta_seconds is not None and summary.state == "RUNNING":
            seconds = summary.eta_seconds
            parts.append(
                tr(
                    "ready in {span}, at {time}",
                    span=remaining(seconds),
                    time=clock_time(now + seconds),
                )
            )
        if summary.finished_at is not None:
            parts.append(tr("ended {time}", time=date_time(parse_time(summary.finished_at))))
        if others:
            parts.append(tr("{count} more open: the oldest batch takes cards first", count=others))
        self.pace.setText(" · ".join(parts))

    def show_stations(self, stations: Sequence[Station]) -> None:
        """The readers; hidden when the batch has none to show."""
        self.tiles.setVisible(bool(stations))
        self.tiles.show_stations(stations)

    def show_rows(self, rows: Sequence[BatchRow], total: int) -> None:
        """Lines. The chosen one stays chosen, unless it is over now and sinks: then the next person's line is, in its
        place. What is in sight stays in sight."""
        before = self.rows.rows
        at = self.table.currentIndex().row()
        after = {row.n: row for row in rows}
        stays = _stays_chosen(before, at, after)
        bar, sight = self.table.verticalScrollBar(), self._in_sight(before, after)
        self.rows.set_rows(rows)
        found = -1 if stays is None else self.rows.row_of(str(stays))
        if found >= 0 and found != self.table.currentIndex().row():
            self.table.selectRow(found)
        if sight is not None and (top := self.rows.row_of(str(sight[0]))) >= 0:
            bar.setValue(top * self.table.rowHeight(0) + sight[1])
        if stays is not None and after[stays].state in NEEDS and before[at].state not in NEEDS:
            self.table.scrollTo(self.table.currentIndex())
        self.count.setText(
            tr("{count} of {total} lines", count=len(rows), total=total)
            if len(rows) != total
            else tr("{count} lines", count=total)
        )

    def _in_sight(self, before: Sequence[BatchRow], after: Mapping[int, BatchRow]) -> tuple[int, int] | None:
        """The first line in sight that stays where it is, and how far below it the sight begins, px; None: the sight is
        the top of the list, which shows who is next."""
        value, high = self.table.verticalScrollBar().value(), self.table.rowHeight(0)
        if not value or not high:
            return None
        for at in range(value // high, len(before)):
            row = after.get(before[at].n)
            if row is not None and row.state == before[at].state:
                return row.n, value - at * high
        return None

    @property
    def chosen(self) -> BatchRow | None:
        """The line under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def show_saved(self, state: Meaning, word: str) -> None:
        """What came of saving; the empty word takes it away."""
        self.saved.set(state, word)
        self.saved.setVisible(bool(word))


def _stays_chosen(before: Sequence[BatchRow], at: int, after: Mapping[int, BatchRow]) -> int | None:
    """Which line is chosen in ``after`` (lines by their number), where ``before[at]`` was; None: none."""
    if not 0 <= at < len(before):
        return None
    now = after.get(before[at].n)
    if now is None or now.state not in OVER or before[at].state in OVER:
        return None if now is None else now.n
    following = (after[row.n] for row in before[at + 1 :] if row.n in after)
    return next((row.n for row in following if row.state not in OVER), now.n)


def why(row: BatchRow) -> str:
    """The last problem, as a sentence."""
    return row.detail[:1].upper() + row.detail[1:] if row.detail else ""


def tried_cards(row: BatchRow) -> str:
    """Cards that were given to this line: those that refused it, and the one that has it or had it last."""
    tried = row.attempts + (row.state in HOLDING)
    return str(tried) if tried else "–"


def end_time(row: BatchRow) -> str:
    """When the line was over."""
    return clock_time(parse_time(row.ended_at)) if row.ended_at else "–"
