"""What the dashboard looks like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QAccessible, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QSizePolicy, QVBoxLayout

from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import clock_time, utc_time
from app.console.frames.panel import FramePanel
from app.console.page import PageView
from app.console.pages.dashboard.attention import Need
from app.console.pages.dashboard.recent_events import Happening
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.chart import Series, TimeChart
from app.console.widgets.empty import EmptyState
from app.console.widgets.grid_fit import GAP, LABEL_HEIGHT, LABEL_WIDTH
from app.console.widgets.kpi import KpiTile
from app.console.widgets.marks import StateMark
from app.console.widgets.node_grid import CAPTION, NodeGrid
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel

NARROW_BELOW = 1040
"""Width of the page, px at 100 % text, below which it has one column."""

TALLEST_GRID = 560
"""Height, px at 100 % text, up to which the page grows so that the grid can carry names."""

SIDE = 344
"""Least width of the right column, px at 100 % text: a frame's record with its field names and cipher suite."""


@dataclass(frozen=True)
class ListedFrame:
    """A frame as the list beside the grid has it."""

    peer_id: str
    group: str
    state: Meaning
    word: str
    latency: str
    hint: str


class DashboardView(PageView):
    """Emits ``frame_chosen`` and ``frame_opened`` (peer id), ``need_opened`` and ``happening_opened`` (the row)."""

    frame_chosen = Signal(str)
    frame_opened = Signal(str)
    need_opened = Signal(object)
    happening_opened = Signal(object)

    def __init__(self, table: ActionTable) -> None:
        super().__init__("Dashboard", scrolls=True)
        self._tiles = QGridLayout()
        self._tiles.setSpacing(12)
        self.frames_tile = KpiTile("Frames operational")
        self.latency_tile = KpiTile("Handshake p50 / p99", "ms")
        self.burns_tile = KpiTile("Open burns")
        self.readers_tile = KpiTile("Readers online")
        self.body.addLayout(self._tiles)
        self._columns = columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        columns.setSpacing(12)
        left, right = QVBoxLayout(), QVBoxLayout()
        left.setSpacing(12)
        right.setSpacing(12)
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self._chart(table), 36)
        below.addWidget(self._happenings(), 64)
        left.addWidget(self._frames(table), 2)
        left.addLayout(below, 1)
        right.addWidget(self._needs(table), 1)
        right.addWidget(self._inspector(table))
        columns.addLayout(left, 71)
        columns.addLayout(right, 29)
        self.body.addLayout(columns, 1)
        self._narrow: bool | None = None
        self._fit()
        self._side()
        self.show_list(QAccessible.isActive())

    def _fit(self) -> None:
        """In a narrow window, or with large text, what stands side by side stands one below the other."""
        narrow = self.width() < theme.px(NARROW_BELOW)
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for at, tile in enumerate((self.frames_tile, self.latency_tile, self.burns_tile, self.readers_tile)):
            self._tiles.addWidget(tile, at // 2 if narrow else 0, at % 2 if narrow else at)
        for at in range(4):
            self._tiles.setColumnStretch(at, 1 if at < 2 or not narrow else 0)
        self._columns.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_narrow"):
            self._fit()
            self._side()
        super().changeEvent(event)

    # --- frames ------------------------------------------------------------------------------------------------------

    def _frames(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel("Server frames, handshakes of the last 10 minutes", padding=12)
        self.frames_stale = StateMark()
        self.frames_stale.hide()
        panel.head.addWidget(self.frames_stale)
        panel.head.addWidget(ActionButton(table, "dashboard.list", role="quiet"))
        self.grid = NodeGrid("Server frames")
        self.grid.current_changed.connect(self._from_grid)
        self.grid.opened.connect(self.frame_opened)
        columns: list[Column[ListedFrame]] = [
            Column("FRAME", lambda row: row.peer_id, 240, mono=True),
            Column("STATUS", lambda row: row.word, 150, state=lambda row: row.state),
            Column("LATENCY", lambda row: row.latency, 110, right=True),
            Column("GROUP", lambda row: row.group, 140, dim=True),
            Column("WHY", lambda row: row.hint, dim=True),
        ]
        self.listed = RowsModel(columns, lambda row: row.peer_id)
        self.list = DataTable(self.listed, name="Server frames as a list")
        self.list.selected.connect(self._from_list)
        self.list.opened.connect(lambda row: self.frame_opened.emit(self.listed.rows[row].peer_id))
        self.no_frames = EmptyState(
            "server",
            "No server frame is registered.",
            "A registered frame is probed each second by a full mutual TLS handshake; its latency appears here.",
            table=table,
            action="dashboard.register",
        )
        self.frames_stack = Stack(theme.px(280))
        for part in (self.grid, self.list, self.no_frames):
            self.frames_stack.addWidget(part)
        panel.body.addWidget(self.frames_stack, 1)
        return panel

    def _from_grid(self, peer_id: str) -> None:
        row = self.listed.row_of(peer_id)
        if row >= 0 and self.list.currentIndex().row() != row:
            self.list.selectRow(row)
        self.frame_chosen.emit(peer_id)

    def _from_list(self, row: int) -> None:
        if row >= 0:
            self.grid.set_current(self.listed.rows[row].peer_id)

    def show_list(self, on: bool) -> None:
        """The list instead of the grid."""
        self.frames_stack.setCurrentWidget(self.list if on else self.grid)

    @property
    def lists(self) -> bool:
        """Whether the list is shown."""
        return self.frames_stack.currentWidget() is self.list

    def fit_names(self, groups: Sequence[int]) -> None:
        """Give the grid the height at which cells carry names, up to a bound: the page scrolls before names are lost.
        ``groups``: how many frames each group has."""
        columns = max(1, (self.grid.width() + GAP) // (theme.px(LABEL_WIDTH) + GAP))
        lines = sum(-(-size // columns) for size in groups)
        tall = lines * (theme.px(LABEL_HEIGHT) + GAP) + len(groups) * theme.px(CAPTION) + theme.px(16) + GAP
        self.frames_stack.set_least(max(theme.px(200), min(tall, theme.px(TALLEST_GRID))))

    def show_frames(self, any_known: bool) -> None:
        """Show the frames, or teach how to get one."""
        if not any_known:
            self.frames_stack.setCurrentWidget(self.no_frames)
        elif self.frames_stack.currentWidget() is self.no_frames:
            self.show_list(False)

    def focus_frames(self) -> None:
        """Keys go to the grid, or to the list."""
        (self.list if self.lists else self.grid).setFocus()

    # --- chart -------------------------------------------------------------------------------------------------------

    def _chart(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel("Handshake latency", padding=12)
        self.chart_title = panel.title
        panel.head.addWidget(ActionButton(table, "dashboard.all", text="All frames", role="quiet"))
        self.all_chart = TimeChart(
            [Series("p99", "text"), Series("p50", "accent")],
            unit="ms",
            name="Handshake latency of all frames",
            log=True,
        )
        self.one_chart = TimeChart(
            [Series("Handshake")], unit="ms", name="Handshake latency of the chosen frame", log=True
        )
        self.chart_stack = Stack(theme.px(90))
        self.chart_stack.addWidget(self.all_chart)
        self.chart_stack.addWidget(self.one_chart)
        panel.body.addWidget(self.chart_stack, 1)
        return panel

    # --- needs -------------------------------------------------------------------------------------------------------

    def _needs(self, table: ActionTable) -> TitledPanel:
        panel = TitledPanel("Needs you", padding=12)
        self.needs_mark = StateMark()
        panel.head.addWidget(self.needs_mark)
        panel.head.addWidget(ActionButton(table, "dashboard.seen", text="Close", role="quiet"))
        panel.head.addWidget(ActionButton(table, "dashboard.mute", text="Mute", role="quiet"))
        columns: list[Column[Need]] = [
            Column("WHAT", lambda need: need.text, state=lambda need: Meaning.IDLE if need.muted_until else need.state,
                   hint=lambda need: f"{need.text}\n{need.hint}".rstrip()),
            Column("SINCE", lambda need: need.since_words, 78, dim=True, hint=lambda need: utc_time(need.since)),
        ]  # fmt: skip
        self.needs = RowsModel(columns, lambda need: need.key)
        self.needs_list = DataTable(self.needs, name="Needs you")
        self.needs_list.selected.connect(self._need_chosen)
        self.needs_list.opened.connect(lambda row: self.need_opened.emit(self.needs.rows[row]))
        self.no_needs = EmptyState(
            "circle-check",
            "Nothing needs you.",
            "Alarms, burns that are not proven and frames that are down appear here.",
        )
        self.needs_stack = Stack(theme.px(140))
        self.needs_stack.addWidget(self.needs_list)
        self.needs_stack.addWidget(self.no_needs)
        self.unknown_needs = EmptyState("circle-question-mark", "Nobody knows.", "The service does not answer.")
        self.needs_stack.addWidget(self.unknown_needs)
        self.loading_needs = EmptyState("history", "Loading.", "Alarms, burns and readers are being read.")
        self.needs_stack.addWidget(self.loading_needs)
        panel.body.addWidget(self.needs_stack, 1)
        next_ = QHBoxLayout()
        self.next_step = ElidedLabel("", "small")
        next_.addWidget(self.next_step, 1)
        self.open_need = ActionButton(table, "dashboard.open", role="primary")
        next_.addWidget(self.open_need)
        panel.body.addLayout(next_)
        self._need_chosen(-1)
        # Its texts are of any length: they must not move the columns.
        panel.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Expanding)
        self.needs_panel = panel
        return panel

    def show_needs(self, rows: Sequence[Need], stale: str, *, loading: bool = False) -> None:
        """Show what needs a person; ``stale``: since when nothing is known, or empty; ``loading``: it was just asked
        for."""
        here = self.needs_list.currentIndex().row()
        key = self.needs.rows[here].key if 0 <= here < len(self.needs.rows) else ""
        self.needs.set_rows(rows)
        again = self.needs.row_of(key)
        if again >= 0 and self.needs_list.currentIndex().row() != again:
            self.needs_list.selectRow(again)
        open_ = sum(not need.muted_until for need in rows)
        if stale:
            self.needs_mark.set(Meaning.IDLE, stale)
        elif open_:
            worst = min((need.state for need in rows if not need.muted_until), key=list(_PRESSING).index)
            self.needs_mark.set(worst, f"{open_} open")
        else:
            self.needs_mark.set(Meaning.IDLE if rows else Meaning.OK, "All muted" if rows else "Clear")
        nothing = self.loading_needs if loading else self.unknown_needs if stale else self.no_needs
        self.needs_stack.setCurrentWidget(self.needs_list if rows else nothing)

    def _need_chosen(self, at: int) -> None:
        need = self.needs.rows[at] if 0 <= at < len(self.needs.rows) else None
        self.next_step.setText(f"Next: {need.step}" if need else "")
        self.next_step.setVisible(need is not None)
        self.open_need.setVisible(need is not None)

    def focus_needs(self) -> None:
        """Keys go to what needs a person; its first row is chosen when none is."""
        if self.needs.rows and not self.needs_list.currentIndex().isValid():
            self.needs_list.selectRow(0)
        self.needs_list.setFocus()

    @property
    def chosen_need(self) -> Need | None:
        """The row under the cursor."""
        at = self.needs_list.currentIndex().row()
        return self.needs.rows[at] if 0 <= at < len(self.needs.rows) else None

    # --- inspector and happenings ------------------------------------------------------------------------------------

    def _inspector(self, table: ActionTable) -> TitledPanel:
        self.inspector = FramePanel()
        self.inspector.head.addWidget(ActionButton(table, "dashboard.frame", text="Open", role="quiet"))
        # Its texts are of any length: they must not move the columns.
        self.inspector.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        return self.inspector

    def _side(self) -> None:
        """The right column keeps the width at which a frame's record is whole, at any text size."""
        for panel in (self.needs_panel, self.inspector):
            panel.setMinimumWidth(theme.px(SIDE))

    def _happenings(self) -> TitledPanel:
        panel = TitledPanel("Cards and burns", padding=12)
        panel.head.addStrut(theme.px(32))
        self.happenings_mark = StateMark()
        self.happenings_mark.hide()
        panel.head.addWidget(self.happenings_mark)
        columns: list[Column[Happening]] = [
            Column("TIME", lambda row: clock_time(row.at), 80, dim=True, hint=lambda row: utc_time(row.at)),
            Column("NODE", lambda row: row.node, 86, mono=True),
            Column("READER", lambda row: row.where, hint=lambda row: row.hint),
            Column("DECISION", lambda row: row.word, 164, state=lambda row: row.state, hint=lambda row: row.hint),
        ]
        self.happenings = RowsModel(columns, lambda row: row.key)
        self.happenings_list = DataTable(self.happenings, name="Cards and burns")
        self.happenings_list.opened.connect(lambda row: self.happening_opened.emit(self.happenings.rows[row]))
        self.no_happenings = EmptyState(
            "id-card",
            "No card and no burn yet.",
            "Each card held to a reader appears here with its decision, each burn with its proofs.",
        )
        self.happenings_stack = Stack(theme.px(90))
        self.happenings_stack.addWidget(self.no_happenings)
        self.happenings_stack.addWidget(self.happenings_list)
        panel.body.addWidget(self.happenings_stack, 1)
        return panel

    def focus_happenings(self) -> None:
        """Keys go to what just happened."""
        if self.happenings.rows and not self.happenings_list.currentIndex().isValid():
            self.happenings_list.selectRow(0)
        self.happenings_list.setFocus()

    def show_happenings(self, rows: Sequence[Happening]) -> None:
        """Newest first."""
        self.happenings.set_rows(rows)
        self.happenings_stack.setCurrentWidget(self.happenings_list if rows else self.no_happenings)


_PRESSING = {Meaning.CRIT: 0, Meaning.BAD: 1, Meaning.WARN: 2, Meaning.IDLE: 3, Meaning.OK: 4}
