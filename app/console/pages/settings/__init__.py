"""Settings: what this person likes, API keys, people, directories, platforms, what the console measures, licences."""

from __future__ import annotations

from app.console.pages import PAGES
from app.console.pages.settings.presenter import SettingsPresenter
from app.console.pages.settings.view import SettingsView
from app.console.session import WindowSession


def make(session: WindowSession) -> SettingsPresenter:
    """The page."""
    return SettingsPresenter(session, SettingsView(), [(row.id, row.title) for row in PAGES])
