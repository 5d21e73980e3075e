"""The training site's drawer of software cards, and the simulated readers into which they are put.

The cards are files below the site's data directory and keep what was written to them. They differ as cards of different
makers do: some name themselves by a serial number or CPLC, some by nothing; one takes 3DES only; one is pulled out once
in the middle of its first write; a stack of equal ones serves batches. The site itself issues the cards of ``HOLDERS``
at its first start, through the same provisioning as every other card.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path

import msgspec

from app.api.problems import Problem
from app.capabilities.provisioning.readers.card_readers import CardReaders
from app.training.messages import TrainingCardReply
from hardware.cards.backend import CardBusy, NoCard, NoSuchReader
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.software import SIMPLE_CARD, CardAbsent, Quirks, SoftwareCard, Tear, TearPoint
from hardware.private_file import replace_private

log = logging.getLogger(__name__)

READERS = tuple(f"Training Reader {number}" for number in range(1, 5))
TEAR_AT = 20
"""The APDU after which the tearing card is pulled: inside the certificates, where a half-written card is worst."""


@dataclass(frozen=True)
class _Design:
    name: str
    serial: int | None
    quirks: Quirks


_SILENT = Quirks(refusals={0xF8: 0x6D00, 0xF9: 0x6D00}, cplc_status=0x6A88)
"""A card whose only name is its GUID, once it has one."""

HOLDERS = tuple(f"ARC-T{number:04}" for number in range(2, 14))
"""Training persons who hold a card from the first start on."""
TEARING_CARD = "blank-tears-once"
STACK_SIZE = 24
"""Blank cards of one kind: a stack for a batch. Each of ``TEARING_CARDS`` is pulled out once."""
TEARING_CARDS = (TEARING_CARD, "stack-tears-once")

DESIGNS = (
    _Design("blank-1", 70_000_001, Quirks()),
    _Design("blank-2", 70_000_002, Quirks()),
    _Design("blank-3-cplc", None, Quirks(refusals={0xF8: 0x6D00})),
    _Design("blank-4-nameless", None, _SILENT),
    _Design("blank-5-3des-only", None, SIMPLE_CARD),
    _Design("blank-6", 70_000_006, Quirks()),
    _Design(TEARING_CARD, 70_000_007, Quirks()),
    *(_Design(f"stack-{number:02}", 72_000_000 + number, Quirks()) for number in range(1, STACK_SIZE + 1)),
    _Design(TEARING_CARDS[1], 72_000_100, Quirks()),
    *(_Design(f"card-of-{node_id}", 71_000_000 + number, Quirks()) for number, node_id in enumerate(HOLDERS, 2)),
)

_SELECT_PIV = bytes.fromhex("00A4040005A00000030800")
_GET_9E_CERTIFICATE = bytes.fromhex("00CB3FFF055C035FC10100")


class CardDrawer:
    """Cards and readers. ``insert`` and ``remove`` may be called from any thread."""

    def __init__(self, directory: Path, backend: InProcessBackend, readers: CardReaders) -> None:
        directory.mkdir(mode=0o700, exist_ok=True)
        self.readers = readers
        self._backend = backend
        self._lock = threading.Lock()
        self._where: dict[str, str] = {}
        self._cards = {
            design.name: SoftwareCard(directory / f"{design.name}.json", quirks=design.quirks, serial=design.serial)
            for design in DESIGNS
        }
        for name in TEARING_CARDS:
            self._cards[name].arm(Tear(TEAR_AT, TearPoint.AFTER))
        for reader in READERS:
            backend.add_reader(reader)
        self._memory = directory / "in-readers.json"
        """Which card lies in which reader, for the next start."""

    def insert(self, reader: str, card: str | None) -> TrainingCardReply:
        """Puts ``card`` (default: the next one of the drawer) into ``reader``."""
        with self._lock:
            name = card if card is not None else next(filter(self._is_blank, self._drawer()), None)
            if name is None:
                raise Problem("state_conflict", "No blank card is left in the drawer; name one of the written ones.")
            if name not in self._cards:
                raise Problem("not_found", f"No such training card; the drawer holds {', '.join(self._drawer())}.")
            if name in self._where:
                raise Problem("state_conflict", f"That card is in {self._where[name]}; pull it out first.")
            try:
                self._backend.insert(reader, self._cards[name])
            except NoSuchReader:
                raise _no_reader() from None
            except CardBusy:
                raise Problem("state_conflict", "A card is in that reader; pull it out first.") from None
            self._where[name] = reader
            self._remember()
            return self._reply(reader)

    def restore(self) -> bool:
        """Puts each card into the reader in which it lay when the service ended; False if nothing is remembered."""
        try:
            known = msgspec.json.decode(self._memory.read_bytes(), type=dict[str, str])
        except (FileNotFoundError, msgspec.DecodeError):
            return False
        for name, reader in known.items():
            try:
                self.insert(reader, name)
            except Problem as problem:
                log.info("a training card was not put back", extra={"reader": reader, "why": problem.detail})
        return True

    def _remember(self) -> None:
        replace_private(self._memory, msgspec.json.encode(self._where), survives_power_loss=False)

    def remove(self, reader: str) -> TrainingCardReply:
        """Pulls the card out of ``reader``, even in the middle of a write."""
        with self._lock:
            try:
                self._backend.remove(reader)
            except NoSuchReader:
                raise _no_reader() from None
            except NoCard:
                raise Problem("state_conflict", "No card is in that reader.") from None
            for name in [name for name, where in self._where.items() if where == reader]:
                del self._where[name]
            self._remember()
            return self._reply(reader)

    def _is_blank(self, name: str) -> bool:
        """Whether the card holds no certificate yet. The card itself is asked; it is in no reader."""
        card = self._cards[name]
        card.power(True)
        try:
            return (
                card.transmit(_SELECT_PIV)[-2:] == b"\x90\x00"
                and card.transmit(_GET_9E_CERTIFICATE)[-2:] == b"\x6a\x82"
            )
        except CardAbsent:
            return True  # the tear switch went off at this question: nothing was ever written to the card
        finally:
            card.power(False)

    def _drawer(self) -> list[str]:
        return [name for name in self._cards if name not in self._where]

    def _reply(self, reader: str) -> TrainingCardReply:
        inside = next((name for name, where in self._where.items() if where == reader), None)
        return TrainingCardReply(reader=reader, card=inside, drawer=self._drawer())


def _no_reader() -> Problem:
    return Problem("not_found", f"No such training reader; there are {', '.join(READERS)}.")
