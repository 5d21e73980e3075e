"""Child process: clients that write without end, printing each answer after it came. Ends by being killed."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from sqlalchemy import insert

from app.ledger.log.append import AuditLog
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys, find_kek
from app.store.tables import integer, table, text
from app.store.writer import Transaction
from tests.own_tables import add_table

row = table("test_killed_row", integer("seq", primary_key=True, autoincrement=False), text("word", unique=True))


async def client(store: Store, name: str) -> None:
    number = 0
    while True:
        word = f"{name}-{number}"

        def job(tx: Transaction, word: str = word) -> int:
            seq = tx.audit("test.written", actor=name, node_id=f"NODE-{name}", detail={"word": word})
            tx.connection.execute(insert(row).values(seq=seq, word=word))
            return seq

        seq = await store.writer.run(job, urgent=number % 7 == 0)
        # One write a line: a line that the parent reads whole was answered, whatever happens next.
        os.write(1, f"{seq} {word}\n".encode())
        number += 1


async def main(directory: Path, tag: str) -> None:
    site = Site.open(directory, "training")
    keys = Keys(site.keys_path, find_kek(site))
    log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    store = Store.open(site.store_path, log, sealer=keys.sealer)
    add_table(site.store_path, row)
    await asyncio.gather(*[client(store, f"{tag}-{number}") for number in range(16)])


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
