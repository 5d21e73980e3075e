"""Brings the dashboard to life: what needs a person, the frames, the burn dock, who is at the doors, and the first
steps of a new site, each a part of its own."""

from __future__ import annotations

from collections.abc import Sequence

from app.console.actions import Action
from app.console.language import tr
from app.console.pages.dashboard.at_doors import AtDoors
from app.console.pages.dashboard.attention import Attention
from app.console.pages.dashboard.burn_dock import BurnDockPart
from app.console.pages.dashboard.frames import FramesPart
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
        self.burn_dock = BurnDockPart(desk, view.burn_dock)
        self.at_doors = AtDoors(desk, view.at_doors)
        self.welcome = Welcome(self.host(), view, self.frames)
        self.parts = (self.welcome, self.attention, self.frames, self.burn_dock, self.at_doors)

    def actions(self) -> Sequence[Action]:
        here, view = "dashboard", self.view
        return [
            Action("dashboard.needs", tr("Go to what needs you"), view.attention.focus_list, "bell", ("Alt+1",), here),
            Action("dashboard.grid", tr("Go to the frames"), view.frames.focus_list, "layout-grid", ("Alt+2",), here),
            Action(
                "dashboard.doors", tr("Go to who is at the doors"), self._go_to_doors, "door-open", ("Alt+3",), here,
            ),
            *super().actions(),
        ]  # fmt: skip

    def _go_to_doors(self) -> None:
        """In a window without a third zone they stand where the record of the chosen frame is."""
        self.frames.close_record()
        self.view.at_doors.focus_list()

    def repaint(self) -> None:
        # Another operator may have taken the desk.
        self.view.show_burn(self.burn_dock.allowed)
        super().repaint()
