"""Benchmarks of the audit log, each against its peer in the same run.

``ROWS`` are functions without arguments; each returns ``Row``. ``python -m tests.perf.audit [ENTRIES [DIRECTORY]]``
prints them; a site that is in DIRECTORY already is not made again.
"""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from app.commands.fsck import examine
from app.ledger import tables
from app.ledger.log.append import AuditLog
from app.ledger.query import query as query_module
from app.ledger.query.query import AuditIndex, EntryCriteria
from app.ledger.tree.leaf import body_of, header_of, payload_of, words_of
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store, driver
from app.store.keys import Keys, find_kek
from app.store.tables import metadata
from app.store.writer import GROUP_LIMIT, ActOutcome, Leaf, Transaction
from tests.perf.audit_rows import ACTIONS, ACTORS, DAY_US, NODES, UNITS, build, plausible
from tests.perf.disk import fsyncs
from tests.perf.report import Row, run

CLIENTS = 64
SLICES = 5
SLICE_S = 1.0
ENTRIES = 1_000_000
KEPT: Path | None = None
DRAWS = 25


class PlainWriter:
    """The peer: a thread that commits whatever waits, in plain sqlite3, with the same wake-ups and no log at all."""

    def __init__(self, path: Path) -> None:
        self._raw = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._raw.execute("PRAGMA journal_mode=WAL").fetchall()
        self._raw.execute("PRAGMA synchronous=FULL")
        self._queue: deque[tuple[tuple[Any, ...], asyncio.Future[None]]] = deque()
        self._wake = threading.Condition()
        self._stop = False
        self._thread = threading.Thread(target=self._serve)

    def start(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._thread.start()

    async def add(self, row: tuple[Any, ...]) -> None:
        future: asyncio.Future[None] = self._loop.create_future()
        with self._wake:
            self._queue.append((row, future))
            self._wake.notify()
        await future

    def close(self) -> None:
        with self._wake:
            self._stop = True
            self._wake.notify()
        self._thread.join()
        self._raw.close()

    def _serve(self) -> None:
        while True:
            with self._wake:
                while not self._queue and not self._stop:
                    self._wake.wait()
                if not self._queue:
                    return
                group = [self._queue.popleft() for _ in range(min(GROUP_LIMIT, len(self._queue)))]
            self._raw.execute("BEGIN IMMEDIATE")
            self._raw.executemany(
                "INSERT INTO audit_entry (seq, ts, action, outcome, actor, node, unit, header, salt, payload) "
                "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [row[:10] for row, _ in group],
            )
            self._raw.executemany(
                "INSERT INTO audit_text (rowid, words) VALUES (?, ?)", [(row[0], row[10]) for row, _ in group]
            )
            self._raw.execute("COMMIT")
            self._loop.call_soon_threadsafe(self._resolve, [future for _, future in group])

    @staticmethod
    def _resolve(futures: list[asyncio.Future[None]]) -> None:
        for future in futures:
            future.set_result(None)


def _peer_schema(path: Path) -> None:
    """The entry table with its indexes and the search, nothing of the log."""
    from sqlalchemy import create_engine

    engine = create_engine(f"sqlite:///{path}")
    metadata.create_all(engine, tables=[tables.audit_entry])
    engine.dispose()


def _peer_row(one: Leaf, seq: int) -> tuple[Any, ...]:
    salt, payload = os.urandom(16), payload_of(one)
    return (
        seq,
        one.ts_us,
        ACTIONS.index(one.action),
        list(ActOutcome).index(one.outcome),
        ACTORS.index(one.actor),
        None if one.node_id is None else NODES.index(one.node_id),
        None if one.unit_id is None else UNITS.index(one.unit_id),
        header_of(one, seq, body_of(salt, payload)),
        salt,
        payload,
        words_of(one),
    )


async def _slice(call: Callable[[], Awaitable[object]], clients: int) -> float:
    """Calls a second of ``clients`` clients that each wait for the answer before the next call."""
    count, end = 0, time.perf_counter() + SLICE_S

    async def client() -> None:
        nonlocal count
        while time.perf_counter() < end:
            await call()
            count += 1

    began = time.perf_counter()
    await asyncio.gather(*[client() for _ in range(clients)])
    return count / (time.perf_counter() - began)


def _opened(site: Site) -> tuple[Store, AuditLog]:
    keys = Keys(site.keys_path, find_kek(site))
    log = AuditLog(site.origin("audit"), keys.ed25519("audit"))
    return Store.open(site.store_path, log, sealer=keys.sealer), log


def _rates(clients: int) -> tuple[float, float, float]:
    """Median answers a second: ours, the peer's; and fsyncs a second of the same disk, measured between the slices."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        store, _ = _opened(Site.open(directory / "site", "training"))
        _peer_schema(directory / "peer.db")
        peer = PlainWriter(directory / "peer.db")
        chance = random.Random(3)
        leaves = list(plausible([0] * 20_000, chance))
        rows = [_peer_row(one, 0) for one in leaves]
        numbers = itertools.count()
        turns = itertools.cycle(leaves)

        def job(tx: Transaction) -> None:
            one = next(turns)
            tx.audit(
                one.action,
                actor=one.actor,
                outcome=one.outcome,
                node_id=one.node_id,
                unit_id=one.unit_id,
                request_id=one.request_id,
                detail=one.detail,
            )

        async def add_plain() -> None:
            number = next(numbers)
            await peer.add((number, *rows[number % len(rows)][1:]))

        ours, theirs, raw = [], [], []

        async def main() -> None:
            peer.start(asyncio.get_running_loop())
            for _ in range(SLICES):
                raw.append(fsyncs(directory / "raw"))
                ours.append(await _slice(lambda: store.writer.run(job), clients))
                theirs.append(await _slice(add_plain, clients))

        asyncio.run(main())
        peer.close()
        store.close()
        return statistics.median(ours), statistics.median(theirs), statistics.median(raw)


def append_64_clients() -> Row:
    """Audit append by 64 clients against a plain group commit of the same rows, indexes and search text, no tree."""
    ours, theirs, _ = _rates(CLIENTS)
    return Row(
        "audit append, 64 clients",
        "/s",
        ours,
        theirs,
        ours / theirs,
        ">= 0.5",
        "plain sqlite3 group commit",
        ours / theirs >= 0.5,
    )


def append_1_client() -> Row:
    """Audit append by one client against the raw fsync of the same disk: 1 / (1/R + 0.8 ms) is all."""
    ours, _, raw = _rates(1)
    bound = 1 / (1 / raw + 0.0008)
    return Row(
        "audit append, 1 client, of 1/(1/R + 0.8 ms)",
        "/s",
        ours,
        bound,
        ours / bound,
        ">= 0.8",
        "1/(1/R + 0.8 ms)",
        ours / bound >= 0.8,
    )


def a_large_log() -> list[Row]:
    """What a log of ``ENTRIES`` costs to query, to open and to check: of a site that is made for this call alone, or of
    that in ``KEPT``, which is made if it is not there yet."""
    with tempfile.TemporaryDirectory() as scratch:
        directory = KEPT or Path(scratch) / "site"
        made = (directory / "store.db").exists()
        site = Site.open(directory, "training") if made else build(directory, ENTRIES)
        return [*query_any_criteria(site), *open_and_fsck(site)]


def query_any_criteria(site: Site) -> list[Row]:
    """Pages of 100 over 30 days, all 32 sets of criteria, against the walk of the same index in sqlite3: once with the
    columns that an entry has as text and number, once with its two blobs alone (told beside it)."""
    store, log = _opened(site)
    ours, theirs, blobs, walls = _query_times(store, log)
    store.close()
    # Of sums: a walk that finds nothing takes 10 us, where a ratio tells of call overhead alone.
    mine, bare, least = (sum(times) / len(times) * 1e3 for times in (ours, theirs, blobs))
    p99 = sorted(walls)[len(walls) * 99 // 100] * 1e3
    name = f"audit query, {ENTRIES:,} rows, 32 criteria, p99 {p99:.1f} ms, mean CPU"
    met = mine / bare <= 2 and p99 <= 20
    return [
        Row(name, "ms", mine, bare, mine / bare, "<= 2, p99 <= 20", "walk of the same index, same columns", met),
        Row("the same, against its blobs alone", "ms", mine, least, mine / least, "told beside it"),
    ]


def open_and_fsck(site: Site) -> list[Row]:
    """Opening the store, which rebuilds and checks the tree's end, and a whole fsck without witnesses."""
    began = time.perf_counter()
    store, _ = _opened(site)
    opened = (time.perf_counter() - began) * 1e3
    store.close()
    used = time.process_time()
    findings = list(examine(site, [], offline=True))
    used = time.process_time() - used
    if findings:
        raise RuntimeError(f"fsck of a sound store: {findings[0]}")
    bound = 90.0 * ENTRIES / 10_000_000
    against = "90 s for 10 M rows"
    return [
        Row(f"cold open, {ENTRIES:,} rows", "ms", opened, 500.0, opened / 500.0, "<= 1", "500 ms", opened <= 500.0),
        Row(f"fsck, {ENTRIES:,} rows, CPU", "s", used, bound, used / bound, "<= 1", against, used <= bound),
    ]


def _query_times(store: Store, log: AuditLog) -> tuple[list[float], list[float], list[float], list[float]]:
    """CPU seconds of our pages, of the walks with an entry's columns and of those with its blobs, all on this thread;
    wall seconds of our pages."""
    chance = random.Random(5)
    query = AuditIndex(store, log, Cursors(b"c" * 32))
    now = time.time_ns() // 1_000
    draws = []
    for chosen in itertools.product([False, True], repeat=5):
        for _ in range(DRAWS):
            values = (
                chance.choice(ACTORS),
                chance.choice(ACTIONS),
                chance.choice(NODES),
                chance.choice(UNITS),
                chance.choice(list(ActOutcome)),
            )
            names = ("actor", "action", "node_id", "unit_id", "outcome")
            fields = {name: value for name, value, used in zip(names, values, chosen, strict=True) if used}
            start = now - chance.randint(30, 364) * DAY_US
            draws.append((start, start + 30 * DAY_US, EntryCriteria(**fields)))  # type: ignore[arg-type]
    chance.shuffle(draws)
    ours, theirs, blobs, walls = [], [], [], []
    for start, end, criteria in draws:
        page = query.page(start, end, criteria)
        began = time.perf_counter()
        query.page(start, end, criteria)
        walls.append(time.perf_counter() - began)
        ours.append(_least(lambda start=start, end=end, criteria=criteria: query.page(start, end, criteria)))
        with store.read() as connection:
            theirs.append(_walk(driver(connection), criteria, page.seq_range, COLUMNS))
            blobs.append(_walk(driver(connection), criteria, page.seq_range, "SELECT header, payload FROM audit_entry"))
    return ours, theirs, blobs, walls


COLUMNS = (
    "SELECT seq, ts, action.text, outcome, actor.text, node.text, unit.text, header, payload FROM audit_entry AS e "
    "JOIN log_word AS action ON action.id = e.action JOIN log_word AS actor ON actor.id = e.actor "
    "LEFT JOIN log_word AS node ON node.id = e.node LEFT JOIN log_word AS unit ON unit.id = e.unit"
)
"""What an entry has in columns, its words as text; what is in its payload alone stays there."""


def _walk(raw: sqlite3.Connection, criteria: EntryCriteria, window: tuple[int, int], columns: str) -> float:
    """CPU seconds of the walk: ids from the same index, then the rows, no range of time to find, no JSON, no hash."""
    cursor = raw.cursor()
    drive, values, rest, more = query_module._plan(query_module._Ids(cursor, criteria), criteria, *window)
    where = f" WHERE {rest}" if rest else ""
    bounded = f"{drive} ORDER BY seq DESC LIMIT {query_module.BUDGET}"
    # The rows in the page's order, as an answer has them.
    sql = f"{columns} WHERE seq IN (SELECT seq FROM ({bounded}){where} LIMIT 101) ORDER BY seq DESC"
    return _least(lambda: cursor.execute(sql, (*values, *more)).fetchall())


def _least(call: Callable[[], object]) -> float:
    """CPU seconds of the best of three calls: whoever comes second to the same pages must not win by that."""
    found = []
    for _ in range(3):
        used = time.thread_time()
        call()
        found.append(time.thread_time() - used)
    return min(found)


ROWS: tuple[Callable[[], Row | list[Row]], ...] = (
    append_64_clients,
    append_1_client,
    a_large_log,
)


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1].isdecimal():
        ENTRIES = int(sys.argv[1])
        KEPT = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    run(ROWS)
