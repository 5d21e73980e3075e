"""Delays that grow with each wrong passphrase, and that nobody can use against the desk.

The delay is kept for each pair of operator and **source**, the API key by which the guess came. A guesser delays
guesses by their own key alone: the desk, whose console has another key, signs in as ever. What comes during a delay is
answered at once and neither compared nor counted, so guessing faster gains nothing, costs the service nothing and makes
no delay longer.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from app.api.problems import Problem

FREE: Final = 3
"""Wrong passphrases without a delay: people mistype."""
LONGEST_S: Final = 300.0
FORGOTTEN_S: Final = 3_600.0
"""After so long without a guess a pair begins anew."""
PAIRS_MAX: Final = 10_000
"""Pairs that are remembered; the one that guessed least lately goes first."""


@dataclass(slots=True)
class _Guesses:
    count: int
    last: float
    next: float


class SignInDelays:
    """The delays of a running service. Event loop only; ``clock`` gives seconds that never fall."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pairs: dict[tuple[str, str], _Guesses] = {}

    def begin(self, operator_id: str, source: str) -> int:
        """Counts a guess before it is compared, so that many at the same moment count as many; the how manieth it is.
        429 with ``Retry-After`` while the pair waits."""
        now = self._clock()
        pair = (operator_id, source)
        known = self._pairs.pop(pair, None)
        if known is None or now - known.last > max(FORGOTTEN_S, known.next - known.last):
            known = _Guesses(0, now, now)
        # Popped and set again: the dictionary's order is the order of use.
        self._pairs[pair] = known
        if now < known.next:
            raise Problem(
                "rate_limited",
                "Too many wrong passphrases came by this key: wait, then type it again.",
                headers={"Retry-After": str(max(1, math.ceil(known.next - now)))},
            )
        known.count += 1
        known.last = now
        known.next = now + _delay(known.count)
        if len(self._pairs) > PAIRS_MAX:
            del self._pairs[next(iter(self._pairs))]
        return known.count

    def forgive(self, operator_id: str, source: str) -> None:
        """The passphrase was right."""
        self._pairs.pop((operator_id, source), None)


def _delay(count: int) -> float:
    """Seconds after the guess with this number."""
    return 0.0 if count < FREE else min(LONGEST_S, float(2 ** min(count - FREE, 16)))
