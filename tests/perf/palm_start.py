"""What a start with many templates costs: from the sealed cache against row by row, in the same run, each row checked
against the other's memory.

``python -m tests.perf.palm_start`` prints the rows; ``--rows N`` (1,000,000) is how many templates. About 2 GB of
memory and 1.2 GB of disk for a million.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from sqlalchemy import insert

from app.biometrics.tables import template
from app.biometrics.template_cache import TemplateCache
from app.biometrics.template_codes import NORM
from app.biometrics.templates import DEFAULT, Templates
from app.ledger.log.append import AuditLog
from app.registry.denyset import DenySet
from app.registry.profiles import CredentialVault
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys, find_kek
from app.store.sealed import FieldSealer
from app.store.writer import Transaction
from tests.perf.report import Row, run

MILLION = 1_000_000
_BATCH = 20_000
T = TypeVar("T")


def took(work: Callable[[], T]) -> tuple[T, float]:
    """What it gives, and the CPU seconds of this process."""
    began = time.process_time()
    found = work()
    return found, time.process_time() - began


def measure(rows: int) -> list[Row]:
    """The start by rows, the writing of the cache, and the start from it: CPU seconds."""
    with tempfile.TemporaryDirectory() as directory:
        site = Site.open(Path(directory) / "site", "training")
        keys = Keys(site.keys_path, find_kek(site))
        log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
        store = Store.open(site.store_path, log, sealer=FieldSealer(keys))
        deny = DenySet(CredentialVault(store.sealer, keys.secret("credential-digest")))
        cache = TemplateCache(site.data_dir / "template-cache", keys.secret("template-cache"), least_rows=rows - 1)

        def opened() -> Templates:
            made = Templates(store, deny, cache)
            with store.read() as connection:
                made.load(connection)
            return made

        _fill(store, opened(), rows)
        plain, by_rows = took(opened)
        store.writer.submit(plain.keep).result(600)
        cache.forget(DEFAULT)
        generation, gallery = plain._generations[DEFAULT], plain.gallery(DEFAULT)
        _, written = took(lambda: cache.write(DEFAULT, generation, gallery))
        size = cache.path(DEFAULT).stat().st_size
        quick, from_cache = took(opened)
        for node_id in ("ARC-0", f"ARC-{rows // 2}", f"ARC-{rows - 1}"):
            assert np.array_equal(quick.gallery(DEFAULT).templates(node_id), gallery.templates(node_id))
        assert len(quick.gallery(DEFAULT)) == rows
        store.close()
        keys.close()
    against = f"{rows:,} rows opened one by one"
    return [
        Row("start from the sealed cache", "s", from_cache, by_rows, by_rows / from_cache, "", against),
        Row(f"cache written ({size >> 20} MiB)", "s", written, by_rows, None, "", against),
    ]


def _fill(store: Store, templates: Templates, rows: int) -> None:
    random = np.random.default_rng(5)
    for at in range(0, rows, _BATCH):
        drawn = random.standard_normal((min(_BATCH, rows - at), 512), np.float32)
        drawn *= NORM / np.linalg.norm(drawn, axis=1, keepdims=True)
        made = np.clip(np.rint(drawn), -127, 127).astype(np.int8)

        def job(tx: Transaction, at: int = at, made: np.ndarray[tuple[int, int], np.dtype[np.int8]] = made) -> None:
            tx.connection.execute(
                insert(template),
                [
                    {
                        "registry_id": DEFAULT,
                        "node_id": f"ARC-{at + number}",
                        "position": 0,
                        "epoch": 1,
                        "sealed": templates.seal(DEFAULT, 1, f"ARC-{at + number}", 0, row),
                        "enrolled_us": tx.now_us,
                    }
                    for number, row in enumerate(made)
                ],
            )

        store.writer.submit(job).result(600)


if __name__ == "__main__":
    options = sys.argv[1:]
    wanted = int(options[options.index("--rows") + 1]) if "--rows" in options else MILLION
    run([lambda: measure(wanted)])
