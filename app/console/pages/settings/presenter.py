"""Brings the page to life: the tab that is in front works, the others rest."""

from __future__ import annotations

from collections.abc import Sequence

from app.console.language import tr
from app.console.pages.settings.diagnostics import DiagnosticsTab
from app.console.pages.settings.directories import DirectoriesTab
from app.console.pages.settings.keys import KeysTab
from app.console.pages.settings.licences import LicencesTab
from app.console.pages.settings.operators import OperatorsTab
from app.console.pages.settings.platforms import PlatformsTab
from app.console.pages.settings.preferences import PreferencesTab
from app.console.pages.settings.view import SettingsView
from app.console.pages.settings.words import PAGE
from app.console.session import WindowSession
from app.console.tabs import TabRow, TabsPresenter


def tabs_of(pages: Sequence[tuple[str, str]]) -> tuple[TabRow, ...]:
    """In the order of the page: Alt+1 opens the first. ``pages``: id and title of every page of the console, one of
    which a person may want first."""
    return (
        TabRow(
            "preferences", tr("Preferences"), tr("preferences"), "sliders-horizontal",
            lambda host: PreferencesTab(host, pages),
        ),
        TabRow("keys", tr("API keys"), tr("API keys"), "key-round", KeysTab),
        TabRow("operators", tr("Operators"), tr("operators"), "user-check", OperatorsTab),
        TabRow("directories", tr("Directories"), tr("directories"), "server", DirectoriesTab),
        TabRow("platforms", tr("Platforms"), tr("platforms"), "at-sign", PlatformsTab),
        TabRow("diagnostics", tr("Diagnostics"), tr("diagnostics"), "gauge", DiagnosticsTab),
        TabRow("licences", tr("Licences"), tr("licences"), "file-text", LicencesTab),
    )  # fmt: skip


class SettingsPresenter(TabsPresenter):
    """Made without tabs: there are many, and ``make`` adds them one by one."""

    view: SettingsView

    def __init__(self, session: WindowSession, view: SettingsView) -> None:
        super().__init__(session, view, PAGE, ())

    def _turn(self) -> None:
        """What is known already is on the screen at once."""
        super()._turn()
        self.tab.paint()
