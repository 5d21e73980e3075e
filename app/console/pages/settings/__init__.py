"""Settings: what this person likes, API keys, people, directories, platforms, what the console measures, licences."""

from __future__ import annotations

import asyncio

from app.console.pages import PAGES
from app.console.pages.settings.presenter import SettingsPresenter, tabs_of
from app.console.pages.settings.view import SettingsView
from app.console.session import WindowSession


async def make(session: WindowSession) -> SettingsPresenter:
    """The page, tab by tab."""
    made = SettingsPresenter(session, SettingsView())
    for row in tabs_of([(row.id, row.title) for row in PAGES]):
        made.add_tab(row)
        await asyncio.sleep(0)
    return made
