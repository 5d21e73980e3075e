"""The stated false-alarm rate, against published tables, exact fractions and counts by hand."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from app.capabilities.media.calibration import ENOUGH, HARDEST, OTHERS, POOLED, Calibration, clopper_pearson


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [
        (0, 120, 0.0, 0.0303),
        (0, 10, 0.0, 0.3085),
        (1, 10, 0.0025, 0.4450),
        (5, 10, 0.1871, 0.8129),
        (10, 10, 0.6915, 1.0),
        (5, 100, 0.0164, 0.1128),
        (50, 1000, 0.0373, 0.0654),
    ],
)
def test_the_interval_is_the_published_one(successes: int, trials: int, low: float, high: float) -> None:
    """Tables of exact binomial confidence limits, to four digits."""
    assert clopper_pearson(successes, trials) == pytest.approx((low, high), abs=6e-5)


@pytest.mark.parametrize(("successes", "trials"), [(1, 7), (3, 7), (6, 7), (2, 40), (39, 40), (0, 1), (1, 1)])
def test_the_ends_have_the_chance_that_they_stand_for(successes: int, trials: int) -> None:
    """2.5 % on either side, by exact fractions; a bound at 0 or 1 is that number itself."""
    low, high = clopper_pearson(successes, trials)

    def chance(counts: range, share: float) -> float:
        p = Fraction(share)
        return float(sum(math.comb(trials, n) * p**n * (1 - p) ** (trials - n) for n in counts))

    if successes:
        assert chance(range(successes, trials + 1), low) == pytest.approx(0.025, abs=1e-9)
    else:
        assert low == 0
    if successes < trials:
        assert chance(range(successes + 1), high) == pytest.approx(0.025, abs=1e-9)
    else:
        assert high == 1


def test_a_rate_counts_the_images_that_score_as_high() -> None:
    """An equal score counts; the conformal p-value is never 0."""
    asked = Calibration({"png": [i / ENOUGH for i in range(ENOUGH)]})
    found = asked.false_alarm_rate(0.9, "png")
    assert (found.rate, found.size, found.calibration_set) == (20 / ENOUGH, ENOUGH, "png")
    assert found.p_value == 21 / (ENOUGH + 1)
    assert (found.low, found.high) == clopper_pearson(20, ENOUGH)
    above = asked.false_alarm_rate(1.0, "png")
    assert (above.rate, above.low, above.p_value) == (0, 0, 1 / (ENOUGH + 1))
    assert asked.false_alarm_rate(-1, "png").rate == 1


def test_a_life_with_few_images_is_judged_by_all() -> None:
    """One score short of enough, and an unknown life, are pooled with the others."""
    scores = {"jpeg": [0.0] * ENOUGH, "resized": [1.0] * (ENOUGH - 1)}
    asked = Calibration(scores)
    pooled = asked.false_alarm_rate(0.5, "resized")
    assert (pooled.calibration_set, pooled.size) == (POOLED, 2 * ENOUGH - 1)
    assert pooled.rate == (ENOUGH - 1) / (2 * ENOUGH - 1)
    assert asked.false_alarm_rate(0.5, "unheard of") == pooled
    own = Calibration(scores | {"resized": [1.0] * ENOUGH}).false_alarm_rate(0.5, "resized")
    assert (own.calibration_set, own.rate) == ("resized", 1)


def test_the_higher_rate_is_stated() -> None:
    """Of the after-life's own images and of all: a wrong guess of the life must not make a score look rare."""
    asked = Calibration({"jpeg": [0.0] * ENOUGH, "resized": [1.0] * ENOUGH})
    mild, wild = asked.false_alarm_rate(0.5, "jpeg"), asked.false_alarm_rate(0.5, "resized")
    assert (mild.calibration_set, mild.rate, mild.size) == (POOLED, 0.5, 2 * ENOUGH)
    assert (wild.calibration_set, wild.rate, wild.size) == ("resized", 1, ENOUGH)


def test_the_hardest_photographs_are_always_asked() -> None:
    """For any after-life; among all scores theirs count once."""
    scores = {"jpeg": [0.0] * ENOUGH + [0.8] * ENOUGH}
    asked = Calibration(scores | {HARDEST: [0.8] * ENOUGH})
    for life in ("jpeg", "resized"):
        found = asked.false_alarm_rate(0.5, life)
        assert (found.calibration_set, found.rate, found.size) == (HARDEST, 1, ENOUGH)
    assert asked.false_alarm_rate(0.9, "resized").rate == 0
    few = Calibration(scores | {HARDEST: [0.8] * (ENOUGH - 1)}).false_alarm_rate(0.5, "resized")
    assert (few.calibration_set, few.rate, few.size) == (POOLED, 0.5, 2 * ENOUGH)


def test_each_part_of_an_image_had_its_own_chance() -> None:
    """The rate of the highest of three scores is that of any of three, and so are its interval and its p-value."""
    asked = Calibration({"jpeg": [0.0] * 360 + [0.8] * 40})
    one, three = asked.false_alarm_rate(0.5, "jpeg"), asked.false_alarm_rate(0.5, "jpeg", 3)
    assert (one.rate, one.chances, three.chances) == (0.1, 1, 3)
    assert three.rate == pytest.approx(1 - 0.9**3)
    for name in ("low", "high", "p_value"):
        assert getattr(three, name) == pytest.approx(1 - (1 - getattr(one, name)) ** 3)


def test_the_images_of_others_are_asked_however_few_they_are() -> None:
    """For any after-life, and among all scores too; none at all are no set."""
    asked = Calibration({"jpeg": [0.0] * ENOUGH, OTHERS: [0.8, 0.9]})
    found = asked.false_alarm_rate(0.85, "resized")
    assert (found.calibration_set, found.rate, found.size) == (OTHERS, 0.5, 2)
    assert len(asked.sets[POOLED]) == ENOUGH + 2
    assert OTHERS not in Calibration({"jpeg": [0.0], OTHERS: []}).sets


@pytest.mark.parametrize("scores", [{}, {"png": []}, {"png": [0.1, math.nan]}, {"png": [math.inf]}])
def test_scores_that_calibrate_nothing_are_refused(scores: dict[str, list[float]]) -> None:
    """No score at all, or one that is no finite number."""
    with pytest.raises(ValueError, match="a calibration"):
        Calibration(scores)


def test_stated_rates_hold_for_images_of_the_same_kind() -> None:
    """Of new authentic images the share with a p-value of at most 5 % is about 5 %."""
    drawn = np.random.default_rng(11)
    asked = Calibration({"png": list(drawn.normal(size=2_000))})
    small = [asked.false_alarm_rate(float(score), "png").p_value <= 0.05 for score in drawn.normal(size=300)]
    assert 0.02 < float(np.mean(small)) < 0.08
