"""Child process: commits once, makes fsync fail, commits again. Must not survive the second commit."""

from __future__ import annotations

import sys
from pathlib import Path

from app.ledger.log.append import AuditLog
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys, find_kek


def main(directory: Path, trigger: Path) -> None:
    site = Site.open(directory, "training")
    keys = Keys(site.keys_path, find_kek(site))
    log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    store = Store.open(site.store_path, log, sealer=keys.sealer)
    store.writer.submit(lambda tx: tx.audit("test.kept", actor="tester")).result(10)
    trigger.touch()
    store.writer.submit(lambda tx: tx.audit("test.unknown", actor="tester")).result(10)
    print("answered")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
