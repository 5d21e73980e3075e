"""Everybody in the registry, found by name or id; from here one person is opened."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtWidgets import QWidget

from app.api.wire import ListQuery
from app.console.actions import Action, Effect
from app.console.deletion import Deletion
from app.console.failures import NothingRead
from app.console.growing import LARGEST, Growing, RowPage, page_query
from app.console.language import tr
from app.console.moments import parse_time
from app.console.operations import Operation
from app.console.pages.people.everybody_view import EverybodyView, PastPeople
from app.console.pages.people.person_form import PersonForm
from app.console.part import Host, Part
from app.console.past_standing import PastStanding, StandingLeaves, registered_later
from app.console.telemetry.burn_events import tell_whole_burn
from app.console.telemetry.live import Listener, LiveEvent
from app.registry.messages.nodes import Node, NodeBody

PAGE = 100


class Everybody(Part):
    """Reads as much of the list as was scrolled to; adds, changes and deletes people by ``Operation``."""

    every_s = 10.0
    ticks_a_paint = 5
    kinds = frozenset({"nodes", "cards", "grants"})

    view: EverybodyView

    def __init__(self, host: Host, view: EverybodyView, open_person: Callable[[str], None]) -> None:
        super().__init__(host, view.mark)
        self.view = view
        self._open_person = open_person
        self._text = ""
        self._people = Growing(self._page, lambda node: node.node_id, page=PAGE, largest=LARGEST)
        self._wanted = self._front = ""
        self._leaves = StandingLeaves(host.session)
        self._known = self._grown = 0.0
        """When the list was asked for, and when it was read on at its end, Unix time by the service's clock."""
        self._unread = self._leaves.unread
        """What the list says of people whose standing was not read."""
        host.session.shown_time.changed.connect(self._take_moment)
        self.view.searched.connect(self._search)
        self.view.more.connect(self._grow)
        self.view.opened.connect(open_person)
        self.view.table.selected.connect(lambda _row: host.session.actions.refresh())

    def actions(self) -> Sequence[Action]:
        host = self.host

        def is_chosen() -> bool:
            return host.shown() and not self.view.beside and host.may_write and self.view.chosen is not None

        def new() -> None:
            host.show()

            async def open_new() -> None:
                self._open(PersonForm(self.view.window(), None, await self._directories()), fresh=True)

            host.spawn(open_new())

        return [
            Action(
                "people.open", tr("Open the person"), self._open_chosen, "user", ("Ctrl+O",), "people",
                when=lambda: host.shown() and self.view.chosen is not None,
                hint=tr("The profile: standing, doors, cards, and what happened. Enter in the list does it, too."),
            ),
            Action(
                "people.new", tr("Add a person"), new, "plus", ("Ctrl+N",), "people",
                when=lambda: host.may_write, effect=Effect.CHANGE, hint=tr("Needs Citadel clearance."),
                calls=("registry_put_node",),
            ),
            Action(
                "people.delete", tr("Delete the person"), self._delete, "trash-2", ("Ctrl+Shift+Del",), "people",
                when=is_chosen, effect=Effect.CHANGE,
                hint=tr("Asks first. A person who still holds a card or a grant is burned before."),
                calls=("registry_delete_node",),
            ),
        ]  # fmt: skip

    def follow(self, node_id: str) -> None:
        """Beside the person of that id: bring the cursor to them, now or with the first reading."""
        self._front = node_id
        at = self.view.rows.row_of(node_id)
        if self.view.beside and at >= 0 and at != self.view.table.currentIndex().row():
            self.view.table.selectRow(at)

    def _open_chosen(self) -> None:
        if (node := self.view.chosen) is not None:
            self._open_person(node.node_id)

    # --- reading -----------------------------------------------------------------------------------------------------

    def filter_field(self) -> QWidget:
        return self.view.filter

    def listeners(self) -> Mapping[str, Listener]:
        return {"burn": self._take_burns, **dict.fromkeys(("containment", "gap"), lambda _events: self.read_now())}

    def _take_burns(self, events: Sequence[LiveEvent]) -> None:
        """Read again when a burn began, is complete or was lifted, and not at each of its targets: of these there may
        be thousands."""
        if tell_whole_burn(events):
            self.read_now()

    def take(self, arguments: Mapping[str, str]) -> None:
        if arguments.get("text"):
            self.view.filter.setText(arguments["text"])
            self._search(arguments["text"])

    async def read(self) -> None:
        if not self.host.shown():
            raise NothingRead
        asked = self.session.live.now()
        await self._people.read()
        self._known = self._grown = asked
        await self._leaves.read_shown()

    def _then(self, node: Node, at: float) -> PastStanding:
        """How a person of the list stood at that moment."""
        if parse_time(node.created_at) > at:
            return registered_later(parse_time(node.created_at))
        if not self._leaves.reaches(self._known, self._grown):
            return self._leaves.unread
        return self._leaves.standing(node.node_id, node.standing, at, self._known)

    def _take_moment(self) -> None:
        """Another moment is shown, or now again."""
        at = self.session.shown_time.at
        if self._people.rows:
            self.paint_all()
        if at is not None and not self._leaves.reaches(at, self._known):
            self.read_now()

    async def _page(self, cursor: str | None, limit: int) -> RowPage[Node]:
        query = ListQuery(q=self._text or None, limit=limit, cursor=cursor)
        return await self.session.client.registry_list_nodes(query=query)

    def paint_all(self) -> None:
        view, people = self.view, self._people
        at = self.session.shown_time.at
        self._unread = self._leaves.unread
        standings = {} if at is None else {key: self._then(node, at) for key, node in people.rows.items()}
        view.show_past(None if at is None else PastPeople(at, standings))
        wanted = self._front if view.beside and view.chosen is None else self._wanted
        view.show_people(
            list(people.rows.values()), further=not people.complete, searched=bool(self._text), wanted=wanted
        )
        if view.rows.row_of(self._wanted) >= 0:
            self._wanted = ""

    def paint(self) -> None:
        """Show how old the list is, and whether it is still asked how people stood."""
        if self.fresh.since is None:
            self.view.stack.setCurrentWidget(self.view.away)
        else:
            super().paint()
            if self.session.shown_time.is_past and self._unread != self._leaves.unread:
                self.paint_all()

    def _search(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self._people.forget()
            self.read_now()

    def _grow(self) -> None:
        if self._people.can_grow and self.session.is_connected:
            self.host.spawn(self._read_on(), name="more people")

    async def _read_on(self) -> None:
        # A page more at first, then ever longer stretches: the end of 100,000 is not a thousand steps away.
        asked = self.session.live.now()
        if await self._people.grow(len(self._people.rows) // 2):
            self._grown = max(self._grown, asked)
            await self._leaves.read_shown()
            self.show_answer()

    # --- changing ----------------------------------------------------------------------------------------------------

    async def _directories(self) -> list[str]:
        page = await self.session.client.registry_list_directories(query=page_query(None))
        return [one.directory_id for one in page.items]

    def _open(self, form: PersonForm, *, fresh: bool) -> None:
        form.asked.connect(lambda node_id, body: self.host.spawn(self._save(form, node_id, body, fresh=fresh)))
        form.open()

    def change(self, node_id: str) -> None:
        """Open the form of a person."""

        async def fetch() -> None:
            # A PUT replaces the whole row, so the form begins with the row as it is now, not as it was listed.
            node = await self.session.client.registry_get_node(node_id)
            self._open(PersonForm(self.view.window(), node, await self._directories()), fresh=False)

        self.host.spawn(fetch())

    async def _save(self, form: PersonForm, node_id: str, body: NodeBody, *, fresh: bool) -> None:
        """Put the person; a new one must not stand there already."""
        if fresh and (there := await form.find_existing(self.session.client.registry_get_node(node_id))) is not None:
            form.mark("id", tr("{person} has this id already.", person=there.display_name))
            return

        def show(node: Node) -> None:
            self._wanted = node.node_id
            form.accept()
            name = node.display_name
            self.session.notify(
                tr("{person} is registered.", person=name) if fresh else tr("{person} is changed.", person=name)
            )

        operation: Operation[Node] = Operation(
            lambda client, _key: client.registry_put_node(node_id, body),
            title=tr("Add {name}", name=body.display_name) if fresh else tr("Change {name}", name=body.display_name),
            changes=("nodes",),
            asks=True,
        )
        operation.success(show).failure(form.show_failure).run(self.session, form)

    def _delete(self) -> None:
        """Ask whether the chosen person may leave the registry, and delete them then."""
        node = self.view.chosen
        if node is None:
            return
        Deletion(
            node.display_name,
            lambda client: client.registry_delete_node(node.node_id),
            ("nodes",),
            tr(
                "{id} leaves the registry with its live checks. What the audit log says of it stays.",
                id=node.node_id,
            ),
            tr("Delete the person"),
        ).ask(self.session, self.view, self.host.show_failure)
