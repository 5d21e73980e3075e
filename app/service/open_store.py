"""A site's keys and store for commands that run beside its service or without it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from app.ledger.log.append import AuditLog, Ledger, SealLog
from app.ledger.log.keys import LogKey, ring_reader
from app.ledger.tables import AUDIT, SEAL
from app.service.upgrade import begin_upgrade
from app.site.site import Site
from app.store.engine import Store
from app.store.errors import StoreRefused
from app.store.kek import find_kek
from app.store.keys import Keys


@dataclass(frozen=True)
class OpenStore:
    """The open store with its two logs."""

    store: Store
    ledger: Ledger

    @property
    def log_keys(self) -> list[LogKey]:
        """The public keys that sign for both logs now."""
        return self.ledger.log_keys()


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
def open_store(site: Site, keys: Keys, *, copy: bool = False) -> Iterator[OpenStore]:
    """The store, upgraded where it is of an earlier version; both logs fit their signed heads, or it is
    ``LedgerBroken``. ``copy``: it is one of a backup, which stays what it is, so no other is made before."""
    if not site.store_path.exists() or not site.store_path.stat().st_size:
        raise StoreRefused(f"{site.store_path} is gone or empty. Restore a backup.")
    with contextlib.ExitStack() as claims:
        if not copy:
            begin_upgrade(site, keys, claims)
        ledger = open_ledger(site, keys)
        store = claims.enter_context(Store.open(site.store_path, ledger, sealer=keys.sealer))
        yield OpenStore(store, ledger)


def open_ledger(site: Site, keys: Keys) -> Ledger:
    """Both logs of a site, with the keys that its store names; for ``Store.open``."""
    return Ledger(
        AuditLog(site.origin("audit"), ring_reader(site.origin("audit"), "audit", keys, AUDIT)),
        SealLog(site.origin("seal"), ring_reader(site.origin("seal"), "seal", keys, SEAL)),
    )
