"""The HR page: the inbox, the sources, the roster."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from app.console.language import tr
from app.console.page import PageView, tab_grounds
from app.console.pages.hr.inbox_view import InboxView
from app.console.pages.hr.roster_view import RosterView
from app.console.pages.hr.sources_view import SourcesView
from app.console.session import WindowSession
from app.console.widgets.front_tabs import FrontTabs

SECTIONS = ("inbox", "sources", "roster")


class HrView(PageView):
    """One tab a section."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__(tr("HR events"), scrolls=True)
        table = session.actions
        self.inbox = InboxView(table, session.names)
        self.sources = SourcesView(table)
        self.roster = RosterView(table)
        self.tabs = FrontTabs()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName(tr("Sections of the HR events"))
        for part, title in ((self.inbox, tr("Inbox")), (self.sources, tr("Sources")), (self.roster, tr("Roster"))):
            self.tabs.addTab(part, title)
        self.body.addWidget(self.tabs, 1)

    def grounds(self) -> Sequence[QWidget]:
        return (*self.frame_grounds, *tab_grounds(self.tabs))

    @property
    def section(self) -> str:
        """The section that is shown."""
        return SECTIONS[self.tabs.currentIndex()]

    def show_section(self, section: str) -> None:
        """Show a section; an unknown one is ignored."""
        if section in SECTIONS:
            self.tabs.setCurrentIndex(SECTIONS.index(section))
