"""Whether templates of one person under two keys can be told to belong together by their score.

D_sys (Gomez-Barrero et al. 2018, prior odds 1): 0 is no link, 1 a full one. Histograms of few scores never look quite
equal, so D_sys is compared with what shuffled labels give for the very same scores: its p is the share of shuffles that
reach it. Keys are real ones (``Projection``), templates int8, renewals the program's own (``renew``).

Two keys leave one thing: a person's score with itself has the mean tr(M S), M = Q1' Q2, S the covariance of all
features. It is one number for a whole pair of registries, known to whoever has both keys or many own pairs, and smaller
the more directions the features have. The report states it beside what was measured, and D_sys without it.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.biometrics.template_codes import Int8
from hardware.terminals.projection import Projection, renew
from tests.perf.palm_population import COSINE_SWEEP, Population, cosines

Floats = NDArray[np.float64]

PERSONS: Final = 4_000
RENEWALS: Final = 5
SHUFFLES: Final = 2_000
BINS: Final = 60
FULL: Final = "one registry twice"
HEAD: Final = (
    "seed   dim  linking by score                D_sys  shuffled: median, 95 %       p   offset expected"
    "   D_sys without       p  first"
)


def projection(*names: object, epoch: int = 1) -> Projection:
    """The projection of a key that is the same at each run."""
    return Projection(hashlib.sha256(repr(names).encode()).digest(), "report", epoch)


@dataclass(frozen=True, slots=True)
class Linkability:
    """``d_sys``, and of shuffled labels its ``median``, the value ``usual`` that 5 % exceed, and ``p``."""

    d_sys: float
    median: float
    usual: float
    p: float

    @classmethod
    def of(cls, mated: Floats, strangers: Floats) -> Linkability:
        """Of two samples of scores."""
        edges = np.histogram_bin_edges(np.concatenate([mated, strangers]), BINS)
        same, other = (np.histogram(one, edges)[0] for one in (mated, strangers))
        # The bins of a random choice of as many scores out of all.
        drawn = np.random.default_rng(0).multivariate_hypergeometric(same + other, len(mated), size=SHUFFLES)
        found = float(_d_sys(same[None], other[None])[0])
        shuffled = _d_sys(drawn, same + other - drawn)
        p = (1 + int((shuffled >= found).sum())) / (1 + SHUFFLES)
        return cls(found, float(np.median(shuffled)), float(np.quantile(shuffled, 0.95)), p)


def _d_sys(same: NDArray[np.int64], other: NDArray[np.int64]) -> Floats:
    """Of histograms (n, bins)."""
    mated, strangers = same / same.sum(axis=1, keepdims=True), other / other.sum(axis=1, keepdims=True)
    both = mated + strangers
    local = np.divide(mated - strangers, both, out=np.zeros_like(both), where=both > 0)
    summed: Floats = (np.maximum(local, 0.0) * mated).sum(axis=1)
    return summed


@dataclass(frozen=True, slots=True)
class Pair:
    """Templates of the same persons twice. ``offset``: mean score of a person with itself, ``expected`` from the keys;
    ``first``: persons who score best with themselves among all (chance: 1)."""

    seed: int
    dimension: int
    name: str
    raw: Linkability
    rest: Linkability
    offset: float
    expected: float
    first: int

    def line(self) -> str:
        """For people."""
        return (
            f"{self.seed:4} {self.dimension:5}  {self.name:30} {self.raw.d_sys:6.4f} {self.raw.median:16.4f}"
            f" {self.raw.usual:7.4f} {self.raw.p:7.4f} {self.offset:8.4f} {self.expected:8.4f} {self.rest.d_sys:15.4f}"
            f" {self.rest.p:7.4f} {self.first:6}"
        )


@dataclass(frozen=True, slots=True)
class Renewed:
    """Cosines of renewed templates to fresh ones under the same key."""

    seed: int
    dimension: int
    cosines: Floats


def pairs(seed: int, dimension: int) -> Iterator[Pair | Renewed]:
    """One population: itself twice under one key, under two, and before and after its renewals."""
    population = Population(seed, dimension, COSINE_SWEEP[2])
    people = population.persons(PERSONS)
    turns = [projection(seed, dimension, epoch=epoch) for epoch in range(1, RENEWALS + 2)]
    another = projection(seed, dimension, "another")
    kept = turns[0].template(people)

    def pair(name: str, right: Int8, key: Projection) -> Pair:
        scores = cosines(kept, right).astype(np.float64)
        mated = np.diagonal(scores).copy()
        strangers = np.concatenate([np.diagonal(np.roll(scores, -by, axis=1)) for by in (1, PERSONS // 2)])
        expected = float(np.vdot(population.variances, _diagonal(turns[0], key)))
        rest = mated - expected
        first = int((scores.argmax(axis=1) == np.arange(PERSONS)).sum())
        both = Linkability.of(mated, strangers), Linkability.of(rest, strangers)
        return Pair(seed, dimension, name, *both, float(mated.mean()), expected, first)

    yield pair(FULL, turns[0].template(population.shots(people)), turns[0])
    yield pair("two registries, same features", another.template(people), another)
    renewed = kept
    for old, new in itertools.pairwise(turns):
        renewed = renew(renewed, old, new)
    yield pair(f"before and after {RENEWALS} renewals", renewed, turns[-1])
    fresh = turns[-1].template(people).astype(np.float64)
    alike = np.einsum("ij,ij->i", renewed, fresh)
    alike /= np.linalg.norm(renewed.astype(np.float64), axis=1) * np.linalg.norm(fresh, axis=1)
    for turn in (*turns, another):
        turn.wipe()
    yield Renewed(seed, dimension, alike)


def _diagonal(left: Projection, right: Projection) -> Floats:
    """Of Q1' Q2."""
    products: Floats = np.einsum("ji,ji->i", left.q15.astype(np.float64), right.q15.astype(np.float64)) / 2.0**30
    return products


def holm(values: list[float]) -> float:
    """The smallest of several p, made honest for their number (Bonferroni's step of Holm's test)."""
    return min(1.0, min(values) * len(values))
