"""The terminals tab: who is believed, and the registries of templates with the renewal of their keys."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import shiboken6
from PySide6.QtWidgets import QWidget

from app.biometrics.messages import (
    BundleTaken,
    BundleTakenBody,
    RenewedTemplateRegistry,
    TemplateRegistry,
    TemplateRegistryBody,
)
from app.console.actions import Action, Effect
from app.console.deletion import Deletion
from app.console.files import FileKeeper, read_some
from app.console.growing import page_query, read_all
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.verify.terminal_form import SHAPES, RegistryForm, TakenForm, TerminalForm
from app.console.pages.verify.terminals_view import OPENED_WITHIN_MIN, RENEWAL, TerminalsView, decides_until, exposure
from app.console.pages.verify.words import PAGE
from app.console.part import Host, Part
from app.console.widgets.confirm import ConfirmDialog
from app.registry.messages.terminals import Terminal, TerminalBody

TERMINALS, REGISTRIES = ("terminals",), ("templates",)
ALWAYS = "default"
"""The registry that always exists."""
MOST_WORD = 4_096
"""Bytes of a file with an acknowledgement, which has some 120. One byte more is read: it shows that the file is too
long."""


class TerminalsTab(Part):
    """Reads both lists; adds, changes, renews and deletes by ``Operation``."""

    kinds = frozenset({"terminals", "templates"})

    view: TerminalsView

    def __init__(self, host: Host) -> None:
        super().__init__(host)
        self.view = TerminalsView(host.session.actions, self.mark)
        self.files = FileKeeper(self.view, host.session)
        self._terminals: list[Terminal] = []
        self._registries: list[TemplateRegistry] = []
        self._wanted = self._wanted_registry = ""
        for table in (self.view.table, self.view.registry_table):
            table.selected.connect(lambda _row: host.session.actions.refresh())

    # --- what can be done --------------------------------------------------------------------------------------------

    def actions(self) -> Sequence[Action]:
        view = self.view

        def may() -> bool:
            return self.host.shown() and self.host.may_write

        def terminal() -> bool:
            return may() and view.terminal is not None

        def registry() -> bool:
            return may() and view.registry is not None

        def can_bundle() -> bool:
            chosen = view.terminal
            return (
                self.host.shown()
                and not self.files.saving
                and chosen is not None
                and chosen.kind == "palm"
                and chosen.encryption_key is not None
            )

        def has_bundle() -> bool:
            chosen = view.terminal
            connected = self.host.shown() and self.session.is_connected
            return connected and chosen is not None and chosen.bundle is not None

        return [
            Action(
                "verify.terminal_new", tr("Add a terminal"), self._new, "plus", ("Ctrl+N",), PAGE, when=may,
                effect=Effect.CHANGE, hint=tr("A palm scanner or a code screen, by its public key."),
                calls=("registry_put_terminal",),
            ),
            Action(
                "verify.terminal_change", tr("Change the terminal"), self._change, "pencil", ("F2",), PAGE,
                when=terminal, effect=Effect.CHANGE, hint=tr("Its name, keys, registry, cluster and least liveness."),
                calls=("registry_put_terminal",),
            ),
            Action(
                "verify.terminal_bundle", tr("Save a bundle for the terminal"), self._ask_bundle, "download",
                ("Ctrl+S",), PAGE, when=can_bundle,
                hint=tr(
                    "Sealed to the terminal's encryption key: nobody else can read it. The terminal opens it "
                    "within {minutes} minutes, or never.", minutes=OPENED_WITHIN_MIN),
                calls=("registry_get_terminal_bundle",),
            ),
            Action(
                "verify.terminal_taken", tr("Hand in the terminal's acknowledgement"), self._ask_taken, "upload",
                ("Ctrl+Shift+H",), PAGE, when=has_bundle, effect=Effect.CHANGE,
                hint=tr(
                    "What it signed when it took a bundle from a file: burns wait for that, or for the bundle's end."),
                calls=("registry_acknowledge_terminal_bundle",),
            ),
            Action(
                "verify.terminal_delete", tr("Delete the terminal"), self._ask_delete, "trash-2", ("Ctrl+Shift+D",),
                PAGE, when=terminal, effect=Effect.CHANGE,
                hint=tr("Asks first. What it signs is refused from then on."),
                calls=("registry_delete_terminal",),
            ),
            Action(
                "verify.registry_renew", tr("Renew the template registry"), self._ask_renew, "refresh-cw", ("Ctrl+R",),
                PAGE, when=registry, effect=Effect.CHANGE, hint=tr("Asks first. The next key, without the persons."),
                calls=("registry_renew_template_registry",),
            ),
            Action(
                "verify.registry_new", tr("Add a template registry"), self._new_registry, "plus", ("Ctrl+Shift+L",),
                PAGE, when=may, effect=Effect.CHANGE, hint=tr("With a secret key of its own."),
                calls=("registry_put_template_registry",),
            ),
            Action(
                "verify.registry_delete", tr("Delete the template registry"), self._ask_delete_registry, "trash-2",
                ("Ctrl+Shift+W",), PAGE, effect=Effect.CHANGE, hint=tr("Asks first. Only an empty one."),
                when=lambda: registry() and view.registry is not None and view.registry.registry_id != ALWAYS,
                calls=("registry_delete_template_registry",),
            ),
        ]  # fmt: skip

    def first_control(self) -> QWidget:
        return self.view.table if self._terminals else self.view.registry_table

    # --- reading -----------------------------------------------------------------------------------------------------

    async def read(self) -> None:
        client = self.session.client
        self._terminals, self._registries = await asyncio.gather(
            read_all(lambda cursor: client.registry_list_terminals(query=page_query(cursor))),
            read_all(lambda cursor: client.registry_list_template_registries(query=page_query(cursor))),
        )

    def paint_all(self) -> None:
        self.view.show_terminals(self._terminals, self._wanted)
        self.view.show_registries(self._registries, self._wanted_registry)
        self._wanted = self._wanted_registry = ""

    # --- terminals ---------------------------------------------------------------------------------------------------

    def _new(self) -> None:
        self._open(TerminalForm(self.view.window(), self._registry_ids()), fresh=True)

    def _change(self) -> None:
        chosen = self.view.terminal
        if chosen is None:
            return

        async def fetch(terminal_id: str) -> None:
            # A PUT replaces the whole row, so the form begins with the row as it is now, not as it was listed.
            now = await self.session.client.registry_get_terminal(terminal_id)
            self._open(TerminalForm(self.view.window(), self._registry_ids(), now), fresh=False)

        self.host.spawn(fetch(chosen.terminal_id))

    def _registry_ids(self) -> list[str]:
        return [one.registry_id for one in self._registries] or [ALWAYS]

    def _open(self, form: TerminalForm, *, fresh: bool) -> None:
        form.asked.connect(lambda terminal_id, body: self.host.spawn(self._save(form, terminal_id, body, fresh=fresh)))
        form.open()

    async def _save(self, form: TerminalForm, terminal_id: str, body: TerminalBody, *, fresh: bool) -> None:
        """Put the terminal; a new one must not stand there already."""
        client = self.session.client
        if fresh and await form.find_existing(client.registry_get_terminal(terminal_id)) is not None:
            form.mark("id", tr("A terminal of this id is there already."))
            return

        def show(terminal: Terminal) -> None:
            self._wanted = terminal.terminal_id
            form.accept()
            self.session.notify(
                tr("{terminal} is registered.", terminal=terminal.terminal_id)
                if fresh
                else tr("{terminal} is changed.", terminal=terminal.terminal_id)
            )

        operation: Operation[Terminal] = Operation(
            lambda client, _key: client.registry_put_terminal(terminal_id, body),
            title=tr("Add {terminal}", terminal=terminal_id)
            if fresh
            else tr("Change {terminal}", terminal=terminal_id),
            changes=TERMINALS,
            asks=True,
        )
        operation.success(show).failure(form.show_failure).run(self.session, form)

    def _ask_bundle(self) -> None:
        """Ask where the terminal's bundle goes, and keep it there."""
        chosen = self.view.terminal
        if chosen is None:
            return
        terminal_id = chosen.terminal_id

        async def fetch_bundle() -> bytes:
            text = await self.session.client.registry_get_terminal_bundle(terminal_id)
            self.read_now()
            return text

        self.files.ask(
            tr("Save the bundle"),
            f"{terminal_id.replace(':', '_')}.jwe",
            lambda path: self.files.keep_made(
                path,
                tr("The bundle of {terminal}", terminal=terminal_id),
                fetch_bundle,
                tr(
                    "Give it to the terminal within {minutes} minutes, and hand in here what that signs.",
                    minutes=OPENED_WITHIN_MIN,
                ),
            ),
        )

    def _ask_taken(self) -> None:
        chosen = self.view.terminal
        if chosen is None:
            return
        form = TakenForm(self.view.window(), chosen.terminal_id, exposure(chosen))
        form.asked.connect(lambda body: self._hand_in(form, chosen.terminal_id, body))
        form.chosen.connect(lambda path: self.host.spawn(self._fill(form, path)))
        form.open()

    async def _fill(self, form: TakenForm, path: Path) -> None:
        """Read an acknowledgement from a file into the form."""
        said = ""
        try:
            text = (await asyncio.to_thread(read_some, path, MOST_WORD + 1)).decode("utf-8-sig")
        except OSError as error:
            text, said = (
                "",
                tr("{file} cannot be read: {why}.", file=path.name, why=error.strerror or tr("it is no file")),
            )
        except UnicodeDecodeError:
            text, said = "", SHAPES["word"]
        if not shiboken6.isValid(form):
            return
        form.clear()
        form.word.setPlainText(text if len(text) <= MOST_WORD else "")
        if said or len(text) > MOST_WORD:
            form.mark("word", said or SHAPES["word"])
        else:
            form.save.setFocus()

    def _hand_in(self, form: TakenForm, terminal_id: str, body: BundleTakenBody) -> None:
        """Send the terminal's acknowledgement."""

        def take(reply: BundleTaken) -> None:
            form.accept()
            self.session.notify(
                tr(
                    "{terminal} took bundle {issue}: no burn from before that bundle waits for this device any more.",
                    terminal=terminal_id,
                    issue=reply.issue,
                )
            )

        operation: Operation[BundleTaken] = Operation(
            lambda client, key: client.registry_acknowledge_terminal_bundle(terminal_id, body, idempotency_key=key),
            title=tr("Acknowledgement of {terminal}", terminal=terminal_id),
            changes=(*TERMINALS, "burns"),
            asks=True,
        )
        operation.success(take).failure(form.show_failure).run(self.session, form)

    def _ask_delete(self) -> None:
        """Ask whether the terminal may go, and say how long it lets people in alone."""
        if (chosen := self.view.terminal) is not None:
            until = decides_until(chosen)
            alone = (
                tr("Without a line it may go on letting people in until {until}: switch it off. ", until=until)
                if until
                else ""
            )
            Deletion(
                chosen.terminal_id,
                lambda client: client.registry_delete_terminal(chosen.terminal_id),
                TERMINALS,
                tr(
                    "What it signs is refused from that moment on. {alone}If it was stolen, renew its "
                    "template registry, too: it had the registry's rotation. What it has decided stays in "
                    "the audit log.",
                    alone=alone,
                ),
                tr("Delete the terminal"),
            ).ask(self.session, self.view, self.host.show_failure)

    # --- registries --------------------------------------------------------------------------------------------------

    def _new_registry(self) -> None:
        form = RegistryForm(self.view.window())
        form.asked.connect(lambda registry_id, body: self.host.spawn(self._add_registry(form, registry_id, body)))
        form.open()

    async def _add_registry(self, form: RegistryForm, registry_id: str, body: TemplateRegistryBody) -> None:
        """Put a new registry."""
        if await form.find_existing(self.session.client.registry_get_template_registry(registry_id)) is not None:
            form.mark("id", tr("A registry of this id is there already."))
            return

        def show(registry: TemplateRegistry) -> None:
            self._wanted_registry = registry.registry_id
            form.accept()
            self.session.notify(
                tr("{registry} is registered; its key is made with its first template.", registry=registry.registry_id)
            )

        operation: Operation[TemplateRegistry] = Operation(
            lambda client, _key: client.registry_put_template_registry(registry_id, body),
            title=tr("Add {registry}", registry=registry_id),
            changes=REGISTRIES,
            asks=True,
        )
        operation.success(show).failure(form.show_failure).run(self.session, form)

    def _ask_renew(self) -> None:
        """Ask, then renew the registry's key."""
        chosen = self.view.registry
        if chosen is None:
            return

        def tell(registry: RenewedTemplateRegistry) -> None:
            said = tr(
                "{registry} has key epoch {epoch}: {templates:,} templates were made anew, the old key is destroyed.",
                registry=registry.registry_id,
                epoch=registry.key_epoch,
                templates=registry.templates,
            )
            self.session.notify(f"{said} {registry.caution}".rstrip())

        def renew() -> None:
            operation: Operation[RenewedTemplateRegistry] = Operation(
                lambda client, key: client.registry_renew_template_registry(chosen.registry_id, idempotency_key=key),
                title=tr("Renew {registry}", registry=chosen.registry_id),
                changes=REGISTRIES,
                asks=True,
            )
            operation.success(tell).failure(self.host.show_failure).run(self.session, self.view)

        ConfirmDialog(
            self.view.window(),
            tr("Renew {registry}?", registry=chosen.registry_id),
            tr(
                "Key epoch {before} becomes {after} for {count:,} persons. {renewal} It cannot be taken back.",
                before=chosen.key_epoch,
                after=chosen.key_epoch + 1,
                count=chosen.nodes,
                renewal=RENEWAL,
            ),
            tr("Renew it"),
            renew,
        ).open()

    def _ask_delete_registry(self) -> None:
        if (chosen := self.view.registry) is not None:
            Deletion(
                chosen.registry_id,
                lambda client: client.registry_delete_template_registry(chosen.registry_id),
                REGISTRIES,
                tr("Only a registry without templates can go; its key is destroyed with it."),
                tr("Delete the registry"),
            ).ask(self.session, self.view, self.host.show_failure)
