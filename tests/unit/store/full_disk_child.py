"""Child process: fills the disk under a store, reports what the store said, makes room, goes on.

Run as ``full_disk_child.py tmpfs DIR`` (a file system of its own on DIR) or ``full_disk_child.py limit DIR`` (a limit
on the size of any file of this process). Prints one JSON object.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from pathlib import Path

from sqlalchemy import text

from app.ledger.log.append import AuditLog
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.keys import Keys, find_kek
from app.store.writer import Transaction


def main(mode: str, directory: Path) -> None:
    site = Site.open(directory / "site", "training")
    keys = Keys(site.keys_path, find_kek(site))
    log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    store = Store.open(site.store_path, log, sealer=keys.sealer, min_free_bytes=1 << 20)

    def job(tx: Transaction) -> int:
        # Text of one letter each: no page is saved by the next row being alike.
        return tx.audit("test.filled", actor="tester", detail={"blob": os.urandom(3_000).hex()})

    ballast = directory / "ballast"
    if mode == "tmpfs":
        free = os.statvfs(directory)
        ballast.write_bytes(bytes(max(0, free.f_bavail * free.f_frsize - (1 << 20))))
    else:
        size = max(site.store_path.stat().st_size, Path(f"{site.store_path}-wal").stat().st_size)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size + (1 << 20), resource.RLIM_INFINITY))

    written, errors = [], []
    while len(errors) < 3:
        try:
            written.append(store.writer.submit(job).result(30))
        except StoreUnavailable as error:
            errors.append(str(error))
        if len(written) > 5_000:
            raise SystemExit("the disk never became full")
    full = {"size": log.head()[0], "probe_ok": store.probe().ok}
    with store.read() as connection:
        full["rows"] = connection.execute(text("SELECT count(*) FROM audit_entry")).scalar_one()

    if mode == "tmpfs":
        ballast.unlink()
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    after = [store.writer.submit(job).result(30) for _ in range(20)]
    probe_after = store.probe().ok
    store.close()
    reopened = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    Store.open(site.store_path, reopened, sealer=keys.sealer).close()
    print(
        json.dumps(
            {
                "written": len(written),
                "errors": errors,
                "full": full,
                "after": after,
                "probe_after": probe_after,
                "reopened": reopened.head()[0],
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
