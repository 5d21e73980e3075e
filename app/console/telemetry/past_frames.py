"""How frames answered in the past, as the service kept it: percentiles of steps, no finer than it keeps them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from app.capabilities.infrastructure.messages import MINUTES_KEPT_S, Frame, FrameList, NodesQuery, Percentiles
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.telemetry.rings import MINUTE_S

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.console.session import WindowSession

HOUR_S = 3600
FloatArray = npt.NDArray[np.float64]


class PastFrames:
    """An answer of GET ``/v1/infrastructure/nodes``; what is past does not change any more."""

    def __init__(self, found: FrameList) -> None:
        self.frames: dict[str, Frame] = {frame.peer_id: frame for frame in found.items}
        """By ``peer_id``; ``span`` and ``history`` are of the past, all else is of now."""
        self.range = (parse_time(found.from_), parse_time(found.to))
        """Unix times between which it is."""
        self.step_s = found.step
        """Seconds of a point."""
        start, end = self.range
        self._steps = max(1, math.ceil((end - start) / found.step))
        self._points: dict[str, dict[int, Percentiles]] = {
            peer_id: {int((parse_time(point.at) - start) // found.step): point.handshake for point in frame.history}
            for peer_id, frame in self.frames.items()
        }

    @property
    def step_words(self) -> str:
        """How long a step is: ``1 minute``, ``1 hour``, ``5 minutes``."""
        if self.step_s == HOUR_S:
            return tr("1 hour")
        return tr("1 minute") if self.step_s == MINUTE_S else tr("{count:g} minutes", count=self.step_s / MINUTE_S)

    @property
    def starts(self) -> FloatArray:
        """Unix times at which the steps begin."""
        return self.range[0] + np.arange(self._steps, dtype=np.float64) * self.step_s

    def step_of(self, at: float) -> float:
        """Unix time at which the step of that moment begins."""
        return self.range[0] + (at - self.range[0]) // self.step_s * self.step_s

    def point(self, peer_id: str, at: float) -> Percentiles | None:
        """The handshakes of a frame in the step of that moment; None: no probe is known of it."""
        return self._points.get(peer_id, {}).get(int((at - self.range[0]) // self.step_s))

    def values(self, peer_ids: Sequence[str], share: str) -> npt.NDArray[np.float32]:
        """``p50``, ``p99`` or ``max`` of each frame and step, ms: shape (frames, steps), NaN without a handshake."""
        made = np.full((len(peer_ids), self._steps), np.nan, dtype=np.float32)
        for row, peer_id in enumerate(peer_ids):
            for step, found in self._points.get(peer_id, {}).items():
                value = getattr(found, share)
                if value is not None and 0 <= step < self._steps:
                    made[row, step] = value
        return made


def kept_step(start: float, now: float) -> int:
    """Seconds of the coarsest spans that the service may keep from ``start`` on, Unix times by its clock: it turns
    minutes into hours a whole hour at a time, and may do so while it is asked."""
    border = (now + MINUTE_S - MINUTES_KEPT_S) // HOUR_S * HOUR_S
    return HOUR_S if start < border else MINUTE_S


async def read_older(session: WindowSession, start: float, end: float, step: int = MINUTE_S) -> PastFrames:
    """All frames between two Unix times, or a little more: in whole steps of ``step`` seconds, or of those that the
    service keeps. A span that it keeps as one is never shown as a shorter one. Raises what the client raises."""
    kept = kept_step(start, session.live.now())
    low, high = start // kept * kept, math.ceil(end / kept) * kept
    step = math.ceil(max(step, kept) / kept) * kept
    while True:
        query = NodesQuery(from_=api_time(low), to=api_time(high), step=step)
        found = await session.client.infrastructure_nodes(query=query)
        if found.step % kept == 0:
            return PastFrames(found)
        # So many frames that the service took a longer step: one of whole spans again.
        step = math.ceil(found.step / kept) * kept
