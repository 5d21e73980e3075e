"""Brings the dashboard to life: what needs a person, the frames, what just happened, and the first steps of a new site,
each a part of its own."""

from __future__ import annotations

from collections.abc import Sequence

from app.console.actions import Action
from app.console.language import tr
from app.console.pages.dashboard.attention import Attention
from app.console.pages.dashboard.frames import FramesPart
from app.console.pages.dashboard.recent_events import RecentEvents
from app.console.pages.dashboard.view import DashboardView
from app.console.pages.dashboard.welcome import Welcome
from app.console.part import PartsPresenter
from app.console.session import WindowSession


class DashboardPresenter(PartsPresenter):
    """Its parts stand beside each other; each row opens the page that it is about."""

    view: DashboardView
    past_words = tr("Frames and handshakes show that moment; what is named “now” shows now.")

    def __init__(self, session: WindowSession, view: DashboardView) -> None:
        super().__init__(session, view)
        desk = self.host(shown=lambda: not view.welcomes)
        self.frames = FramesPart(desk, view)
        self.attention = Attention(desk, view, self.frames.board)
        self.recent_events = RecentEvents(desk, view.recent_events)
        self.welcome = Welcome(self.host(), view, self.frames)
        self.parts = (self.welcome, self.attention, self.frames, self.recent_events)

    def actions(self) -> Sequence[Action]:
        here, view = "dashboard", self.view
        return [
            Action("dashboard.needs", tr("Go to what needs you"), view.attention.focus_list, "bell", ("Alt+1",), here),
            Action("dashboard.grid", tr("Go to the frames"), view.frames.focus_list, "layout-grid", ("Alt+2",), here),
            Action(
                "dashboard.happened", tr("Go to cards and burns"), view.recent_events.focus_list, "history", ("Alt+3",),
                here,
            ),
            *super().actions(),
        ]  # fmt: skip
