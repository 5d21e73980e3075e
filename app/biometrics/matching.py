"""Whether a search found somebody: pure functions of its scores.

A node matches when its score stands out of the others of the very same search, never by one threshold for all: z is
compared with the Student t quantile of the rate of false positives that the intent allows. Score, floor and margin to
the second best are further conditions, each of which must hold. The fewer the others are, the higher is the limit, and
with fewer than ``LEAST_OTHERS`` nobody is found. The transaction that decides asks the deny set and the standing again
(``MAY_MATCH``): a search knows neither.
"""

from __future__ import annotations

import functools
import hmac
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from statistics import NormalDist
from types import MappingProxyType
from typing import Final, Literal

import numpy as np

from app.biometrics.gallery import Found
from app.biometrics.template_codes import Int8
from app.registry.messages.nodes import Standing
from hardware.terminals.bundle import FEW_OTHERS, EntryRules

SecondFactor = Literal["NONE", "REQUIRED"]
Cause = Literal[
    "matched", "nobody", "below_floor", "among_the_others", "too_few", "two_alike", "copy", "replayed", "liveness",
    "standing",
]  # fmt: skip
"""The reason of a decision. For the audit log alone: the caller of the API sees the same reply for every failure."""

Basis = Literal["COHORT", "FEW", "TOO_FEW"]
"""What a decision rests on: the scores of ``FEW_OTHERS`` others and more; of ``LEAST_OTHERS`` and more, whose limit is
so high that mates are missed; of fewer, which justify no limit."""

VERIFY_FMR: Final = 1e-4
"""False match rate of one claimed node (1:1)."""
EXTRAPOLATED: Final = 1e-4
"""Below this rate nothing was measured: what is said about such rates must be called extrapolated."""
FLOORS: Final[Mapping[int, float]] = MappingProxyType({1: 0.40})
"""By ``alg``: no score below it matches. The highest score of strangers' real palms under alg 1 was 0.38."""
MARGIN: Final = 0.08
"""Between the best node and the second best."""
FEW_SCORE: Final = 0.50
"""With fewer others than ``FEW_OTHERS`` no lower score matches."""
LEAST_OTHERS: Final = 8
"""With fewer others nobody matches: the limit of so few is beyond most mates, and a score alone is no reason
(``python -m tests.perf palm_few`` prints the strangers that each rule lets in, and the mates that it misses)."""
NEVER: Final = 2.0
"""A score that no template reaches."""
COPY: Final = 0.995
"""A probe this near to a stored template is a copy of it and no hand: shots of one hand were at most 0.983."""
NOT_REPORTED: Final = 255
"""Liveness of a sensor that has none."""
MAY_MATCH: Final[frozenset[Standing]] = frozenset(
    {"VERIFIED_DIGITAL_HUMAN", "UNVERIFIED", "PENDING_CONSENSUS", "EXPIRED"}
)
"""Standings of nodes that may match; SUSPENDED, REVOKED, WITHDRAWN and SYNTHETIC_SUSPECTED never do."""

LLR_INTERCEPT: Final = -15.9
LLR_SLOPE: Final = 5.5
LLR_CAP: Final = 14.4
"""Natural logarithm of the likelihood ratio of z, mated against not: fitted, and capped at the logarithm of how many
scores of strangers it was fitted on (``python -m tests.perf.palm_accuracy`` fits it again and prints its Cllr)."""
FEW_SPREAD: Final = 0.112
"""Deviation of strangers' scores at the smallest effective dimension that was tried (80): stands in for the cohort's
where that is too small."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """What an intent asks for: false positive identification rate of one search, and whether a card or PIN must come
    beside the palm."""

    fpir: float
    second_factor: SecondFactor


_ENTRY: Final = Requirement(1e-3, "NONE")
_STRICT: Final = Requirement(1e-4, "REQUIRED")
INTENTS: Final[Mapping[str, Requirement]] = MappingProxyType(
    {
        "ACCESS_ENTRY": _ENTRY,
        "ACCESS_EXIT": _ENTRY,
        "ENROL_CHECK": _ENTRY,
        "LOGIN": Requirement(1e-4, "NONE"),
        "PAYMENT_APPROVE": _STRICT,
        "CARD_PICKUP": _STRICT,
        "PROVISION_CONFIRM": _STRICT,
        "BURN_CONFIRM": _STRICT,
    }
)


def requirement(intent: str) -> Requirement:
    """The requirement of an intent; of an unknown text the strictest."""
    return INTENTS.get(intent, _STRICT)


@dataclass(frozen=True, slots=True)
class Rules:
    """What a registry and a terminal require of a match. ``liveness_min`` 0..100; ``refuse_copies``: production.
    ``few_by_score``: with fewer others than ``FEW_OTHERS`` a score of ``FEW_SCORE`` is enough, for training and for the
    question whether somebody is enrolled already, where a wrong yes costs less than a wrong no."""

    floor: float = FLOORS[1]
    liveness_min: int = 0
    refuse_copies: bool = True
    few_by_score: bool = False


@dataclass(frozen=True, slots=True)
class MatchDecision:
    """One decision. ``node_id`` None and ``confidence`` exactly 0.0: no match. ``live``: the probe may count as a live
    check. ``copy``: the probe looks like a copy, refused or not. ``rate``: the false match rate of one comparison that
    was required; ``z`` and ``limit`` are None where the others were too few for them. ``basis`` tells how many people
    were searched, and nothing of the probe."""

    node_id: str | None
    cause: Cause
    confidence: float
    live: bool
    copy: bool
    score: float
    second: float
    rate: float
    z: float | None
    limit: float | None
    basis: Basis

    @property
    def matched(self) -> bool:
        """Whether somebody was found."""
        return self.node_id is not None

    @property
    def extrapolated(self) -> bool:
        """Whether the rate lies below every rate that was measured."""
        return self.rate < EXTRAPOLATED

    def refusal(self, cause: Cause) -> MatchDecision:
        """The same search without a match: the last word is the transaction's."""
        return replace(self, node_id=None, cause=cause, confidence=0.0, live=False)


def identify(
    found: Found,
    intent: str,
    rules: Rules,
    *,
    liveness: int = NOT_REPORTED,
    replayed: bool = False,
) -> MatchDecision:
    """Decides a search (1:N). ``liveness``: as the sensor reported it; ``replayed``: an equal probe came before."""
    nodes = max(found.searched, 1)
    rate = requirement(intent).fpir / nodes
    return _decide(found, rate, -math.log(nodes), rules, liveness, replayed)


def verify(
    found: Found,
    rules: Rules,
    *,
    liveness: int = NOT_REPORTED,
    replayed: bool = False,
) -> MatchDecision:
    """Decides ``Gallery.verify`` (1:1). As ``identify``."""
    return _decide(found, VERIFY_FMR, 0.0, rules, liveness, replayed)


def _decide(
    found: Found, rate: float, prior_log_odds: float, rules: Rules, liveness: int, replayed: bool
) -> MatchDecision:
    """The best node of the search, or the first condition that it does not meet."""
    others = len(found.cohort)
    basis = basis_of(others)
    if not found.best:
        return MatchDecision(None, "nobody", 0.0, False, False, 0.0, 0.0, rate, None, None, basis)
    node_id, score = found.best[0]
    second = max((other for _, other in found.best[1:]), default=-1.0)
    judged = basis == "COHORT" or (basis == "FEW" and not rules.few_by_score)
    spread = float(np.std(found.cohort, ddof=1, dtype=np.float64)) if judged else 0.0
    z = limit = None
    if spread > 0.0:
        z = (score - float(np.mean(found.cohort, dtype=np.float64))) / spread
        limit = _limit(rate, others)
        stands_out = z >= limit and (basis == "COHORT" or score >= FEW_SCORE)
    else:
        stands_out = rules.few_by_score and score >= FEW_SCORE
    copied = score >= COPY
    cause: Cause = "matched"
    if copied and rules.refuse_copies:
        cause = "copy"
    elif replayed and rules.refuse_copies:
        cause = "replayed"
    elif score < rules.floor:
        cause = "below_floor"
    elif not stands_out:
        cause = "too_few" if basis == "TOO_FEW" and not rules.few_by_score else "among_the_others"
    elif score - second < MARGIN:
        cause = "two_alike"
    elif not _lively(liveness, rules.liveness_min):
        cause = "liveness"
    copy = copied or replayed
    decision = MatchDecision(
        node_id=node_id,
        cause="matched",
        confidence=round(_posterior(score / FEW_SPREAD if z is None else z, prior_log_odds), 4),
        # Without a minimum any report passes, 0 too: it proves no life.
        live=0 < rules.liveness_min <= liveness != NOT_REPORTED and not copy,
        copy=copy,
        score=score,
        second=second,
        rate=rate,
        z=z,
        limit=limit,
        basis=basis,
    )
    return decision if cause == "matched" else decision.refusal(cause)


def basis_of(others: int) -> Basis:
    """What a decision among so many others rests on."""
    if others >= FEW_OTHERS:
        return "COHORT"
    return "FEW" if others >= LEAST_OTHERS else "TOO_FEW"


def _limit(rate: float, others: int) -> float:
    return t_quantile(rate, others - 1) * math.sqrt(1 + 1 / others)


def entry_rules(nodes: int, rules: Rules) -> EntryRules:
    """What a terminal that decides alone requires of a match at a door, in a partition of so many nodes: as
    ``identify`` with ``ACCESS_ENTRY``, but nobody with fewer others than ``FEW_OTHERS``: those of a bundle may be fewer
    by then, and its limit was worked out for all of them."""
    others = nodes - 1
    return EntryRules(
        floor=rules.floor,
        margin=MARGIN,
        limit=_limit(_ENTRY.fpir / nodes, others) if others >= FEW_OTHERS else None,
        alone=FEW_SCORE if rules.few_by_score else NEVER,
        copy=COPY if rules.refuse_copies else None,
        liveness_min=rules.liveness_min,
    )


def _lively(liveness: int, minimum: int) -> bool:
    return minimum == 0 if liveness == NOT_REPORTED else liveness >= minimum


def log_likelihood_ratio(z: float) -> float:
    """Natural logarithm of how much likelier this z is for the node itself than for a stranger."""
    return max(-LLR_CAP, min(LLR_CAP, LLR_INTERCEPT + LLR_SLOPE * z))


def _posterior(z: float, prior_log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-(log_likelihood_ratio(z) + prior_log_odds)))


def probe_digest(key: bytes, probes: Int8) -> bytes:
    """The digest by which an equal probe is recognized: HMAC-SHA256 under a key of the site over its first view, so
    that other views around the same one are the same probe."""
    # Through the array's own memory: what tobytes gives is a copy that nobody wipes.
    return hmac.digest(key, np.ascontiguousarray(np.atleast_2d(probes)[0]).data, "sha256")


# --- Student's t -----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=4096)
def t_quantile(tail: float, degrees: int) -> float:
    """The value that Student's t with ``degrees`` of freedom exceeds with probability ``tail`` (0 < tail < 0.5).

    Newton's method on the logarithm of the tail, between bounds: to 10 digits also for tails of 1e-12, which
    the distribution's own value near 1 could not tell apart.
    """
    if not 0.0 < tail < 0.5 or degrees < 1:
        raise ValueError("a tail between 0 and 0.5, at least one degree of freedom")
    wanted = math.log(tail)
    low = -NormalDist().inv_cdf(tail)  # the tails of t are heavier than the normal's
    high = 2.0 * low + 1.0
    while _log_tail(high, degrees) > wanted:
        low, high = high, 2.0 * high
    t = low
    for _ in range(200):
        found = _log_tail(t, degrees)
        low, high = (t, high) if found > wanted else (low, t)
        # Of ln P(T > t) the derivative is -density / P(T > t).
        step = (found - wanted) * math.exp(found - _log_density(t, degrees))
        following = t + step
        if not low < following < high:
            following = (low + high) / 2.0
        if abs(following - t) <= 1e-13 * t:
            return following
        t = following
    return t


def _log_density(t: float, degrees: int) -> float:
    return -_log_beta(degrees / 2.0) - math.log(degrees) / 2.0 - (degrees + 1) / 2.0 * math.log1p(t * t / degrees)


def _log_beta(a: float) -> float:
    """Of the beta function of ``a`` and one half."""
    return math.lgamma(a) + math.lgamma(0.5) - math.lgamma(a + 0.5)


def _log_tail(t: float, degrees: int) -> float:
    """ln P(T > t), t > 0: half the regularized incomplete beta function at v / (v + t^2) (DLMF 8.17)."""
    a, x, y = degrees / 2.0, degrees / (degrees + t * t), t * t / (degrees + t * t)
    front = -a * math.log1p(t * t / degrees) + 0.5 * math.log(y) - _log_beta(a)
    if x < (a + 1.0) / (a + 2.5):
        return math.log(0.5) + front + math.log(_continued_fraction(a, 0.5, x) / a)
    return math.log(0.5) + math.log1p(-math.exp(front) * _continued_fraction(0.5, a, y) / 0.5)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Of the incomplete beta function (DLMF 8.17.22), by Lentz's method; some sqrt(max(a, b)) steps."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    value = d
    for m in range(1, 100_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = 1.0 + numerator / c
            c = c if abs(c) > tiny else tiny
            value *= c * d
        if abs(c * d - 1.0) < 1e-16:
            break
    return value
