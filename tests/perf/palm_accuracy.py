"""The accuracy report: ``python -m tests.perf.palm_accuracy [--fit]``.

Over drawn populations of several seeds, effective dimensions and likenesses (``palm_population``): how often the policy
of ``app.registry.matching`` rejects the right person and takes a stranger, with exact confidence bounds; how well its
confidence is calibrated (Cllr); whether two registries, or a registry before and after its renewal, can be linked by
score (D_sys of Gomez-Barrero et al. 2018, beside its value for scores that hold nothing). ``--fit`` also fits the
constants of the confidence anew, on seeds that the report does not use.

Nothing here is a statement about real hands: the populations are drawn, their shapes assumptions that are swept.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.registry.gallery import Gallery
from app.registry.matching import (
    LLR_CAP,
    LLR_INTERCEPT,
    LLR_SLOPE,
    VERIFY_FMR,
    Rules,
    identify,
    t_quantile,
)
from tests.perf.palm_population import COSINE_SWEEP, DIMENSION_SWEEP, Population, cosines, templates

Floats = NDArray[np.float64]

FIT_SEEDS: Final = (1, 2)
REPORT_SEEDS: Final = (11, 12, 13)
PERSONS: Final = 1_000
FITTED: Final = 100_000
"""Scores of strangers of each population that the confidence is fitted on."""
CONFIDENCE: Final = 0.95
RENEWALS: Final = 5


def shapes(seeds: tuple[int, ...]) -> Iterator[tuple[int, int, float]]:
    """Seed, dimension, cosine of every population."""
    return ((s, d, c) for s in seeds for d in DIMENSION_SWEEP for c in COSINE_SWEEP)


def z_scores(seed: int, dimension: int, cosine: float) -> tuple[Floats, Floats, Floats]:
    """z of each probe with its own node and with every other; and what z is compared with, before the quantile."""
    population = Population(seed, dimension, cosine)
    enrolled = population.persons(PERSONS)
    turn = population.rotation()
    scores = cosines(templates(population.shots(enrolled), turn), templates(enrolled, turn)).astype(np.float64)
    own = np.diagonal(scores).copy()
    others = scores[~np.eye(PERSONS, dtype=bool)].reshape(PERSONS, PERSONS - 1)
    mean, spread = others.mean(axis=1), others.std(axis=1, ddof=1)
    return (own - mean) / spread, ((others - mean[:, None]) / spread[:, None]).ravel(), own


def fit() -> tuple[float, float, float]:
    """Intercept, slope and cap of the logistic log likelihood ratio, both classes with equal weight (Newton)."""
    drawn = np.random.default_rng(0)
    mated, strangers = [], []
    for shape in shapes(FIT_SEEDS):
        own, others, _ = z_scores(*shape)
        mated.append(own)
        strangers.append(drawn.choice(others, FITTED, replace=False))
    same, other = np.concatenate(mated), np.concatenate(strangers)
    z = np.concatenate([same, other])
    target = np.concatenate([np.ones(len(same)), np.zeros(len(other))])
    weight = np.where(target == 1, 0.5 / len(same), 0.5 / len(other))
    points = np.stack([np.ones_like(z), z])
    found = np.array([-3.0, 1.0])
    for _ in range(100):
        chance = 1 / (1 + np.exp(-(found @ points)))
        slope = points @ (weight * (target - chance))
        step = np.linalg.solve((points * (weight * chance * (1 - chance))) @ points.T, slope)
        found += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < 1e-10:
            break
    return float(found[0]), float(found[1]), math.log(len(other))


def cllr(mated: Floats, strangers: Floats) -> float:
    """Cost of the log likelihood ratios that ``matching`` gives, in bits (Bruemmer and du Preez 2006): 0 is knowledge,
    1 is none."""

    def cost(z: Floats, sign: float) -> float:
        ratios = np.clip(LLR_INTERCEPT + LLR_SLOPE * z, -LLR_CAP, LLR_CAP)
        return float(np.log1p(np.exp(sign * ratios)).mean() / math.log(2))

    return (cost(mated, -1.0) + cost(strangers, 1.0)) / 2


def bounds(errors: int, trials: int) -> tuple[float, float]:
    """Clopper-Pearson, 95 % (with no error the upper bound is one-sided: the rule of 3)."""
    tail = 1 - CONFIDENCE if errors in (0, trials) else (1 - CONFIDENCE) / 2
    low = 0.0 if errors == 0 else _solve(lambda p: 1 - _binomial(errors - 1, trials, p), tail)
    high = 1.0 if errors == trials else _solve(lambda p: -_binomial(errors, trials, p), -tail)
    return low, high


def _binomial(errors: int, trials: int, rate: float) -> float:
    """Probability of at most so many errors."""
    k = np.arange(errors + 1)
    whole = math.lgamma(trials + 1)
    parts = np.array([whole - math.lgamma(one + 1) - math.lgamma(trials - one + 1) for one in k.tolist()])
    return float(np.exp(parts + k * math.log(rate) + (trials - k) * math.log1p(-rate)).sum())


def _solve(rising: Callable[[float], float], wanted: float) -> float:
    low, high = 1e-12, 1 - 1e-12
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < wanted else (low, middle)
    return (low + high) / 2


def d_sys(mated: Floats, strangers: Floats, bins: int = 60) -> float:
    """Global linkability, 0 (none) to 1, from histograms over both; prior odds 1."""
    edges = np.histogram_bin_edges(np.concatenate([mated, strangers]), bins)
    same = np.histogram(mated, edges)[0] / len(mated)
    other = np.histogram(strangers, edges)[0] / len(strangers)
    both = same + other
    local = np.divide(same - other, both, out=np.zeros_like(both), where=both > 0)
    return float((np.maximum(local, 0.0) * same).sum())


def policy_row(seed: int, dimension: int, cosine: float) -> tuple[str, Floats, Floats, NDArray[np.int64]]:
    """One population before the policy: its line, its z scores, and its counts."""
    population = Population(seed, dimension, cosine)
    enrolled, turn = population.persons(PERSONS), population.rotation()
    gallery = Gallery(capacity=PERSONS, seed=seed)
    ids = [f"N{number}" for number in range(PERSONS)]
    gallery.load(ids, templates(enrolled, turn))
    probes, foreign = population.shots(enrolled), population.persons(PERSONS)
    rejected = wrong = taken = 0
    for node_id, probe in zip(ids, templates(probes, turn), strict=True):
        decision = identify(gallery.search(probe), "ACCESS_ENTRY", Rules())
        rejected += not decision.matched
        wrong += decision.matched and decision.node_id != node_id
    for probe in templates(foreign, turn):
        taken += identify(gallery.search(probe), "ACCESS_ENTRY", Rules()).matched
    own, others, scores = z_scores(seed, dimension, cosine)
    limit = t_quantile(VERIFY_FMR, PERSONS - 2) * math.sqrt(1 + 1 / (PERSONS - 1))
    missed = int((own < limit).sum())
    false = int((others >= limit).sum())
    line = (
        f"{seed:4} {dimension:5} {cosine:6.3f} {float(np.mean(scores)):6.3f}  {rejected:5} {_range(rejected, PERSONS)}"
        f" {wrong:4} {taken:4}  {missed:5} {_range(missed, PERSONS)}  {false / len(others):8.1e}"
        f"  {cllr(own, others):6.4f}"
    )
    return line, own, others, np.array([rejected, wrong, taken, missed, false, len(others)])


def _range(errors: int, trials: int) -> str:
    low, high = bounds(errors, trials)
    return f"[{low:6.4f}, {high:6.4f}]"


def linkability(seed: int) -> list[str]:
    """Two registries with keys of their own, and one before and after its renewal."""
    population = Population(seed, DIMENSION_SWEEP[1], COSINE_SWEEP[2])
    people = population.persons(4 * PERSONS)
    turns = [population.rotation() for _ in range(RENEWALS + 1)]
    kept = templates(people, turns[0])
    apart = 2 * PERSONS
    lines = []

    def told(what: str, left: NDArray[np.int8], right: NDArray[np.int8]) -> None:
        scores = cosines(left, right).astype(np.float64)
        mated = np.diagonal(scores)
        strangers = np.concatenate([np.diagonal(scores, 1), np.diagonal(scores, apart)])
        half = len(mated)
        floor = d_sys(np.diagonal(scores, 2)[:half], np.diagonal(scores, 3))
        lines.append(
            f"{seed:4}  {what:44} {d_sys(mated, strangers):7.4f} {floor:7.4f} {mated.mean():7.4f} {mated.std():7.4f}"
        )

    told("one registry twice (unprotected)", kept, templates(population.shots(people), turns[0]))
    told("two registries, the same features", kept, templates(people, turns[1]))
    renewed = kept
    for old, new in itertools.pairwise(turns):
        back = renewed.astype(np.float32) @ old
        renewed = templates(back / np.linalg.norm(back, axis=1, keepdims=True), new)
    told(f"before and after {RENEWALS} renewals", kept, renewed)
    fresh = np.diagonal(cosines(renewed, templates(people, turns[-1])))
    words = f"{RENEWALS} renewals against fresh templates: cosine {fresh.mean():.4f}, at least {fresh.min():.4f}"
    lines.append(f"{seed:4}  {words}")
    return lines


def main(arguments: list[str]) -> int:
    """Prints the report."""
    print("Drawn populations: no proof of any rate of real palms.\n")
    if "--fit" in arguments:
        intercept, slope, cap = fit()
        print(f"Fitted on seeds {FIT_SEEDS}: LLR = {intercept:.3f} + {slope:.3f} z, at most {cap:.2f}")
    print(f"In use: LLR = {LLR_INTERCEPT} + {LLR_SLOPE} z, at most {LLR_CAP}\n")
    print(f"ACCESS_ENTRY (FPIR 1e-3) among {PERSONS} nodes, {PERSONS} mated and {PERSONS} foreign probes of one view,")
    print(f"and 1:1 at FMR {VERIFY_FMR:g}. Bounds: Clopper-Pearson, 95 %.")
    print("seed   dim cosine   mean  rejected                 wrong foreign  1:1 FNMR               1:1 FMR    Cllr")
    sums = np.zeros(6, np.int64)
    for shape in shapes(REPORT_SEEDS):
        line, _, _, counted = policy_row(*shape)
        sums += counted
        print(line, flush=True)
    trials = len(list(shapes(REPORT_SEEDS))) * PERSONS
    print(
        f"\nAll: wrong node {sums[1]} of {trials} {_range(int(sums[1]), trials)}; foreign taken {sums[2]} of {trials}"
        f" {_range(int(sums[2]), trials)} (asked for: 1e-3); 1:1 FMR {sums[4] / sums[5]:.1e} of {sums[5]} comparisons"
        f" (asked for: {VERIFY_FMR:g})\n"
    )
    print("seed  linking by score                               D_sys  floor   mated mean, sd")
    for seed in REPORT_SEEDS:
        print("\n".join(linkability(seed)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
