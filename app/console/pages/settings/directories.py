"""What the directories tab does: lists, registers, tries, changes and deletes directories."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from app.api.wire import ListQuery
from app.console.actions import Action, Effect
from app.console.clock import Freshness
from app.console.deleting import Deletion
from app.console.failures import Failure
from app.console.growing import read_all
from app.console.operations import Operation
from app.console.pages.settings.directories_view import DirectoriesView
from app.console.pages.settings.directory_form import DirectoryForm
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning
from app.registry.messages import Directory, DirectoryBody, DirectoryProbe, ProbeQuery

READ_EVERY_S = 10.0
MOST = 500


class DirectoriesTab:
    """``read_now`` has the list read at once, ``spawn`` starts what ends with the page, ``refused`` tells a failure at
    the head of the page."""

    def __init__(
        self,
        session: WindowSession,
        tab: DirectoriesView,
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
        self._probes: dict[str, DirectoryProbe] = {}
        self._wanted = ""
        tab.table.selected.connect(lambda _row: session.actions.refresh())
        tab.table.opened.connect(lambda _row: self._change())

    @property
    def _allowed(self) -> bool:
        return self._session.is_connected and self._session.clearance.lower() == "citadel"

    def actions(self, show: Callable[[], None], shown: Callable[[], bool]) -> Sequence[Action]:
        """Its rows of the action table. ``show`` opens the tab, ``shown`` tells whether it is open."""

        def chosen() -> bool:
            return shown() and self._allowed and self._tab.chosen is not None

        def new() -> None:
            show()
            self._open(DirectoryForm(self._tab.window()), None)

        return [
            Action(
                "settings.directory_new", "Register a directory", new, "plus", ("Ctrl+Shift+D",), "settings",
                when=lambda: self._allowed, effect=Effect.CHANGE, hint="A system elsewhere that a burn must reach.",
            ),
            Action(
                "settings.directory_try", "Try the directory", self._try, "zap", ("Ctrl+T",), "settings",
                when=chosen, hint="Reads, and changes nothing: could a burn act there now?",
            ),
            Action(
                "settings.directory_change", "Change the directory", self._change, "pencil", ("F2",), "settings",
                when=chosen, effect=Effect.CHANGE,
            ),
            Action(
                "settings.directory_delete", "Delete the directory", self._delete, "trash-2", ("Shift+F2",),
                "settings", when=chosen, effect=Effect.CHANGE,
                hint="Asks first. Refused while somebody has an account in it.",
            ),
        ]  # fmt: skip

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        """Read the list. Raises what the client raises."""
        if not self._allowed:
            self.paint()
            return
        client = self._session.client
        found = await read_all(
            lambda cursor: client.registry_list_directories(query=ListQuery(limit=MOST, cursor=cursor))
        )
        self._age.touch()
        self._tab.show_directories(found, self._probes, self._wanted)
        if self._tab.rows.row_of(self._wanted) >= 0:
            self._wanted = ""
        self.paint()
        self._session.actions.refresh()

    def paint(self) -> None:
        """Show how old the list is."""
        tab = self._tab
        if self._session.is_connected and not self._allowed:
            tab.stack.setCurrentWidget(tab.closed)
            tab.mark.hide()
            return
        if self._age.since is None:
            tab.stack.setCurrentWidget(tab.away)
            return
        stale = self._age.words()
        tab.mark.setVisible(bool(stale))
        if stale:
            tab.mark.set(Meaning.IDLE, stale)

    # --- changing ----------------------------------------------------------------------------------------------------

    def _open(self, form: DirectoryForm, known: Directory | None) -> None:
        form.asked.connect(
            lambda directory_id, body, trial: self._spawn(self._save(form, directory_id, body, trial, known))
        )
        form.open()

    def _change(self) -> None:
        chosen = self._tab.chosen
        if chosen is not None and self._allowed:
            self._spawn(self._fetch(chosen.directory_id))

    async def _fetch(self, directory_id: str) -> None:
        # A PUT replaces the whole row, so the form begins with the row as it is now, not as it was listed.
        known = await self._session.client.registry_get_directory(directory_id)
        self._open(DirectoryForm(self._tab.window(), known), known)

    async def _save(
        self, form: DirectoryForm, directory_id: str, body: DirectoryBody, trial: bool, known: Directory | None
    ) -> None:
        if known is None and await form.taken(self._session.client.registry_get_directory(directory_id)) is not None:
            form.mark("id", "A directory of this id is there already.")
            return

        def saved(directory: Directory) -> None:
            self._wanted = directory.directory_id
            form.accept()
            self._told(directory, "registered" if known is None else "changed")

        self._put(directory_id, body, trial).success(saved).failure(form.show_failure).run(self._session, form)

    def _put(self, directory_id: str, body: DirectoryBody, trial: bool) -> Operation[Directory]:
        return Operation(
            lambda client, _key: client.registry_put_directory(directory_id, body, query=ProbeQuery(probe=trial)),
            title=f"Directory {directory_id}",
            changes=("directories",),
            asks=True,
        )

    def _told(self, directory: Directory, done: str) -> None:
        name, probe = directory.directory_id, directory.probe
        if probe is None:
            self._probes.pop(name, None)
            self._session.notify(f"{name} is {done}.")
            return
        self._probes[name] = probe
        words = f"{name} is {done}. " if done else ""
        if probe.ok:
            self._session.notify(f"{words}Tried: {probe.found}.")
        else:
            self._session.notify(f"{words}A burn could not act there now: {probe.found}.", "warn")

    def _try(self) -> None:
        directory = self._tab.chosen
        if directory is None:
            return
        if directory.ca_sha256:
            # A trial is part of a PUT, and the stored CA is known by its SHA-256 alone.
            self._session.notify("Paste its CA again to try it: the service does not give it out.", "info")
            self._change()
            return
        body = DirectoryBody(
            kind=directory.kind,
            url=directory.url,
            display_name=directory.display_name,
            bind_dn=directory.bind_dn,
            base_dn=directory.base_dn,
            dialect=directory.dialect,  # type: ignore[arg-type]  # one of the three, as the service has checked
            audience=directory.audience,
            timeout_ms=directory.timeout_ms,
            tags=directory.tags,
        )
        operation = self._put(directory.directory_id, body, True)
        operation.success(lambda now: self._told(now, "")).failure(self._refused).run(self._session, self._tab)

    def _delete(self) -> None:
        directory = self._tab.chosen
        if directory is None:
            return
        Deletion(
            directory.directory_id,
            lambda client: client.registry_delete_directory(directory.directory_id),
            ("directories",),
            "No burn reaches it from then on, and burns that have not reached it yet stay open until a person closes "
            "them. Nothing changes in the directory itself.",
            "Delete the directory",
        ).ask(self._session, self._tab, self._refused)
