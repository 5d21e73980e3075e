"""Token buckets: one for each API key and class, so that no traffic drains another class (burn least of all)."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

from app.api.operation import Rate


@dataclass(frozen=True)
class RateRule:
    """``burst`` requests at once, refilled at ``per_second``. Both positive."""

    per_second: float
    burst: int


DEFAULT_RULES: Mapping[Rate, RateRule] = {
    Rate.READ: RateRule(200.0, 400),
    Rate.WRITE: RateRule(100.0, 200),
    Rate.BURN: RateRule(50.0, 200),
    Rate.CARD: RateRule(20.0, 60),
    Rate.ENROL: RateRule(1 / 60, 60),
    Rate.STREAM: RateRule(10.0, 40),
    Rate.HEALTH: RateRule(50.0, 100),
    Rate.WEBHOOK: RateRule(200.0, 1000),
}

KEYS_MAX = 4096
"""Buckets kept; the longest unused is forgotten, which only ever fills it up again."""


@dataclass(slots=True)
class Draw:
    """What one draw found. ``retry_after_s`` is 0 when the call may go on, else whole seconds to wait."""

    retry_after_s: int
    headers: tuple[tuple[bytes, bytes], tuple[bytes, bytes]]
    """``RateLimit`` and ``RateLimit-Policy`` (draft-ietf-httpapi-ratelimit-headers)."""


class Rates:
    """The buckets of a running service. Event loop only; ``clock`` gives seconds that never fall."""

    def __init__(self, rules: Mapping[Rate, RateRule] = DEFAULT_RULES) -> None:
        self._rules = {rate: rules.get(rate, DEFAULT_RULES[rate]) for rate in Rate}
        self._policies = {
            rate: f'"{rate.value}";q={rule.burst};w={math.ceil(rule.burst / rule.per_second)}'.encode()
            for rate, rule in self._rules.items()
        }
        self._levels: dict[tuple[str, Rate], tuple[float, float]] = {}

    def draw(self, key_id: str, rate: Rate, now: float | None = None) -> Draw:
        """Take one token of ``key_id``'s bucket of class ``rate``."""
        if now is None:
            now = time.monotonic()
        rule = self._rules[rate]
        slot = (key_id, rate)
        level, at = self._levels.pop(slot, (float(rule.burst), now))
        level = min(float(rule.burst), level + (now - at) * rule.per_second)
        retry = 0
        if level >= 1.0:
            level -= 1.0
        else:
            retry = max(1, math.ceil((1.0 - level) / rule.per_second))
        # Popped and set again: the dictionary's order is the order of use, which is what eviction goes by.
        self._levels[slot] = (level, now)
        if len(self._levels) > KEYS_MAX:
            del self._levels[next(iter(self._levels))]
        full_in = math.ceil((rule.burst - level) / rule.per_second)
        limit = b'"%s";r=%d;t=%d' % (rate.value.encode(), int(level), full_in)
        return Draw(retry, ((b"ratelimit", limit), (b"ratelimit-policy", self._policies[rate])))
