"""The nightly check: which part, when, by the real command, and what it tells."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ledger.check import nightly as nightly_module
from app.ledger.check.nightly import (
    CHECKED,
    FAULT_ALARM,
    OVERDUE,
    UNCHECKED_ALARM,
    Nightly,
    NightlyResult,
    NightlyState,
    check_command,
    next_night,
)
from app.ledger.check.rows import LogPart
from app.store.engine import driver
from app.store.writer import Transaction
from tests.door_site import until
from tests.service.ledger.witnesses.witnessed_site import WitnessedSite

BERLIN = ZoneInfo("Europe/Berlin")
UTC = ZoneInfo("UTC")
FAULT = '{"where":"notes","what":"a table that is not ours","seq":null}'
CLEAN = 'print(\'{"findings":0,"notes":[]}\')'


class CheckedNightly:
    """A site whose audit log has 2,000 entries, and the alarms that its nightly check opened and closed."""

    def __init__(self, path: Path) -> None:
        self.site = WitnessedSite(path)
        self.alarms: dict[tuple[str, str], str] = {}

        def job(tx: Transaction) -> None:
            for number in range(2_000):
                tx.audit("test.added", actor="key_1", detail={"number": number})

        self.site.store.writer.submit(job).result(30)

    def nightly(self, command: Any = None, **options: Any) -> Nightly:
        """As the service would make it."""
        options = {"hour": None, "zone": UTC, **options}
        command = command or partial(check_command, self.site.site)
        return Nightly(self.site.store, command, alarm=self._tell, **options)

    def _tell(self, _tx: Transaction, kind: str, key: str, sentence: str | None) -> None:
        self.alarms.pop((kind, key), None)
        if sentence is not None:
            self.alarms[(kind, key)] = sentence

    def leaves(self) -> list[tuple[int, bytes]]:
        """Outcome and payload of each leaf that tells of a check."""
        with self.site.store.read() as connection:
            rows = driver(connection).execute(
                "SELECT outcome, payload FROM audit_entry WHERE action = (SELECT id FROM log_word WHERE text = ?) "
                "ORDER BY seq",
                (CHECKED,),
            )
            return list(rows.fetchall())


@pytest.fixture
def made(tmp_path: Path) -> Iterator[CheckedNightly]:
    """Closed at the end."""
    site = CheckedNightly(tmp_path)
    yield site
    site.site.close()


def test_parts_follow_each_other(made: CheckedNightly) -> None:
    """By the real command beside the open store; a new start goes on where the last one ended."""

    async def work() -> None:
        nightly = made.nightly()
        await nightly.start()
        assert nightly.last is None
        assert await nightly.check() == NightlyResult(1, 7, 0)
        again = made.nightly()
        await again.start()
        assert again.last is not None
        assert again.last.result == NightlyResult(1, 7, 0)
        assert await again.check() == NightlyResult(2, 7, 0)

    asyncio.run(work())
    assert [outcome for outcome, _ in made.leaves()] == [0, 0]
    assert made.alarms == {}


def test_a_fault_is_an_alarm_until_its_part_is_clean(made: CheckedNightly) -> None:
    """With the leaf FAILED; a later good check of the same part closes it, one of another part does not."""
    with contextlib.closing(sqlite3.connect(made.site.store.path)) as raw:
        (payload,) = raw.execute("SELECT payload FROM audit_entry WHERE seq = 5").fetchone()
        raw.execute("UPDATE audit_entry SET payload = CAST('{}' AS BLOB) WHERE seq = 5")
        raw.commit()

    def mend() -> None:
        with contextlib.closing(sqlite3.connect(made.site.store.path)) as raw:
            raw.execute("UPDATE audit_entry SET payload = ? WHERE seq = 5", (payload,))
            raw.commit()

    async def work() -> None:
        nightly = made.nightly()
        found = await nightly.check()
        assert found is not None
        assert found.findings > 0
        assert list(made.alarms) == [(FAULT_ALARM, "part-1")]
        assert "audit_entry" in made.alarms[(FAULT_ALARM, "part-1")]
        mend()
        quick = made.nightly(lambda _part: [sys.executable, "-c", CLEAN])
        await quick.start()
        for number in range(2, 8):
            assert await quick.check() == NightlyResult(number, 7, 0)
        nightly = made.nightly()
        await nightly.start()
        assert list(made.alarms) == [(FAULT_ALARM, "part-1")]
        assert await nightly.check() == NightlyResult(1, 7, 0)
        assert made.alarms == {}

    asyncio.run(work())
    assert [outcome for outcome, _ in made.leaves()] == [2, *[0] * 7]


@pytest.mark.parametrize(
    "code",
    [
        "raise SystemExit(2)",
        "print('no JSON')",
        "",
        f"{CLEAN}; raise SystemExit(3)",
        f"{CLEAN}; raise SystemExit(1)",
        f"print('{FAULT}')",
        f"print('{FAULT}'); {CLEAN}",
        'print(\'{"findings":1,"notes":[]}\'); raise SystemExit(1)',
    ],
)
def test_what_could_not_be_checked_is_an_alarm(made: CheckedNightly, code: str) -> None:
    """No leaf claims that it was; the same part is next."""

    async def work() -> None:
        nightly = made.nightly(lambda _part: [sys.executable, "-c", code])
        assert await nightly.check() is None
        assert list(made.alarms) == [(UNCHECKED_ALARM, "nightly")]
        assert made.leaves() == []
        assert await made.nightly(lambda _part: [sys.executable, "-c", CLEAN]).check() == NightlyResult(1, 7, 0)
        assert made.alarms == {}

    asyncio.run(work())


def test_no_word_of_a_finding_hides_it(made: CheckedNightly) -> None:
    """Whatever a table is called that somebody put in."""
    code = f"print('{FAULT}'); print('{{\"findings\":1,\"notes\":[]}}'); raise SystemExit(1)"
    found = asyncio.run(made.nightly(lambda _part: [sys.executable, "-c", code]).check())
    assert found == NightlyResult(1, 7, 1)
    assert made.alarms[(FAULT_ALARM, "part-1")].count("a table that is not ours") == 1


def test_a_check_that_hangs_is_ended_and_told(made: CheckedNightly, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next night must not find it."""
    monkeypatch.setattr(nightly_module, "LONGEST_S", 0.2)
    hanging = made.nightly(lambda _part: [sys.executable, "-c", "import time; time.sleep(600)"])
    assert asyncio.run(hanging.check()) is None
    assert "had not ended" in made.alarms[(UNCHECKED_ALARM, "nightly")]


def test_what_nobody_checks_for_days_is_overdue(made: CheckedNightly) -> None:
    """From the start where none was made, from the newest one else; never where the settings name no hour."""
    now = [time.time()]
    asked, off = (made.nightly(hour=hour, clock=lambda: now[0]) for hour in (3, None))
    assert not asked.overdue
    now[0] += OVERDUE.total_seconds() + 1
    assert (asked.overdue, off.overdue) == (True, False)
    asked.last = NightlyState(round(now[0] * 1e6), NightlyResult(1, 7, 0))
    assert not asked.overdue


def test_the_end_of_the_service_ends_the_check(made: CheckedNightly, tmp_path: Path) -> None:
    """Without a leaf, and with no process left behind."""
    mark = tmp_path / "pid"
    code = f"import os, pathlib, time; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); time.sleep(600)"

    async def work() -> None:
        nightly = made.nightly(lambda _part: [sys.executable, "-c", code], hour=3, clock=clock)
        await nightly.start()
        await until(lambda: mark.exists() and bool(mark.read_text()))
        await nightly.stop()

    # A clock that is a moment before three.
    base = datetime(2026, 1, 31, 2, 59, 59, 900_000, tzinfo=UTC).timestamp()
    began = time.monotonic()

    def clock() -> float:
        return base + time.monotonic() - began

    asyncio.run(work())
    assert not Path(f"/proc/{mark.read_text()}").exists()
    assert made.leaves() == []


def test_the_hour() -> None:
    """Tonight's, or tomorrow's once it has passed; in the site's own zone, whatever its clocks do that day."""
    now = datetime(2026, 3, 28, 2, 0, tzinfo=BERLIN)
    start = now - timedelta(hours=1)
    assert next_night(now, 3, start, start) == datetime(2026, 3, 28, 3, 0, tzinfo=BERLIN)
    later = datetime(2026, 3, 28, 3, 0, tzinfo=BERLIN)
    following = next_night(later, 3, later, start)
    assert following.timestamp() - later.timestamp() == 23 * 3_600


def test_an_overdue_check_does_not_wait_for_the_night() -> None:
    """A site that never runs at night is checked while it runs, some minutes after its start."""
    now = datetime(2026, 1, 31, 9, 0, tzinfo=BERLIN)
    last = now - OVERDUE - timedelta(seconds=1)
    assert next_night(now, 3, last, now) == now + timedelta(minutes=10)
    assert next_night(now + timedelta(hours=1), 3, last, now) == now + timedelta(hours=1)
    assert next_night(now, 3, None, now) == now + timedelta(minutes=10)


@given(
    now=st.datetimes(datetime(2025, 1, 1), datetime(2035, 1, 1), timezones=st.just(BERLIN)),
    hour=st.integers(0, 23),
)
def test_a_night_is_never_missed_nor_twice(now: datetime, hour: int) -> None:
    """It lies ahead, and no more than a day and the hour of a change of clocks."""
    ahead = next_night(now, hour, now, now).timestamp() - now.timestamp()
    assert -3_600 <= ahead <= 25 * 3_600


def test_the_command_names_the_part(tmp_path: Path) -> None:
    """As people write it: from 1."""
    site = WitnessedSite(tmp_path)
    try:
        command = check_command(site.site, LogPart(6, 7))
    finally:
        site.close()
    assert command[command.index("--part") + 1] == "7/7"
    assert "--offline" in command
