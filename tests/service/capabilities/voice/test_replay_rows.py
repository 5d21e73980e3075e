"""The rows that recognize a recording: for how long, among how many, and how they go."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import insert

from app.capabilities.voice.replay import KEPT_US, MOST_COMPARED, SWEEP_ROWS, VoicePrint
from app.capabilities.voice.tables import voice_probe
from app.store.writer import Transaction
from tests.voice_site import VoiceSite, voice_site

NOW = 2_000_000_000_000_000
MARKS = np.arange(1, 101, dtype=np.uint32)
PRINT = VoicePrint(b"d" * 32, MARKS)
OTHER = VoicePrint(b"e" * 32, MARKS + np.uint32(1000))


@pytest.fixture
def site(tmp_path: Path) -> Iterator[VoiceSite]:
    """One whose memory is empty."""
    with voice_site(tmp_path / "site") as made:
        yield made


def keep(site: VoiceSite, given: VoicePrint, count: int = 1, *, at_us: int = NOW, node_id: str = "ARC-1") -> None:
    """Rows of a recording, as a check writes them."""
    row = {"node_id": node_id, "digest": given.digest, "marks": given.marks.astype(">u4").tobytes(), "synthetic": 1}

    def job(tx: Transaction) -> None:
        tx.connection.execute(insert(voice_probe), [{**row, "at_us": at_us}] * count)

    site.doors.write(job)


def known(site: VoiceSite, given: VoicePrint = PRINT, *, node_id: str = "ARC-1", after: int = 0) -> bool:
    with site.doors.store.read() as connection:
        return site.memory.is_known(connection, node_id, given, NOW, after=after)


@pytest.mark.parametrize(("age_us", "expected"), [(0, True), (KEPT_US - 1, True), (KEPT_US, False)])
def test_a_recording_is_known_for_a_day(site: VoiceSite, age_us: int, expected: bool) -> None:
    """To the microsecond."""
    keep(site, PRINT, at_us=NOW - age_us)
    assert known(site) is expected


def test_marks_are_compared_within_a_node_and_digests_everywhere(site: VoiceSite) -> None:
    """The same matrix is known in all of the site, nearly the same one of its own node."""
    near = VoicePrint(b"f" * 32, MARKS)
    keep(site, PRINT)
    assert known(site, near)
    assert not known(site, near, node_id="ARC-2")
    assert known(site, node_id="ARC-2")


def test_rows_up_to_a_number_are_left_out(site: VoiceSite) -> None:
    """Inside the transaction only those are compared that came since the recording was heard."""
    keep(site, PRINT)
    with site.doors.store.read() as connection:
        newest = site.memory.newest(connection)
    assert known(site, after=newest - 1)
    assert not known(site, after=newest)
    assert not known(site, VoicePrint(b"f" * 32, MARKS), after=newest)


@pytest.mark.parametrize(("newer", "expected"), [(MOST_COMPARED - 1, True), (MOST_COMPARED, False)])
def test_the_newest_rows_of_a_node_are_compared(site: VoiceSite, newer: int, expected: bool) -> None:
    """So many, or a check would take as long as a node is old; the rate of checks keeps their number below."""
    keep(site, PRINT)
    keep(site, OTHER, newer)
    assert known(site, VoicePrint(b"f" * 32, MARKS)) is expected


def test_clones_of_an_hour_are_counted(site: VoiceSite) -> None:
    """Those of the node, after the moment that is named."""
    keep(site, PRINT, 2)
    keep(site, PRINT, at_us=NOW - 1)
    keep(site, PRINT, node_id="ARC-2")
    with site.doors.store.read() as connection:
        assert site.memory.synthetic_since(connection, "ARC-1", NOW - 1) == 2
        assert site.memory.synthetic_since(connection, "ARC-1", NOW - 2) == 3


def test_the_sweep_takes_what_is_older_than_a_day_in_pieces(site: VoiceSite) -> None:
    """A thousand rows at a time, so that it never holds the store for long; what is a day old to the microsecond
    stays."""

    def job(tx: Transaction) -> tuple[int, int]:
        rows = [("a", tx.now_us - KEPT_US - 1)] * (SWEEP_ROWS + 1) + [("b", tx.now_us - KEPT_US)]
        values = [{"node_id": name, "digest": b"", "marks": b"", "synthetic": 0, "at_us": at} for name, at in rows]
        tx.connection.execute(insert(voice_probe), values)
        return site.memory.sweep(tx), site.memory.sweep(tx)

    assert site.doors.store.writer.submit(job).result() == (SWEEP_ROWS, 1)
    with site.doors.store.read() as connection:
        assert site.memory.newest(connection) == SWEEP_ROWS + 2
