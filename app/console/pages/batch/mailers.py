"""The PIN mailers of a whole batch: each PIN is given out once, so each has its file before it is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from app.capabilities.provisioning.batches.messages import BatchRow
from app.capabilities.provisioning.messages import Provision
from app.console.cards.mailer_file import MailerFile
from app.console.cards.words import BARRED
from app.console.failures import Failure
from app.console.language import tr
from app.console.operations import Operation
from app.console.session import WindowSession


class MailerStopped(Exception):
    """Saving ended before the last one; the sentence says why, and what became of the PIN in question."""


class BatchMailers:
    """``unsaved``: documents whose file the disk refused. Their PINs exist there alone, until a place is found."""

    def __init__(self, session: WindowSession, owner: object) -> None:
        self._session = session
        self._owner = owner
        self.unsaved: dict[str, bytes] = {}

    async def save(
        self, rows: Sequence[BatchRow], folder: Path, show_progress: Callable[[int, int], None]
    ) -> tuple[int, int]:
        """Save the mailers of finished lines into ``folder``, one file each; numbers saved and passed over (given out
        before, or of a holder who may have none). ``show_progress`` has the line's place and how many there are. Raises
        MailerStopped at the first that cannot be kept; what was saved stays."""
        saved = passed = 0
        for at, row in enumerate(rows, 1):
            show_progress(at, len(rows))
            if row.provision_id is None:
                continue
            found = await self._session.client.provisioning_get_provision(row.provision_id)
            kept = self.unsaved.get(found.provision_id)
            if kept is None and (found.state != "COMPLETE" or found.mailer_printed or found.standing in BARRED):
                passed += 1
                continue
            await self._save_one(row, found, MailerFile(folder / mailer_name(row, found)))
            saved += 1
        return saved, passed

    async def _save_one(self, row: BatchRow, found: Provision, file: MailerFile) -> None:
        """Give one PIN out into its file. Raises MailerStopped."""
        try:
            await asyncio.to_thread(file.reserve)
        except FileExistsError:
            raise MailerStopped(tr("{name} exists already; its PIN was not touched.", name=file.path.name)) from None
        except OSError as error:
            raise MailerStopped(
                tr(
                    "No file can be made for line {line} ({problem}); its PIN was not touched.",
                    line=row.n,
                    problem=error.strerror,
                )
            ) from None
        document = self.unsaved.get(found.provision_id)
        if document is None:
            document = await self._document(found, file, row.n)
        try:
            await file.keep(document)
        except OSError as error:
            self.unsaved[found.provision_id] = document
            raise MailerStopped(
                tr(
                    "The disk refused the file of line {line} ({problem}); its document is kept until this "
                    "console ends. Save it elsewhere now.",
                    line=row.n,
                    problem=error.strerror,
                )
            ) from None
        self.unsaved.pop(found.provision_id, None)

    async def _document(self, found: Provision, file: MailerFile, n: int) -> bytes:
        """The service's document. Raises MailerStopped, and takes the file away."""
        problem: list[Failure] = []
        document = await (
            Operation(
                lambda client, key: client.provisioning_print_pin_mailer(found.provision_id, idempotency_key=key),
                title=tr("PIN mailer"),
                changes=("cards",),
            )
            .success(lambda _document: None)
            .failure(problem.append)
            .run(self._session, self._owner)
        )
        if document is None:
            await asyncio.to_thread(file.give_up)
            raise MailerStopped(
                tr(
                    "Line {line}: {sentence}",
                    line=n,
                    sentence=problem[0].sentence if problem else tr("the PIN was not given out."),
                )
            )
        return document


def mailer_name(row: BatchRow, found: Provision) -> str:
    """``PIN-0007-ARC-T0040-1b9d6bcd.pdf``: the batch's order, the person, the card."""
    return f"PIN-{row.n:04}-{row.node_id.replace(':', '_')}-{(found.card_guid or '')[:8]}.pdf"
