"""Challenges of a sign-in that is proven elsewhere (on a card, at a provider): each is answered once, soon, and by the
key that asked for it. In memory alone."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from app.api.problems import Problem

OPEN_MAX: Final = 1_000
"""Challenges that wait; the oldest one goes first."""

T = TypeVar("T")


@dataclass(frozen=True)
class _Waiting(Generic[T]):
    value: T
    source: str
    until: float


class Challenges(Generic[T]):
    """What was asked, by the challenge's id. Event loop only; ``clock`` gives seconds that never fall."""

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        """``seconds``: how long a challenge may be answered."""
        self.seconds = seconds
        self._clock = clock
        self._waiting: dict[str, _Waiting[T]] = {}

    def add(self, value: T, source: str) -> str:
        """A new challenge's id. ``source``: the API key that asked."""
        challenge_id = secrets.token_urlsafe(24)
        self._waiting[challenge_id] = _Waiting(value, source, self._clock() + self.seconds)
        if len(self._waiting) > OPEN_MAX:
            del self._waiting[next(iter(self._waiting))]
        return challenge_id

    def take(self, challenge_id: str, source: str) -> T:
        """What was asked; gone from here on, also where the answer turns out to be wrong. 409 ``replayed``: there is
        none of the id for this key, or its time is over."""
        found = self._waiting.get(challenge_id)
        if found is None or found.source != source:
            raise _over()
        del self._waiting[challenge_id]
        if self._clock() >= found.until:
            raise _over()
        return found.value


def _over() -> Problem:
    return Problem("replayed", "This challenge was answered already, is too old, or came by another key: ask anew.")
