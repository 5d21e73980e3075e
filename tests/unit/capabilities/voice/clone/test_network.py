"""The network on bands."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.voice.clone.network import MIN_FRAMES, CloneNetwork
from tests.clone_model import mean_network


def test_the_score_is_the_networks() -> None:
    """Of a network that takes the mean."""
    bands = np.random.default_rng(6).standard_normal((150, 128)).astype(np.float32)
    assert CloneNetwork(mean_network()).score(bands) == pytest.approx(float(bands.mean()), abs=1e-5)


def test_few_frames_are_repeated() -> None:
    """Until they are as many as the network halves."""
    bands = np.random.default_rng(7).standard_normal((MIN_FRAMES // 2, 128)).astype(np.float32)
    assert CloneNetwork(mean_network()).score(bands) == pytest.approx(float(bands.mean()), abs=1e-5)


def test_bytes_that_are_no_network_are_refused() -> None:
    """With a sentence of ours."""
    with pytest.raises(ValueError, match="no network"):
        CloneNetwork(b"no network at all")
