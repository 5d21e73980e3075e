"""How soon burns were proven: reads it while it is shown, opens one of the worst."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.capabilities.burn.messages import BurnSpeedQuery, BurnSpeedReport
from app.console.actions import Action
from app.console.failures import NothingRead
from app.console.language import tr
from app.console.moments import api_time
from app.console.pages.burn.speed_view import BurnSpeedView
from app.console.part import Host, Part
from app.console.telemetry.burn_events import tell_whole_burn
from app.console.telemetry.live import Listener, LiveEvent


class BurnSpeedPart(Part):
    """``open_burn`` is called with the burn of the row that is opened."""

    every_s = 15.0
    kinds = frozenset({"burns"})
    view: BurnSpeedView

    def __init__(self, host: Host, view: BurnSpeedView, open_burn: Callable[[str], None]) -> None:
        super().__init__(host, view.mark)
        self.view = view
        self._open_burn = open_burn
        self._report: BurnSpeedReport | None = None
        view.asked.connect(self.read_now)
        view.worst_table.opened.connect(self._open_row)

    def actions(self) -> Sequence[Action]:
        return [
            Action(
                "burn.speed_range", tr("Choose the range of the burns"), self.view.spans.setFocus, "clock",
                ("Ctrl+Shift+R",), "burn", when=self.host.shown,
            ),
            Action(
                "burn.speed_drills", tr("Drills alone, or none"), self.view.drills.click, "zap", page="burn",
                when=self.host.shown,
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget:
        return self.view.worst_table

    def listeners(self) -> Mapping[str, Listener]:
        return {"burn": self._take_events}

    def _take_events(self, events: Sequence[LiveEvent]) -> None:
        if tell_whole_burn(events):
            self.read_now()

    def come_to_front(self) -> None:
        """The tab is shown: what it knows is from before."""
        self.resume()
        self.read_now()

    async def read(self) -> None:
        if not self.host.shown():
            raise NothingRead  # a year of burns is not counted for a tab that nobody sees
        span = self.view.spans.currentData()
        query = BurnSpeedQuery(
            from_=api_time(self.session.live.now() - span.seconds), drills=self.view.drills.isChecked()
        )
        self._report = await self.session.client.burn_speed(query=query)

    async def read_goal(self) -> float | None:
        """The site's goal of a burn, seconds; None where the operator may not read it. No burn is counted for it."""
        if not self.session.permissions.may("burn_speed"):
            return None
        query = BurnSpeedQuery(from_=api_time(self.session.live.now() - 1.0))
        return (await self.session.client.burn_speed(query=query)).goal_ms / 1000

    def paint_all(self) -> None:
        if self._report is not None:
            self.view.show_report(self._report)

    def paint(self) -> None:
        super().paint()
        if self._report is not None and self.fresh.stale and self.host.shown():
            self.view.show_stale(self.fresh.words())

    def _open_row(self, at: int) -> None:
        row = self.view.worst.get(at)
        if row is not None:
            self._open_burn(row.burn_id)
