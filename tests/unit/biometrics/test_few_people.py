"""Registries of few people: strangers stay strangers, and features that move together are told."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from app.biometrics.effective_dimension import LEAST_DIMENSION, PEOPLE, dimension_with, effective_dimension
from app.biometrics.gallery import Gallery
from app.biometrics.template_codes import Int8
from tests.perf.palm_few import trial
from tests.perf.palm_population import Population, templates


def drawn(dimension: int, people: int, seed: int = 1) -> Int8:
    """Templates of so many people whose features have so many effective dimensions."""
    population = Population(seed, dimension, 0.85)
    return templates(population.persons(people), population.projection())


@pytest.mark.parametrize("dimension", [8, 24, 512])
@pytest.mark.parametrize("people", [5, 9, 19])
def test_strangers_stay_strangers_at_any_dimension(dimension: int, people: int) -> None:
    """Of 400, of whom the score alone takes every other one at 8 dimensions; one in a thousand is asked for."""
    found = trial(dimension, people, registries=40, seed=people)
    assert found.searches == 400
    assert found.taken <= 4
    if dimension == 8:
        assert found.taken_by_score > 60
    if people < 9:
        assert found.taken == found.found == 0
    if dimension == 512 and people >= 9:
        assert found.found == found.mates


@pytest.mark.parametrize(("dimension", "people"), [(8, 30), (24, 60), (80, 60), (320, 60)])
def test_the_effective_dimension_is_told_from_few_people(dimension: int, people: int) -> None:
    """Within a quarter, although the sample's own covariance has fewer directions than it has people."""
    told = [effective_dimension(drawn(dimension, people, seed)) for seed in range(5)]
    assert np.mean(told) == pytest.approx(dimension, rel=0.25)


def test_the_effective_dimension_is_the_published_estimator() -> None:
    """Its two U-statistics, summed up over people who are all different, as they are defined."""
    rows = drawn(8, 6).astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    cosine = rows @ rows.T
    people = range(len(rows))
    mean_of_two = np.mean([cosine[i, j] for i, j in itertools.permutations(people, 2)])
    square = (
        np.mean([cosine[i, j] ** 2 for i, j in itertools.permutations(people, 2)])
        - 2 * np.mean([cosine[i, j] * cosine[j, k] for i, j, k in itertools.permutations(people, 3)])
        + np.mean([cosine[i, j] * cosine[k, m] for i, j, k, m in itertools.permutations(people, 4)])
    )
    assert effective_dimension(drawn(8, 6)) == pytest.approx((1 - mean_of_two) ** 2 / square)


def test_features_that_share_a_mean_are_no_wider_for_it() -> None:
    """What all people have in common tells nobody apart: it is no dimension."""
    rows = drawn(24, 60).astype(np.float64)
    moved = rows + 30.0 * np.ones(512)
    moved *= 724.0 / np.linalg.norm(moved, axis=1, keepdims=True)
    assert effective_dimension(np.rint(moved).astype(np.int8)) < LEAST_DIMENSION


def test_independent_and_equal_templates_are_the_ends_of_the_scale() -> None:
    """512 at most, 1 at least."""
    wide = np.eye(512, dtype=np.int8)[:40] * np.int8(127)
    assert effective_dimension(wide) == 512.0
    one = np.ones((12, 512), np.int8)
    one[::2] *= -1
    assert effective_dimension(one) == 1.0


def gallery_of(rows: Int8) -> Gallery:
    """A gallery with one node for each of these rows."""
    made = Gallery(faiss=False)
    made.load([f"N{number:03}" for number in range(len(rows))], rows)
    return made


def test_it_is_judged_with_the_new_person_and_from_eleven_people_on() -> None:
    """A person who is enrolled anew counts once, with the new rows."""
    rows = drawn(8, PEOPLE)
    made = gallery_of(rows[:-1])
    assert dimension_with(gallery_of(rows[:-2]), "NEW", rows[-1:]) is None
    assert dimension_with(made, "N000", rows[-1:]) is None
    told = dimension_with(made, "NEW", rows[-1:])
    assert told == (effective_dimension(rows), PEOPLE)
    assert told[0] < LEAST_DIMENSION
    # Several rows of one node are one person.
    many = dimension_with(made, "NEW", np.repeat(rows[-1:], 26, axis=0))
    assert many == told


def test_a_large_registry_is_judged_by_a_part_of_it() -> None:
    """At most two hundred people, the new one among them."""
    told = dimension_with(gallery_of(drawn(24, 450)), "NEW", drawn(24, 1, seed=2))
    assert told is not None
    assert told[1] <= 200
    assert told[0] == pytest.approx(24, rel=0.2)
    exact = dimension_with(gallery_of(drawn(24, 199)), "NEW", drawn(24, 1, seed=2))
    assert exact is not None
    assert exact[1] == 200


def test_a_node_that_went_meanwhile_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    """Erased between the list and the look: it is no person of it."""
    rows = drawn(8, PEOPLE + 1)
    made = gallery_of(rows[:-1])
    listed = made.counts()
    monkeypatch.setattr(made, "counts", lambda: listed)
    made.remove("N003")
    told = dimension_with(made, "NEW", rows[-1:])
    assert told is not None
    assert told[1] == PEOPLE
    made.remove("N004")
    assert dimension_with(made, "NEW", rows[-1:]) is None
