"""Settings: what this person likes, API keys, people, directories, what the console measures of itself, licences."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from app.console.actions import Action
from app.console.failures import failure_of
from app.console.operations import Change
from app.console.page import Presenter
from app.console.pages import PAGES
from app.console.pages.settings.diagnostics_view import facts
from app.console.pages.settings.directories import DirectoriesTab
from app.console.pages.settings.keys import KeysTab
from app.console.pages.settings.licences_view import read_licences
from app.console.pages.settings.people import PeopleTab
from app.console.pages.settings.view import SettingsView
from app.console.session import WindowSession
from app.console.tasks import woken

READ_EVERY_S = 10.0
TICKS_A_PAINT = 5
"""Facts are painted twice a second: no one reads figures that change ten times a second."""


class SettingsPresenter(Presenter):
    """Writes preferences, reads the section that is shown."""

    view: SettingsView

    def __init__(self, session: WindowSession, view: SettingsView) -> None:
        super().__init__(session, view)
        self._wake: asyncio.Event | None = None
        self._ticks = 0
        self.keys = KeysTab(session, view.keys, self._read_now, self.show_failure)
        self.people = PeopleTab(session, view.people, self._read_now, self.spawn, self.show_failure)
        self.directories = DirectoriesTab(session, view.directories, self._read_now, self.spawn, self.show_failure)
        view.preferences.preferred.connect(lambda name, value: session.preferences.set(**{name: value}))
        view.tabs.currentChanged.connect(self._section_shown)
        session.preferences.changed.connect(lambda: view.preferences.show_preferences(session))

    def actions(self) -> Sequence[Action]:
        view = self.view
        made = [
            Action(
                f"settings.{section}",
                f"Settings: {title}",
                lambda section=section: view.show_section(section),  # type: ignore[misc]  # default binds it now
                icon,
                (f"Alt+{number}",),
                "settings",
            )
            for number, (section, title, icon) in enumerate(
                (
                    ("preferences", "preferences", "sliders-horizontal"),
                    ("keys", "API keys", "key-round"),
                    ("people", "people", "users"),
                    ("directories", "directories", "server"),
                    ("diagnostics", "diagnostics", "gauge"),
                    ("licences", "licences", "file-text"),
                ),
                start=1,
            )
        ]
        made += self.keys.actions(lambda: view.show_section("keys"), lambda: view.section == "keys")
        made += self.people.actions(lambda: view.show_section("people"), lambda: view.section == "people")
        made += self.directories.actions(
            lambda: view.show_section("directories"), lambda: view.section == "directories"
        )
        made.append(Action("settings.copy", "Copy diagnostics", self._copy, "copy", page="settings"))
        return made

    def filter_field(self) -> QWidget | None:
        return self.view.people.filter if self.view.section == "people" else None

    async def run(self, arguments: Mapping[str, str]) -> None:
        self._wake = asyncio.Event()
        self.view.show_section(arguments.get("section", ""))
        if arguments.get("text"):
            self.people.search(arguments["text"])
        self._ticks = 0
        self.repaint()
        failing = False
        while True:
            try:
                await self._read()
            except Exception as error:  # told at the head of the page; the next turn tries again
                failing = True
                self.show_failure(failure_of(error))
            else:
                if failing:
                    failing = False
                    self.view.banner.clear()
            await woken(self._wake, READ_EVERY_S)

    async def _read(self) -> None:
        section = self.view.section
        if section == "keys":
            await self.keys.read()
        elif section == "people":
            await self.people.read()
        elif section == "directories":
            await self.directories.read()
        elif section == "licences" and not self.view.licences.shown:
            self.view.licences.show_licences(*await asyncio.to_thread(read_licences))

    def _read_now(self) -> None:
        if self._wake is not None:
            self._wake.set()

    def _section_shown(self) -> None:
        self._read_now()
        self._ticks = 0
        self.repaint()
        self.session.actions.refresh()

    def take_change(self, change: Change) -> None:
        if change.kinds & {"keys", "nodes", "cards", "grants", "directories"}:
            self._read_now()

    def repaint(self) -> None:
        if self._ticks % TICKS_A_PAINT == 0:
            section = self.view.section
            if section == "diagnostics":
                self.view.diagnostics.facts.set_rows(facts(self.session))
            elif section == "keys":
                self.keys.paint()
            elif section == "people":
                self.people.paint()
            elif section == "directories":
                self.directories.paint()
        self._ticks += 1

    def _copy(self) -> None:
        lines = [f"{fact.name}: {fact.value}" for fact in facts(self.session)]
        QGuiApplication.clipboard().setText("\n".join(lines))
        self.session.notify("Diagnostics are on the clipboard.")


def make(session: WindowSession) -> SettingsPresenter:
    """The page."""
    return SettingsPresenter(session, SettingsView(session, [(row.id, row.title) for row in PAGES]))
