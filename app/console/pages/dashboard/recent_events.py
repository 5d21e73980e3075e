"""What just happened: hears cards and burns, and fills in the burns of before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from app.capabilities.burn.messages import BurnEvent, BurnListQuery
from app.console.pages.dashboard.opening import open_page
from app.console.pages.dashboard.recent_events_view import RecentEventsPanel
from app.console.pages.dashboard.recent_events_words import KEPT, RecentEvent, of_access, of_burn, of_burn_event
from app.console.part import Host, Part
from app.console.telemetry.live import LiveEvent
from app.registry.messages.access import AccessEvent

BURNS_SHOWN = 20


class RecentEvents(Part):
    """The newest events, also those that came while another page was shown."""

    def __init__(self, host: Host, view: RecentEventsPanel) -> None:
        super().__init__(host)
        self.view: RecentEventsPanel = view
        self._rows: dict[str, RecentEvent] = {}
        self._accesses = 0
        view.opened.connect(lambda row: open_page(self.session, row.page, row.arguments))
        # For the whole life of the window: what happens while another page is shown is news here too.
        self.session.live.subscribe("access", self.take_accesses)
        self.session.live.subscribe("burn", self._take_burns)

    async def run(self, arguments: Mapping[str, str]) -> None:
        """Read the newest burns once; everything after comes by the stream."""
        del arguments
        page = await self.session.client.burn_list(query=BurnListQuery(limit=BURNS_SHOWN))
        for burn in page.items:
            row = of_burn(burn)
            self._rows.setdefault(row.key, row)
        self._show_rows()

    def take_accesses(self, events: Sequence[LiveEvent]) -> None:
        """Add cards at readers; an event that cannot be read is left out."""
        for event in events:
            try:
                row = of_access(event.read(AccessEvent), self._accesses)
            except (msgspec.DecodeError, ValueError):
                continue
            self._accesses += 1
            self._rows[row.key] = row
        self._show_rows()

    def _take_burns(self, events: Sequence[LiveEvent]) -> None:
        """Add burns, or bring their rows up to date; a row keeps the time at which its burn began."""
        for event in events:
            try:
                burn = event.read(BurnEvent)
                known = self._rows.get(f"burn:{burn.burn_id}")
                row = of_burn_event(burn, known.at if known else None)
            except (msgspec.DecodeError, ValueError):
                continue
            self._rows[row.key] = row
        self._show_rows()

    def _show_rows(self) -> None:
        rows = sorted(self._rows.values(), key=lambda row: row.at, reverse=True)[:KEPT]
        self._rows = {row.key: row for row in rows}
        self.view.show_rows(rows)
