"""Brings the HR page to life: the inbox, the roster and the sources, each a part of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.console.actions import Action
from app.console.language import tr
from app.console.pages.hr.inbox import HrInboxPart
from app.console.pages.hr.roster import RosterPart
from app.console.pages.hr.sources import SourcesPart
from app.console.pages.hr.view import HrView
from app.console.part import Host, PartsPresenter
from app.console.session import WindowSession


class HrPresenter(PartsPresenter):
    """Its parts read, show, and change by ``Operation`` alone; a Sovereign key may see none of it."""

    view: HrView

    def __init__(self, session: WindowSession, view: HrView) -> None:
        super().__init__(session, view)
        self.inbox = HrInboxPart(self._host("inbox"), view.inbox, has_sources=lambda: bool(view.sources.rows.rows))
        self.roster = RosterPart(self._host("roster"), view.roster)
        self.sources = SourcesPart(self._host("sources"), view.sources, listed=self.inbox.paint_again)
        self.parts = (self.inbox, self.roster, self.sources)
        view.tabs.currentChanged.connect(lambda _at: session.actions.refresh())

    def _host(self, section: str) -> Host:
        view = self.view
        return self.host(shown=lambda: view.section == section, show=lambda: view.show_section(section))

    def actions(self) -> Sequence[Action]:
        here, view = "hr", self.view
        return [
            Action("hr.inbox", tr("Inbox"), lambda: self._go_to("inbox", view.inbox.table), "inbox", ("Alt+1",), here),
            Action(
                "hr.sources", tr("Sources"), lambda: self._go_to("sources", view.sources.table), "key-round",
                ("Alt+2",), here,
            ),
            Action(
                "hr.roster", tr("Roster"), lambda: self._go_to("roster", view.roster.table), "users", ("Alt+3",), here,
            ),
            Action(
                "hr.held", tr("Go to the held discharges"), lambda: self._go_to("inbox", view.inbox.held_table),
                "pause", ("Alt+4",), here,
            ),
            *super().actions(),
        ]  # fmt: skip

    def _go_to(self, section: str, focus: QWidget) -> None:
        self.view.show_section(section)
        focus.setFocus()

    async def run(self, arguments: Mapping[str, str]) -> None:
        self.view.show_section(arguments.get("section", ""))
        if self.inbox.host.may_write:
            await super().run(arguments)
            return
        if not self.session.live.stale:
            self.inbox.fresh.resume()
        self.view.inbox.show_closed()
