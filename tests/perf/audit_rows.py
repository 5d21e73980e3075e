"""Makes a training site whose audit log has N entries, by the product's own leaves, tree, tables and signature.

``python -m tests.perf.audit_rows DIRECTORY N`` for a site to look at; ``build`` for benchmarks and tests. Only
the clock is another: each leaf carries its own time.
"""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

# The first migration makes the tables of every part that is imported: without this one the site could not be served.
import app.assembly  # noqa: F401
from app.ledger.append import AuditLog
from app.site import Site
from app.store.engine import Store, driver
from app.store.keys import Keys, find_kek
from app.store.writer import Leaf, Outcome, Transaction

ACTORS = [f"kid_{number:02d}" for number in range(20)]
ACTIONS = [
    "access.decided",
    "api.refused",
    "burn.completed",
    "burn.started",
    "credentials.synced",
    "infrastructure.degraded",
    "keys.created",
    "provisioning.finished",
    "provisioning.started",
    "registry.changed",
]
NODES = [f"ARC-{number:05d}" for number in range(2_000)]
UNITS = [f"unit-{number:02d}" for number in range(40)]
REASONS = ["routine", "lost card", "left the company", "expired grant", "reader offline", "drill", "shift change"]
DAY_US = 86_400_000_000
_BATCH = 10_000


def build(directory: Path, count: int, *, days: int = 365, seed: int = 7) -> Site:
    """A training site in ``directory`` with ``count`` entries spread evenly over the last ``days`` days.

    The same seed gives the same entries but for salts and times. ``ValueError`` if the log has entries already: their
    times would not rise.
    """
    site = Site.open(directory, "training")
    keys = Keys(site.keys_path, find_kek(site))
    log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    store = Store.open(site.store_path, log, sealer=keys.sealer)
    try:
        if log.head()[0]:
            raise ValueError(f"{directory} has audit entries already")
        store.writer.submit(lambda tx: driver(tx.connection).execute("PRAGMA cache_size=-400000")).result(60)
        _fill(store, log, count, days, random.Random(seed))
    finally:
        store.close()
        keys.close()
    return site


def _fill(store: Store, log: AuditLog, count: int, days: int, chance: random.Random) -> None:
    end = time.time_ns() // 1_000 - 60_000_000
    step = max(1, days * DAY_US // max(1, count))
    start = end - step * count
    for first in range(0, count, _BATCH):
        leaves = [leaf(start + step * number, chance) for number in range(first, min(first + _BATCH, count))]

        def job(_tx: Transaction, leaves: list[Leaf] = leaves) -> None:
            for one in leaves:
                log.append(one)

        store.writer.submit(job).result(120)


def leaf(ts_us: int, chance: random.Random) -> Leaf:
    """One plausible entry at ``ts_us``."""
    return Leaf(
        action=chance.choice(ACTIONS),
        actor=chance.choice(ACTORS),
        outcome=chance.choices(list(Outcome), [96, 3, 1])[0],
        ts_us=ts_us,
        clock_us=None,
        node_id=chance.choice(NODES) if chance.random() < 0.9 else None,
        unit_id=chance.choice(UNITS) if chance.random() < 0.2 else None,
        request_id=f"req_{chance.getrandbits(48):012x}",
        detail={"reason": chance.choice(REASONS), "attempt": chance.randint(1, 9)},
    )


if __name__ == "__main__":
    began = time.perf_counter()
    made = build(Path(sys.argv[1]), int(sys.argv[2]))
    seconds = time.perf_counter() - began
    print(f"{sys.argv[2]} entries in {made.store_path}: {seconds:.1f} s, {int(sys.argv[2]) / seconds:,.0f} a second")
