"""Where the time of handshakes went, as this window has read it: the service keeps the phases of each frame's last
handshake alone.

Each list of the frames that a page reads brings one handshake of each; while no page reads them there is none.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from app.capabilities.infrastructure.messages import Frame
from app.console.moments import parse_time
from app.console.telemetry.rings import Rings

STEP_S, KEPT = 5.0, 840
"""Seconds of a step, the longest handshake of which is kept, and how many: an hour, and ten minutes before it."""


class PhaseLog:
    """One for each window."""

    def __init__(self) -> None:
        self._rings = tuple(Rings(KEPT, STEP_S) for _ in range(4))

    def take(self, frames: Sequence[Frame]) -> None:
        """Take the phases of the last handshake of each."""
        for frame in frames:
            phases, measured = frame.phases, frame.record.measured_at
            if phases is None or measured is None:
                continue
            at = parse_time(measured)
            lengths = (phases.resolve_ms, phases.connect_ms, phases.first_byte_ms, phases.handshake_ms)
            for ring, length in zip(self._rings, lengths, strict=True):
                ring.put(frame.peer_id, at, length)

    def between(self, peer_id: str, start: float, end: float) -> npt.NDArray[np.float32]:
        """Name resolution, connect, TLS to the first byte and TLS to the end, ms, of the handshakes that were read
        between two Unix times: shape (4, handshakes)."""
        count = max(0, min(KEPT, int(end // STEP_S) - int(start // STEP_S)))
        if not count or any(peer_id not in ring.names for ring in self._rings):
            return np.empty((4, 0), np.float32)
        last = (int(end // STEP_S) - 1) * STEP_S
        found = np.stack([ring.until(last, count)[ring.row(peer_id)] for ring in self._rings])
        made: npt.NDArray[np.float32] = found[:, np.isfinite(found).all(axis=0)]
        return made
