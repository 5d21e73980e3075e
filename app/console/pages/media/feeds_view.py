"""The feeds tab's parts: the address of a feed, and each feed with its score, what it dropped, and its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QWidget

from app.console.actions import ActionTable
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import PANEL, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label


@dataclass(frozen=True)
class FeedRow:
    """A feed. ``score``: with its false-alarm rate; ``scores``: those that were heard here, oldest first; ``running``:
    it can be stopped."""

    scan_id: str
    name: str
    url: str
    state: Meaning
    word: str
    score: str
    scores: tuple[float, ...]
    frames: str
    dropped: str
    heard: str
    reason: str
    running: bool


class FeedsView(QWidget):
    """``selected`` when another feed is under the cursor, ``opened`` with the scan of a feed."""

    selected = Signal()
    opened = Signal(str)

    def __init__(self, table: ActionTable, mark: StateMark) -> None:
        super().__init__()
        column = Narrow(PANEL, parent=self)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(12)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.address = QLineEdit()
        self.address.setAccessibleName(tr("Address of a feed"))
        self.address.setPlaceholderText(tr("Address of a camera's picture, an MJPEG stream or an HLS playlist (.m3u8)"))
        self.address.setClearButtonEnabled(True)
        self.address.returnPressed.connect(lambda: table.trigger("media.feed_start"))
        self.address.textChanged.connect(lambda _text: table.refresh())
        row.addWidget(self.address, 1)
        row.addWidget(ActionButton(table, "media.feed_start", text=tr("Watch"), role="primary"))
        row.addStretch()
        column.addLayout(row)
        panel = TitledPanel(tr("Feeds"), padding=12)
        panel.head.addWidget(mark)
        panel.head.addWidget(ActionButton(table, "media.feed_open", text=tr("Open"), role="quiet"))
        panel.head.addWidget(ActionButton(table, "media.feed_stop", text=tr("Stop"), role="quiet"))
        columns: list[Column[FeedRow]] = [
            Column(tr("FEED"), lambda one: one.name, least=150, hint=lambda one: one.url),
            Column(tr("STATE"), lambda one: one.word, 140, state=lambda one: one.state,
                   hint=lambda one: one.reason or one.word),
            Column(tr("SCORE, FALSE ALARMS"), lambda one: one.score, 216, history=lambda one: one.scores,
                   hint=lambda one: _heard_words(one.scores)),
            Column(tr("FRAMES"), lambda one: one.frames, 90, right=True, dim=True, spare=2),
            Column(tr("DROPPED"), lambda one: one.dropped, 90, right=True),
            Column(tr("HEARD"), lambda one: one.heard, 90, dim=True, spare=1),
            Column(tr("WHY"), lambda one: one.reason, least=120, dim=True, spare=3),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda one: one.scan_id)
        self.table = DataTable(self.rows, name=tr("Feeds, newest first"))
        self.table.selected.connect(lambda _row: self.selected.emit())
        self.table.opened.connect(self._open)
        self.nothing = EmptyState(
            "monitor",
            tr("No feed is watched."),
            tr(
                "A feed is scanned frame by frame until it is stopped. Its score, what had to be dropped and "
                "what was found stand here."
            ),
        )
        self.stack = Stack(160)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.nothing)
        self.stack.setCurrentWidget(self.nothing)
        panel.body.addWidget(self.stack, 1)
        panel.body.addWidget(
            label(
                tr("A quiet feed is watched, not proven: frames that were dropped were not looked at."),
                "small",
                wrap=True,
            )
        )
        column.addWidget(panel, 1)

    @property
    def chosen(self) -> FeedRow | None:
        """The feed under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def show_rows(self, rows: Sequence[FeedRow]) -> None:
        """Show the feeds; the cursor stays on its own."""
        self.rows.set_rows(rows)
        if rows and self.table.currentIndex().row() < 0:
            self.table.selectRow(0)
        self.stack.setCurrentWidget(self.table if rows else self.nothing)

    def _open(self, at: int) -> None:
        row = self.rows.get(at)
        if row is not None:
            self.opened.emit(row.scan_id)


def _heard_words(scores: Sequence[float]) -> str:
    """The line beside a score, in words."""
    if not scores:
        return tr("No score has been heard since this page was opened.")
    low, high = min(scores), max(scores)
    return tr(
        "The last {count} scores heard here: {low:.2f} to {high:.2f}, the newest {newest:.2f}.",
        count=len(scores),
        low=low,
        high=high,
        newest=scores[-1],
    )
