"""Files of the stock page: lists that are brought and sent in parts, receipts and inventories that are taken away."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from app.capabilities.provisioning.messages import Provision, Receipt, ReceiptListQuery
from app.capabilities.provisioning.stock.messages import (
    ElementListQuery,
    ElementState,
    ImportBody,
    ImportReply,
)
from app.console.failures import Failure
from app.console.files import FileKeeper, ask_open, read_some
from app.console.formats.spreadsheet import MOST_BYTES
from app.console.growing import read_all
from app.console.language import tr
from app.console.moments import api_time
from app.console.operations import Operation
from app.console.page import Presenter
from app.console.pages.stock.forms import ReceiptRangeForm
from app.console.pages.stock.import_dialog import ImportDialog
from app.console.pages.stock.lines import inventory_bytes, read_elements
from app.console.pages.stock.receipt_dialog import ReceiptDialog, receipt_bytes
from app.console.pages.stock.words import KIND, LARGEST


class StockFiles:
    """What the page does with files. ``asked``: the search and the state that an inventory is of. Saving goes on when
    the page is left, one file at a time."""

    def __init__(self, page: Presenter, asked: Callable[[], tuple[str | None, ElementState | None]]) -> None:
        self._page = page
        self._session = page.session
        self._asked = asked
        self._keeper = FileKeeper(page.view, page.session)

    @property
    def saving(self) -> str:
        """What is being saved; empty when nothing is."""
        return self._keeper.saving

    # --- a list ------------------------------------------------------------------------------------------------------

    def ask_list(self) -> None:
        """Choose the file of a list."""
        kinds = [tr("CSV (*.csv *.txt *.tsv)"), tr("All files (*)")]
        ask_open(self._page.view, tr("Import a list of elements"), lambda paths: self.bring(paths[0]), kinds=kinds)

    def bring(self, path: Path) -> None:
        """Read a list from a file, check it, and show what it holds or what is wrong with it."""
        self._page.spawn(self._bring(path), name="read a list")

    async def _bring(self, path: Path) -> None:
        """Read and check the file, and open the dialog of what it holds."""
        try:
            data = await asyncio.to_thread(read_some, path, MOST_BYTES + 1)
        except OSError as error:
            said = tr(
                "{name} cannot be read: {problem}.", name=path.name, problem=error.strerror or tr("it is no file")
            )
            self._page.show_failure(Failure("file_unreadable", said, tr("Choose another file.")))
            return
        # The pool may log arguments, and a list may hold transport keys.
        brought = await asyncio.to_thread(lambda: read_elements(data))
        dialog = ImportDialog(self._page.view.window(), path.name, brought)
        dialog.asked.connect(lambda: self._send(dialog))
        dialog.another.connect(dialog.reject)
        dialog.another.connect(self.ask_list)
        dialog.open()

    def _send(self, dialog: ImportDialog) -> None:
        """The next chunk; each is taken whole or not at all."""
        chunk = dialog.chunk
        body = ImportBody(rows=[line.row for line in chunk])

        def take(reply: ImportReply) -> None:
            dialog.took(reply)
            if not dialog.chunk:
                self._session.notify(dialog.outcome)
                dialog.accept()
            elif dialog.stopping:
                dialog.show_stop()
            else:
                self._send(dialog)

        def refuse(failure: Failure) -> None:
            dialog.show_stop(by_line(failure, [line.number for line in chunk]))

        operation: Operation[ImportReply] = Operation(
            lambda client, key: client.provisioning_import_elements(body, idempotency_key=key),
            title=tr("Import a list"),
            changes=(KIND,),
            asks=True,
        )
        operation.success(take).failure(refuse).run(self._session, dialog)

    # --- out of the page ---------------------------------------------------------------------------------------------

    def show_receipt(self, provision: Provision) -> None:
        """The claims of a finished provisioning's receipt, and the file to keep."""
        self._page.spawn(self._show_receipt(provision), name="receipt")

    async def _show_receipt(self, provision: Provision) -> None:
        receipt = await self._session.client.provisioning_get_receipt(provision.provision_id)
        dialog = ReceiptDialog(self._page.view.window(), receipt, self._session.names.full)
        name = f"receipt-{provision.hardware_uid.replace(':', '_').replace('/', '_')}-{provision.provision_id}.json"

        def save(path: Path) -> None:
            self.save_receipt(path, receipt)

        dialog.saving.connect(lambda: self._keeper.ask(tr("Save receipt"), name, save))
        dialog.open()

    def save_receipt(self, path: Path, receipt: Receipt) -> None:
        """Keep a receipt as a file."""
        self._keeper.keep(path, tr("The receipt"), receipt_bytes(receipt))

    def ask_inventory(self) -> None:
        """Choose where the inventory goes."""
        stamp = time.strftime("%Y%m%d-%H%M", time.localtime(self._session.live.now()))
        self._keeper.ask(tr("Export the inventory"), f"inventory-{stamp}.csv", self.save_inventory)

    def save_inventory(self, path: Path) -> None:
        """Every element that the search and the state find now, as CSV."""
        q, state = self._asked()

        async def inventory() -> bytes:
            client = self._session.client
            found = await read_all(
                lambda cursor: client.provisioning_list_elements(
                    query=ElementListQuery(q=q, state=state, limit=LARGEST, cursor=cursor)
                )
            )
            return await asyncio.to_thread(inventory_bytes, found)

        self._keeper.keep_made(path, tr("The inventory"), inventory)

    def ask_range(self) -> None:
        """Choose the days of receipts, and where their list goes."""
        form = ReceiptRangeForm(self._page.view.window())

        def ask_place(start: float, end: float) -> None:
            form.accept()
            name = f"receipts-{time.strftime('%Y%m%d', time.localtime(start))}.csv"
            self._keeper.ask(tr("Export receipts"), name, lambda path: self.save_receipts(path, start, end))

        form.asked.connect(ask_place)
        form.open()

    def save_receipts(self, path: Path, start: float, end: float) -> None:
        """Cards finished from ``start`` to ``end`` (Unix seconds, half-open), as CSV."""
        query = ReceiptListQuery(from_=api_time(start), to=api_time(end))
        self._keeper.keep_made(
            path, tr("The list of receipts"), lambda: self._session.client.provisioning_list_receipts(query=query)
        )


def by_line(failure: Failure, numbers: Sequence[int]) -> Failure:
    """The failure with the lines of the file instead of the places in the call."""
    sentences = []
    for pointer, sentence in failure.fields:
        parts = pointer.strip("/").split("/")
        at = int(parts[1]) if len(parts) > 1 and parts[0] == "rows" and parts[1].isdecimal() else -1
        if 0 <= at < len(numbers):
            sentences.append(
                tr(
                    "Line {line:,}, {column}: {sentence}",
                    line=numbers[at],
                    column=" ".join(parts[2:]) or tr("the whole line"),
                    sentence=sentence,
                )
            )
    return failure._replace(sentence=" ".join(sentences)) if sentences else failure
