"""Card makers: reads whom the site trusts to attest, and changes it by ``Operation``."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.capabilities.provisioning.stock.messages import MAKERS_BY_HAND, MAKERS_CA_MAX, CardMakerItem, PinMakerBody
from app.console.failures import failure_of
from app.console.files import ask_open, read_some
from app.console.language import tr
from app.console.operations import Operation
from app.console.pages.stock.makers_dialog import MakerForm, MakersDialog
from app.console.part import Host
from app.console.widgets.confirm import ConfirmDialog

if TYPE_CHECKING:
    from app.client import Client

KINDS = [tr("Certificates (*.pem *.crt *.cer *.der)"), tr("All files (*)")]


class CardMakers:
    """Opens the list over the page; one list at a time."""

    def __init__(self, host: Host, view: QWidget) -> None:
        self._host = host
        self._session = host.session
        self._view = view
        self._open_dialog: MakersDialog | None = None

    def open(self) -> None:
        """Read the list and show it."""
        self._host.spawn(self._open(), name="card makers")

    @property
    def _may_change(self) -> bool:
        return self._host.may("provisioning_pin_maker") and self._host.may("provisioning_unpin_maker")

    async def _open(self) -> None:
        """The dialog with what the service says now."""
        items = (await self._session.client.provisioning_list_makers()).items
        now = self._session.live.now()
        dialog = MakersDialog(self._view.window(), items, now, may_write=self._may_change)
        self._open_dialog = dialog
        dialog.finished.connect(self._forget)
        dialog.trusting.connect(lambda one: self._ask_trust(dialog, one))
        dialog.ending.connect(lambda one: self._ask_end(dialog, one))
        dialog.adding.connect(lambda: self._add(dialog))
        dialog.open()

    def _forget(self) -> None:
        self._open_dialog = None

    def _ask_trust(self, dialog: MakersDialog, one: CardMakerItem) -> None:
        """Ask, then pin a maker that ships."""
        count = len(one.certificates)
        ConfirmDialog(
            dialog,
            tr("Trust {maker} to attest?", maker=one.maker),
            tr(
                "From the next card on, what its 1 authority signs of a card counts as "
                "proof of its make and its FIPS mark. Cards that were written stay as they are."
            )
            if count == 1
            else tr(
                "From the next card on, what its {count} authorities sign of a card counts as "
                "proof of its make and its FIPS mark. Cards that were written stay as they are.",
                count=count,
            ),
            tr("Trust this maker"),
            lambda: self._change(dialog, one.maker, lambda client: client.provisioning_pin_maker(one.maker_id)),
        ).open()

    def _ask_end(self, dialog: MakersDialog, one: CardMakerItem) -> None:
        """Ask, then pin it no more."""
        what = tr("every maker that was added here") if one.maker_id == MAKERS_BY_HAND else one.maker
        ConfirmDialog(
            dialog,
            tr("Stop trusting {maker}?", maker=what),
            tr(
                "From the next card on, no attestation of it counts: a demand that needs one is refused. "
                "Cards that were written stay as they are."
            ),
            tr("Stop trusting"),
            lambda: self._change(dialog, what, lambda client: client.provisioning_unpin_maker(one.maker_id)),
        ).open()

    def _change(self, dialog: MakersDialog, what: str, call: Callable[[Client], Awaitable[CardMakerItem]]) -> None:
        def tell(now: CardMakerItem) -> None:
            self._tell(dialog, what, now)

        operation: Operation[CardMakerItem] = Operation(
            lambda client, _key: call(client),
            title=tr("Card maker {maker}", maker=what),
            changes=("makers",),
            asks=True,
        )
        operation.success(tell).failure(dialog.show_failure).run(self._session, dialog)

    def _tell(self, dialog: MakersDialog, what: str, now: CardMakerItem) -> None:
        maker = what[:1].upper() + what[1:]
        words = (
            tr("{maker} is trusted to attest.", maker=maker)
            if now.pinned
            else tr("{maker} is no longer trusted to attest.", maker=maker)
        )
        self._session.notify(words, subject=f"maker {now.maker_id}")
        self._host.spawn(self._read_again(dialog), name="card makers")

    async def _read_again(self, dialog: MakersDialog) -> None:
        items = (await self._session.client.provisioning_list_makers()).items
        if self._open_dialog is dialog:  # else it was closed meanwhile, and Qt has deleted it
            dialog.show_makers(items)

    # --- a maker that does not ship ----------------------------------------------------------------------------------

    def _add(self, dialog: MakersDialog) -> None:
        """Open the form of another maker's certificates."""
        shipped = {
            certificate.sha256: one.maker
            for one in dialog.rows.rows
            if one.maker_id != MAKERS_BY_HAND
            for certificate in one.certificates
        }
        form = MakerForm(dialog, self._session.live.now(), shipped)
        form.choosing.connect(
            lambda: ask_open(
                form,
                tr("Certificates of a card maker"),
                lambda paths: self._host.spawn(self._bring(form, paths[0]), name="read certificates"),
                kinds=KINDS,
            )
        )
        form.asked.connect(lambda pem: self._pin(dialog, form, pem))
        form.open()

    async def _bring(self, form: MakerForm, path: Path) -> None:
        """Read a file into the form."""
        try:
            data = await asyncio.to_thread(read_some, path, MAKERS_CA_MAX + 1)
        except OSError as error:
            form.clear()
            form.mark(
                "ca",
                tr("{name} cannot be read: {problem}.", name=path.name, problem=error.strerror or tr("it is no file")),
            )
            return
        except Exception as error:  # told in the form, where it was asked for
            form.show_failure(failure_of(error))
            return
        form.take_file(path.name, data)

    def _pin(self, dialog: MakersDialog, form: MakerForm, pem: str) -> None:
        def tell(now: CardMakerItem) -> None:
            form.accept()
            self._tell(dialog, tr("another maker"), now)

        operation: Operation[CardMakerItem] = Operation(
            lambda client, _key: client.provisioning_pin_maker(MAKERS_BY_HAND, PinMakerBody(ca=pem)),
            title=tr("Another card maker"),
            changes=("makers",),
            asks=True,
        )
        operation.success(tell).failure(form.show_failure).run(self._session, form)
