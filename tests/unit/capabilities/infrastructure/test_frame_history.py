"""Sketches and the history that they are merged into."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import func, select

from app.capabilities.infrastructure import history
from app.capabilities.infrastructure.handshake import Measurement, Phases
from app.capabilities.infrastructure.history import HOUR_S, MINUTE_S, RING, History, Ring, Sketch
from app.capabilities.infrastructure.tables import frame_span
from tests.service.capabilities.infrastructure.watch_site import WatchSite

latencies = st.lists(st.floats(0.01, 60_000.0, allow_nan=False), min_size=1, max_size=200)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[WatchSite]:
    """A store."""
    made = WatchSite(tmp_path / "site")
    yield made
    made.close()


def sketch_of(values: list[float]) -> Sketch:
    """A sketch of these latencies."""
    made = Sketch()
    for value in values:
        made.add(value)
    return made


def probe(at_us: int, ms: float | None, peer_id: str = "p") -> Measurement:
    """A probe at that time."""
    if ms is None:
        return Measurement(peer_id, at_us, "missed")
    return Measurement(peer_id, at_us, None, Phases(0.0, 0.1, ms, ms + 1), "C", "G", "TLSv1.3", 5_000_000)


@given(latencies, st.sampled_from([("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1.0)]))
def test_percentile_is_within_two_percent(values: list[float], which: tuple[str, float]) -> None:
    """Any percentile read from a sketch is within 2 % of the nearest-rank one, rounded to a microsecond."""
    name, share = which
    true = sorted(values)[max(1, math.ceil(share * len(values))) - 1]
    assert abs(getattr(sketch_of(values).percentiles(), name) - true) <= 0.02 * true + 0.0006


@given(latencies, latencies)
def test_merging_is_counting_together(left: list[float], right: list[float]) -> None:
    """Two sketches merged are the sketch of both."""
    merged = sketch_of(left)
    merged.merge(sketch_of(right))
    assert merged.buckets == sketch_of(left + right).buckets


@given(latencies, st.integers(0, 1000))
def test_packed_sketch_comes_back(values: list[float], missed: int) -> None:
    """Packing loses nothing."""
    made = sketch_of(values)
    back = Sketch.unpack(made.pack(), missed)
    assert (back.buckets, back.missed) == (made.buckets, missed)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_sketch_or_refused(data: bytes) -> None:
    """Bytes of a row never raise anything but ValueError."""
    with contextlib.suppress(ValueError):
        Sketch.unpack(data, 0).percentiles()


def test_ring_keeps_the_newest() -> None:
    """A full ring forgets its oldest, in order."""
    ring = Ring()
    for number in range(RING + 10):
        ring.add(number, float(number))
    times, values = ring.snapshot()
    assert (int(times[0]), int(times[-1]), int(values[0]), len(times)) == (10, RING + 9, 10, RING)


def test_ring_never_goes_back() -> None:
    """A clock that steps back does not put the ring out of order."""
    ring = Ring()
    for at in (100, 200, 150, 300):
        ring.add(at, 1.0)
    assert ring.snapshot()[0].tolist() == [100, 200, 200, 300]


def test_last_hour_is_exact(site: WatchSite) -> None:
    """What the ring holds is given as it was measured, step by step, misses counted."""
    start = (time.time_ns() // 1000 // 60_000_000 - 10) * 60_000_000
    kept = History(site.store)
    for second in range(180):
        kept.add(probe(start + second * 1_000_000, None if second == 90 else 1.0 + second))
    total, points = kept.read(["p"], start, start + 180_000_000, 60)["p"]
    assert [(p.handshake.count, p.handshake.missed, p.handshake.max) for p in points] == [
        (60, 0, 60.0),
        (59, 1, 120.0),
        (60, 0, 180.0),
    ]
    assert (total.count, total.missed, total.p50) == (179, 1, 90.0)


def test_older_history_comes_from_the_store(site: WatchSite) -> None:
    """A new process gives the minutes that the one before has written."""
    start = (time.time_ns() // 1000 // 60_000_000 - 30) * 60_000_000
    before = History(site.store)
    for second in range(120):
        before.add(probe(start + second * 1_000_000, 4.0))
    before.flush()
    total, points = History(site.store).read(["p"], start, start + 120_000_000, 60)["p"]
    assert [(p.start_us, p.handshake.count) for p in points] == [(start, 60), (start + 60_000_000, 60)]
    assert total.p99 == pytest.approx(4.0, rel=0.02)


def test_restart_within_a_minute_loses_nothing(site: WatchSite) -> None:
    """A minute that two processes share is written as one."""
    start = (time.time_ns() // 1000 // 60_000_000 - 30) * 60_000_000
    for process in range(2):
        kept = History(site.store)
        for second in range(30):
            kept.add(probe(start + (process * 30 + second) * 1_000_000, 4.0))
        kept.flush(everything=True)
    total, _points = History(site.store).read(["p"], start, start + 60_000_000, 60)["p"]
    assert total.count == 60


def test_no_probe_is_counted_twice(site: WatchSite) -> None:
    """Minutes that are both written and in the ring count once."""
    start = (time.time_ns() // 1000 // 60_000_000 - 10) * 60_000_000 + 20_000_000
    kept = History(site.store)
    for second in range(200):
        kept.add(probe(start + second * 1_000_000, 4.0))
        if second == 150:
            kept.flush(everything=True)
    total, _points = kept.read(["p"], start - 60_000_000, start + 400_000_000, 60)["p"]
    assert total.count == 200


def test_minutes_become_hours(site: WatchSite) -> None:
    """Old minutes are merged into hours with the same counts, and are gone."""
    old_s = (int(time.time()) - 3 * 86_400) // HOUR_S * HOUR_S
    kept = History(site.store)
    for minute in range(60):
        for second in range(3):
            kept.add(probe((old_s + minute * MINUTE_S + second) * 1_000_000, 5.0))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "_PENDING_MAX", 1 << 20)
        kept.flush()
    while kept.roll_up():
        pass
    with site.store.read() as connection:
        spans = connection.execute(select(frame_span.c.span_s, func.count()).group_by(frame_span.c.span_s)).all()
    total, _points = History(site.store).read(["p"], old_s * 1_000_000, (old_s + HOUR_S) * 1_000_000, HOUR_S)["p"]
    assert ([tuple(row) for row in spans], total.count) == ([(HOUR_S, 1)], 180)


def test_last_success_survives(site: WatchSite) -> None:
    """The last handshake of each frame is found again after a restart."""
    kept = History(site.store)
    kept.add(probe(1_000_000, 3.5))
    kept.add(probe(2_000_000, None))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(history, "_PENDING_MAX", 1 << 30)
        kept.flush(everything=True)
    assert History(site.store).load_last() == {"p": probe(1_000_000, 3.5)}
