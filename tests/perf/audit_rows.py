"""Makes a training site whose audit log has N entries, by the product's own leaves, tree, tables and signature.

``python -m tests.perf.audit_rows DIRECTORY N`` for a site to look at; ``build`` for benchmarks and tests. Only
the clock is another: each leaf carries its own time.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from sqlalchemy import Connection, create_engine

# The first migration makes the tables of every part that is imported: without this one the site could not be served.
import app.service.assembly  # noqa: F401
from app.ledger.log.append import AuditLog
from app.site.site import Site
from app.store.engine import Store, driver
from app.store.keys import Keys, find_kek
from app.store.writer import ActOutcome, Leaf

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
_BATCH = 50_000


def build(directory: Path, count: int, *, days: int = 365, seed: int = 7) -> Site:
    """A training site in ``directory`` with ``count`` entries spread evenly over the last ``days`` days.

    The same seed gives the same entries but for salts and times. ``ValueError`` if the log has entries already: their
    times would not rise.
    """
    site = Site.open(directory, "training")
    keys = Keys(site.keys_path, find_kek(site))
    log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    Store.open(site.store_path, log, sealer=keys.sealer).close()
    keys.close()
    if log.head()[0]:
        raise ValueError(f"{directory} has audit entries already")
    engine = create_engine(f"sqlite:///{site.store_path}", isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        # Who is interrupted begins again: no journal, no fsync, and pages stay in memory until the end.
        for pragma in ("journal_mode=OFF", "synchronous=OFF", "cache_size=-400000"):
            driver(connection).execute(f"PRAGMA {pragma}").fetchall()
        _fill(connection, log, count, days, random.Random(seed))
    engine.dispose()
    return site


def _fill(connection: Connection, log: AuditLog, count: int, days: int, chance: random.Random) -> None:
    end = time.time_ns() // 1_000 - 60_000_000
    step = max(1, days * DAY_US // max(1, count))
    start = end - step * count
    log.load(connection)
    for first in range(0, count, _BATCH):
        times = [start + step * number for number in range(first, min(first + _BATCH, count))]
        for one in plausible(times, chance):
            log.append(one)
        driver(connection).execute("BEGIN")
        log.flush(connection, times[-1])
        driver(connection).execute("COMMIT")
        log.publish()


def plausible(times_us: Sequence[int], chance: random.Random) -> Iterator[Leaf]:
    """A plausible entry at each of ``times_us``."""
    count = len(times_us)
    for ts_us, action, actor, outcome, node, unit, reason, attempt, request in zip(
        times_us,
        chance.choices(ACTIONS, k=count),
        chance.choices(ACTORS, k=count),
        chance.choices(list(ActOutcome), [96, 3, 1], k=count),
        chance.choices([*NODES, None], [0.9 / len(NODES)] * len(NODES) + [0.1], k=count),
        chance.choices([*UNITS, None], [0.2 / len(UNITS)] * len(UNITS) + [0.8], k=count),
        chance.choices(REASONS, k=count),
        chance.choices(range(1, 10), k=count),
        [chance.getrandbits(48) for _ in times_us],
        strict=True,
    ):
        detail = {"reason": reason, "attempt": attempt}
        yield Leaf(action, actor, outcome, ts_us, None, node, unit, f"req_{request:012x}", detail)


if __name__ == "__main__":
    began = time.perf_counter()
    made = build(Path(sys.argv[1]), int(sys.argv[2]))
    seconds = time.perf_counter() - began
    print(f"{sys.argv[2]} entries in {made.store_path}: {seconds:.1f} s, {int(sys.argv[2]) / seconds:,.0f} a second")
