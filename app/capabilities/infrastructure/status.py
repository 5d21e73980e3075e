"""The rules by which probes become a status."""

from __future__ import annotations

import statistics
from collections import deque

from app.capabilities.infrastructure.handshake import Measurement
from app.capabilities.infrastructure.messages import FrameStatus
from app.registry.peers import PeerRow

MISSES_UNREACHABLE = 2
MISSES_ALARM = 5
"""The alarm of a frame opens after this many misses in a row: the status says at once what two misses mean, but an
alarm wakes a person and stays in the log for ever."""
SLOW_FACTOR = 3.0
SLOW_FLOOR_MS = 20.0
"""A frame is slow only with this much above its hour's median as well: three times half a millisecond is noise."""
CALM = 0.5
"""A slow frame is slow no longer when its excess over the median is below this part of what made it slow."""
MEDIAN_FROM = 30
"""An hour's median counts only with this many handshakes."""
BACK_AFTER = 3
"""The alarm of a frame closes after this many successes in a row, so that a flapping frame does not flood the log."""
_RECENT = 3


class FrameState:
    """What is known of one frame. Not thread-safe.

    ``good`` is the last success, possibly of an earlier run of the service. The median of the last three latencies is
    compared with the hour's median, so one late wake-up of a busy machine does not change the frame's status. A slow
    frame stays slow until it is clearly faster again: a status that flaps hides the frame that is really red.
    """

    def __init__(self, target: PeerRow, good: Measurement | None = None) -> None:
        self.target = target
        self.good = good
        self.median_ms: float | None = None
        self.probed = 0
        self.missed_in_a_row = 0
        self.good_in_a_row = 0
        self.failure: str | None = None
        self.status: FrameStatus
        self.reason: str | None
        self._recent: deque[float] = deque(maxlen=_RECENT)
        self._slow = False
        self.judge()

    def observe(self, measurement: Measurement) -> None:
        """Take in one probe."""
        self.probed += 1
        self.failure = measurement.failure
        if measurement.phases is None:
            self.missed_in_a_row += 1
            self.good_in_a_row = 0
        else:
            self.missed_in_a_row = 0
            self.good_in_a_row += 1
            self.good = measurement
            self._recent.append(measurement.phases.first_byte_ms)
        self.judge()

    def judge(self) -> None:
        """Sets ``status`` and ``reason`` from what is known."""
        self.status, self.reason = self._verdict()

    def _verdict(self) -> tuple[FrameStatus, str | None]:
        """Status and, where that is not OPERATIONAL, its reason as a sentence: the first rule that applies."""
        if self.target.maintenance:
            return "MAINTENANCE", "The frame is registered as under maintenance."
        if not self.probed:
            # Not green without a measurement of our own, and not red without a miss.
            return "DEGRADED", "No probe of this frame has ended since the service started."
        if self.missed_in_a_row >= MISSES_UNREACHABLE:
            return "UNREACHABLE", self.failure
        if self.missed_in_a_row:
            return "DEGRADED", self.failure
        if self.median_ms is not None and len(self._recent) == _RECENT:
            latency = statistics.median(self._recent)
            bound = max((SLOW_FACTOR - 1) * self.median_ms, SLOW_FLOOR_MS)
            self._slow = latency - self.median_ms > (CALM * bound if self._slow else bound)
            if self._slow:
                return "DEGRADED", f"Latency {latency:.2f} ms is far over its hour's median {self.median_ms:.2f} ms."
        return "OPERATIONAL", None
