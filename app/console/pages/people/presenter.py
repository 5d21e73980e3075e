"""Brings the page to life: everybody, or one person with their history and what can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.console.actions import Action
from app.console.language import tr
from app.console.pages.people.everybody import Everybody
from app.console.pages.people.history import HistoryPart, PersonEvent
from app.console.pages.people.orders import PersonOrders
from app.console.pages.people.profile import ProfilePart
from app.console.pages.people.view import PeopleView
from app.console.part import Host, PartsPresenter
from app.console.session import WindowSession
from app.registry.messages.nodes import Node


class PeoplePresenter(PartsPresenter):
    """``navigate("people", node_id=...)`` opens a person, ``text=...`` looks for some in the list."""

    view: PeopleView
    past_words = tr("Standing and what happened show that moment; names, and what is named “now”, are of now.")

    def __init__(self, session: WindowSession, view: PeopleView) -> None:
        super().__init__(session, view)
        self.everybody = Everybody(self._host(profile=False), view.everybody, self.open_person)
        self.profile = ProfilePart(self._host(profile=True), view.profile, self._take_profile)
        self.history = HistoryPart(self._host(profile=True), view.profile.history, self._names, self._follow)
        self.orders = PersonOrders(
            self._host(profile=True),
            person=self._person,
            held=lambda: () if self.profile.profile is None else self.profile.profile.held,
            access=lambda: None if self.profile.profile is None else self.profile.profile.access,
            uids=self._uids,
            change=self.everybody.change,
            read_now=self._read_now,
        )
        self.parts = (self.everybody, self.profile, self.history)
        view.third.moved.connect(lambda _beside: self._read_everybody())

    def _host(self, *, profile: bool) -> Host:
        view = self.view
        if profile:
            return self.host(shown=lambda: view.shows_profile, show=lambda: self._show(view.profile))
        return self.host(shown=lambda: view.shows_everybody, show=lambda: self._show(view.everybody))

    def actions(self) -> Sequence[Action]:
        return [
            *super().actions(),
            Action(
                "people.list", tr("Show everybody"), self.show_everybody, "users", ("Alt+1",), "people",
                hint=tr("The list of people, where it was left."),
            ),
            Action(
                "people.timeline", tr("Go to the timeline"), lambda: self._focus(self.view.profile.history.table),
                "history", ("Alt+2",), "people", when=lambda: self.view.shows_profile,
            ),
            Action(
                "people.beside", tr("Go to the list of people"), lambda: self._focus(self.view.everybody.table),
                "list", ("Alt+3",), "people", when=lambda: self.view.everybody.beside,
                hint=tr("In a wide window it stands beside the person; Enter opens another one."),
            ),
            *self.orders.actions(),
        ]  # fmt: skip

    # --- whom it is about --------------------------------------------------------------------------------------------

    def _person(self) -> Node | None:
        """The person in front: the one who is shown, or the one under the cursor of the list."""
        return self.profile.node if self.view.shows_profile else self.view.everybody.chosen

    def _take_profile(self) -> None:
        """The person was read: what the history calls by ids has names now."""
        self.history.paint_all()

    def _names(self) -> Mapping[str, str]:
        read = self.profile.profile
        if read is None or read.access is None:
            return {}
        return {one.cluster_id: one.display_name for one in read.access.clusters}

    def _uids(self) -> Mapping[str, str]:
        read = self.profile.profile
        cards = () if read is None or read.cards is None else read.cards
        return {one.card_guid: one.hardware_uid_now or one.hardware_uid for one in cards if one.card_guid}

    def open_person(self, node_id: str) -> None:
        """Bring one person to the front. Hands in the list beside stay there, for the next one."""
        walks = self.view.everybody.beside and self.view.everybody.table.hasFocus()
        self._show(self.view.profile)
        self.profile.open(node_id)
        self.history.open(node_id)
        self.everybody.follow(node_id)
        if not walks:
            self._focus(self.view.profile.history.table)

    def show_everybody(self) -> None:
        """Bring the list to the front, where it was left."""
        self._show(self.view.everybody)
        self.everybody.read_now()
        self._focus(self.view.everybody.table)

    def _show(self, face: QWidget) -> None:
        self.view.show_face(face)
        for part in self.parts:
            part.resume()
        self.session.actions.refresh()

    def _read_everybody(self) -> None:
        """The list is in sight, or no longer: what was not read while it was not is awaited anew."""
        self.everybody.resume()
        self.everybody.follow(self.profile.node_id)
        self.everybody.read_now()
        self.session.actions.refresh()

    def _read_now(self) -> None:
        for part in self.parts:
            part.read_now()

    def _focus(self, widget: QWidget) -> None:
        widget.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _follow(self, event: PersonEvent) -> None:
        """Open what a line of the history is about: its door, or its entry among the person's."""
        if event.door:
            self.session.navigate("readers", reader_id=event.door)
        else:
            self.session.navigate("audit", node_id=self.profile.node_id)

    # --- the page's life ---------------------------------------------------------------------------------------------

    def first_control(self) -> QWidget:
        view = self.view
        return view.profile.history.table if view.shows_profile else view.everybody.filter

    def filter_field(self) -> QWidget:
        return self.view.everybody.filter

    async def run(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("text"):
            self._show(self.view.everybody)
        elif node_id := arguments.get("node_id"):
            self.open_person(node_id)
        await super().run(arguments)
