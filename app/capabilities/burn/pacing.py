"""Pacing: which burn's targets are reached next when many nodes are burned at once and no caller waits for targets.

A burn denies at this site as soon as it is called, and its caller is answered as soon as it is stored. Its fan-out
comes after that and takes more of this process' one interpreter than both: if the fan-outs of a hundred people began
at once, the next node would be denied, and the next caller answered, behind all of them. So fan-outs have turns, in
the order of their burns: each a moment after the one before. The more burns are called meanwhile, the fewer have a
turn together.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque

from app.capabilities.burn.fanout import Fanout
from app.capabilities.burn.running import Running

TURN_S = 0.05
"""From one turn to the next, where the loop has time."""
TOGETHER = 4
"""So many have a turn together, fewer by those burned since the last turn or being stored; at least one."""
LONGEST_S = 5.0
AT_LEAST = 2
"""Once the first in line has waited longer than ``LONGEST_S``, at least so many have a turn together."""


class Pacing:
    """Everything runs on the event loop. ``stop()`` before the fan-out's: burns that wait then are taken up at the next
    start."""

    def __init__(self, fanout: Fanout) -> None:
        self._fanout = fanout
        self._waiting: deque[tuple[float, Running]] = deque()
        self.storing = 0
        """Burns that are called and not durable yet; the service that stores them counts."""
        self._came = 0
        self._next: asyncio.TimerHandle | None = None
        self._last = -math.inf

    def begin(self, running: Running) -> None:
        """Takes up a burn that is durable, at once if no other waits. Until its turn it counts as under way: an
        operator may have it tried at once, lifted or closed."""
        self._fanout.take_up(running)
        self._waiting.append((time.perf_counter(), running))
        self._came += 1
        if self._next is None:
            self._turn()

    def stop(self) -> None:
        """No burn has a turn any more."""
        self._waiting.clear()
        if self._next is not None:
            self._next.cancel()

    def _turn(self) -> None:
        """Begins the fan-outs whose turn it is, and schedules the next turn."""
        now = time.perf_counter()
        left_s = self._last + TURN_S - now
        try:
            if left_s <= 0.0:
                left_s = TURN_S
                overdue = now - self._waiting[0][0] > LONGEST_S
                together = max(AT_LEAST if overdue else 1, TOGETHER - self._came - self.storing)
                self._came = 0
                for _ in range(min(together, len(self._waiting))):
                    _, running = self._waiting.popleft()
                    if self._fanout.running.get(running.facts.burn_id) is running:
                        self._fanout.begin(running)
                self._last = time.perf_counter()
        finally:
            # Even if one of these broke: those behind them have their turn.
            self._next = asyncio.get_running_loop().call_later(left_s, self._turn) if self._waiting else None
