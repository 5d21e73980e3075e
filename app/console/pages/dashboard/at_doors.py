"""Who stood at which door just now: cards that readers were shown, those of before this window too."""

from __future__ import annotations

from app.console.pages.dashboard.at_doors_view import AtDoorsPanel
from app.console.pages.dashboard.at_doors_words import KEPT, of_access
from app.console.pages.dashboard.opening import open_page
from app.console.part import Host, Part


class AtDoors(Part):
    """The newest decisions, also those that came while another page was shown."""

    def __init__(self, host: Host, view: AtDoorsPanel) -> None:
        super().__init__(host)
        self.view: AtDoorsPanel = view
        view.opened.connect(lambda row: open_page(self.session, row.page, row.arguments))
        # For the whole life of the window: what happens while another page is shown is news here too.
        self.session.doors.changed.connect(self._show_rows)
        self.session.people.changed.connect(self._show_rows)

    def paint_all(self) -> None:
        self._show_rows()

    def _show_rows(self) -> None:
        people = self.session.people
        rows = [of_access(card, people.of(card.event.node_id)) for card in self.session.doors.rows[:KEPT]]
        self.view.show_rows(rows)
