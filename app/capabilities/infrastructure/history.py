"""Measurements of the past: the last hour exactly, older ones as mergeable sketches.

The last hour of each frame is a ring in memory. Every minute is also a sketch: a histogram whose bucket borders grow
by ``_GAMMA`` (DDSketch, Masson, Rim and Lee, VLDB 2019), so that any percentile read from it, also after merging any
number of minutes, is within 2 % of the true value. Minutes are written once a minute in one transaction and kept for
``MINUTES_KEPT_S``; then they become hours, kept for ``HOURS_KEPT_S``.
"""

from __future__ import annotations

import itertools
import logging
import math
import struct
import threading
import time
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Connection, Row, delete, func, select
from sqlalchemy.dialects.sqlite import insert as upsert

from app.capabilities.infrastructure.handshake import Measurement, Phases
from app.capabilities.infrastructure.messages import HOURS_KEPT_S, MINUTES_KEPT_S, Percentiles
from app.capabilities.infrastructure.tables import frame_last, frame_span
from app.store.engine import Store
from app.store.writer import Transaction

log = logging.getLogger(__name__)

RING = 3600
"""Measurements of a frame in memory: one hour at one per second."""
MINUTE_S = 60
HOUR_S = 3600
_LATE_S = 5
_PENDING_MAX = 120
"""How many minutes may wait for a store that cannot write; older ones are given up."""
_ROLL_UP_MINUTES = 15
"""One transaction turns this many minutes of all frames into hours: the writer has other work too."""

_GAMMA = 1.04
_LOG_GAMMA = math.log(_GAMMA)
_BUCKET = struct.Struct("<hH")
_BUCKET_MAX = 1000
"""Far beyond any latency: 1.04 ** 1000 ms are three thousand years."""
_COUNT_MAX = 0xFFFF

Milliseconds = np.ndarray[tuple[int], np.dtype[np.float32]]
"""Latencies of probes; NaN for a missed one."""
Probes = tuple[np.ndarray[tuple[int], np.dtype[np.int64]], Milliseconds]
"""Times (Unix microseconds) and latencies of the same probes, oldest first."""
Pending = dict[tuple[str, int], tuple[int, dict[int, int]]]
"""Minutes that wait for the store: (frame, start in Unix seconds) -> (missed, buckets)."""
Written = dict[str, list[tuple[int, int, bytes, int]]]
"""Spans in the store: frame -> (start, length, packed sketch, missed), in seconds."""


class Sketch:
    """Counts of latencies by bucket, and of ``missed`` probes. Bucket i: ``_GAMMA ** (i - 1) < ms <= _GAMMA ** i``."""

    __slots__ = ("buckets", "missed")

    def __init__(self) -> None:
        self.buckets: dict[int, int] = {}
        self.missed = 0

    def add(self, ms: float) -> None:
        """Add one handshake; less than a microsecond counts as a microsecond."""
        bucket = math.ceil(math.log(max(ms, 0.001)) / _LOG_GAMMA)
        self.buckets[bucket] = self.buckets.get(bucket, 0) + 1

    def merge(self, other: Sketch) -> None:
        """Add the other's counts."""
        self.missed += other.missed
        for bucket, count in other.buckets.items():
            self.buckets[bucket] = self.buckets.get(bucket, 0) + count

    def pack(self) -> bytes:
        """Pairs of bucket (int16) and count (uint16), little endian, by rising bucket."""
        return b"".join(_BUCKET.pack(bucket, min(count, _COUNT_MAX)) for bucket, count in sorted(self.buckets.items()))

    @classmethod
    def unpack(cls, packed: bytes, missed: int) -> Sketch:
        """The sketch of a row. ValueError for bytes that no sketch makes."""
        if len(packed) % _BUCKET.size:
            raise ValueError("a sketch is a row of pairs")
        sketch = cls()
        sketch.buckets = dict(_BUCKET.iter_unpack(packed))
        if any(abs(bucket) > _BUCKET_MAX for bucket in sketch.buckets):
            raise ValueError("a bucket of no latency")
        sketch.missed = missed
        return sketch

    def percentiles(self) -> Percentiles:
        """Within 2 % of the true ones."""
        buckets = sorted(self.buckets.items())
        sums: list[int] = []
        for _bucket, count in buckets:
            sums.append(count + (sums[-1] if sums else 0))
        total = sums[-1] if sums else 0

        def at(share: float) -> float | None:
            if not total:
                return None
            bucket = buckets[bisect_left(sums, max(1, math.ceil(share * total)))][0]
            # The point of a bucket whose relative distance to both borders is the same.
            return round(2 * _GAMMA**bucket / (_GAMMA + 1), 3)

        return Percentiles(count=total, missed=self.missed, p50=at(0.5), p95=at(0.95), p99=at(0.99), max=at(1.0))


def exact(values: Milliseconds) -> Percentiles:
    """Percentiles (nearest rank) of measured milliseconds; NaN is a missed probe."""
    good = np.sort(values[~np.isnan(values)])
    count = len(good)

    def at(share: float) -> float | None:
        return round(float(good[max(1, math.ceil(share * count)) - 1]), 3) if count else None

    return Percentiles(count=count, missed=len(values) - count, p50=at(0.5), p95=at(0.95), p99=at(0.99), max=at(1.0))


class Ring:
    """The last ``RING`` probes of one frame: time and milliseconds, NaN for a missed one. Its owner locks it."""

    __slots__ = ("_at", "_ms", "_next", "_size")

    def __init__(self) -> None:
        self._at = np.zeros(RING, np.int64)
        self._ms = np.zeros(RING, np.float32)
        self._next = 0
        self._size = 0

    def add(self, at_us: int, ms: float | None) -> None:
        """Add one probe. Times never fall (they are searched by bisection): a clock that steps back stands still."""
        self._at[self._next] = max(at_us, int(self._at[self._next - 1]))
        self._ms[self._next] = math.nan if ms is None else ms
        self._next = (self._next + 1) % RING
        self._size = min(self._size + 1, RING)

    def median(self, since_us: int) -> tuple[float | None, int]:
        """Median of the handshakes since then, and their number."""
        times, values = self.snapshot()
        values = values[times >= since_us]
        values = values[~np.isnan(values)]
        return (float(np.median(values)), len(values)) if len(values) else (None, 0)

    def snapshot(self) -> Probes:
        """Copies of times and milliseconds, oldest first."""
        if self._size < RING:
            return self._at[: self._size].copy(), self._ms[: self._size].copy()
        return np.roll(self._at, -self._next), np.roll(self._ms, -self._next)


@dataclass(frozen=True)
class Point:
    """Percentiles of one step."""

    start_us: int
    handshake: Percentiles


class History:
    """All frames' history. ``add`` on the prober's thread, ``flush`` and ``read`` on any thread that may block."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._rings: dict[str, Ring] = {}
        self._pending: dict[tuple[str, int], Sketch] = {}
        self._last: dict[str, Measurement] = {}
        # Held during a flush and during a read, so that a read finds each minute exactly once: in the store or pending.
        self._flushing = threading.Lock()

    def add(self, measurement: Measurement) -> None:
        """Add one probe."""
        minute = measurement.at_us // 1_000_000 // MINUTE_S * MINUTE_S
        ms = measurement.phases.first_byte_ms if measurement.phases is not None else None
        with self._lock:
            ring = self._rings.get(measurement.peer_id)
            if ring is None:
                ring = self._rings[measurement.peer_id] = Ring()
            ring.add(measurement.at_us, ms)
            sketch = self._pending.setdefault((measurement.peer_id, minute), Sketch())
            if ms is None:
                sketch.missed += 1
            else:
                sketch.add(ms)
                self._last[measurement.peer_id] = measurement

    def median(self, peer_id: str, since_us: int) -> tuple[float | None, int]:
        """Median of the frame's handshakes since then, and their number."""
        with self._lock:
            ring = self._rings.get(peer_id)
            return ring.median(since_us) if ring is not None else (None, 0)

    def forget(self, peer_id: str) -> None:
        """The frame is no longer probed: free its memory. What is in the store stays until it is old."""
        with self._lock:
            self._rings.pop(peer_id, None)
            self._last.pop(peer_id, None)

    def read(
        self, peer_ids: Sequence[str], from_us: int, to_us: int, step_s: int
    ) -> dict[str, tuple[Percentiles, list[Point]]]:
        """Percentiles of the half-open range as a whole and of each step that has probes, for each frame.

        Exact where the ring reaches; before that from sketches, whose span counts for the step that it starts in.
        """
        with self._flushing:
            with self._lock:
                rings = {peer_id: self._rings[peer_id].snapshot() for peer_id in peer_ids if peer_id in self._rings}
                pending = {key: (sketch.missed, dict(sketch.buckets)) for key, sketch in self._pending.items()}
            written = self._read_spans(from_us // 1_000_000, -(-to_us // 1_000_000))
        return {
            peer_id: self._one(peer_id, from_us, to_us, step_s * 1_000_000, rings.get(peer_id), pending, written)
            for peer_id in peer_ids
        }

    def _read_spans(self, from_s: int, to_s: int) -> Written:
        """The stored spans of all frames that start in the range (Unix seconds)."""
        query = (
            select(frame_span.c.peer_id, frame_span.c.start_s, frame_span.c.span_s, frame_span.c.sketch)
            .add_columns(frame_span.c.missed)
            .where(frame_span.c.span_s.in_((MINUTE_S, HOUR_S)))
            .where(frame_span.c.start_s >= from_s, frame_span.c.start_s < to_s)
        )
        spans: Written = {}
        with self._store.read() as connection:
            for row in connection.execute(query):
                spans.setdefault(row.peer_id, []).append((row.start_s, row.span_s, row.sketch, row.missed))
        return spans

    @staticmethod
    def _one(
        peer_id: str,
        from_us: int,
        to_us: int,
        step_us: int,
        ring: Probes | None,
        pending: Pending,
        written: Written,
    ) -> tuple[Percentiles, list[Point]]:
        """The frame's percentiles of the whole range and of each step: by its ring, and by sketches before that."""
        # The ring is used from the first whole minute that it covers; earlier minutes come from sketches. A ring that
        # has not wrapped began with the process, whose first minute may be partly on disk from the process before.
        minute_us = MINUTE_S * 1_000_000
        border_us = to_us
        values = steps = None
        if ring is not None and len(ring[0]):
            times, values = ring
            border_us = -(-int(times[0]) // minute_us) * minute_us
            low, high = np.searchsorted(times, (max(from_us, border_us), to_us))
            values = values[low:high]
            steps = (times[low:high] - from_us) // step_us
        spans = _merge_spans(peer_id, from_us, min(to_us, border_us), step_us, pending, written)
        whole = Sketch()
        for sketch in spans.values():
            whole.merge(sketch)
        points: dict[int, Percentiles] = {}
        if values is not None and steps is not None:
            starts = np.flatnonzero(np.diff(steps, prepend=-1)).tolist()
            for first, last in itertools.pairwise([*starts, len(steps)]):
                step = int(steps[first])
                if step in spans:
                    _add_all(spans[step], values[first:last])
                else:
                    points[step] = exact(values[first:last])
        for step, sketch in spans.items():
            points[step] = sketch.percentiles()
        if values is not None and not spans:
            total = exact(values)
        else:
            if values is not None:
                _add_all(whole, values)
            total = whole.percentiles()
        return total, [Point(from_us + step * step_us, points[step]) for step in sorted(points)]

    def flush(self, *, everything: bool = False) -> None:
        """Writes the minutes that are over (``everything``: the running one too) in one transaction. Raises when the
        store cannot write; the minutes then wait for the next flush."""
        with self._flushing:
            with self._lock:
                # A minute counts as over a little later: its last probes are handed over after its end.
                running = int(time.time() - _LATE_S) // MINUTE_S * MINUTE_S
                ready = {key: s for key, s in self._pending.items() if everything or key[1] < running}
                for key in [key for key in ready if key[1] < running - _PENDING_MAX * MINUTE_S]:
                    log.warning("a minute of history is given up", extra={"peer_id": key[0]})
                    del self._pending[key], ready[key]
                last = list(self._last.values())
            if ready or last:
                self._store.writer.submit(lambda tx: _write(tx, ready, last)).result()
            with self._lock:
                for key in ready:
                    self._pending.pop(key, None)
                for measurement in last:
                    if self._last.get(measurement.peer_id) is measurement:
                        del self._last[measurement.peer_id]

    def roll_up(self) -> bool:
        """Turns old minutes into hours and drops hours that are too old, a bounded part at a time; True when more is
        left."""
        now_s = int(time.time())
        border = (now_s - MINUTES_KEPT_S) // HOUR_S * HOUR_S
        return self._store.writer.submit(lambda tx: _roll_up(tx.connection, border, now_s - HOURS_KEPT_S)).result()

    def load_last(self) -> dict[str, Measurement]:
        """The last success of each frame, as it was written."""
        with self._store.read() as connection:
            return {row.peer_id: _measurement(row) for row in connection.execute(select(frame_last))}


def _merge_spans(
    peer_id: str, from_us: int, until_us: int, step_us: int, pending: Pending, written: Written
) -> dict[int, Sketch]:
    """One sketch for each step that has a stored or waiting minute (or hour) of the frame before ``until_us``."""
    spans: dict[int, Sketch] = {}

    def merge(start_s: int, sketch: Sketch) -> None:
        start_us = start_s * 1_000_000
        if from_us <= start_us < until_us:
            spans.setdefault((start_us - from_us) // step_us, Sketch()).merge(sketch)

    for start_s, _span_s, packed, missed in written.get(peer_id, ()):
        merge(start_s, Sketch.unpack(packed, missed))
    for (owner, start_s), (missed, buckets) in pending.items():
        if owner == peer_id:
            sketch = Sketch()
            sketch.missed, sketch.buckets = missed, buckets
            merge(start_s, sketch)
    return spans


def _add_all(sketch: Sketch, values: Milliseconds) -> None:
    for value in values.tolist():
        if math.isnan(value):
            sketch.missed += 1
        else:
            sketch.add(value)


def _write(tx: Transaction, ready: dict[tuple[str, int], Sketch], last: Iterable[Measurement]) -> None:
    """Write these minutes, merged with what the store has of them, and the last successes."""
    rows = []
    for (peer_id, start_s), sketch in ready.items():
        merged = Sketch()
        merged.merge(sketch)
        # The store has a row of this minute when the service was restarted within it.
        known = tx.connection.execute(
            select(frame_span.c.sketch, frame_span.c.missed).where(
                frame_span.c.peer_id == peer_id, frame_span.c.span_s == MINUTE_S, frame_span.c.start_s == start_s
            )
        ).one_or_none()
        if known is not None:
            merged.merge(Sketch.unpack(known.sketch, known.missed))
        rows.append(_row(peer_id, MINUTE_S, start_s, merged))
    _put_spans(tx.connection, rows)
    lasts = [
        {
            "peer_id": measurement.peer_id,
            "at_us": measurement.at_us,
            "resolve_ms": measurement.phases.resolve_ms,
            "connect_ms": measurement.phases.connect_ms,
            "first_byte_ms": measurement.phases.first_byte_ms,
            "handshake_ms": measurement.phases.handshake_ms,
            "cipher": measurement.cipher,
            "group_name": measurement.group,
            "protocol": measurement.protocol,
            "not_after_us": measurement.not_after_us,
        }
        for measurement in last
        if measurement.phases is not None
    ]
    if lasts:
        statement = upsert(frame_last)
        changed = {column.name: column for column in statement.excluded if column.name != "peer_id"}
        tx.connection.execute(statement.on_conflict_do_update(index_elements=["peer_id"], set_=changed), lasts)


def _row(peer_id: str, span_s: int, start_s: int, sketch: Sketch) -> dict[str, object]:
    return {
        "peer_id": peer_id,
        "span_s": span_s,
        "start_s": start_s,
        "missed": sketch.missed,
        "sketch": sketch.pack(),
    }


def _put_spans(connection: Connection, rows: list[dict[str, object]]) -> None:
    if rows:
        statement = upsert(frame_span)
        statement = statement.on_conflict_do_update(
            index_elements=["peer_id", "span_s", "start_s"],
            set_={"missed": statement.excluded.missed, "sketch": statement.excluded.sketch},
        )
        connection.execute(statement, rows)


def _roll_up(connection: Connection, border_s: int, drop_s: int) -> bool:
    """Merge the oldest minutes before ``border_s`` into hours and drop hours before ``drop_s``; True: more is left."""
    connection.execute(delete(frame_span).where(frame_span.c.span_s == HOUR_S, frame_span.c.start_s < drop_s))
    old = frame_span.c.span_s == MINUTE_S, frame_span.c.start_s < border_s
    first_s = connection.execute(select(func.min(frame_span.c.start_s)).where(*old)).scalar_one()
    if first_s is None:
        return False
    # One minute of all frames after another, so that exactly the merged rows are deleted.
    end_s = min(border_s, first_s + _ROLL_UP_MINUTES * MINUTE_S)
    rows = connection.execute(select(frame_span).where(*old, frame_span.c.start_s < end_s)).all()
    hours: dict[tuple[str, int], Sketch] = {}
    for row in rows:
        hour = hours.setdefault((row.peer_id, row.start_s // HOUR_S * HOUR_S), Sketch())
        hour.merge(Sketch.unpack(row.sketch, row.missed))
    made = []
    for (peer_id, start_s), sketch in hours.items():
        known = connection.execute(
            select(frame_span.c.sketch, frame_span.c.missed).where(
                frame_span.c.peer_id == peer_id, frame_span.c.span_s == HOUR_S, frame_span.c.start_s == start_s
            )
        ).one_or_none()
        if known is not None:
            sketch.merge(Sketch.unpack(known.sketch, known.missed))
        made.append(_row(peer_id, HOUR_S, start_s, sketch))
    _put_spans(connection, made)
    connection.execute(delete(frame_span).where(*old, frame_span.c.start_s < end_s))
    return bool(end_s < border_s)


def _measurement(row: Row[Any]) -> Measurement:
    return Measurement(
        peer_id=row.peer_id,
        at_us=row.at_us,
        failure=None,
        phases=Phases(row.resolve_ms, row.connect_ms, row.first_byte_ms, row.handshake_ms),
        cipher=row.cipher,
        group=row.group_name,
        protocol=row.protocol,
        not_after_us=row.not_after_us,
    )
