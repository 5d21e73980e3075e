"""The sections of the settings, one tab each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QTabWidget

from app.console.page import PageView
from app.console.pages.settings.diagnostics import DiagnosticsTab
from app.console.pages.settings.directories import DirectoriesTab
from app.console.pages.settings.keys import KeysTab
from app.console.pages.settings.licences import LicencesTab
from app.console.pages.settings.people import PeopleTab
from app.console.pages.settings.preferences import PreferencesTab
from app.console.session import WindowSession

SECTIONS = ("preferences", "keys", "people", "directories", "diagnostics", "licences")


class SettingsView(PageView):
    """``tabs`` in the order of ``SECTIONS``."""

    def __init__(self, session: WindowSession, pages: Sequence[tuple[str, str]]) -> None:
        super().__init__("Settings")
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName("Sections of the settings")
        self.preferences = PreferencesTab(session, pages)
        self.keys = KeysTab(session)
        self.people = PeopleTab(session)
        self.directories = DirectoriesTab(session)
        self.diagnostics = DiagnosticsTab(session)
        self.licences = LicencesTab()
        for tab, title in (
            (self.preferences, "Preferences"),
            (self.keys, "API keys"),
            (self.people, "People"),
            (self.directories, "Directories"),
            (self.diagnostics, "Diagnostics"),
            (self.licences, "Licences"),
        ):
            self.tabs.addTab(tab, title)
        self.body.addWidget(self.tabs, 1)

    @property
    def section(self) -> str:
        """The section that is shown."""
        return SECTIONS[self.tabs.currentIndex()]

    def show_section(self, section: str) -> None:
        """Show a section; an unknown one is ignored."""
        if section in SECTIONS:
            self.tabs.setCurrentIndex(SECTIONS.index(section))
