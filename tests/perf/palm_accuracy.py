"""The accuracy report: ``python -m tests.perf palm_accuracy`` (``python -m tests.perf.palm_accuracy --fit`` fits anew).

Over drawn populations of several seeds, effective dimensions and likenesses (``palm_population``): how often the policy
of ``app.biometrics.matching`` rejects the right person and takes a stranger, with bounds; whether int8 templates tell
persons apart as well as the features they are made of; how well the confidence is calibrated (Cllr); the same for
pictures of drawn hands, from the extractor on; whether two registries, or a registry before and after its renewal, can
be linked by score (``palm_linkability``). ``--fit`` fits the constants of the confidence on seeds that the report does
not use.

Nothing here is a statement about real hands: the populations are drawn, their shapes assumptions that are swept.
"""

from __future__ import annotations

import dataclasses
import json
import math
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, TextIO

import numpy as np
from numpy.typing import NDArray

from app.biometrics.gallery import Gallery
from app.biometrics.matching import (
    LLR_CAP,
    LLR_INTERCEPT,
    LLR_SLOPE,
    VERIFY_FMR,
    Rules,
    identify,
    t_quantile,
)
from app.biometrics.template_codes import Int8
from hardware.terminals.crease import features
from hardware.terminals.enrolment import enrol
from hardware.terminals.synthetic_palms import SyntheticPalm
from tests.perf.error_rates import bounded, bounds, cllr, equal_error_rate, mean_bounds
from tests.perf.palm_linkability import FULL, HEAD, PERSONS, RENEWALS, Pair, Renewed, holm, pairs, projection
from tests.perf.palm_population import COSINE_SWEEP, DIMENSION_SWEEP, Population, cosines
from tests.perf.report import Row

Floats = NDArray[np.float64]
Shape = tuple[int, float]

FIT_SEEDS: Final = (1, 2)
REPORT_SEEDS: Final = (11, 12, 13)
ENROLLED: Final = 1_000
FITTED: Final = 100_000
"""Scores of strangers of each population that the confidence is fitted on."""
HANDS: Final = 150
"""Drawn hands, enrolled from five pictures or one; as many others are not."""
SHOTS: Final = 5
PROBES: Final = 2


@dataclass(frozen=True, slots=True)
class Scores:
    """Of ``ENROLLED`` persons' probes: with the own template, and with every other, (n,) and (n, n - 1)."""

    own: Floats
    others: Floats

    @classmethod
    def of(cls, matrix: NDArray[np.float32]) -> Scores:
        wide = matrix.astype(np.float64)
        return cls(np.diagonal(wide).copy(), wide[~np.eye(len(wide), dtype=bool)].reshape(len(wide), -1))

    def z(self) -> tuple[Floats, Floats]:
        """Both as deviations from the others of the same probe."""
        mean, spread = self.others.mean(axis=1), self.others.std(axis=1, ddof=1)
        return (self.own - mean) / spread, (self.others - mean[:, None]) / spread[:, None]


@dataclass(frozen=True, slots=True)
class Trial:
    """One population before the policy."""

    rejected: int
    wrong: int
    taken: int
    missed: int
    false: Floats
    eer: float
    eer_float: float
    first: int
    first_float: int
    mean: float
    cllr: float

    @classmethod
    def of(cls, seed: int, dimension: int, cosine: float) -> Trial:
        population = Population(seed, dimension, cosine)
        people = population.persons(ENROLLED)
        probes, foreign = population.shots(people), population.persons(ENROLLED)
        key = projection(seed, dimension, cosine)
        rows, views, strange = key.template(people), key.template(probes), key.template(foreign)
        key.wipe()
        rejected, wrong, taken = decided(rows, list(views), list(strange), list(range(ENROLLED)), seed)
        plain, coded = probes @ people.T, cosines(views, rows)
        exact, whole = Scores.of(plain), Scores.of(coded)
        own, others = whole.z()
        limit = t_quantile(VERIFY_FMR, ENROLLED - 2) * math.sqrt(1 + 1 / (ENROLLED - 1))
        return cls(
            rejected,
            wrong,
            taken,
            int((own < limit).sum()),
            (others >= limit).mean(axis=1),
            equal_error_rate(whole.own, whole.others.ravel()),
            equal_error_rate(exact.own, exact.others.ravel()),
            int((coded.argmax(axis=1) == np.arange(ENROLLED)).sum()),
            int((plain.argmax(axis=1) == np.arange(ENROLLED)).sum()),
            float(whole.own.mean()),
            cllr(_ratios(own), _ratios(others.ravel())),
        )


def decided(rows: Int8, mated: list[Int8], foreign: list[Int8], mates: list[int], seed: int) -> tuple[int, int, int]:
    """By the policy, ACCESS_ENTRY: mated probes rejected, mated probes taken for another, foreign probes taken."""
    gallery = Gallery(capacity=len(rows), seed=seed)
    gallery.load([f"N{number}" for number in range(len(rows))], rows)
    rejected = wrong = 0
    for probe, mate in zip(mated, mates, strict=True):
        decision = identify(gallery.search(probe), "ACCESS_ENTRY", Rules())
        rejected += not decision.matched
        wrong += decision.matched and decision.node_id != f"N{mate}"
    taken = sum(identify(gallery.search(probe), "ACCESS_ENTRY", Rules()).matched for probe in foreign)
    return rejected, wrong, taken


def _ratios(z: Floats) -> Floats:
    ratios: Floats = np.clip(LLR_INTERCEPT + LLR_SLOPE * z, -LLR_CAP, LLR_CAP)
    return ratios


def fit() -> tuple[float, float, float]:
    """Intercept, slope and cap of the logistic log likelihood ratio, both classes with equal weight (Newton)."""
    drawn = np.random.default_rng(0)
    mated, strangers = [], []
    for seed in FIT_SEEDS:
        for dimension in DIMENSION_SWEEP:
            for cosine in COSINE_SWEEP:
                population = Population(seed, dimension, cosine)
                people = population.persons(ENROLLED)
                key = projection(seed, dimension, cosine)
                own, others = Scores.of(cosines(key.template(population.shots(people)), key.template(people))).z()
                mated.append(own)
                strangers.append(drawn.choice(others.ravel(), FITTED, replace=False))
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


def policy(out: TextIO) -> Iterator[Row]:
    """Drawn features of every seed and shape."""
    print(
        f"1. ACCESS_ENTRY (FPIR 1e-3) among {ENROLLED} nodes, {ENROLLED} mated and {ENROLLED} foreign probes of one"
        f" view; 1:1 at FMR {VERIFY_FMR:g}.\n"
        f"   FNMR by seed {REPORT_SEEDS}, and of all with Clopper-Pearson bounds, 95 %.\n"
        "   EER and rank 1 of int8 templates, and of float features before any projection.\n\n"
        "  dim cosine   mean  1:N rejected     of all                  wrong foreign  1:1 FNMR                 "
        "1:1 FMR   EER int8   float  rank 1  float   Cllr",
        file=out,
    )
    every: list[Trial] = []
    for dimension in DIMENSION_SWEEP:
        for cosine in COSINE_SWEEP:
            trials = [Trial.of(seed, dimension, cosine) for seed in REPORT_SEEDS]
            every += trials
            asked = len(trials) * ENROLLED
            rejected, missed = sum(one.rejected for one in trials), sum(one.missed for one in trials)
            eer, eer_float = (float(np.mean(one)) for one in zip(*((t.eer, t.eer_float) for t in trials), strict=True))
            first, first_float = (
                sum(one) / asked for one in zip(*((t.first, t.first_float) for t in trials), strict=True)
            )
            print(
                f"{dimension:5} {cosine:6.3f} {np.mean([one.mean for one in trials]):6.3f} "
                f" {'/'.join(str(one.rejected) for one in trials):12}"
                f" {rejected / asked:6.4f} {bounded(rejected, asked)}"
                f" {sum(one.wrong for one in trials):4} {sum(one.taken for one in trials):7}"
                f"  {missed / asked:6.4f} {bounded(missed, asked)}"
                f"  {np.concatenate([one.false for one in trials]).mean():8.1e} {eer:8.4f} {eer_float:8.4f}"
                f" {first:7.4f} {first_float:6.4f}"
                f" {np.mean([one.cllr for one in trials]):6.4f}",
                file=out,
                flush=True,
            )
    asked = len(every) * ENROLLED
    wrong, taken = sum(one.wrong for one in every), sum(one.taken for one in every)
    false, low, high = mean_bounds(np.concatenate([one.false for one in every]))
    print(
        f"\n   All: wrong node {wrong} of {asked} {bounded(wrong, asked)}; foreign taken {taken} of {asked}"
        f" {bounded(taken, asked)} (asked for: 1e-3);\n   1:1 FMR {false:.1e} [{low:.1e}, {high:.1e}], probe by probe,"
        f" of {asked * (ENROLLED - 1)} comparisons (asked for: {VERIFY_FMR:g}).\n",
        file=out,
    )
    yield _rate("palm: wrong node", wrong, asked, None)
    yield _rate("palm: foreign probes taken, 1:1,000", taken, asked, 1e-3)
    name = "palm: 1:1 FMR, of a million"
    yield Row(name, "", false * 1e6, VERIFY_FMR * 1e6, false / VERIFY_FMR, "<= 1.0", "asked for", high <= VERIFY_FMR)
    apart = max(abs(one.eer - one.eer_float) for one in every) * 100
    name = "palm: EER, int8 from float features, furthest apart"
    yield Row(name, "%", apart, 0.1, None, "<= 0.1", "one probe of 1,000", apart <= 0.1)
    lost = sum(one.first_float for one in every) - sum(one.first for one in every)
    share = lost / asked
    yield Row("palm: rank 1 lost by int8, of all probes", "", lost, asked, share, "<= 0.001", "probes", share <= 0.001)


def _rate(name: str, errors: int, trials: int, most: float | None) -> Row:
    """A count of errors; its ratio is the upper bound of the rate."""
    upper = bounds(errors, trials)[1]
    goal = "told" if most is None else f"<= {most:g}"
    words = f"probes; upper bound of the rate {upper:.2g}"
    return Row(name, "", errors, trials, upper, goal, words, None if most is None else upper <= most)


def hands(out: TextIO) -> Iterator[Row]:
    """Pictures of drawn hands, from the extractor to the decision."""
    print(
        f"2. Drawn hands (TRAINING): {HANDS} enrolled and {HANDS} not, {PROBES} probes each, pictures through the"
        " extractor.\n\n"
        "views shots enrolled   rejected                    wrong foreign   lowest mate  highest stranger    EER",
        file=out,
    )
    key = projection("hands")
    drawn = [SyntheticPalm("report", f"{number}") for number in range(2 * HANDS)]
    seen = [[key.template(features(hand.shot(n), 25)) for n in range(SHOTS + PROBES)] for hand in drawn[:HANDS]]
    strange = [[key.template(features(hand.shot(n), 25)) for n in range(PROBES)] for hand in drawn[HANDS:]]
    key.wipe()
    for shots in (1, SHOTS):
        rows = np.stack([enrol(hand[:shots]).row for hand in seen])
        for views in (1, 25):
            mated = [hand[SHOTS + n][:views] for hand in seen for n in range(PROBES)]
            foreign = [probe[:views] for hand in strange for probe in hand]
            mates = [number for number in range(HANDS) for _ in range(PROBES)]
            rejected, wrong, taken = decided(rows, mated, foreign, mates, 1)
            best = np.stack([cosines(probe, rows).max(axis=0) for probe in mated])
            own = best[np.arange(len(mated)), mates].astype(np.float64)
            others = best[np.arange(HANDS) != np.array(mates)[:, None]].astype(np.float64)
            asked = len(mated)
            print(
                f"{views:5} {shots:14} {rejected:10} {bounded(rejected, asked)} {wrong:5} {taken:7}"
                f" {own.min():13.3f} {others.max():17.3f} {equal_error_rate(own, others):7.4f}",
                file=out,
                flush=True,
            )
            if views == 25 and shots == SHOTS:
                yield _rate("palm: drawn hands rejected, 25 views, 5 shots", rejected, asked, None)
                yield _rate("palm: drawn hands taken for another", wrong + taken, 2 * asked, None)
    print(file=out)


def linkability(out: TextIO) -> Iterator[Row]:
    """Two registries, and one before and after its renewals."""
    print(
        f"3. Linking {PERSONS} persons by score. p: how often shuffled labels reach this D_sys. Offset: mean score of a"
        " person with itself, and what the two\n   keys let expect of it (palm_linkability); the last D_sys is without"
        f" it. First: persons who score best with themselves (chance: 1).\n\n{HEAD}",
        file=out,
    )
    found: dict[str, list[Pair]] = defaultdict(list)
    renewed: list[Floats] = []
    for seed in REPORT_SEEDS:
        for dimension in DIMENSION_SWEEP:
            for one in pairs(seed, dimension):
                if isinstance(one, Renewed):
                    renewed.append(one.cosines)
                    continue
                found[one.name].append(one)
                print(one.line(), file=out, flush=True)
    alike = np.concatenate(renewed)
    below = int((alike < 0.998).sum())
    apart = [one for name, ones in found.items() if name != FULL for one in ones]
    rest = holm([one.rest.p for one in apart])
    print(
        f"\n   {RENEWALS} renewals against fresh templates: cosine mean {alike.mean():.4f}, lowest of 1,000"
        f" {np.quantile(alike, 0.001):.4f}, least {alike.min():.4f}; below 0.998: {below} of"
        f" {len(alike)} {bounded(below, len(alike))} (values beyond 4 deviations, which int8 clips)\n"
        f"   All pairs without their offset: smallest p times {len(apart)}: {rest:.3f}\n",
        file=out,
    )
    mean, lowest, least = (100 * float(one) for one in (alike.mean(), np.quantile(alike, 0.001), alike.min()))
    name = f"palm: {RENEWALS} renewals, cosine to fresh"
    yield Row(f"{name}, mean", "%", mean, 99.8, mean / 99.8, ">= 1.0", "the design's 0.998", mean >= 99.8)
    yield Row(f"{name}, lowest of 1,000", "%", lowest, 99.8, lowest / 99.8, ">= 1.0", "the same", lowest >= 99.8)
    yield Row(f"{name}, least of all", "%", least, 99.8, least / 99.8, ">= 1.0", "the same", least >= 99.8)
    worst = max(apart, key=lambda one: one.raw.d_sys)
    control = 100 * min(one.raw.d_sys for one in found[FULL])
    yield Row("palm: D_sys of one key (control)", "%", control, 100.0, control / 100, ">= 0.99", "all", control >= 99)
    for name, link in (("of two keys, worst pair", worst.raw), ("of that pair without its offset", worst.rest)):
        told, usual = 100 * link.d_sys, 100 * link.usual
        yield Row(f"palm: D_sys {name}", "%", told, usual, told / usual, "told", "95 % of shuffled labels")
    name = "palm: p of all pairs without their offsets (Holm)"
    yield Row(name, "%", 100 * rest, 5.0, None, ">= 5", "chance alone", rest >= 0.05)


def main(arguments: list[str]) -> int:
    """The report on stdout; with ``--json`` on stderr, and its rows as JSON on stdout."""
    as_json = "--json" in arguments
    out = sys.stderr if as_json else sys.stdout
    print("Drawn populations: no proof of any rate of real palms. Rates below 1e-4 are extrapolated.", file=out)
    if "--fit" in arguments:
        intercept, slope, cap = fit()
        print(f"Fitted on seeds {FIT_SEEDS}: LLR = {intercept:.3f} + {slope:.3f} z, at most {cap:.2f}", file=out)
    print(f"Confidence in use: LLR = {LLR_INTERCEPT} + {LLR_SLOPE} z, at most {LLR_CAP}\n", file=out)
    rows = [row for part in (policy, hands, linkability) for row in part(out)]
    for row in rows:
        print(json.dumps(dataclasses.asdict(row)) if as_json else row.line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
