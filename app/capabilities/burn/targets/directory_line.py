"""The way to one directory: how many attempts go at once, when none may, and what was last seen of it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from app.delivery.outbound import CONNECTIONS

FRESH_S = 5.0
"""A directory that was looked at in so many seconds is not looked at again."""


@dataclass(eq=False)
class DirectoryLine:
    """The way to one directory; times are ``perf_counter``. ``dead_since`` None = it answered last; ``probing``: the
    single attempt at a dead one is under way; ``not_before``: until then it asked to be left alone; ``waiting``: what
    goes on when it may be asked again. ``reached`` with ``found``: what was last seen of it, at ``seen_at``."""

    slots: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(CONNECTIONS))
    dead_since: float | None = None
    probing: bool = False
    not_before: float = 0.0
    waiting: dict[tuple[str, str], Callable[[], None]] = field(default_factory=dict)
    pause: asyncio.TimerHandle | None = None
    looking: asyncio.Task[None] | None = None
    reached: bool = False
    found: str | None = None
    seen_at: float = -math.inf

    def why_closed(self) -> str | None:
        """Why no attempt may be made now, or None."""
        now = time.perf_counter()
        if now < self.not_before:
            return f"the directory asked to be left alone for another {self.not_before - now:.0f} s"
        if self.dead_since is not None and self.probing:
            return f"the directory has not answered for {now - self.dead_since:.0f} s"
        return None

    def note(self, reached: bool, found: str | None) -> None:
        """The directory was asked just now: whether it was reached, and what a preview says of that."""
        self.reached, self.found, self.seen_at = reached, found, time.perf_counter()

    @property
    def fresh(self) -> bool:
        """Whether it was asked a moment ago."""
        return time.perf_counter() - self.seen_at <= FRESH_S

    def reachability(self) -> tuple[bool | None, str | None]:
        """Whether it can be reached now (None: not known) and what a preview says of that."""
        if self.fresh:
            return self.reached, self.found
        if self.dead_since is not None:
            return False, f"it has not answered for {time.perf_counter() - self.dead_since:.0f} s"
        return None, None

    def leave_alone(self, seconds: float) -> None:
        """It asked for a pause: no attempt is made for ``seconds``; then everything goes on that waits. On the event
        loop."""
        self.not_before = max(self.not_before, time.perf_counter() + seconds)
        self.cancel_pause()
        left = self.not_before - time.perf_counter()
        self.pause = asyncio.get_running_loop().call_later(left, self.release)

    def note_answer(self, found: str | None) -> None:
        """It answered: it is not dead, and unless it asked for a pause everything goes on that waits."""
        self.note(True, found)
        self.dead_since = None
        if self.why_closed() is None:
            self.release()

    def cancel_pause(self) -> None:
        """Nothing goes on by itself when the pause is over."""
        if self.pause is not None:
            self.pause.cancel()

    def release(self) -> None:
        """Lets everything go on that waited."""
        waiting, self.waiting = self.waiting, {}
        for go_on in waiting.values():
            go_on()
