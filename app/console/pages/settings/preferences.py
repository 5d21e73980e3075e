"""The tab of preferences: what this person likes on this machine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.console.pages.settings.preferences_view import PreferencesView
from app.console.part import Host, Part


class PreferencesTab(Part):
    """Writes each preference as it is chosen; reads nothing from the service."""

    view: PreferencesView

    def __init__(self, host: Host, pages: Sequence[tuple[str, str]]) -> None:
        super().__init__(host)
        preferences = host.session.preferences
        self.view = PreferencesView(host.session, pages)
        self.view.preferred.connect(lambda name, value: preferences.set(**{name: value}))
        preferences.changed.connect(lambda: self.view.show_preferences(host.session))

    async def run(self, arguments: Mapping[str, str]) -> None:
        self.take(arguments)
