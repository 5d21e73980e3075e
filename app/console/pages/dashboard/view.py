"""What the dashboard looks like: the desk has tiles above, frames and what just happened at the left, what needs a
person at the right. On a new site its first steps stand there instead."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.frames.panel import FramePanel
from app.console.language import tr
from app.console.page import PageView
from app.console.pages.dashboard.attention_view import AttentionPanel
from app.console.pages.dashboard.first_steps import steps_of
from app.console.pages.dashboard.frames_view import FramesPanel, LatencyPanel
from app.console.pages.dashboard.recent_events_view import RecentEventsPanel
from app.console.pages.dashboard.welcome_view import WelcomeView
from app.console.widgets.breadth import PANEL, SIDE_ZONE, THIRD_FROM, WIDEST, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.kpi import KpiTile

NARROW_BELOW = 1040
"""Width of the page, px at 100 % text, below which it has one column."""

SIDE = 344
"""Least width of the right column, px at 100 % text: a frame's record with its field names and cipher suite."""


class DashboardView(PageView):
    """Lays out the panels of the parts."""

    def __init__(self, table: ActionTable, *, training: bool) -> None:
        super().__init__(tr("Dashboard"), scrolls=True, widest=WIDEST)
        self.welcome = WelcomeView(table, steps_of(training), training=training)
        self.welcome.hide()
        self._desk = QWidget()
        desk = QVBoxLayout(self._desk)
        desk.setContentsMargins(0, 0, 0, 0)
        desk.setSpacing(12)
        self.body.addWidget(self._desk, 1)
        self.body.addLayout(Narrow(PANEL, self.welcome), 1)
        self._tiles = QGridLayout()
        self._tiles.setSpacing(12)
        self.frames_tile = KpiTile(tr("Frames operational"))
        self.latency_tile = KpiTile(tr("Handshake p50 / p99"), "ms")
        self.burns_tile = KpiTile(tr("Open burns"))
        self.readers_tile = KpiTile(tr("Readers online"))
        desk.addLayout(self._tiles)
        self.latency = LatencyPanel(table)
        self.recent_events = RecentEventsPanel()
        self.frames = FramesPanel(table)
        self.attention = AttentionPanel(table)
        self.inspector = FramePanel()
        self.inspector.head.addWidget(ActionButton(table, "dashboard.frame", text=tr("Open"), role="quiet"))
        # Its texts are of any length: they must not move the columns.
        self.inspector.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        # Each layout is put into its place before it is filled, for a panel moves between them (``taking_away``).
        self._columns = columns = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        desk.addLayout(columns, 1)
        columns.setSpacing(12)
        left, right = QVBoxLayout(), QVBoxLayout()
        columns.addLayout(left, 71)
        columns.addLayout(right, 29)
        left.setSpacing(12)
        right.setSpacing(12)
        self._left = left
        self._happened = QWidget()
        self._below = QBoxLayout(QBoxLayout.Direction.LeftToRight, self._happened)
        self._below.setContentsMargins(0, 0, 0, 0)
        self._below.setSpacing(12)
        self._below.addWidget(self.latency, 36)
        self._below.addWidget(self.recent_events, 64)
        left.addWidget(self.frames, 2)
        left.addWidget(self._happened, 1)
        right.addWidget(self.attention, 1)
        right.addWidget(self.inspector)
        self._narrow: bool | None = None
        self._third: bool | None = None
        self._fit()
        self._fit_side()

    def show_past(self, clock: str, *, older: bool = False) -> None:
        """Name what shows the moment ``clock`` (``14:32:07Z``), and what shows now; empty: all of it shows now.
        ``older``: what has a course shows the hour around that moment."""
        at, now = (tr(" at {clock}", clock=clock), tr(", now")) if clock else ("", "")
        self.frames_tile.set_title(tr("Frames that answered{at}", at=at) if clock else tr("Frames operational"))
        self.latency_tile.set_title(tr("Handshake p50 / p99{at}", at=at))
        self.burns_tile.set_title(tr("Open burns{now}", now=now))
        self.readers_tile.set_title(tr("Readers online{now}", now=now))
        self.attention.title.setText(tr("Needs you{now}", now=now))
        self.recent_events.title.setText(tr("Cards and burns{now}", now=now))
        ending = tr("the 10 minutes to {clock}", clock=clock) if clock else tr("the last 10 minutes")
        ending = tr("the hour around {clock}", clock=clock) if older else ending
        self.frames.title.setText(tr("Server frames, handshakes of {ending}", ending=ending))

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

    def _fit(self) -> None:
        """In a narrow window, or with large text, what stands side by side stands one below the other; beside main zone
        and side there is a third zone where they leave room for one."""
        third = self.width() >= theme.px(THIRD_FROM)
        if third != self._third:
            self._third = third
            if third:
                self._below.setDirection(QBoxLayout.Direction.TopToBottom)
                self._columns.addWidget(self._happened)
            else:
                self._below.setDirection(QBoxLayout.Direction.LeftToRight)
                self._left.addWidget(self._happened, 1)
            self.frames.show_below(third)
            # What is left over belongs to the third zone.
            for at, stretch in enumerate((PANEL, SIDE_ZONE, PANEL) if third else (71, 29)):
                self._columns.setStretch(at, stretch)
        narrow = self.width() < theme.px(NARROW_BELOW)
        if narrow == self._narrow:
            return
        self._narrow = narrow
        for at, tile in enumerate((self.frames_tile, self.latency_tile, self.burns_tile, self.readers_tile)):
            self._tiles.addWidget(tile, at // 2 if narrow else 0, at % 2 if narrow else at)
        for at in range(4):
            self._tiles.setColumnStretch(at, 1 if at < 2 or not narrow else 0)
        self._columns.setDirection(QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight)

    def _fit_side(self) -> None:
        """The right column keeps the width at which a frame's record is whole, at any text size."""
        for panel in (self.attention, self.inspector):
            panel.setMinimumWidth(theme.px(SIDE))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_narrow"):
            self._fit()
            self._fit_side()
        super().changeEvent(event)
