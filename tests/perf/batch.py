"""A batch of 50 cards on four readers beside the same batch on one: cards whose wire takes 20 ms an APDU.

`ROWS` are functions without arguments; each returns its `Row`s. `python -m tests.perf.batch` prints them.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

from app.capabilities.provisioning.batches.messages import BatchBody, BatchEvent, BatchLine
from app.capabilities.provisioning.batches.service import Batches
from app.capabilities.provisioning.readers.card_readers import ReaderFamily
from app.delivery.events import Event
from hardware.cards.inprocess import InProcessBackend
from hardware.cards.software import SoftwareCard
from tests.perf.report import Row, run
from tests.service.capabilities.provisioning.card_desk import ACTOR, FIPS, Desk

CARDS, READERS, PEER_CARDS, WIRE_S, GOAL = 50, 4, 14, 0.020, 3.0


class Wired:
    """A card behind a wire that takes 20 ms an APDU."""

    def __init__(self, serial: int) -> None:
        self.card = SoftwareCard(serial=serial)

    @property
    def atr(self) -> bytes:
        """The card's."""
        return self.card.atr

    def transmit(self, apdu: bytes) -> bytes:
        """The wire, then the card."""
        time.sleep(WIRE_S)
        return self.card.transmit(apdu)

    def power(self, on: bool) -> None:
        """The card's."""
        self.card.power(on)


async def minutes(directory: Path, cards: int, readers: int) -> float:
    """Minutes for a batch of ``cards``; whoever sees a finished card puts the next one in at once."""
    desk = Desk(directory)
    names = [f"Reader {number}" for number in range(1, readers + 1)]
    backend = InProcessBackend(names)
    service = desk.provisioning(ReaderFamily(backend, simulated=True, service=False))
    batches = Batches(desk.site, desk.store, desk.registry, service, desk.cursors, desk.bus)
    nodes = [desk.node() for _ in range(cards)]
    stack = iter([Wired(serial) for serial in range(1, cards + 1)])
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    swaps: asyncio.Queue[str] = asyncio.Queue()

    def heard(event: Event) -> None:
        if isinstance(event.body, BatchEvent):
            if event.body.row is not None and event.body.row.state == "COMPLETE" and event.body.row.reader:
                loop.call_soon_threadsafe(swaps.put_nowait, event.body.row.reader)
            if event.body.batch.state == "DONE":
                loop.call_soon_threadsafe(over.set)

    async def swap() -> None:
        while True:
            reader = await swaps.get()
            backend.remove(reader)
            if (card := next(stack, None)) is not None:
                backend.insert(reader, card)

    stop = desk.bus.subscribe(heard)
    await service.start()
    await batches.start()
    person = asyncio.create_task(swap())
    try:
        began = time.perf_counter()
        lines = [BatchLine(node_id=node) for node in nodes]
        for reader in names:
            backend.insert(reader, next(stack))
        made = await batches.make(BatchBody(label="Perf", fips_standard=FIPS, rows=lines), actor=ACTOR, request_id="p")
        await over.wait()
        took = time.perf_counter() - began
        found = batches.get(made.batch_id)
        if found.counts.complete != cards:
            raise RuntimeError(f"{found.counts} of {cards}")
        return took / 60
    finally:
        person.cancel()
        stop()
        await batches.stop()
        await service.stop()
        desk.close()


def four_readers() -> Row:
    """Cards a minute."""
    with tempfile.TemporaryDirectory() as directory:
        one = PEER_CARDS / asyncio.run(minutes(Path(directory) / "one", PEER_CARDS, 1))
        four = CARDS / asyncio.run(minutes(Path(directory) / "four", CARDS, READERS))
    name = f"batch of {CARDS} cards on {READERS} readers, 20 ms an APDU"
    return Row(name, "/min", four, one, four / one, f">= {GOAL}x", "one reader", four / one >= GOAL)


ROWS = (four_readers,)

if __name__ == "__main__":
    run(ROWS)
