"""Brings the readers page to life: the doors, what is granted at them, the units, each a part of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.console.actions import Action, of_section
from app.console.language import tr
from app.console.pages.readers.clusters import ClusterChanges
from app.console.pages.readers.doors import DoorsPart
from app.console.pages.readers.grants import Grants
from app.console.pages.readers.training import DoorTraining
from app.console.pages.readers.units import UnitsPart
from app.console.pages.readers.view import DOORS, GRANTS, UNITS, ReadersView
from app.console.part import Host, PartsPresenter
from app.console.session import WindowSession


class ReadersPresenter(PartsPresenter):
    """The doors are followed while the page is shown; grants and units are read when their tab comes to the front."""

    view: ReadersView

    def __init__(self, session: WindowSession, view: ReadersView) -> None:
        super().__init__(session, view)
        self.doors = DoorsPart(self._host(DOORS), view.doors, self._arrive)
        self.clusters = ClusterChanges(self._host(DOORS), self.doors)
        self.grants = Grants(self._host(GRANTS), view.grants, lambda: self.doors.names)
        self.units = UnitsPart(self._host(UNITS), view.units)
        self.parts = (self.doors, self.grants, self.units)
        panel = view.doors.training
        self.training = None if panel is None else DoorTraining(self._host(DOORS), panel, self.doors)
        view.section_shown.connect(lambda _tab: self._load_section())

    def _host(self, tab: int) -> Host:
        tabs = self.view.tabs
        return self.host(shown=lambda: tabs.currentIndex() == tab, show=lambda: tabs.setCurrentIndex(tab))

    def actions(self) -> Sequence[Action]:
        here, tabs = "readers", self.view.tabs
        return [
            Action(
                "readers.doors",
                tr("Show the doors"),
                lambda: tabs.setCurrentIndex(DOORS),
                "door-closed",
                ("Alt+1",),
                here,
            ),
            Action(
                "readers.grants",
                tr("Show the grants"),
                lambda: tabs.setCurrentIndex(GRANTS),
                "key-round",
                ("Alt+2",),
                here,
            ),
            Action("readers.units", tr("Show the units"), lambda: tabs.setCurrentIndex(UNITS), "cpu", ("Alt+3",), here),
            *of_section(self.doors.host.shown, self.clusters.actions()),
            *super().actions(),
            *of_section(self.doors.host.shown, self.training.actions() if self.training is not None else ()),
        ]

    def filter_field(self) -> QWidget | None:
        return self.view.doors.filter if self.view.tabs.currentIndex() == DOORS else None

    def first_control(self) -> QWidget:
        view = self.view
        tables = {GRANTS: view.grants.profile_table, UNITS: view.units.table}
        return tables.get(view.tabs.currentIndex(), view.doors.cluster_table)

    def _arrive(self, arguments: Mapping[str, str]) -> None:
        """The doors are there: take the badge of the person whom another page has named, and fill the tab in front."""
        if self.training is not None and (node_id := arguments.get("node_id")):
            named = bool(arguments.get("cluster_id") or arguments.get("reader_id"))
            self.spawn(self.training.take_badge(node_id, at_cluster=not named), name="badge")
        self._load_section()

    def _load_section(self) -> None:
        if not self.session.is_connected:
            return
        tab = self.view.tabs.currentIndex()
        if tab == GRANTS:
            self.grants.load()
        elif tab == UNITS:
            self.units.load()
        self.session.actions.refresh()
