"""Clocks that step while both logs run: each part has a clock of its own, because on a real machine a step comes
between the readings of two parts."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import sqlite3
import time
from datetime import timedelta
from pathlib import Path

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from sqlalchemy import create_engine

from app.ledger.check.fsck import fsck
from app.ledger.cosigned import Cosigned
from app.ledger.stamps.timestamp import APART_S, StampAuthority, verify_token
from app.store.writer import system_clock_us
from tests.service.capabilities.infrastructure.watch_site import until
from tests.service.ledger.check.checked_site import CheckedSite
from tests.unit.ledger.stamps.test_timestamp import AUTHORITY, KEY, NOW, ROOT, ROOT_KEY, ROOT_NAME, certified

HOUR_S = 3_600.0
FRESH = StampAuthority(
    certified("TRAINING time stamps", KEY, ROOT_NAME, ROOT_KEY, ca=False, begins=NOW - timedelta(minutes=5)),
    KEY,
    "2.25.329800735698586629295641978511506172918",
)
"""As of a site that was made five minutes ago: nothing can be stamped an hour earlier."""


class Stepped:
    """A clock in seconds that steps by ``by``."""

    def __init__(self) -> None:
        self.by = 0.0

    def __call__(self) -> float:
        return time.time() + self.by


def set_clocks(site: CheckedSite, rounds: Stepped, by: float) -> None:
    """The machine's clock steps: each part reads it by itself."""
    rounds.by = by
    site.site.store.writer._clock = lambda: system_clock_us() + int(by * 1e6)
    for witness in site.witnesses:
        witness._clock = lambda: time.time() + by


def test_an_hour_back_for_seconds_leaves_an_honest_store(tmp_path: Path) -> None:
    """While nothing could be stamped, the slow witness answered about a checkpoint that was never frozen: its line is
    not kept, the log goes on, and fsck finds nothing."""
    site = CheckedSite(tmp_path)
    gate, clock = asyncio.Event(), Stepped()

    async def slow(number: int) -> None:
        if number == 2:
            await gate.wait()

    async def main() -> None:
        rounds = site.site.rounds(stamp=FRESH.token, clock=clock)
        await rounds.start()
        rounds.confirm()
        try:
            set_clocks(site, clock, -HOUR_S)
            await site.site.seal(n=1)
            rounds.notice_growth()
            await asyncio.to_thread(until, lambda: rounds.unstamped)
            gate.set()
            await asyncio.to_thread(until, lambda: rounds.witnesses[2].size == 1)
            second = await site.site.seal(n=2)
            set_clocks(site, clock, 0.0)
            assert await rounds.prove(second.seq, timeout_s=20) is not None
        finally:
            await rounds.stop()

    site.site.before = slow
    try:
        asyncio.run(main())
        with site.site.store.read() as connection:
            sizes = connection.exec_driver_sql("SELECT size FROM log_cosigned WHERE log = 0").scalars().all()
            late = connection.exec_driver_sql("SELECT size FROM log_late WHERE log = 0").scalars().all()
        assert sizes == [2]
        assert set(late) <= {2}
        assert site.check() == []
    finally:
        site.close()


@pytest.mark.parametrize("reading", range(1, 6))
def test_no_stamp_is_far_from_its_quorum(tmp_path: Path, reading: int) -> None:
    """At whichever reading the rounds' clock is an hour behind for once, the frozen stamp is near its quorum."""
    site = CheckedSite(tmp_path)
    read = 0

    def clock() -> float:
        nonlocal read
        read += 1
        return time.time() - (HOUR_S if read == reading else 0.0)

    async def main() -> Cosigned:
        rounds = site.site.rounds(stamp=AUTHORITY.token, clock=clock)
        await rounds.start()
        rounds.confirm()
        try:
            sealed = await site.site.seal(n=1)
            proof = await rounds.prove(sealed.seq, timeout_s=20)
            assert proof is not None
            return proof.cosigned
        finally:
            await rounds.stop()

    try:
        cosigned = asyncio.run(main())
        assert cosigned.token is not None
        text = cosigned.note.partition("\n\n")[0] + "\n"
        stamped = verify_token(cosigned.token, text.encode(), [ROOT])
        assert abs(stamped.timestamp() - cosigned.quorum_at) <= APART_S
        assert site.check() == []
    finally:
        site.close()


def heal(path: Path) -> None:
    """Run the revision that takes orphaned late lines out."""
    revision = importlib.import_module("app.store.migrations.versions.0019_late_lines")
    engine = create_engine(f"sqlite+pysqlite:///{path}")
    with engine.begin() as connection, Operations.context(MigrationContext.configure(connection)):
        revision.upgrade()
    engine.dispose()


def late_lines(path: Path) -> list[tuple[object, ...]]:
    """Every row."""
    with contextlib.closing(sqlite3.connect(path)) as raw:
        return raw.execute("SELECT * FROM log_late ORDER BY log, size, key_id").fetchall()


def test_a_store_with_late_lines_of_nothing_is_healed_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """An earlier version left them: the revision takes out just these and says how many."""
    site = CheckedSite(tmp_path)
    site.fill()
    against = site.against()
    site.close()
    kept = late_lines(site.store_path)
    with contextlib.closing(sqlite3.connect(site.store_path)) as raw:
        raw.execute(
            "INSERT INTO log_late SELECT log, size + 7, key_id, line FROM log_late WHERE log = 1 AND size = 300"
        )
        raw.commit()
    orphan = "a cosignature of a checkpoint that is not there"
    assert [fault.what for fault in fsck(site.store_path, against)] == [orphan] * 2
    with caplog.at_level("WARNING"):
        heal(site.store_path)
    assert "2 late cosignatures" in caplog.text
    assert late_lines(site.store_path) == kept
    assert list(fsck(site.store_path, against)) == []
    caplog.clear()
    with caplog.at_level("WARNING"):
        heal(site.store_path)
    assert caplog.text == ""
