"""Files that a batch leaves: report, receipts, badges, labels, PIN mailers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from app.capabilities.provisioning.batches.messages import BatchRow
from app.capabilities.provisioning.messages import ReceiptListQuery
from app.console.failures import Failure
from app.console.files import ask_folder, ask_save, save_private
from app.console.language import tr
from app.console.pages.batch.board import BatchBoard
from app.console.pages.batch.exports import report, sheets
from app.console.pages.batch.mailers import BatchMailers, MailerStopped
from app.console.pages.batch.run_view import RunView
from app.console.part import Host
from app.console.theme.tokens import Meaning


class BatchFiles:
    """Saves one thing at a time; ``board`` gives the batch that is shown."""

    def __init__(self, host: Host, view: RunView, board: Callable[[], BatchBoard | None]) -> None:
        self._host = host
        self._view = view
        self._board = board
        self._mailers = BatchMailers(host.session, view)
        self.saving = False

    def ask_report(self) -> None:
        """Ask where the report goes."""
        self._ask(tr("Save the report"), "report.csv", self.save_report)

    def ask_receipts(self) -> None:
        """Ask where the table of receipts goes."""
        self._ask(tr("Save the receipts"), "receipts.csv", self.save_receipts)

    def ask_sheets(self, *, labels: bool) -> None:
        """Ask where the badges, or the labels, go."""
        title, name = (tr("Save labels"), "labels.pdf") if labels else (tr("Save badges"), "badges.pdf")
        self._ask(title, name, lambda path: self.save_sheets(path, labels=labels))

    def _ask(self, title: str, name: str, save: Callable[[Path], None]) -> None:
        board = self._board()
        if board is None:
            return
        kind = name.rpartition(".")[2]
        ask_save(self._view, title, f"{board.batch_id}-{name}", save, kinds=[f"{kind.upper()} (*.{kind})"])

    def save_report(self, path: Path) -> None:
        """Every line and what became of it, as it is on the screen now."""
        board = self._board()
        if board is not None:
            data = report(board.rows)

            async def make() -> bytes:
                return data

            self._save(path, make())

    def save_receipts(self, path: Path) -> None:
        """The service's table of this batch's receipts."""
        board = self._board()
        if board is not None:
            query = ReceiptListQuery(batch_id=board.batch_id)
            self._save(path, self._host.session.client.provisioning_list_receipts(query=query))

    def save_sheets(self, path: Path, *, labels: bool) -> None:
        """Badges, or labels, of every finished card, in the order of the list."""
        board = self._board()
        if board is None:
            return
        ids = [row.provision_id for row in sorted(board.rows, key=lambda row: row.n) if row.state == "COMPLETE"]
        client = self._host.session.client

        async def make() -> bytes:
            cards = [await client.provisioning_get_provision(one) for one in ids if one]
            return await asyncio.to_thread(sheets, cards, labels=labels)

        self._save(path, make())

    def _save(self, path: Path, made: Coroutine[Any, Any, bytes]) -> None:
        """Write what ``made`` gives to ``path`` while the page is shown; the mark beside says how far it is."""

        async def save() -> None:
            self.saving = True
            try:
                self._view.show_saved(Meaning.WORK, tr("Saving {name}", name=path.name))
                data = await made
                await asyncio.to_thread(save_private, path, data)
                self._view.show_saved(Meaning.OK, tr("{name} is saved", name=path.name))
            except OSError as error:
                self._view.show_saved(
                    Meaning.BAD, tr("{name} is not saved: {problem}", name=path.name, problem=error.strerror)
                )
            except BaseException:
                # The page's banner tells it; the mark must not go on saying that it is being saved.
                self._view.show_saved(Meaning.BAD, tr("{name} is not saved", name=path.name))
                raise
            finally:
                self.saving = False
                self._host.session.actions.refresh()

        self._host.spawn(save())

    def ask_mailers(self) -> None:
        """Ask for the folder of the PIN mailers."""
        ask_folder(self._view, tr("Folder for the PIN mailers"), self.save_mailers)

    def save_mailers(self, folder: Path) -> None:
        """Give out every PIN of this batch that waits, each into its own file."""
        board = self._board()
        if board is None or self.saving:
            return
        rows: list[BatchRow] = [row for row in board.rows if row.state == "COMPLETE"]
        self.saving = True
        # The session's task: a PIN that was given out must find its file though the page is left.
        self._host.session.tasks.spawn(self._save_mailers(rows, folder), name="PIN mailers")

    async def _save_mailers(self, rows: Sequence[BatchRow], folder: Path) -> None:
        """Save one file after the other, and say how it went."""

        def show_progress(at: int, of: int) -> None:
            self._view.show_saved(Meaning.WORK, tr("PIN mailer {number} of {total}", number=at, total=of))

        try:
            saved, passed = await self._mailers.save(rows, folder, show_progress)
        except MailerStopped as stopped:
            self._view.show_saved(Meaning.BAD, tr("PIN mailers stopped"))
            self._host.show_failure(Failure("mailers_stopped", str(stopped), tr("What was saved before it is safe.")))
        else:
            parts = [tr("1 PIN mailer saved") if saved == 1 else tr("{count} PIN mailers saved", count=saved)]
            if passed:
                parts.append(tr("{count} given out before", count=passed))
            self._view.show_saved(Meaning.OK, ", ".join(parts))
        finally:
            self.saving = False
            self._host.session.actions.refresh()
