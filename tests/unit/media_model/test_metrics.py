"""The evaluation's figures against their definitions, word by word."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from media_model.metrics import auc, block_labels, f1_at, oracle_f1

DRAWN = np.random.default_rng(3)
SCORES = np.round(DRAWN.random(60), 1)
LABELS = DRAWN.integers(-1, 2, 60)


def test_auc_is_the_chance_of_the_right_order() -> None:
    """Over all pairs, ties counting half; what is neither is left out."""
    pairs = itertools.product(SCORES[LABELS == 1], SCORES[LABELS == 0])
    wins = [1.0 if high > low else 0.5 if high == low else 0.0 for high, low in pairs]
    assert auc(SCORES, LABELS) == pytest.approx(sum(wins) / len(wins))
    assert auc(-SCORES, LABELS) == pytest.approx(1 - auc(SCORES, LABELS))


@pytest.mark.parametrize("labels", [np.zeros(3, int), np.ones(3, int), np.full(3, -1)])
def test_auc_of_one_class_is_no_number(labels: np.ndarray) -> None:
    """Nothing is told of what was not there."""
    assert math.isnan(auc(np.arange(3.0), labels))


@pytest.mark.parametrize("threshold", [-1, 0.0, 0.3, 0.7, 1.0, 2.0])
def test_f1_is_the_harmonic_mean(threshold: float) -> None:
    """Of precision and recall over what is edited or clean."""
    found = [(score >= threshold, label) for score, label in zip(SCORES, LABELS, strict=True) if label >= 0]
    right = sum(hit and label == 1 for hit, label in found)
    taken, there = sum(hit for hit, _ in found), sum(label for _, label in found)
    expected = 0 if not right else 2 / (taken / right + there / right)
    assert f1_at(SCORES, LABELS, threshold) == pytest.approx(expected)


def test_oracle_f1_is_the_best_of_all_thresholds() -> None:
    """Tried one by one; equal scores stand or fall together."""
    best = max(f1_at(SCORES, LABELS, threshold) for threshold in np.unique(SCORES))
    assert oracle_f1(SCORES, LABELS) == pytest.approx(best)
    assert oracle_f1(np.zeros(4), np.array([1, 0, 0, 0])) == pytest.approx(0.4)
    assert oracle_f1(np.array([0.9, 0.8, 0.1]), np.array([1, 1, 0])) == 1


def test_oracle_f1_without_anything_edited_is_zero() -> None:
    """Also where nothing is known at all."""
    assert oracle_f1(np.arange(3.0), np.array([0, -1, 0])) == 0
    assert oracle_f1(np.arange(3.0), np.full(3, -1)) == 0
    assert f1_at(np.arange(3.0), np.full(3, -1), 0) == 0


def test_a_block_is_edited_clean_or_neither() -> None:
    """By its share of changed pixels; what fills no block is left out."""
    mask = np.zeros((17, 39), np.uint8)
    mask[:8, :8] = 255
    mask[:8, 8:13] = 255
    mask[:5, 16:24] = 128
    mask[0, 24:27] = 255
    mask[8:11, :8] = 127
    mask[16:, :] = 255
    assert block_labels(mask).tolist() == [[1, 1, 1, 0], [0, 0, 0, 0]]
    mask[1, 24] = 255
    mask[4, 16] = 0
    mask[3, 16:24] = 0
    assert block_labels(mask).tolist() == [[1, 1, -1, -1], [0, 0, 0, 0]]
