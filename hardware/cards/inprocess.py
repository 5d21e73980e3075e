"""Readers inside the process, for training sites: software cards are inserted and removed without any PC/SC service."""

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Protocol, Self

from hardware.cards.backend import CardBusy, CardConnection, CardRemoved, NoCard, NoSuchReader, ReaderSnapshot
from hardware.cards.software import CardAbsent as PulledOut

BUSY_PATIENCE: Final = 3.0
"""Seconds that `open` waits for another holder, as the PC/SC backend does."""


class InsertableCard(Protocol):
    """What a software card must do. `transmit` raises `hardware.cards.software.CardAbsent` where a tear pulls it
    out."""

    @property
    def atr(self) -> bytes: ...

    def transmit(self, apdu: bytes) -> bytes: ...

    def power(self, on: bool) -> None: ...


@dataclass(frozen=True, slots=True)
class _InProcessSnapshot:
    reader: str
    atr: bytes
    present: bool
    events: int


class _InProcessSlot:
    def __init__(self) -> None:
        self.card: InsertableCard | None = None
        self.holder: _InProcessConnection | None = None
        self.events = 0


class InProcessBackend:
    """Named readers for software cards; behaves like PC/SC in every error that a caller can see."""

    def __init__(self, readers: Iterable[str] = ()) -> None:
        # One condition guards all slots; no card is ever called while it is held, so a slow card blocks no other.
        self._changed = threading.Condition()
        self._slots = {name: _InProcessSlot() for name in readers}

    def readers(self) -> list[str]:
        """Names of the readers in the order they were added."""
        with self._changed:
            return list(self._slots)

    def add_reader(self, reader: str) -> None:
        """Connect one more empty reader; no effect if it is there already."""
        with self._changed:
            self._slots.setdefault(reader, _InProcessSlot())
            self._changed.notify_all()

    def remove_reader(self, reader: str) -> None:
        """Unplug a reader, with the card in it. Raises `NoSuchReader`."""
        with self._changed:
            slot = self._slot(reader)
            slot.card = None
            del self._slots[reader]
            self._changed.notify_all()

    def insert(self, reader: str, card: InsertableCard) -> None:
        """Put `card` into `reader`. Raises `NoSuchReader`, or `CardBusy` if a card is in it already."""
        with self._changed:
            slot = self._slot(reader)
            if slot.card is not None:
                raise CardBusy(reader, "the card that is already in the reader")
            slot.card = card
            slot.events += 1
            self._changed.notify_all()

    def remove(self, reader: str) -> InsertableCard:
        """Take the card out, even in the middle of a command, and return it. Raises `NoSuchReader`, `NoCard`."""
        with self._changed:
            slot = self._slot(reader)
            card = slot.card
            if card is None:
                raise NoCard(f"{reader}: no card")
            slot.card = None
            slot.events += 1
            self._changed.notify_all()
        card.power(False)
        return card

    def card(self, reader: str) -> InsertableCard | None:
        """The card in `reader`, None if it is empty. Raises `NoSuchReader`."""
        with self._changed:
            return self._slot(reader).card

    def open(self, reader: str) -> CardConnection:
        """See `CardBackend.open`; waits up to `BUSY_PATIENCE` seconds for another holder."""
        connection = _InProcessConnection(self, reader)
        with self._changed:
            free = self._changed.wait_for(lambda: self._slot(reader).holder is None, BUSY_PATIENCE)
            slot = self._slot(reader)
            if not free:
                raise CardBusy(reader, "this program")
            if slot.card is None:
                raise NoCard(f"{reader}: no card")
            slot.holder = connection
            connection.hold(slot, slot.card)
        try:
            connection.power_up()
        except BaseException:
            connection.close()
            raise
        return connection

    def watch(self) -> "_InProcessWatch":
        """See `CardBackend.watch`."""
        return _InProcessWatch(self._changed, self._snapshot)

    def release(self, slot: _InProcessSlot, holder: "_InProcessConnection") -> None:
        with self._changed:
            if slot.holder is holder:
                slot.holder = None
                self._changed.notify_all()

    def report_tear(self, slot: _InProcessSlot | None, card: InsertableCard) -> None:
        """The card tore: it counts as taken out and put back, so its holder must open it anew."""
        with self._changed:
            if slot is not None and slot.card is card:
                slot.events += 2
                self._changed.notify_all()

    def is_in(self, slot: _InProcessSlot, card: InsertableCard) -> bool:
        with self._changed:
            return slot.card is card

    def _slot(self, reader: str) -> _InProcessSlot:
        try:
            return self._slots[reader]
        except KeyError:
            raise NoSuchReader(f"{reader}: no such reader") from None

    def _snapshot(self) -> list[ReaderSnapshot]:
        return [
            _InProcessSnapshot(name, slot.card.atr if slot.card else b"", slot.card is not None, slot.events)
            for name, slot in self._slots.items()
        ]


class _InProcessConnection:
    def __init__(self, backend: InProcessBackend, reader: str) -> None:
        self._backend = backend
        self._reader = reader
        self._slot: _InProcessSlot | None = None
        self._card: InsertableCard | None = None

    def hold(self, slot: _InProcessSlot, card: InsertableCard) -> None:
        self._slot, self._card = slot, card

    @property
    def reader(self) -> str:
        return self._reader

    @property
    def atr(self) -> bytes:
        return self._require_card().atr

    def power_up(self) -> None:
        card = self._require_card()
        card.power(False)
        card.power(True)

    def transmit(self, apdu: bytes) -> bytes:
        card = self._require_card()
        try:
            answer = card.transmit(apdu)
        except PulledOut as error:
            self._backend.report_tear(self._slot, card)
            self._card = None
            raise CardRemoved(f"{self._reader}: the card was taken out") from error
        self._require_card()  # a card taken out during the command loses its answer, as at a real reader
        return answer

    def reconnect_fresh(self) -> None:
        self.power_up()

    def close(self) -> None:
        slot, self._slot, self._card = self._slot, None, None
        if slot is not None:
            self._backend.release(slot, self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _require_card(self) -> InsertableCard:
        if self._slot is None or self._card is None or not self._backend.is_in(self._slot, self._card):
            raise CardRemoved(f"{self._reader}: the card was taken out")
        return self._card


class _InProcessWatch:
    def __init__(self, changed: threading.Condition, snapshot: "_Snapshots") -> None:
        self._changed = changed
        self._snapshot = snapshot
        self._last: list[ReaderSnapshot] | None = None
        self._cancelled = False

    def wait(self, timeout: float) -> list[ReaderSnapshot]:
        with self._changed:
            self._changed.wait_for(lambda: self._cancelled or self._snapshot() != self._last, timeout)
            self._last = self._snapshot()
            return list(self._last)

    def cancel(self) -> None:
        with self._changed:
            self._cancelled = True
            self._changed.notify_all()

    def close(self) -> None:
        self.cancel()


class _Snapshots(Protocol):
    def __call__(self) -> list[ReaderSnapshot]: ...
