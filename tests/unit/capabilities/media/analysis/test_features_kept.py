"""The features are those that the shipped network learned from."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.unit.capabilities.media.analysis.feature_summary import KEPT, Summary, summary

TOLERANCE = 2e-3
"""Channels are about 1; another processor's order of sums moves them by less."""


@pytest.fixture(scope="module")
def now() -> Summary:
    """As the detectors have it."""
    return summary()


@pytest.mark.parametrize("picture", ["raw", "joined"])
@pytest.mark.parametrize("array", ["maps", "phases", "histograms", "modes", "numbers"])
def test_what_the_network_reads_is_what_it_learned_from(now: Summary, picture: str, array: str) -> None:
    """Each channel's mean and deviation, and each number of the whole image."""
    kept = json.loads(KEPT.read_text(encoding="utf-8"))[picture][array]
    np.testing.assert_allclose(now[picture][array], kept, atol=TOLERANCE, rtol=0)
