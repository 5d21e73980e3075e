"""The PIN mailer. The PIN exists once: its file is made before the PIN is asked for, so that no full disk or forbidden
folder can lose it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from app.capabilities.provisioning.messages import Provision
from app.console.actions import Action, Effect
from app.console.cards.mailer_file import MailerFile
from app.console.cards.words import BARRED
from app.console.devices.printing import Paper, PrintFailed, printers
from app.console.failures import Failure
from app.console.files import ask_save
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.write_card.paper import print_on
from app.console.pages.write_card.state import WriteCardState
from app.console.theme.tokens import Meaning

LOST = tr("Lost or forgotten: a second key agrees to a new one (Alt+5).")


class Mailer:
    """Gives the PIN of the shown card out. ``reread`` reads a provisioning again."""

    def __init__(self, state: WriteCardState, initiator: object, reread: Callable[[str], Awaitable[None]]) -> None:
        self._state = state
        self._initiator = initiator
        self._reread = reread
        self._running = False
        self._unsaved: dict[str, bytes] = {}

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        return [
            Action(
                "write_card.print_mailer", tr("Print PIN mailer"), self.print, "printer", page="write_card",
                when=self._can_give, effect=Effect.IRREVERSIBLE,
                hint=tr("The PIN is given out once, straight to the printer for letters."),
                calls=("provisioning_print_pin_mailer",),
            ),
            Action(
                "write_card.mailer", tr("Save PIN mailer"), self._ask, "printer", ("Ctrl+M",), "write_card",
                when=self._can_give, effect=Effect.IRREVERSIBLE,
                hint=tr("The PIN is given out once, as a PDF; afterwards it exists nowhere else."),
                calls=("provisioning_print_pin_mailer",),
            ),
        ]  # fmt: skip

    def _can_give(self) -> bool:
        shown = self._state.subject
        if shown is None or shown.state != "COMPLETE" or shown.standing in BARRED or self._running:
            return False
        return not shown.mailer_printed or shown.provision_id in self._unsaved

    def show(self) -> None:
        """Whether the PIN of the shown card waits, was given out, or never will be."""
        shown, then = self._state.subject, self._state.view.then
        if shown is None:
            then.pin.tell(False, tr("One PDF, made once when the card is written. The PIN never shows here."), None)
            return
        if shown.standing in BARRED:
            then.show_mailer(Meaning.IDLE, tr("Of no use"), tr("The card opens nothing; its PIN is not given out."))
        elif shown.mailer_printed:
            then.show_mailer(
                Meaning.OK, tr("Given out"), tr("The PIN was given out; it is kept nowhere. {lost}", lost=LOST)
            )
        elif shown.state != "COMPLETE":
            then.pin.tell(False, tr("There is a PIN to give out when the card is finished."), None)
        else:
            words = tr("One PDF for the holder, made once. The PIN never shows here.")
            then.show_mailer(Meaning.IDLE, tr("Waits"), words)

    def _ask(self) -> None:
        shown = self._state.subject
        if shown is None:
            return
        name = f"PIN-{shown.node_id.replace(':', '_')}-{(shown.card_guid or '')[:8]}.pdf"
        ask_save(self._state.view, tr("Save PIN mailer"), name, self.save, kinds=[tr("PDF (*.pdf)")], overwrite=False)

    def save(self, path: Path) -> None:
        """Make the file, have the PIN given out, and write the document into it."""
        shown = self._state.subject
        if shown is None or self._running:
            return
        self._running = True
        self._state.view.then.show_mailer(Meaning.WORK, tr("Running"), tr("Making {name}.", name=path.name))
        self._state.session.actions.refresh()
        self._state.session.tasks.spawn(self._save(shown, MailerFile(path)), name="PIN mailer")

    def print(self) -> None:
        """Have the PIN given out, and hand the document to the print system."""
        shown = self._state.subject
        if shown is None or self._running:
            return
        self._running = True
        self._state.view.then.show_mailer(Meaning.WORK, tr("Running"), tr("Looking for the printer."))
        self._state.session.actions.refresh()
        self._state.session.tasks.spawn(self._print(shown), name="PIN mailer")

    async def _print(self, shown: Provision) -> None:
        """Look for the printer, have the PIN given out, and print it."""
        try:
            try:
                await printers()
            except PrintFailed as error:
                # Asked before the PIN is: it is not given out for a printer that is not there.
                self._take_failure(shown, tr("{problem} The PIN was not touched.", problem=error))
                return
            document = await self._given_out(shown)
            if document is None:
                return
            if not await print_on(self._state, document, Paper.LETTER):
                self._unsaved[shown.provision_id] = document
                self._take_failure(shown, tr("It may not have been printed: save it now (Ctrl+M)."))
                return
            self._unsaved.pop(shown.provision_id, None)
            await self._reread(shown.provision_id)
        finally:
            self._running = False
            self._state.session.actions.refresh()

    async def _given_out(self, shown: Provision) -> bytes | None:
        """The document: the one that was not saved yet, or the service's; None after telling why there is none."""
        document = self._unsaved.get(shown.provision_id)
        if document is not None:
            return document
        problem: list[Failure] = []
        document = await (
            Operation(
                lambda client, key: client.provisioning_print_pin_mailer(shown.provision_id, idempotency_key=key),
                title=tr("PIN mailer"),
                changes=("cards",),
            )
            .success(lambda _document: None)
            .failure(problem.append)
            .run(self._state.session, self._initiator)
        )
        if document is None:
            self._take_failure(shown, problem[0].sentence if problem else tr("The PIN was not given out."))
            await self._reread(shown.provision_id)
        return document

    async def _save(self, shown: Provision, file: MailerFile) -> None:
        """Make the file, have the PIN given out, and write it."""
        session = self._state.session
        try:
            try:
                await asyncio.to_thread(file.reserve)
            except FileExistsError:
                self._take_failure(shown, tr("{name} exists already; choose another name.", name=file.path.name))
                return
            except OSError as error:
                self._take_failure(
                    shown, tr("The file cannot be made ({problem}); the PIN was not touched.", problem=error.strerror)
                )
                return
            document = await self._given_out(shown)
            if document is None:
                await asyncio.to_thread(file.give_up)
                return
            try:
                await file.keep(document)
            except OSError as error:
                # The PIN exists in this document alone now: it is kept until a place for it is found.
                self._unsaved[shown.provision_id] = document
                self._take_failure(
                    shown, tr("The disk refused the file ({problem}): save it elsewhere now.", problem=error.strerror)
                )
                return
            self._unsaved.pop(shown.provision_id, None)
            session.notify(tr("PIN mailer saved as {path}.", path=file.path))
            await self._reread(shown.provision_id)
        finally:
            self._running = False
            session.actions.refresh()

    def _take_failure(self, shown: Provision, sentence: str) -> None:
        if self._state.shows(shown.provision_id):
            self._state.view.then.show_mailer(Meaning.BAD, tr("Not saved"), sentence)
        else:
            self._state.session.notify(tr("PIN mailer: {sentence}", sentence=sentence), "bad")
