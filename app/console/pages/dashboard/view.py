"""What the dashboard looks like: the state line, what needs a person with the burn beside it, four tiles, the frames
with who is at the doors. On a new site its first steps stand there instead."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.frames.panel import FramePanel
from app.console.language import tr
from app.console.page import PageView
from app.console.pages.dashboard.at_doors_view import AtDoorsPanel
from app.console.pages.dashboard.attention_view import TALL_FROM, AttentionPanel, StateLine
from app.console.pages.dashboard.burn_dock_view import BurnDock
from app.console.pages.dashboard.first_steps import steps_of
from app.console.pages.dashboard.frames_view import FramesPanel
from app.console.pages.dashboard.welcome_view import WelcomeView
from app.console.session import WindowSession
from app.console.widgets.breadth import GUTTER, ONE_COLUMN_BELOW, PANEL, SIDE_ZONE, THIRD_FROM, WIDEST, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.kpi import KpiTile

SIDE = 344
"""Least width of the right column, px at 100 % text: a frame's record with its field names and cipher suite."""
MAIN_SHARE, SIDE_SHARE = 67, 33
"""Of the width, in percent: eight and four of twelve columns."""


class DashboardView(PageView):
    """Lays out the panels of the parts. Emits ``record_left`` when Esc leaves the record of the chosen frame."""

    record_left = Signal()

    def __init__(self, session: WindowSession, frames: FramesPanel) -> None:
        super().__init__(tr("Dashboard"), scrolls=True, widest=WIDEST)
        table, training = session.actions, session.training
        self.welcome = WelcomeView(table, steps_of(training), training=training)
        self.welcome.hide()
        self._desk = QWidget()
        # Each layout is put into its place before it is filled, for panels move between them (``taking_away``).
        self._places = places = QGridLayout(self._desk)
        places.setContentsMargins(0, 0, 0, 0)
        places.setSpacing(GUTTER)
        self.body.addWidget(self._desk, 1)
        self.body.addLayout(Narrow(PANEL, self.welcome), 1)
        self.state_line = StateLine(table)
        self.attention = AttentionPanel(table, session.live.now)
        self.burn_dock = BurnDock(table)
        self.frames = frames
        self.latency = self.frames.chart
        self.at_doors = AtDoorsPanel(table, session.live.now)
        self.inspector = FramePanel()
        self.inspector.head.addWidget(ActionButton(table, "dashboard.frame", text=tr("Open"), role="quiet"))
        self.inspector.head.addWidget(ActionButton(table, "dashboard.close_frame", role="quiet", bare=True))
        self.inspector.body.setSpacing(5)
        # Its texts are of any length: they must not move the columns.
        self.inspector.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self._tiles_row = QWidget()
        self._tiles = QGridLayout(self._tiles_row)
        self._tiles.setContentsMargins(0, 0, 0, 0)
        self._tiles.setSpacing(GUTTER)
        self.frames_tile = KpiTile(tr("Frames operational"))
        self.latency_tile = KpiTile(tr("Handshake p99"), "ms")
        self.last_door_tile = KpiTile(tr("Last door, p95"), "s")
        self.doors_tile = KpiTile(tr("Doors online"))
        self._side = QWidget()
        side = QVBoxLayout(self._side)
        side.setContentsMargins(0, 0, 0, 0)
        side.setSpacing(GUTTER)
        side.addWidget(self.at_doors)
        side.addWidget(self.inspector)
        self._side_column = side
        self._beside = QWidget()
        self._third_column = QVBoxLayout(self._beside)
        self._third_column.setContentsMargins(0, 0, 0, 0)
        self._third_column.setSpacing(GUTTER)
        self._record = False
        self._now = ""
        self._burns_timed = 0
        self.third = False
        """Whether there is a third zone: the chart, and who is at the doors."""
        self._zones: tuple[bool, bool, bool] | None = None
        self._may_burn = True
        self.show_past("")
        self.show_record(False)
        self._fit()
        self._fit_side()

    def grounds(self) -> Sequence[QWidget]:
        zones = (self.attention, self.burn_dock, self._tiles_row, self.frames, self._side, self._beside)
        return (*self.frame_grounds, self.welcome, self.state_line, *zones)

    def show_past(self, clock: str, *, older: bool = False) -> None:
        """Name what shows the moment ``clock`` (``14:32:07Z``), and what shows now; empty: all of it shows now.
        ``older``: what has a course shows the hour around that moment."""
        at, self._now = (tr(" at {clock}", clock=clock), tr(", now")) if clock else ("", "")
        self.frames_tile.set_title(tr("Frames that answered{at}", at=at) if clock else tr("Frames operational"))
        self.latency_tile.set_title(tr("Handshake p99{at}", at=at))
        self.name_last_door(self._burns_timed)
        self.doors_tile.set_title(tr("Doors online{now}", now=self._now))
        self.attention.title.setText(tr("Needs you{now}", now=self._now))
        self.at_doors.said.setText(tr("live, now") if clock else tr("live"))
        ending = tr("the 10 min to {clock}", clock=clock) if clock else tr("the last 10 min")
        ending = tr("the hour around {clock}", clock=clock) if older else ending
        self.frames.said.setText(ending)
        self.frames.said.setToolTip(tr("Handshakes; all cells have one logarithmic scale."))

    def name_last_door(self, burns: int) -> None:
        """Say of how many burns the figure of the last door is."""
        self._burns_timed = burns
        title = tr("Last door, p95 of {count:,} burns", count=burns) if burns > 1 else tr("Last door, p95")
        self.last_door_tile.set_title(f"{title}{self._now}")

    @property
    def welcomes(self) -> bool:
        """Whether the first steps stand where the desk is."""
        return not self.welcome.isHidden()

    def show_welcome(self, on: bool) -> bool:
        """Show the first steps, or the desk. Returns whether that took away what had the keyboard focus."""
        focus = self.window().focusWidget()
        had_keys = focus is not None and self.isAncestorOf(focus)
        self._desk.setHidden(on)
        self.welcome.setVisible(on)
        return had_keys

    def show_record(self, on: bool) -> None:
        """Show the record of the chosen frame; without a third zone it stands where who is at the doors was."""
        self._record = on
        self.inspector.setVisible(on or self.third)
        self.at_doors.setVisible(self.third or not on)

    def show_burn(self, allowed: bool) -> None:
        """Have the burn stand beside what needs a person, where the operator may burn."""
        if allowed != self._may_burn:
            self._may_burn = allowed
            self._fit()

    def _fit(self) -> None:
        """In a narrow window, or with large text, what stands side by side stands one below the other; beside main zone
        and side there is a third zone where they leave room for one."""
        self.attention.set_tall(self.height() >= theme.px(TALL_FROM))
        zones = (self.width() < theme.px(ONE_COLUMN_BELOW), self.width() >= theme.px(THIRD_FROM), self._may_burn)
        if zones == self._zones:
            return
        self._zones = zones
        narrow, third, burns = zones
        if third != self.third:
            self.third = third
            self._move_third(third)
        places = self._places
        self.burn_dock.setVisible(burns)
        if narrow:
            parts = (self.state_line, self.attention, self._tiles_row, self.frames, self._side, self.burn_dock)
            for row, part in enumerate(parts):
                places.addWidget(part, row, 0, 1, 2)
        else:
            places.addWidget(self.state_line, 0, 0, 1, 3 if third else 2)
            places.addWidget(self.attention, 1, 0, 1, 1 if burns else 2)
            places.addWidget(self.burn_dock, 1, 1)
            places.addWidget(self._tiles_row, 2, 0, 1, 2)
            places.addWidget(self.frames, 3, 0)
            places.addWidget(self._side, 3, 1)
            if third:
                places.addWidget(self._beside, 1, 2, 3, 1)
        self._beside.setVisible(third)
        for row in range(6):
            places.setRowStretch(row, int(row == 3))
        shares = (PANEL, SIDE_ZONE, PANEL) if third else (MAIN_SHARE, SIDE_SHARE, 0)
        for column, share in enumerate(shares):
            places.setColumnStretch(column, share)
        tiles = (self.frames_tile, self.latency_tile, self.last_door_tile, self.doors_tile)
        for at, tile in enumerate(tiles):
            self._tiles.addWidget(tile, at // 2 if narrow else 0, at % 2 if narrow else at)
            self._tiles.setColumnStretch(at, 1 if at < 2 or not narrow else 0)

    def _move_third(self, third: bool) -> None:
        """Bring chart and doors into the third zone, or back to where they stand without one."""
        self.frames.show_below(third)
        self.latency.stand_alone(third)
        if third:
            self._third_column.addWidget(self.latency, 1)
            self._third_column.addWidget(self.at_doors, 1)
            self.latency.show()
        else:
            self.frames.stack.addWidget(self.latency)
            self._side_column.insertWidget(0, self.at_doors)
        self.show_record(self._record)

    def _fit_side(self) -> None:
        """The right column keeps the width at which a frame's record is whole, at any text size."""
        for panel in (self.burn_dock, self._side):
            panel.setMinimumWidth(theme.px(SIDE))

    def arrange(self) -> None:
        self._fit()
        self._fit_side()

    def event(self, event: QEvent) -> bool:
        # The window's own Esc would come first. From the past it goes back to live before anything else.
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and self._leaves_record(event):
            event.accept()
            return True
        return super().event(event)

    def _leaves_record(self, event: QKeyEvent) -> bool:
        return event.key() == Qt.Key.Key_Escape and self._record and not self._now

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self._leaves_record(event):
            self.record_left.emit()
        else:
            super().keyPressEvent(event)
