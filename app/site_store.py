"""A site's keys and store for commands that run beside its service or without it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.ledger.append import AuditLog, Ledger, SealLog
from app.ledger.cosignature import Cosigner
from app.ledger.site_policy import LogKey
from app.site import Site
from app.store.engine import Store
from app.store.errors import StoreRefused
from app.store.kek import find_kek
from app.store.keys import Keys


@dataclass(frozen=True)
class OpenStore:
    """``log_keys``: the public keys of both logs."""

    store: Store
    ledger: Ledger
    log_keys: list[LogKey]


@contextlib.contextmanager
def open_keys(site: Site, path: Path | None = None) -> Iterator[Keys]:
    """The keys of a site that has some; ``path`` where they lie elsewhere. ``KeysUnavailable`` when what opens them is
    not in its place."""
    path = path or site.keys_path
    if not path.exists() or not path.stat().st_size:
        raise StoreRefused(f"{path.parent} has no keys: this site never ran. Start its service once.")
    with contextlib.closing(Keys(path, find_kek(site, make=False), find=lambda: find_kek(site, make=False))) as keys:
        yield keys


@contextlib.contextmanager
def open_store(site: Site, keys: Keys) -> Iterator[OpenStore]:
    """The store; both logs fit their signed heads, or it is ``LedgerBroken``."""
    if not site.store_path.exists() or not site.store_path.stat().st_size:
        raise StoreRefused(f"{site.store_path} is gone or empty. Restore a backup.")
    ledger = Ledger(
        AuditLog(site.origin("audit"), keys.ed25519("audit")), SealLog(site.origin("seal"), keys.ed25519("seal"))
    )
    log_keys: list[LogKey] = []
    for log, purpose in ((ledger.seal, "seal"), (ledger.audit, "audit")):
        log_keys += [log.verifier, Cosigner(log.origin, keys.mldsa44(purpose)).key]
    with Store.open(site.store_path, ledger, sealer=keys.sealer) as store:
        yield OpenStore(store, ledger, log_keys)
