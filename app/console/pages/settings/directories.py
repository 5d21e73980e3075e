"""The tab of directories: systems elsewhere that a burn must reach."""

from __future__ import annotations

from collections.abc import Sequence

from app.console.actions import Action, Effect
from app.console.deletion import Deletion
from app.console.failures import NothingRead
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.settings.directories_view import DirectoriesView
from app.console.pages.settings.directory_form import DirectoryForm
from app.console.pages.settings.words import CHANGES
from app.console.part import Host, Part
from app.registry.messages.directories import Directory, DirectoryBody, DirectoryProbe, ProbeQuery


class DirectoriesTab(Part):
    """Reads the directories; registers, tries, changes and deletes them by ``Operation``. The list needs Citadel
    clearance."""

    every_s = 10.0
    ticks_a_paint = 5
    kinds = CHANGES

    view: DirectoriesView

    def __init__(self, host: Host) -> None:
        self.view = DirectoriesView(host.session)
        super().__init__(host, self.view.mark)
        self._directories: list[Directory] = []
        self._probes: dict[str, DirectoryProbe] = {}
        self._wanted = ""
        self.view.table.selected.connect(lambda _row: host.session.actions.refresh())
        self.view.table.opened.connect(lambda _row: host.session.actions.trigger("settings.directory_change"))

    def actions(self) -> Sequence[Action]:
        host = self.host

        def is_chosen() -> bool:
            return host.shown() and host.may_write and self.view.chosen is not None

        def new() -> None:
            host.show()
            self._open(DirectoryForm(self.view.window()), None)

        return [
            Action(
                "settings.directory_new", tr("Register a directory"), new, "plus", ("Ctrl+N",), "settings",
                when=lambda: host.may_write, effect=Effect.CHANGE,
                hint=tr("A system elsewhere that a burn must reach."),
                calls=("registry_put_directory",),
            ),
            Action(
                "settings.directory_try", tr("Try the directory"), self._try, "zap", ("Ctrl+T",), "settings",
                when=is_chosen, hint=tr("Reads, and changes nothing: could a burn act there now?"),
                calls=("registry_put_directory",),
            ),
            Action(
                "settings.directory_change", tr("Change the directory"), self._change, "pencil", ("F2",), "settings",
                when=is_chosen, effect=Effect.CHANGE,
                calls=("registry_put_directory",),
            ),
            Action(
                "settings.directory_delete", tr("Delete the directory"), self._delete, "trash-2", ("Shift+F2",),
                "settings", when=is_chosen, effect=Effect.CHANGE,
                hint=tr("Asks first. Refused while somebody has an account in it."),
                calls=("registry_delete_directory",),
            ),
        ]  # fmt: skip

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        if not self.host.may_write:
            self.paint()
            raise NothingRead
        client = self.session.client
        self._directories = await read_all(lambda cursor: client.registry_list_directories(query=page_query(cursor)))

    def paint_all(self) -> None:
        self.view.show_directories(self._directories, self._probes, self._wanted)
        if self.view.rows.row_of(self._wanted) >= 0:
            self._wanted = ""

    def paint(self) -> None:
        """Show how old the list is, or why there is none."""
        view = self.view
        if self.session.is_connected and not self.host.may_write:
            view.stack.setCurrentWidget(view.closed)
            view.mark.hide()
        elif self.fresh.since is None:
            view.stack.setCurrentWidget(view.away)
        else:
            super().paint()

    # --- changing ----------------------------------------------------------------------------------------------------

    def _open(self, form: DirectoryForm, known: Directory | None) -> None:
        form.asked.connect(
            lambda directory_id, body, trial: self.host.spawn(self._save(form, directory_id, body, trial, known))
        )
        form.open()

    def _change(self) -> None:
        chosen = self.view.chosen
        if chosen is not None and self.host.may_write:
            self.host.spawn(self._fetch(chosen.directory_id))

    async def _fetch(self, directory_id: str) -> None:
        # A PUT replaces the whole row, so the form begins with the row as it is now, not as it was listed.
        known = await self.session.client.registry_get_directory(directory_id)
        self._open(DirectoryForm(self.view.window(), known), known)

    async def _save(
        self, form: DirectoryForm, directory_id: str, body: DirectoryBody, trial: bool, known: Directory | None
    ) -> None:
        """Put the directory, tried first where the person wants it; a new one must not stand there already."""
        if (
            known is None
            and await form.find_existing(self.session.client.registry_get_directory(directory_id)) is not None
        ):
            form.mark("id", tr("A directory of this id is there already."))
            return

        def show(directory: Directory) -> None:
            self._wanted = directory.directory_id
            form.accept()
            name = directory.directory_id
            said = tr("{name} is registered.", name=name) if known is None else tr("{name} is changed.", name=name)
            self._tell(directory, said)

        self._put(directory_id, body, trial).success(show).failure(form.show_failure).run(self.session, form)

    def _put(self, directory_id: str, body: DirectoryBody, trial: bool) -> Operation[Directory]:
        return Operation(
            lambda client, _key: client.registry_put_directory(directory_id, body, query=ProbeQuery(probe=trial)),
            title=tr("Directory {name}", name=directory_id),
            changes=("directories",),
            asks=True,
        )

    def _tell(self, directory: Directory, said: str) -> None:
        """Say what was done, and what the trial found where there was one."""
        name, probe = directory.directory_id, directory.probe
        if probe is None:
            self._probes.pop(name, None)
            self.session.notify(said)
            return
        self._probes[name] = probe
        if probe.ok:
            tried = tr("Tried: {found}.", found=probe.found)
            self.session.notify(f"{said} {tried}".lstrip())
        else:
            tried = tr("A burn could not act there now: {found}.", found=probe.found)
            self.session.notify(f"{said} {tried}".lstrip(), "warn")

    def _try(self) -> None:
        """Put the row as it is, with a trial: the service tries a directory in no other way."""
        directory = self.view.chosen
        if directory is None:
            return
        if directory.ca_sha256:
            # A trial is part of a PUT, and the stored CA is known by its SHA-256 alone.
            self.session.notify(tr("Paste its CA again to try it: the service does not give it out."), "info")
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
        operation.success(lambda now: self._tell(now, "")).failure(self.host.show_failure).run(self.session, self.view)

    def _delete(self) -> None:
        """Ask, then delete the directory."""
        directory = self.view.chosen
        if directory is None:
            return
        Deletion(
            directory.directory_id,
            lambda client: client.registry_delete_directory(directory.directory_id),
            ("directories",),
            tr(
                "No burn reaches it from then on, and burns that have not reached it yet stay open until a "
                "person closes them. Nothing changes in the directory itself."
            ),
            tr("Delete the directory"),
        ).ask(self.session, self.view, self.host.show_failure)
