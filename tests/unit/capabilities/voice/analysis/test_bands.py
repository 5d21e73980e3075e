"""What the network and the router read."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.voice.analysis.bands import band_spectrogram, router_numbers
from app.capabilities.voice.matrix import magnitudes_of


def test_bands_are_pairs_of_bins_without_their_mean() -> None:
    """Written out for one band: bins 1 and 2 are the first, the mean over time is taken away."""
    magnitudes = np.random.default_rng(1).random((50, 257)).astype(np.float32)
    found = band_spectrogram(magnitudes)
    assert found.shape == (50, 128)
    assert found.dtype == np.float32
    for band in (0, 77, 127):
        first = 1 + 2 * band
        logs = [float(np.log(row[first] ** 2 + row[first + 1] ** 2)) for row in magnitudes.astype(np.float64)]
        assert found[:, band] == pytest.approx(np.array(logs) - np.mean(logs), abs=1e-4)


def test_a_channel_is_not_seen_in_the_bands() -> None:
    """A gain for each bin of a pair changes nothing."""
    magnitudes = np.random.default_rng(2).random((50, 257)).astype(np.float32) + 0.1
    channel = np.repeat(np.linspace(0.1, 3, 129), 2)[1:].astype(np.float32)
    assert band_spectrogram(magnitudes * channel) == pytest.approx(band_spectrogram(magnitudes), abs=1e-3)


def test_silence_in_bands_is_finite() -> None:
    """No logarithm of zero."""
    assert not band_spectrogram(np.zeros((20, 257), np.float32)).any()
    assert np.isfinite(router_numbers(np.zeros((20, 257), np.float32))).all()


def stepped(loud: float, soft: float, floor: float) -> np.ndarray:
    """100 frames: 10 at ``floor``, 20 at ``soft``, 70 at ``loud``, equal in all bins."""
    return np.repeat(np.array([floor, soft, loud]), [10, 20, 70])[:, None].astype(np.float32) * np.ones(
        (1, 257), np.float32
    )


def test_router_numbers_of_steps() -> None:
    """Spread, ratio, floor, 20 % level and slope of a recording whose numbers can be counted by hand."""
    found = router_numbers(stepped(1.0, 0.1, 0.01))
    assert found == pytest.approx([40, 0, -40, -20, 0], abs=0.05)


def test_the_ratio_is_that_of_high_to_low() -> None:
    """4 to 6.5 kHz at a tenth of 0.3 to 3.4 kHz is -20 dB; what lies between and above is not counted."""
    magnitudes = stepped(1.0, 0.1, 0.01)
    magnitudes[:, 128:208] *= 0.1
    magnitudes[:, 109:128] *= 7
    magnitudes[:, 208:] *= 7
    magnitudes[:, :10] *= 7
    assert router_numbers(magnitudes)[1] == pytest.approx(-20, abs=0.05)


def test_the_slope_is_that_of_the_floor() -> None:
    """A floor that falls by 6 dB a kilohertz under speech that does not."""
    magnitudes = stepped(1.0, 0.1, 0.01)
    magnitudes[:10] *= (10 ** (-6 * np.arange(257) * 0.03125 / 20)).astype(np.float32)
    found = router_numbers(magnitudes)
    assert found[4] == pytest.approx(-6, abs=0.002)
    assert found[1] == pytest.approx(0, abs=0.05)


def test_router_numbers_follow_no_gain() -> None:
    """Ten times the magnitudes, the same numbers."""
    noise = np.random.default_rng(3).normal(0, 0.05, 48_000).astype(np.float32)
    noise[:24_000] *= np.float32(0.1)
    magnitudes = magnitudes_of(noise)
    assert router_numbers(magnitudes * np.float32(10)) == pytest.approx(router_numbers(magnitudes), abs=1e-2)
