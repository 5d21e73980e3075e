"""The batch tab's parts: what is added, how far it is, and each file or address with its state."""

from __future__ import annotations

import time
from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QProgressBar

from app.console.actions import ActionTable
from app.console.clock import age
from app.console.language import tr
from app.console.pages.media.scan_queue import OVER, QueueEntry, QueueStage
from app.console.pages.media.words import VERDICTS
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import PANEL, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.drop_area import DropGround
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.wrap_row import WrapRow

_STAGES = {
    QueueStage.WAITS: (Meaning.IDLE, tr("Waits")),
    QueueStage.SCANNING: (Meaning.WORK, tr("Scanning")),
    QueueStage.DONE: (Meaning.IDLE, tr("Scanned")),
    QueueStage.FAILED: (Meaning.BAD, tr("Failed")),
    QueueStage.CANCELLED: (Meaning.IDLE, tr("Cancelled")),
}
_RESULTS = {word: state for state, word in VERDICTS.values()}


def stage_words(entry: QueueEntry) -> tuple[Meaning, str]:
    """State and word of an entry; of one that is done, what was found."""
    if entry.stage is QueueStage.DONE:
        return _RESULTS.get(entry.result, Meaning.IDLE), entry.result
    return _STAGES[entry.stage]


class MediaBatchView(DropGround):
    """``selected`` when other rows are marked, ``opened`` with the scan of a row."""

    selected = Signal()
    opened = Signal(str)

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        column = Narrow(PANEL, parent=self)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(12)
        hands = WrapRow()
        for action, text, role in (
            ("media.files", tr("Add files"), "primary"),
            ("media.folder", tr("Add a folder"), ""),
            ("media.paste", tr("Add addresses"), ""),
            ("media.pause", None, ""),
            ("media.retry", None, ""),
            ("media.cancel", None, ""),
            ("media.clear", None, ""),
        ):
            hands.addWidget(ActionButton(table, action, text=text, role=role))
        column.addLayout(hands)
        panel = TitledPanel(tr("Batch"), padding=12)
        self.mark = StateMark(Meaning.IDLE, tr("Empty"))
        panel.head.addWidget(self.mark)
        row = QHBoxLayout()
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName(tr("Progress of the batch"))
        self.counts = label("", "dim")
        row.addWidget(self.bar, 1)
        row.addWidget(self.counts)
        panel.body.addLayout(row)
        columns: list[Column[QueueEntry]] = [
            Column(tr("FILE"), lambda one: one.name, 230, hint=lambda one: one.place),
            Column(tr("RESULT"), lambda one: stage_words(one)[1], 140, state=lambda one: stage_words(one)[0],
                   hint=lambda one: one.reason or stage_words(one)[1]),
            Column(tr("TIME"), _time_words, 80, right=True, dim=True, spare=2),
            Column(tr("WHY"), lambda one: one.reason, least=150, dim=True),
            Column(tr("PLACE"), lambda one: one.place, mono=True, dim=True, least=150, spare=1),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda one: one.key)
        self.table = DataTable(
            self.rows,
            name=tr("Files and addresses of the batch"),
            proof=lambda one: one.scan_id or None,
            no_proof=tr("It has no verdict yet: the audit log has nothing of it."),
        )
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.table.selectionModel().selectionChanged.connect(lambda *_: self.selected.emit())
        self.table.opened.connect(self._open)
        self.nothing = EmptyState(
            "list",
            tr("Nothing is queued."),
            tr(
                "Drop files, a folder or addresses here. Each is scanned in its turn; the list of scans "
                "keeps the results."
            ),
        )
        self.stack = Stack(160)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.nothing)
        panel.body.addWidget(self.stack, 1)
        self.note = label("", "small", wrap=True)
        panel.body.addWidget(self.note)
        column.addWidget(panel, 1)
        self.show_entries((), paused=False)

    @property
    def chosen(self) -> list[QueueEntry]:
        """The marked rows."""
        found = (self.rows.get(index.row()) for index in self.table.selectionModel().selectedRows())
        return [one for one in found if one is not None]

    def show_entries(self, entries: Sequence[QueueEntry], *, paused: bool) -> None:
        """Show the queue as it is."""
        self.rows.set_rows(entries)
        self.stack.setCurrentWidget(self.table if entries else self.nothing)
        over = sum(one.stage in OVER for one in entries)
        failed = sum(one.stage is QueueStage.FAILED for one in entries)
        scanning = sum(one.stage is QueueStage.SCANNING for one in entries)
        self.bar.setVisible(bool(entries))
        self.bar.setMaximum(max(1, len(entries)))
        self.bar.setValue(over)
        parts = [tr("{over:,} of {count:,} done", over=over, count=len(entries))]
        parts += [tr("{count} in work", count=scanning)] if scanning else []
        parts += [tr("{count:,} failed", count=failed)] if failed else []
        self.counts.setText(", ".join(parts) if entries else "")
        self.mark.set(*_whole(len(entries), over, failed, paused=paused))

    def _open(self, at: int) -> None:
        entry = self.rows.get(at)
        if entry is not None and entry.scan_id:
            self.opened.emit(entry.scan_id)


def _whole(count: int, over: int, failed: int, *, paused: bool) -> tuple[Meaning, str]:
    """State and word of the whole batch."""
    if not count:
        return Meaning.IDLE, tr("Empty")
    if over == count:
        return (Meaning.BAD, tr("{count:,} failed", count=failed)) if failed else (Meaning.IDLE, tr("Done"))
    return (Meaning.IDLE, tr("Paused")) if paused else (Meaning.WORK, tr("Scanning"))


def _time_words(entry: QueueEntry) -> str:
    return age(entry.seconds(time.monotonic())) if entry.began else ""
