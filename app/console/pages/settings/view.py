"""The sections of the settings, one tab each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QTabWidget

from app.console.page import PageView
from app.console.pages.settings.diagnostics_view import DiagnosticsView
from app.console.pages.settings.directories_view import DirectoriesView
from app.console.pages.settings.keys_view import KeysView
from app.console.pages.settings.licences_view import LicencesView
from app.console.pages.settings.people_view import PeopleView
from app.console.pages.settings.preferences_view import PreferencesView
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
        self.preferences = PreferencesView(session, pages)
        self.keys = KeysView(session)
        self.people = PeopleView(session)
        self.directories = DirectoriesView(session)
        self.diagnostics = DiagnosticsView(session)
        self.licences = LicencesView()
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
