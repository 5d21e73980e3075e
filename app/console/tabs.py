"""A page of several tabs: each is a part, the one that is in front works, the others rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget, QWidget

from app.console.actions import Action, of_section
from app.console.operations import Change
from app.console.page import PageView, Presenter, tab_grounds
from app.console.part import Host, Part
from app.console.session import WindowSession
from app.console.widgets.breadth import PAGE


@dataclass(frozen=True)
class TabRow:
    """One tab of a page. ``icon`` is of its action; ``words`` is its name in that title: ``Settings: API keys``."""

    id: str
    title: str
    words: str
    icon: str
    make: Callable[[Host], Part]


class TabsView(PageView):
    """The frame of the page. ``name`` is what a screen reader calls the row of tabs; ``widest`` is
    that of ``PageView``."""

    def __init__(self, title: str, name: str, *, widest: int = PAGE) -> None:
        super().__init__(title, widest=widest)
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName(name)
        self.body.addWidget(self.tabs, 1)

    def grounds(self) -> Sequence[QWidget]:
        return (*self.frame_grounds, *tab_grounds(self.tabs))


class TabsPresenter(Presenter):
    """``navigate(page, section=..., ...)`` opens a tab by its id; the rest of the arguments is for that tab. Alt+1 to
    Alt+9 open the tabs in their order."""

    view: TabsView

    def __init__(self, session: WindowSession, view: TabsView, page: str, rows: Sequence[TabRow]) -> None:
        super().__init__(session, view)
        self._page = page
        self._rows: list[TabRow] = []
        self.tabs: dict[str, Part] = {}
        self._turned: asyncio.Event | None = None
        view.tabs.currentChanged.connect(lambda _at: self._turn())
        for row in rows:
            self.add_tab(row)

    def add_tab(self, row: TabRow) -> None:
        """Make a tab, the last so far. All are there before ``actions`` is asked for."""
        self._rows.append(row)
        self.tabs[row.id] = part = row.make(self._host(row.id))
        self.view.tabs.addTab(part.view, row.title)

    def _host(self, name: str) -> Host:
        """What the tab ``name`` is made with."""
        return Host(
            session=self.session,
            banner=self.view.banner,
            spawn=self.spawn,
            show_failure=self.show_failure,
            shown=lambda: self.section == name,
            show=lambda: self.show_section(name),
        )

    @property
    def section(self) -> str:
        """Id of the tab that is in front."""
        return self._rows[max(0, self.view.tabs.currentIndex())].id

    @property
    def tab(self) -> Part:
        """The tab that is in front."""
        return self.tabs[self.section]

    def show_section(self, section: str) -> None:
        """Bring a tab to the front; an unknown one is ignored."""
        if section in self.tabs:
            self.view.tabs.setCurrentIndex(list(self.tabs).index(section))

    def actions(self) -> Sequence[Action]:
        made = [
            Action(
                f"{self._page}.{row.id}", f"{self.view.accessibleName()}: {row.words}",
                lambda name=row.id: self._open(name),  # type: ignore[misc]  # default binds it now
                row.icon, (f"Alt+{number}",), self._page,
            )
            for number, row in enumerate(self._rows, start=1)
        ]  # fmt: skip
        for tab in self.tabs.values():
            made += of_section(tab.host.shown, tab.actions())
        return made

    def first_control(self) -> QWidget | None:
        return self.tab.first_control()

    def filter_field(self) -> QWidget | None:
        return self.tab.filter_field()

    def _open(self, section: str) -> None:
        """Bring a tab to the front, and the hands to it."""
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
            work = self.spawn(self.tab.run(arguments), name=f"{self._page} {self.section}")
            try:
                await self._turned.wait()
            finally:
                work.cancel()
            arguments = {}

    def _turn(self) -> None:
        """Another tab is in front, or the first was made."""
        self.view.banner.clear()
        if self._turned is not None:
            self._turned.set()
            self.session.actions.refresh()

    def take_change(self, change: Change) -> None:
        self.tab.take_change(change)

    def repaint(self) -> None:
        self.tab.repaint()
