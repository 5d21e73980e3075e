"""The readers page: doors live, what is granted at them, the units."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.console.actions import ActionTable
from app.console.language import tr
from app.console.page import PageView, tab_grounds
from app.console.pages.readers.doors_view import DoorsView
from app.console.pages.readers.grants_view import GrantsView
from app.console.pages.readers.units_view import UnitsView
from app.console.widgets.front_tabs import FrontTabs

DOORS, GRANTS, UNITS = range(3)
"""Tabs."""


class ReadersView(PageView):
    """One tab a part. Emits ``section_shown`` with the tab that comes to the front."""

    section_shown = Signal(int)

    def __init__(self, table: ActionTable, now: Callable[[], float], *, training: bool) -> None:
        super().__init__(tr("Readers"), scrolls=True)
        self.tabs = FrontTabs()
        self.tabs.setDocumentMode(True)
        self.tabs.tabBar().setDrawBase(False)
        self.tabs.setAccessibleName(tr("Sections of the readers"))
        self.doors = DoorsView(table, now, training=training)
        self.grants = GrantsView(table)
        self.units = UnitsView(table)
        for part, title in ((self.doors, tr("Doors")), (self.grants, tr("Grants")), (self.units, tr("Units"))):
            self.tabs.addTab(part, title)
        self.tabs.currentChanged.connect(self.section_shown)
        self.body.addWidget(self.tabs, 1)

    def grounds(self) -> Sequence[QWidget]:
        return (*self.frame_grounds, *tab_grounds(self.tabs))
