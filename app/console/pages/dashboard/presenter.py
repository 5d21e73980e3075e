"""Brings the dashboard to life: what needs a person, the frames, and what just happened, each a part of its own."""

from __future__ import annotations

from collections.abc import Sequence

from app.console.actions import Action
from app.console.pages.dashboard.attention import Attention
from app.console.pages.dashboard.frames import FramesPart
from app.console.pages.dashboard.recent_events import RecentEvents
from app.console.pages.dashboard.view import DashboardView
from app.console.part import PartsPresenter
from app.console.session import WindowSession


class DashboardPresenter(PartsPresenter):
    """Its parts stand beside each other; each row opens the page that it is about."""

    view: DashboardView

    def __init__(self, session: WindowSession, view: DashboardView) -> None:
        super().__init__(session, view)
        self.frames = FramesPart(self.host(), view)
        self.attention = Attention(self.host(), view, self.frames.board)
        self.recent_events = RecentEvents(self.host(), view.recent_events)
        self.parts = (self.attention, self.frames, self.recent_events)

    def actions(self) -> Sequence[Action]:
        here, view = "dashboard", self.view
        return [
            Action("dashboard.needs", "Go to what needs you", view.attention.focus_list, "bell", ("Alt+1",), here),
            Action("dashboard.grid", "Go to the frames", view.frames.focus_list, "layout-grid", ("Alt+2",), here),
            Action(
                "dashboard.happened", "Go to cards and burns", view.recent_events.focus_list, "history", ("Alt+3",),
                here,
            ),
            *super().actions(),
        ]  # fmt: skip
