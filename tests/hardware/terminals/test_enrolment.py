"""Several samples of a palm become one row."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware.terminals import crease
from hardware.terminals.enrolment import COPY_COSINE, LEAST_COSINE, FaultySample, check_vector, enrol
from hardware.terminals.projection import Projection, Templates, quantise, unit
from hardware.terminals.synthetic_palms import SyntheticPalm

PROJECTION = Projection(bytes(range(32)), "training", 1)


def samples(person: str, *shots: int) -> list[Templates]:
    palm = SyntheticPalm("enrolment", person)
    return [PROJECTION.template(crease.features(palm.shot(shot))) for shot in shots]


def cosine(one: Templates, other: Templates) -> float:
    return float(unit(one) @ unit(other))


def test_one_sample_is_its_unshifted_view() -> None:
    """Nothing is added to it, and it is as like itself as can be."""
    (only,) = samples("1", 1)
    made = enrol([only])
    assert int(np.abs(made.row.astype(int) - only[0]).max()) <= 1
    assert (made.quality, made.discarded) == (100, ())


def test_five_samples_meet_a_sixth_better_than_one() -> None:
    """That is what the others are for."""
    *five, probe = samples("2", 1, 2, 3, 4, 5, 6)
    made = enrol(five)
    assert made.discarded == ()
    assert 100 * LEAST_COSINE <= made.quality < 100
    assert max(cosine(made.row, view) for view in probe) > max(cosine(five[0][0], view) for view in probe)


def test_another_hand_among_the_samples_is_discarded() -> None:
    """It is told, and changes nothing of the row."""
    first, second = samples("3", 1, 2)
    (stranger,) = samples("4", 1)
    made = enrol([first, stranger, second])
    assert made.discarded == (1,)
    assert np.array_equal(made.row, enrol([first, second]).row)
    assert made.quality == enrol([first, second]).quality


def test_a_bad_first_sample_does_not_spoil_those_after_it() -> None:
    """The others are like each other: it is the first that is discarded."""
    (stranger,) = samples("4", 1)
    good = samples("3", 1, 2, 3)
    made = enrol([stranger, *good])
    assert made.discarded == (0,)
    assert np.array_equal(made.row, enrol(good).row)


def test_aligning_needs_no_key() -> None:
    """Rotated whole numbers choose the views that plain features choose: the rows are the same hand's to 0.999."""
    palm = SyntheticPalm("enrolment", "5")
    features = [crease.features(palm.shot(shot)) for shot in (1, 2, 3)]
    total = features[0][0] + sum(each[int(np.argmax(each @ features[0][0]))] for each in features[1:])
    assert cosine(enrol([PROJECTION.template(each) for each in features]).row, PROJECTION.template(total)) > 0.999


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 4))
def test_a_row_is_a_template_like_any_other(seed: int, count: int, views: int) -> None:
    """Whatever the samples: the length of a template, and the quality of a share."""
    chance = np.random.default_rng(seed)
    base = chance.normal(size=512)
    made = enrol([quantise(unit(base + chance.normal(0, 0.5, (views, 512)))) for _ in range(count)])
    assert (made.row.dtype, made.row.shape) == (np.int8, (512,))
    assert 680 < float(np.linalg.norm(made.row.astype(float))) < 760
    assert 0 <= made.quality <= 100


def test_nothing_cannot_be_enrolled() -> None:
    """No sample, or one without a direction."""
    with pytest.raises(ValueError, match="sample"):
        enrol([])
    with pytest.raises(ValueError, match="zero"):
        enrol([np.zeros((1, 512), np.int8)])


def test_a_copy_of_an_earlier_sample_is_named() -> None:
    """The same picture again, whole or in a shifted view, says nothing more: its place is told, and what it copies."""
    first, second, third = samples("3", 1, 2, 3)
    for copy in (first, first[::-1], first[4:5]):
        with pytest.raises(FaultySample, match="copy of sample 1") as caught:
            enrol([first, second, copy, third])
        assert caught.value.position == 2
    with pytest.raises(FaultySample, match="copy of sample 2"):
        enrol([first, second, second])


@pytest.mark.parametrize(("alike", "copy"), [(COPY_COSINE - 0.002, False), (COPY_COSINE + 0.002, True)])
def test_samples_are_copies_from_a_likeness_on_that_no_hand_reaches(alike: float, copy: bool) -> None:
    """Below it both are added, above it the second is refused."""
    chance = np.random.default_rng(4)
    one, other = np.linalg.qr(chance.normal(size=(512, 2)))[0].T
    pair = [quantise(unit(x[np.newaxis])) for x in (one, alike * one + (1 - alike**2) ** 0.5 * other)]
    if not copy:
        assert enrol(pair).discarded == ()
        return
    with pytest.raises(FaultySample):
        enrol(pair)


def test_constants_and_slopes_are_no_features() -> None:
    """Of either sign, as features and as templates, wherever they stand among the vectors; with a little noise too."""
    good = np.random.default_rng(5).normal(size=512)
    check_vector(np.stack([good, np.abs(good)]))
    slope = np.arange(512.0)
    for flat in (np.full(512, 3.0), np.full(512, -0.1), slope, slope - 255.5, 1 + 0.03 * good):
        with pytest.raises(ValueError, match="of no person"):
            check_vector(np.stack([good, flat]))
    with pytest.raises(ValueError, match="of no person"):
        check_vector(np.full((1, 512), 32, np.int8))
