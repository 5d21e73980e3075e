"""Child process: a site that writes a batch on two cards kept in files. Prints each APDU; ends by being killed."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from app.capabilities.provisioning.batches.messages import BatchBody, BatchLine
from app.capabilities.provisioning.batches.service import Batches
from hardware.cards.software import SoftwareCard
from tests.service.capabilities.provisioning.card_desk import ACTOR, FIPS, READER, SECOND, Desk

NODES = ("ARC-KILL-1", "ARC-KILL-2")


class Told:
    """A card in a file that says each command before it does it."""

    def __init__(self, path: Path, serial: int) -> None:
        self.card = SoftwareCard(path, serial=serial)

    @property
    def atr(self) -> bytes:
        """The card's."""
        return self.card.atr

    def transmit(self, apdu: bytes) -> bytes:
        """Says it, then does it."""
        os.write(1, apdu[:4].hex().encode() + b"\n")
        return self.card.transmit(apdu)

    def power(self, on: bool) -> None:
        """The card's."""
        self.card.power(on)


async def main(directory: Path) -> None:
    """Makes the batch, puts both cards in, and goes on until it is killed."""
    desk = Desk(directory / "site")
    for name in NODES:
        desk.node(name)
    cards = {reader: Told(directory / f"{serial}.card", serial) for serial, reader in ((1, READER), (2, SECOND))}
    async with desk.running(cards) as table:
        batches = Batches(desk.site, desk.store, desk.registry, table.service, desk.cursors, desk.bus)
        await batches.start()
        lines = [BatchLine(node_id=name) for name in NODES]
        os.write(1, b"begins\n")
        await batches.make(BatchBody(label="Killed", fips_standard=FIPS, rows=lines), actor=ACTOR, request_id="req_t")
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
