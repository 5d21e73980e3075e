"""What the templates of two key epochs of one registry tell: as a set they are linked, one by one they are not."""

from __future__ import annotations

import numpy as np
import pytest

from app.biometrics.template_codes import Int8
from hardware.terminals.projection import draw_key, renew, unit

PERSONS = 20


@pytest.fixture(scope="module")
def epochs() -> tuple[Int8, Int8]:
    """The templates of twenty strangers under one key, and renewed under the next."""
    features = unit(np.random.default_rng(11).standard_normal((PERSONS, 512)))
    _, old = draw_key("default", 1)
    _, new = draw_key("default", 2)
    before = old.template(features)
    return before, renew(before, old, new)


def gram(templates: Int8) -> np.ndarray:
    """The cosine of every two rows."""
    directions = unit(templates)
    return directions @ directions.T


def test_one_template_of_another_epoch_is_a_strangers(epochs: tuple[Int8, Int8]) -> None:
    """By its own score with the renewed one, no person is known again."""
    before, after = epochs
    own = np.einsum("ij,ij->i", unit(before), unit(after))
    assert float(np.abs(own).max()) < 0.25


def test_a_set_of_two_epochs_is_linked_by_its_gram_matrix(epochs: tuple[Int8, Int8]) -> None:
    """A renewal turns all rows alike, so the cosines among them stay: twenty of twenty rows find themselves again."""
    before, after = epochs
    assert np.abs(gram(before) - gram(after)).max() < 0.01
    order = np.random.default_rng(12).permutation(PERSONS)
    shuffled = gram(after[order])
    profiles, wanted = np.sort(gram(before), axis=1), np.sort(shuffled, axis=1)
    found = np.abs(wanted[:, None, :] - profiles[None, :, :]).sum(axis=2).argmin(axis=1)
    assert found.tolist() == order.tolist()
