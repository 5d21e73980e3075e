"""What a finished card is handed over with: its receipt in words and as a file, its badge and its label."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from app.capabilities.provisioning.messages import Provision, Receipt
from app.console.actions import Action
from app.console.cards.words import BARRED
from app.console.clock import date_time
from app.console.devices.printing import Paper, PrintFailed, preferred_printer, print_pdf, printers, remember
from app.console.failures import failure_of
from app.console.files import ask_open, ask_save, save_file
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.write_card.outcome_view import PROOFS
from app.console.pages.write_card.state import WriteCardState

if TYPE_CHECKING:
    from PySide6.QtGui import QImage

    from app.console.badge import Badge

SHORT = 16


class Papers:
    """Receipt, badge and label of the shown card. A photo is kept for the card it was chosen for, and no longer."""

    def __init__(self, state: WriteCardState) -> None:
        self._state = state
        self._photo: tuple[str, QImage] | None = None
        self._receipt: Receipt | None = None
        self._receipt_of = ""

    def actions(self) -> Sequence[Action]:
        """Its rows of the action table."""
        page, done = "write_card", self._is_finished
        return [
            Action(
                "write_card.receipt", tr("Save receipt"), self._ask_receipt, "file-check", ("Ctrl+Shift+E",), page,
                when=lambda: self._receipt is not None and self._state.shows(self._receipt_of),
                hint=tr("The signed receipt (JWS, JSON): anybody can verify it without this site."),
            ),
            Action(
                "write_card.photo", tr("Choose a photo for the badge"), self._ask_photo, "user", page=page, when=done,
                hint=tr("JPEG or PNG; it is kept in memory only, and for this card only."),
            ),
            Action(
                "write_card.badge", tr("Save badge (PDF)"), lambda: self._ask_pdf("badge"), "id-card", ("Ctrl+Shift+B",
                    ),
                page, when=done,
            ),
            Action(
                "write_card.label", tr("Save label (PDF)"), lambda: self._ask_pdf("label"), "hash", page=page, when=done
            ),
            Action(
                "write_card.print_badge", tr("Print badge"), lambda: self._print("badge", Paper.BADGE), "printer",
                page=page, when=done, hint=tr("On the printer for badges; Settings and the print system choose it."),
            ),
            Action(
                "write_card.print_label", tr("Print label"), lambda: self._print("label", Paper.LABEL), "printer",
                page=page, when=done,
            ),
        ]  # fmt: skip

    def _is_finished(self) -> bool:
        shown = self._state.shown
        return shown is not None and shown.state == "COMPLETE" and shown.standing not in BARRED

    # --- receipt -----------------------------------------------------------------------------------------------------

    async def load(self) -> None:
        """Read and show the receipt of the shown card."""
        shown = self._state.shown
        if shown is None or shown.receipt_url is None:
            self._receipt = None
            self._state.view.paper.show_receipt("", ())
            return
        if self._receipt is None or self._receipt_of != shown.provision_id:
            receipt = await self._state.session.client.provisioning_get_receipt(shown.provision_id)
            if not self._state.shows(shown.provision_id):
                return
            self._receipt, self._receipt_of = receipt, shown.provision_id
        whose = tr(
            "{person}, card {guid}",
            person=shown.display_name or shown.node_id,
            guid=shown.card_guid or "",
        )
        self._state.view.paper.show_receipt(whose, receipt_words(self._receipt, self._state.session.names.full))
        self._state.session.actions.refresh()

    def _ask_receipt(self) -> None:
        name = f"receipt-{self._receipt_of}.json"
        ask_save(self._state.view, tr("Save receipt"), name, self.save_receipt, kinds=[tr("JSON (*.json)")])

    def save_receipt(self, path: Path) -> None:
        """Write the receipt as the service signed it."""
        if self._receipt is not None:
            data = msgspec.json.encode(self._receipt)
            session = self._state.session
            session.tasks.spawn(save_file(session, path, data, tr("The receipt")), name="receipt")

    # --- badge and label ---------------------------------------------------------------------------------------------

    def _ask_photo(self) -> None:
        ask_open(
            self._state.view,
            tr("Photo for the badge"),
            lambda paths: self.take_photo(paths[0]),
            kinds=[tr("Photos (*.jpg *.jpeg *.png)")],
            pictures=True,
        )

    def take_photo(self, path: Path) -> None:
        """Use this photo for the shown card."""
        shown = self._state.shown
        if shown is not None:
            self._state.spawn(self._take_photo(shown.provision_id, path), name="photo")

    async def _take_photo(self, provision_id: str, path: Path) -> None:
        """Read a photograph for the badge on a thread of its own; why it is none is told."""
        from app.console.badge import photo_of
        from app.console.formats.image_file import ImageRefused

        try:
            image = await asyncio.to_thread(lambda: photo_of(path.read_bytes()))
        except (ImageRefused, OSError) as error:
            self._state.session.notify(
                tr("{name} is no photo for a badge. {problem}", name=path.name, problem=error), "bad"
            )
            return
        self._photo = (provision_id, image)
        self._state.session.notify(tr("{name} is on the badge of this card.", name=path.name))

    def _ask_pdf(self, kind: str) -> None:
        shown = self._state.shown
        if shown is not None:
            name = f"{kind}-{shown.node_id.replace(':', '_')}-{(shown.card_guid or '')[:8]}.pdf"
            ask_save(
                self._state.view,
                tr("Save badge") if kind == "badge" else tr("Save label"),
                name,
                lambda path: self.save_pdf(kind, path),
                kinds=[tr("PDF (*.pdf)")],
            )

    def save_pdf(self, kind: str, path: Path) -> None:
        """Make the badge or the label of the shown card and write it."""

        async def keep(document: bytes) -> None:
            await save_file(self._state.session, path, document, _the(kind))

        self._with_pdf(kind, keep)

    def _print(self, kind: str, paper: Paper) -> None:
        async def send(document: bytes) -> None:
            await print_on(self._state, document, paper)

        self._with_pdf(kind, send)

    def _with_pdf(self, kind: str, then: Callable[[bytes], Any]) -> None:
        shown = self._state.shown
        if shown is not None:
            self._state.session.tasks.spawn(self._make(shown, kind, then), name=kind)

    async def _make(self, shown: Provision, kind: str, then: Callable[[bytes], Any]) -> None:
        """Make the document with what is known of the holder now, and give it to ``then``."""
        from app.console.badge import badge_of, badge_pdf, label_pdf, unprintable

        try:
            node = await self._state.session.client.registry_get_node(shown.node_id)
            photo = self._photo[1] if self._photo is not None and self._photo[0] == shown.provision_id else None
            made: Sequence[Badge] = [badge_of(shown, node, photo=photo)]
            document = await asyncio.to_thread(badge_pdf if kind == "badge" else label_pdf, made)
        except ValueError as error:
            self._state.session.notify(str(error), "bad")
            return
        except Exception as error:  # the service is away, or the holder is gone
            self._state.session.notify_failure(_the(kind), failure_of(error))
            return
        for sentence in unprintable(made):
            self._state.session.notify(sentence, "warn")
        await then(document)


def _the(kind: str) -> str:
    """What a badge or a label is called when something is said of it."""
    return tr("The badge") if kind == "badge" else tr("The label")


async def print_on(state: WriteCardState, document: bytes, paper: Paper) -> bool:
    """Give a PDF to the printer for this paper, and tell how it went. Returns whether it was taken."""
    preferences = state.session.preferences
    try:
        printer = preferred_printer(preferences, paper, await printers())
        job = await print_pdf(document, printer, paper)
    except PrintFailed as error:
        state.session.notify(str(error), "bad")
        return False
    remember(preferences, paper, printer)
    state.session.notify(
        tr("{title}: {printer} has it (job {job}).", title=paper.title, printer=job.printer, job=job.job_id)
    )
    return True


def receipt_words(receipt: Receipt, who: Callable[[str], str]) -> tuple[tuple[str, str], ...]:
    """(title, words) of what a receipt says: what is proven, by whom, how it is signed, where it is logged. The console
    shows it without verifying it: it trusts its service. The saved file is for those who do not. ``who`` gives the
    words for an operator or a key."""
    payload, header = _decode(receipt.payload), _decode(receipt.protected)
    provision, audit = payload.get("provision", {}), payload.get("audit", {})
    proofs = provision.get("verification") or {}
    proven = [title for name, title, _ in PROOFS if proofs.get(name) is True]
    chain, slots = header.get("x5c", []), provision.get("slots") or []
    by = who(str(payload.get("operator", "")))
    if payload.get("approver"):
        by += tr(", agreed to by {actor}", actor=who(str(payload["approver"])))
    signed = tr(
        "{algorithm}, {count} certificates up to the site's root", algorithm=header.get("alg", "?"), count=len(chain)
    )
    issued = payload.get("issued_at")
    return (
        (tr("Proven"), ", ".join(proven) or tr("nothing")),
        (
            tr("Issued"),
            tr("{time} by {actor}", time=date_time(parse_time(issued)), actor=by) if isinstance(issued, str) else by,
        ),
        (tr("Signed"), f"{signed}{' (TRAINING)' if payload.get('training') else ''}"),
        (tr("Audit leaf"), tr("{entry} of {log}", entry=audit.get("index", "?"), log=audit.get("log", "?"))),
        (tr("Journal"), f"SHA-256 {str(payload.get('journal_sha256', ''))[:SHORT]}…"),
        (
            tr("Certificates"),
            ", ".join(f"{slot.get('slot')} {slot.get('certificate_sha256', '')[:SHORT]}…" for slot in slots),
        ),
    )


def _decode(part: str) -> Mapping[str, Any]:
    found = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    return found if isinstance(found, dict) else {}
