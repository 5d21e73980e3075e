"""A likelihood ratio as a probability."""

from __future__ import annotations

import math

import pytest

from app.capabilities.voice.even_odds import at_even_odds


@pytest.mark.parametrize(("llr", "similarity"), [(0.0, 0.5), (math.log(3), 0.75), (-math.log(3), 0.25), (-2000.0, 0.0)])
def test_similarity_is_the_probability_at_even_odds(llr: float, similarity: float) -> None:
    """Also far out, where the exponential function would overflow."""
    assert at_even_odds(llr) == pytest.approx(similarity)
