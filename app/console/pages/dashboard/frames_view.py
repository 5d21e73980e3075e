"""The frames of the dashboard: a grid or a list of all of them, or both, and how long their handshakes take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QPushButton

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.chart import TimeChart
from app.console.widgets.chart_plot import Series
from app.console.widgets.chart_range import TimeRange
from app.console.widgets.empty import EmptyState
from app.console.widgets.grid_fit import GAP, HIGHEST, LABEL_HEIGHT, LABEL_WIDTH
from app.console.widgets.marks import StateMark
from app.console.widgets.node_grid import CAPTION, NodeGrid
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label

TALLEST_GRID = 560
"""Height, px at 100 % text, up to which the page grows so that the grid can carry names."""


@dataclass(frozen=True)
class ListedFrame:
    """A frame as the list beside the grid has it."""

    peer_id: str
    group: str
    state: Meaning
    word: str
    latency: str
    hint: str


GRID, LIST, CHART = range(3)
"""What the panel of the frames can show."""


class FramesPanel(TitledPanel):
    """Emits ``chosen`` and ``opened`` with the peer id. The chart stands in it where it has no zone of its own."""

    chosen = Signal(str)
    opened = Signal(str)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Frames"), padding=12)
        self.said = ElidedLabel("", "dim")
        self.head.insertWidget(1, self.said, 1)
        self.stale_mark = StateMark()
        self.stale_mark.hide()
        self.head.addWidget(self.stale_mark)
        # No group of buttons: Tab would pass all but one of it.
        self._choices: list[QPushButton] = []
        for at, (word, name) in enumerate(
            (
                (tr("Grid"), tr("Show the frames as a grid")),
                (tr("List"), tr("Show the frames as a list")),
                (tr("Chart"), tr("Show the chart of handshakes")),
            )
        ):
            button = QPushButton(word)
            button.setAccessibleName(name)
            button.setCheckable(True)
            button.setProperty("role", "choice")
            button.clicked.connect(lambda _on=False, view=at: self.show_view(view))
            self._choices.append(button)
            self.head.addWidget(button)
        self.grid = NodeGrid(tr("Server frames"))
        self.grid.current_changed.connect(self._from_grid)
        self.grid.opened.connect(self.opened)
        columns: list[Column[ListedFrame]] = [
            Column(tr("FRAME"), lambda row: row.peer_id, 200, mono=True),
            Column(tr("STATUS"), lambda row: row.word, 136, state=lambda row: row.state),
            Column(tr("LATENCY"), lambda row: row.latency, 110, right=True),
            Column(tr("GROUP"), lambda row: row.group, 140, dim=True, spare=1),
            Column(tr("WHY"), lambda row: row.hint, dim=True),
        ]
        self.listed = RowsModel(columns, lambda row: row.peer_id)
        self.list = DataTable(self.listed, name=tr("Server frames as a list"), sorts=True)
        self.list.selected.connect(self._from_list)
        self.list.opened.connect(lambda row: self.opened.emit(self.listed.rows[row].peer_id))
        self.no_frames = EmptyState(
            "server",
            tr("No server frame is registered."),
            tr("A registered frame is probed each second by a full mutual TLS handshake; its latency appears here."),
            table=table,
            action="dashboard.register",
        )
        self.chart = LatencyPanel(table)
        self.stack = Stack(240)
        for part in (self.grid, self.list, self.no_frames, self.chart):
            self.stack.addWidget(part)
        self.body.addWidget(self.stack, 1)
        self._below = False
        self.lists = False
        """Whether the list is meant by what says frames: shown instead of the grid, or to have the keys."""
        self.show_list(QAccessible.isActive())

    def _from_grid(self, peer_id: str) -> None:
        row = self.listed.row_of(peer_id)
        if row >= 0 and self.list.currentIndex().row() != row:
            self.list.selectRow(row)
        self.chosen.emit(peer_id)

    def _from_list(self, row: int) -> None:
        if row >= 0:
            self.grid.set_current(self.listed.rows[row].peer_id)

    def show_list(self, on: bool) -> None:
        """Show the list instead of the grid, or the grid. Where both are shown: mean that one."""
        self.lists = on
        self.stack.setCurrentWidget(self.list if on and not self._below else self.grid)
        self._check(LIST if on else GRID)

    def _check(self, shown: int) -> None:
        for at, button in enumerate(self._choices):
            button.setChecked(at == shown)

    def show_view(self, at: int) -> None:
        """Show ``GRID``, ``LIST`` or ``CHART``."""
        if at != CHART:
            self.show_list(at == LIST)
        elif not self._below:
            self.stack.setCurrentWidget(self.chart)
            self._check(CHART)

    @property
    def charts(self) -> bool:
        """Whether the chart stands where the frames were."""
        return self.stack.currentWidget() is self.chart

    def show_below(self, on: bool) -> None:
        """Show the list below the grid, which is then as high as its cells need, or one of the two. Nothing is to be
        chosen then: the chart has a zone of its own."""
        if on == self._below:
            return
        for button in self._choices:
            button.setHidden(on)
        self._below = on
        # Also of a window that is not in front just now.
        held = self.window().focusWidget() is self.list
        if held:
            # Qt would give the keys of what moves to the next widget.
            self.list.clearFocus()
        taught = self.stack.currentWidget() is self.no_frames
        if on:
            self.body.addWidget(self.list, 1)
            self.list.setHidden(taught)
        else:
            self.stack.addWidget(self.list)
        self.body.setStretchFactor(self.stack, 0 if on else 1)
        if not taught:
            self.show_list(self.lists or held)
        if held:
            self.list.setFocus()

    @property
    def list_shown(self) -> bool:
        """Whether the list is in sight."""
        return self.lists or self._below

    def fit_names(self, groups: Sequence[int]) -> None:
        """Give the grid the height at which cells carry names, up to a bound: the page scrolls before names are lost.
        ``groups``: how many frames each group has."""
        columns = max(1, (self.grid.width() + GAP) // (theme.px(LABEL_WIDTH) + GAP))
        lines = sum(-(-size // columns) for size in groups)
        tall = lines * (theme.px(HIGHEST if self._below else LABEL_HEIGHT) + GAP) + len(groups) * theme.px(CAPTION)
        self.stack.set_least(max(theme.px(180), min(tall, theme.px(TALLEST_GRID))))

    def show_any(self, any_known: bool) -> None:
        """Show the frames, or how to register one when none is known."""
        if self._below:
            self.list.setVisible(any_known)
        if not any_known:
            self.stack.setCurrentWidget(self.no_frames)
        elif self.stack.currentWidget() is self.no_frames:
            self.show_list(False)

    def focus_list(self) -> None:
        """Bring the keys to the grid, or to the list."""
        (self.list if self.lists else self.grid).setFocus()


class LatencyPanel(TitledPanel):
    """The percentiles of all frames, or the handshakes of the chosen one."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Handshake latency"), padding=0)
        self.setProperty("role", "")
        self.head.addWidget(ActionButton(table, "dashboard.all", text=tr("All frames"), role="quiet"))
        # One stretch of time for both: who has zoomed in on all frames sees the same minutes of the chosen one.
        span = TimeRange(self)
        self.all_chart = TimeChart(
            [Series("p99", "text"), Series("p50", "accent")],
            unit="ms",
            name=tr("Handshake latency of all frames"),
            log=True,
            span=span,
        )
        self.one_chart = TimeChart(
            [Series(tr("Handshake"))], unit="ms", name=tr("Handshake latency of the chosen frame"), log=True, span=span
        )
        self.stack = Stack(90)
        self.unread = label("", "dim", wrap=True)
        self.stack.addWidget(self.all_chart)
        self.stack.addWidget(self.one_chart)
        self.stack.addWidget(self.unread)
        self.body.addWidget(self.stack, 1)
        # Below the chart: in the title it would move the panel.
        self.note = label("", "small", wrap=True)
        self.note.hide()
        self.body.addWidget(self.note)

    def stand_alone(self, on: bool) -> None:
        """Be a panel of its own, or a part of one."""
        room = theme.px(12) if on else 0
        self.setContentsMargins(room, room, room, room)
        theme.set_property(self, "role", "panel" if on else "")
