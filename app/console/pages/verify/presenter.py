"""Brings the page to life: the tab that is shown works, the others rest."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.console.actions import Action
from app.console.operations import Change
from app.console.page import Presenter
from app.console.pages.verify.tabs import PAGE, Host, TabRow, VerifyTab
from app.console.pages.verify.view import VerifyView
from app.console.session import WindowSession


class VerifyPresenter(Presenter):
    """``navigate("verify", section=..., ...)`` opens a tab by its id; the rest of the arguments is for that tab."""

    view: VerifyView

    def __init__(self, session: WindowSession, view: VerifyView, rows: Sequence[TabRow]) -> None:
        super().__init__(session, view)
        self._rows = tuple(rows)
        self.tabs: dict[str, VerifyTab] = {row.id: row.make(self._host(row.id)) for row in self._rows}
        self._turned: asyncio.Event | None = None
        view.set_tabs([(row.title, self.tabs[row.id].view) for row in self._rows])
        view.tabs.currentChanged.connect(self._turn)

    def _host(self, name: str) -> Host:
        return Host(
            session=self.session,
            banner=self.view.banner,
            spawn=self.spawn,
            refused=self.show_failure,
            shown=lambda: self.section == name,
            show=lambda: self.show_section(name),
        )

    @property
    def section(self) -> str:
        """Id of the tab that is shown."""
        return self._rows[max(0, self.view.tabs.currentIndex())].id

    @property
    def tab(self) -> VerifyTab:
        """The tab that is shown."""
        return self.tabs[self.section]

    def show_section(self, section: str) -> None:
        """Show a tab; an unknown one is ignored."""
        if section in self.tabs:
            self.view.tabs.setCurrentIndex(list(self.tabs).index(section))

    def actions(self) -> Sequence[Action]:
        made = [
            Action(
                f"{PAGE}.{row.id}", f"Verify: {row.title[:1].lower()}{row.title[1:]}",
                lambda name=row.id: self._open(name),  # type: ignore[misc]  # default binds it now
                row.icon, (f"Alt+{number}",), PAGE,
            )
            for number, row in enumerate(self._rows, start=1)
        ]  # fmt: skip
        for tab in self.tabs.values():
            made += tab.actions()
        return made

    def first_control(self) -> QWidget | None:
        return self.tab.first_control() or self.view.tabs.tabBar()

    def _open(self, section: str) -> None:
        self.show_section(section)
        if (first := self.tab.first_control()) is not None:
            # With this reason a type-ahead waits for a key, instead of covering the page with its suggestions.
            first.setFocus(Qt.FocusReason.PopupFocusReason)

    async def run(self, arguments: Mapping[str, str]) -> None:
        self._turned = asyncio.Event()
        if arguments.get("section"):
            self._open(arguments["section"])
        while True:
            self._turned.clear()
            work = self.spawn(self.tab.run(arguments), name=f"verify {self.section}")
            try:
                await self._turned.wait()
            finally:
                work.cancel()
            arguments = {}

    def _turn(self) -> None:
        self.view.banner.clear()
        if self._turned is not None:
            self._turned.set()
        self.session.actions.refresh()

    def take_change(self, change: Change) -> None:
        self.tab.take_change(change)

    def repaint(self) -> None:
        self.tab.paint()
