"""The one conditioning, and sub-band envelopes."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.voice.analysis.spectra import (
    DITHER,
    LEVEL,
    MIN_SAMPLES,
    TooLittleSpeech,
    band_limits,
    condition,
    condition_magnitudes,
    subband_envelopes,
)
from app.capabilities.voice.analysis.speech import trim_pauses
from app.capabilities.voice.matrix import magnitudes_of
from tests.unit.capabilities.voice.analysis.synthetic_voice import speech


def rms(wave: np.ndarray) -> float:
    return float(np.sqrt(np.mean(np.square(wave, dtype=np.float64))))


def test_all_recordings_have_one_level() -> None:
    """-26 dBFS, and the dither of -72 on top, at any gain of the recording."""
    for gain in (0.05, 1.0, 3.0):
        found = condition(speech() * np.float32(gain))
        assert rms(found) == pytest.approx(np.hypot(LEVEL, DITHER), rel=1e-3)
    assert np.hypot(LEVEL, DITHER) == pytest.approx(0.050119, rel=1e-3)
    assert 20 * np.log10(DITHER) == pytest.approx(-72)


def test_the_gain_of_a_recording_is_not_seen() -> None:
    """A fifth of the level gives the same samples."""
    assert condition(speech()) == pytest.approx(condition(speech() * np.float32(0.2)), abs=2e-6)


def test_pauses_are_cut() -> None:
    """As long as the trimmed recording."""
    assert len(condition(speech())) == len(trim_pauses(speech())) < len(speech())


def test_one_recording_has_one_result() -> None:
    """The dither is always the same."""
    assert np.array_equal(condition(speech()), condition(speech()))


def test_the_input_stays() -> None:
    """The recording is not written to."""
    wave = speech()
    before = wave.copy()
    condition(wave)
    assert np.array_equal(wave, before)


@pytest.mark.parametrize(
    ("hertz", "gain"),
    [(0, 0), (40, 0), (60, 0.5), (80, 1), (1000, 1), (6650, 1), (6800, 0.5), (6950, 0), (8000, 0)],
)
def test_band_limits(hertz: float, gain: float) -> None:
    """Half at 60 Hz and at 6.8 kHz, nothing beyond."""
    assert band_limits(np.array([hertz], np.float64))[0] == pytest.approx(gain, abs=1e-6)


def test_bandwidth_is_not_seen() -> None:
    """Above 7 kHz there is the dither alone, for a wideband recording and for one that ends at 6.9 kHz."""
    wide = speech() + np.random.default_rng(5).normal(0, 0.001, 48_000).astype(np.float32)
    spectrum = np.fft.rfft(wide)
    spectrum[np.fft.rfftfreq(48_000, 1 / 16_000) > 6900] = 0
    narrow = np.fft.irfft(spectrum, 48_000).astype(np.float32)
    high = [magnitudes_of(condition(wave))[:, 226:] for wave in (wide, narrow)]
    assert np.mean(high[0] ** 2) == pytest.approx(np.mean(high[1] ** 2), rel=0.02)
    assert np.mean(high[0] ** 2) == pytest.approx(150 * DITHER**2, rel=0.1)


def test_too_little_is_refused() -> None:
    """Less than a second without pauses."""
    wave = speech()
    wave[12_000:] = 0
    with pytest.raises(TooLittleSpeech):
        condition(wave)
    with pytest.raises(TooLittleSpeech):
        condition_magnitudes(magnitudes_of(wave))
    with pytest.raises(TooLittleSpeech):
        condition(np.zeros(MIN_SAMPLES * 3, np.float32))


def test_magnitudes_are_conditioned_alike() -> None:
    """In each eighth of the spectrum the energy is that of the conditioned waveform, to a decibel."""
    found = condition_magnitudes(magnitudes_of(speech()))
    expected = magnitudes_of(condition(speech()))
    for first in range(0, 256, 32):
        ratio = np.mean(found[:, first : first + 32] ** 2) / np.mean(expected[:, first : first + 32] ** 2)
        assert abs(10 * np.log10(ratio)) < 1


def test_the_gain_of_magnitudes_is_not_seen() -> None:
    """Magnitudes of another scale give the same."""
    sent = magnitudes_of(speech())
    assert condition_magnitudes(sent) == pytest.approx(condition_magnitudes(sent * np.float32(0.5)), rel=1e-3, abs=1e-5)


@pytest.mark.parametrize(("hertz", "band"), [(200, 0), (800, 0), (1000, 1), (3700, 4), (6400, 7)])
def test_a_tone_lies_in_its_band(hertz: float, band: int) -> None:
    """The envelope of its band is its amplitude, that of the others next to nothing."""
    wave = (0.3 * np.sin(2 * np.pi * hertz * np.arange(16_000) / 16_000)).astype(np.float32)
    envelopes = subband_envelopes(wave)
    assert envelopes.shape == (2000, 8)
    inner = envelopes[200:-200]
    assert inner[:, band] == pytest.approx(0.3, abs=0.003)
    assert np.delete(inner, band, axis=1).max() < 0.003


def test_edges_of_bands_add_up() -> None:
    """A tone on the edge is half in each."""
    wave = (0.3 * np.sin(2 * np.pi * 900 * np.arange(16_000) / 16_000)).astype(np.float32)
    assert subband_envelopes(wave)[200:-200, :2] == pytest.approx(0.15, abs=0.003)


def test_envelopes_follow_in_time() -> None:
    """A tone whose amplitude goes up and down 100 times a second: the envelope does, at the same moments."""
    time = np.arange(16_000) / 16_000
    shape = 0.2 + 0.1 * np.sin(2 * np.pi * 100 * time)
    wave = (shape * np.sin(2 * np.pi * 2900 * time)).astype(np.float32)
    assert subband_envelopes(wave)[200:-200, 3] == pytest.approx(shape[::8][200:-200], abs=0.003)
