"""The resonance of voices whose F0 and formants are known."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from app.capabilities.voice.analysis.quality import centred_magnitudes
from app.capabilities.voice.analysis.resonance import (
    formant_tracks,
    pitch_track,
    resonance_of,
    resonance_of_magnitudes,
)
from app.capabilities.voice.analysis.speech import speech_mask
from app.capabilities.voice.analysis.statistics import statistics_of
from tests.unit.capabilities.voice.analysis.synthetic_voice import speech, vowel


@pytest.mark.parametrize("f0", [90, 120, 200, 300])
@pytest.mark.parametrize("formants", [(700, 1200, 2600), (300, 2200, 2900), (320, 800, 2400)])
def test_a_vowel_has_its_pitch_and_formants(f0: float, formants: tuple[float, float, float]) -> None:
    """F0 within 1 %, formants within a quarter of the distance of two harmonics."""
    found = resonance_of(vowel(f0, (*formants, 3500, 4500)), None)
    assert found.f0_hz == pytest.approx(f0, rel=0.01)
    assert found.f0_jitter < 0.01
    assert found.formants == pytest.approx(formants, abs=max(0.25 * f0, 25))


def test_jitter_is_the_change_in_10_ms() -> None:
    """A pitch that goes from 100 to 200 Hz in 2 s changes by 0.35 % each 10 ms."""
    samples = 32_000
    phase = np.cumsum(100 * 2 ** (np.arange(samples) / samples)) / 16_000
    wave = np.sum([0.05 * np.cos(2 * np.pi * number * phase) for number in range(1, 13)], axis=0)
    wave[14_000:18_000] = 0
    wave += np.random.default_rng(0).normal(0, 1e-4, samples)
    assert resonance_of(wave.astype(np.float32), None).f0_jitter == pytest.approx(0.00347, rel=0.35)


def test_tracks_are_on_the_frames_of_the_mask() -> None:
    """Numbers in the vowel, NaN in its pause."""
    wave = vowel(120)
    f0, formants = pitch_track(wave), formant_tracks(wave)
    assert f0.shape == speech_mask(wave).shape
    assert formants.shape == (*f0.shape, 3)
    pause = slice(72, 80)
    assert np.isnan(f0[pause]).all()
    assert np.isnan(formants[pause]).all()
    assert np.nanmedian(f0) == pytest.approx(120, rel=0.01)
    assert np.count_nonzero(np.isnan(f0[100:190])) == 0


def test_what_needs_a_phase_comes_from_the_phase_statistics() -> None:
    """Kurtosis of the residual without a Gaussian's 3, the spread as 1 less what holds, the mean of seven."""
    phase = np.zeros(94, np.float32)
    phase[7] = np.log(1 + 8)
    phase[46:58] = 0.75
    phase[30:37] = np.arange(7) / 10
    found = resonance_of(vowel(120), phase)
    assert found.residual_kurtosis == pytest.approx(5)
    assert found.group_delay_spread == pytest.approx(0.25)
    assert found.coherence == pytest.approx(0.3)


def test_a_voice_has_all_six() -> None:
    """Finite, in their ranges."""
    found = resonance_of(speech(), statistics_of(speech()).phase)
    assert 100 < found.f0_hz < 140
    assert found.residual_kurtosis > 0
    assert 0 < found.group_delay_spread < 1
    assert -1 < found.coherence < 1


def test_magnitudes_have_no_phase_to_show() -> None:
    """F0 and formants as of the waveform, NaN for the rest."""
    wave = vowel(120)
    found = resonance_of_magnitudes(centred_magnitudes(wave))
    assert (found.f0_hz, found.formants) == (resonance_of(wave, None).f0_hz, resonance_of(wave, None).formants)
    assert np.isnan([found.residual_kurtosis, found.group_delay_spread, found.coherence]).all()


def test_silence_and_noise_have_no_resonance() -> None:
    """NaN throughout, for nothing is voiced."""
    for wave in (np.zeros(16_000, np.float32), np.random.default_rng(1).normal(0, 0.1, 16_000).astype(np.float32)):
        found = resonance_of(wave, None)
        assert np.isnan(np.hstack(dataclasses.astuple(found))).all()
