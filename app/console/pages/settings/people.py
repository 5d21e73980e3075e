"""What the people tab does: searches the registry's nodes page by page, adds, changes and deletes them."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from app.api.wire import ListQuery
from app.console.actions import Action, Effect
from app.console.clock import Freshness
from app.console.deleting import Deletion
from app.console.failures import Failure
from app.console.operations import Operation
from app.console.pages.settings.people_view import PeopleView
from app.console.pages.settings.person_form import PersonForm
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.registry.messages import Node, NodeBody

READ_EVERY_S = 10.0
PAGE = 100
MOST_A_PAGE = 500


class PeopleTab:
    """``read_now`` has the list read at once, ``spawn`` starts what ends with the page, ``refused`` tells a failure at
    the head of the page."""

    def __init__(
        self,
        session: WindowSession,
        tab: PeopleView,
        read_now: Callable[[], None],
        spawn: Callable[[Coroutine[Any, Any, Any]], object],
        refused: Callable[[Failure], None],
    ) -> None:
        self._session = session
        self._tab = tab
        self._read_now = read_now
        self._spawn = spawn
        self._refused = refused
        self._age = Freshness(READ_EVERY_S)
        self._text = ""
        self._depth = PAGE
        self._further = False
        self._wanted = ""
        tab.searched.connect(self._search)
        tab.more.connect(self._more)
        tab.opened.connect(lambda _node_id: self._change())
        tab.table.selected.connect(lambda _row: session.actions.refresh())

    @property
    def _may_write(self) -> bool:
        return self._session.is_connected and self._session.clearance.lower() == "citadel"

    def actions(self, show: Callable[[], None], shown: Callable[[], bool]) -> Sequence[Action]:
        """Its rows of the action table. ``show`` opens the tab, ``shown`` tells whether it is open."""

        def chosen() -> bool:
            return shown() and self._may_write and self._tab.chosen is not None

        def new() -> None:
            show()

            async def open_new() -> None:
                self._open(PersonForm(self._tab.window(), None, await self._directories()), fresh=True)

            self._spawn(open_new())

        return [
            Action(
                "settings.person_new", "Add a person", new, "plus", ("Ctrl+Shift+N",), "settings",
                when=lambda: self._may_write, effect=Effect.CHANGE, hint="Needs Citadel clearance.",
            ),
            Action(
                "settings.person_change", "Change the person", self._change, "pencil", ("Ctrl+Return",), "settings",
                when=chosen, effect=Effect.CHANGE, hint="Name, employee id, address, accounts elsewhere, notes.",
            ),
            Action(
                "settings.person_card", "Write a card", self._write_card, "id-card", ("Ctrl+Shift+W",), "settings",
                when=lambda: shown() and self._tab.chosen is not None and self._has_cards(),
                hint="Opens Write card for this person.",
            ),
            Action(
                "settings.person_delete", "Delete the person", self._delete, "trash-2", ("Ctrl+Shift+Del",), "settings",
                when=chosen, effect=Effect.CHANGE,
                hint="Asks first. Whoever still holds a card or a grant is burned before.",
            ),
        ]  # fmt: skip

    def _has_cards(self) -> bool:
        return any(action.id == "page.write_card" for action in self._session.actions.all())

    def _write_card(self) -> None:
        node = self._tab.chosen
        if node is not None:
            self._session.navigate("write_card", node_id=node.node_id)

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        """Read the list as far as it is shown. Raises what the client raises."""
        if not self._session.is_connected:
            self.paint()
            return
        found: list[Node] = []
        cursor: str | None = None
        text = self._text
        while len(found) < self._depth:
            page = await self._session.client.registry_list_nodes(
                query=ListQuery(q=text or None, limit=min(MOST_A_PAGE, self._depth - len(found)), cursor=cursor)
            )
            found += page.items
            cursor = page.next
            if cursor is None:
                break
        if text != self._text:
            # Another text was typed meanwhile: its own answer follows.
            return
        self._further = cursor is not None
        self._age.touch()
        self._tab.show_people(found, further=self._further, searched=bool(text), wanted=self._wanted)
        if self._tab.rows.row_of(self._wanted) >= 0:
            self._wanted = ""
        self.paint()
        self._session.actions.refresh()

    def paint(self) -> None:
        """Show how old the list is."""
        if self._age.since is None:
            self._tab.stack.setCurrentWidget(self._tab.away)
            return
        stale = self._age.words()
        self._tab.mark.setVisible(bool(stale))
        if stale:
            self._tab.mark.set(Meaning.IDLE, stale)

    def search(self, text: str) -> None:
        """Fill the search field."""
        self._tab.filter.setText(text)
        self._search(text)

    def _search(self, text: str) -> None:
        if text != self._text:
            self._text = text
            self._depth = PAGE
            self._read_now()

    def _more(self) -> None:
        if self._further:
            self._further = False
            # A page more at first, then ever larger ones: going to the end of 100,000 must not take a thousand calls.
            self._depth += max(PAGE, self._depth // 2)
            self._read_now()

    # --- changing ----------------------------------------------------------------------------------------------------

    async def _directories(self) -> list[str]:
        page = await self._session.client.registry_list_directories(query=ListQuery(limit=MOST_A_PAGE))
        return [one.directory_id for one in page.items]

    def _open(self, form: PersonForm, *, fresh: bool) -> None:
        form.asked.connect(lambda node_id, body: self._spawn(self._save(form, node_id, body, fresh=fresh)))
        form.open()

    def _change(self) -> None:
        chosen = self._tab.chosen
        if chosen is None or not self._may_write:
            return

        async def fetch(node_id: str) -> None:
            # A PUT replaces the whole row, so the form begins with the row as it is now, not as it was listed.
            node = await self._session.client.registry_get_node(node_id)
            self._open(PersonForm(self._tab.window(), node, await self._directories()), fresh=False)

        self._spawn(fetch(chosen.node_id))

    async def _save(self, form: PersonForm, node_id: str, body: NodeBody, *, fresh: bool) -> None:
        if fresh and (there := await form.taken(self._session.client.registry_get_node(node_id))) is not None:
            form.mark("id", f"{there.display_name} has this id already.")
            return

        def saved(node: Node) -> None:
            self._wanted = node.node_id
            form.accept()
            self._session.notify(f"{node.display_name} is {'registered' if fresh else 'changed'}.")

        operation: Operation[Node] = Operation(
            lambda client, _key: client.registry_put_node(node_id, body),
            title=f"{'Add' if fresh else 'Change'} {body.display_name}",
            changes=("nodes",),
            asks=True,
        )
        operation.success(saved).failure(form.show_failure).run(self._session, form)

    def _delete(self) -> None:
        node = self._tab.chosen
        if node is None:
            return
        Deletion(
            node.display_name,
            lambda client: client.registry_delete_node(node.node_id),
            ("nodes",),
            f"{node.node_id} leaves the registry with its live checks. What the audit log says of it stays.",
            "Delete the person",
        ).ask(self._session, self._tab, self._refused)
