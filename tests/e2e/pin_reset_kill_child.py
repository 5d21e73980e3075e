"""Child process: a site that resets the PIN of a card kept in a file. Prints each APDU; ends by being killed."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from hardware.cards.software import SoftwareCard
from tests.e2e.batch_kill_child import Told
from tests.service.capabilities.provisioning.card_desk import ACTOR, READER, Desk

SERIAL = 1


def card_in(directory: Path) -> SoftwareCard:
    """The card, as whoever had it last left it."""
    return SoftwareCard(directory / "one.card", serial=SERIAL)


async def main(directory: Path) -> None:
    """Writes the card, has a reset approved, and goes on with it until it is killed."""
    desk = Desk(directory / "site")
    async with desk.running({READER: card_in(directory)}) as table:
        made = await table.done(desk.node())
        approval_id = await desk.approved("pin_reset", made.provision_id)
        os.write(1, f"{made.provision_id} {approval_id}\n".encode())
        await table.remove()
        await table.insert(Told(directory / "one.card", SERIAL))
        os.write(1, b"begins\n")
        await table.service.resets.reset(made.provision_id, approval_id, actor=ACTOR, request_id="req_t")
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
