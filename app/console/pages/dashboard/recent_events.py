"""What just happened: cards at doors and burns, those of before this window too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from app.capabilities.burn.messages import BurnEvent, BurnListQuery
from app.console.pages.dashboard.opening import open_page
from app.console.pages.dashboard.recent_events_view import RecentEventsPanel
from app.console.pages.dashboard.recent_events_words import KEPT, RecentEvent, of_access, of_burn, of_burn_event
from app.console.part import Host, Part
from app.console.telemetry.live import LiveEvent

BURNS_SHOWN = 20


class RecentEvents(Part):
    """The newest events, also those that came while another page was shown."""

    def __init__(self, host: Host, view: RecentEventsPanel) -> None:
        super().__init__(host)
        self.view: RecentEventsPanel = view
        self._burns: dict[str, RecentEvent] = {}
        view.opened.connect(lambda row: open_page(self.session, row.page, row.arguments))
        # For the whole life of the window: what happens while another page is shown is news here too.
        self.session.doors.changed.connect(self._show_rows)
        self.session.live.subscribe("burn", self._take_burns)

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Read the newest burns once; everything after comes by the stream, as cards do."""
        del arguments
        page = await self.session.client.burn_list(query=BurnListQuery(limit=BURNS_SHOWN))
        for burn in page.items:
            row = of_burn(burn)
            self._burns.setdefault(row.key, row)
        self._show_rows()

    def _take_burns(self, events: Sequence[LiveEvent]) -> None:
        """Add burns, or bring their rows up to date; a row keeps the time at which its burn began."""
        for event in events:
            try:
                burn = event.read(BurnEvent)
                known = self._burns.get(f"burn:{burn.burn_id}")
                row = of_burn_event(burn, known.at if known else None)
            except (msgspec.DecodeError, ValueError):
                continue
            self._burns[row.key] = row
        self._show_rows()

    def _show_rows(self) -> None:
        burns = sorted(self._burns.values(), key=lambda row: row.at, reverse=True)[:KEPT]
        self._burns = {row.key: row for row in burns}
        cards = [of_access(card) for card in self.session.doors.rows[:KEPT]]
        self.view.show_rows(sorted([*cards, *burns], key=lambda row: row.at, reverse=True)[:KEPT])
