"""How much of a feed is looked at: what costs less than the feed's share of a processor."""

from __future__ import annotations

import asyncio
import math
from collections import deque
from typing import Final

from app.capabilities.media.feeds.sources import FeedPiece

FRAMES_MAX: Final = 8
SEGMENTS_MAX_WAITING: Final = 2
EVERY_MAX: Final = 10_000
_WEIGHT: Final = 0.25
"""Of the newest measurement in the mean."""
_BRIEFEST_S: Final = 1e-3


class PiecePace:
    """One of ``every`` pieces is looked at: so many that their measured cost stays within ``share`` of one processor
    (0..1)."""

    def __init__(self, share: float) -> None:
        self._share = share
        self._cost_s: float | None = None
        self._gap_s: float | None = None
        self._came_at: float | None = None
        self._passed = 0
        self.every = 1

    def take(self, now: float, duration_s: float = 0.0) -> bool:
        """Whether this piece, which came at ``now`` (monotonic seconds), is looked at. A segment of ``duration_s`` came
        after that time, however fast it was fetched."""
        if duration_s > 0:
            self._gap_s = _mean(self._gap_s, duration_s)
        elif self._came_at is not None:
            self._gap_s = _mean(self._gap_s, max(_BRIEFEST_S, now - self._came_at))
        self._came_at = now
        self._adapt()
        self._passed += 1
        if self._passed < self.every:
            return False
        self._passed = 0
        return True

    def spend(self, cpu_s: float) -> None:
        """A piece that was looked at took so many seconds of a processor."""
        self._cost_s = _mean(self._cost_s, max(0.0, cpu_s))
        self._adapt()

    def _adapt(self) -> None:
        if self._cost_s is not None and self._gap_s is not None:
            self.every = min(EVERY_MAX, max(1, math.ceil(self._cost_s / (self._share * self._gap_s))))


class PieceQueue:
    """Pieces that wait to be looked at: 8 pictures or 2 segments; a new one takes the place of the oldest. Used on the
    event loop only."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[int, FeedPiece]] = deque()
        self._changed = asyncio.Event()
        self._closed = False

    def put(self, number: int, piece: FeedPiece) -> int:
        """Adds the newest, with its number in the feed; gives how many were dropped for it."""
        self._waiting.append((number, piece))
        self._changed.set()
        most = FRAMES_MAX if piece.kind == "frame" else SEGMENTS_MAX_WAITING
        dropped = max(0, len(self._waiting) - most)
        for _ in range(dropped):
            self._waiting.popleft()
        return dropped

    def close(self) -> None:
        """Nothing more will come."""
        self._closed = True
        self._changed.set()

    async def get(self) -> tuple[int, FeedPiece] | None:
        """The oldest with its number, once there is one; None when nothing more will come."""
        while not self._waiting:
            if self._closed:
                return None
            self._changed.clear()
            await self._changed.wait()
        return self._waiting.popleft()


def _mean(known: float | None, new: float) -> float:
    return new if known is None else known + _WEIGHT * (new - known)
