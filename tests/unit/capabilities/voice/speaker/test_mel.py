"""The bands that the speaker network reads: against librosa's numbers, and their level."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.capabilities.voice.matrix import SAMPLE_RATE, Samples, magnitudes_of
from app.capabilities.voice.speaker.mel import BANDS, filter_bank, mel_of_magnitudes, mel_of_wave

VECTOR = json.loads((Path(__file__).parent / "resemblyzer.json").read_text())
"""Of ``vowel()``, by librosa and PyTorch as Resemblyzer 0.1.4 uses them."""


def vowel() -> Samples:
    seconds = np.arange(25600) / SAMPLE_RATE
    phase = 2 * np.pi * np.cumsum(120 + 30 * np.sin(2 * np.pi * 1.7 * seconds)) / SAMPLE_RATE
    voiced = sum(np.sin(harmonic * phase) / harmonic for harmonic in range(1, 30))
    return np.asarray(voiced * (0.6 + 0.4 * np.sin(2 * np.pi * 3 * seconds)) * 0.1, np.float32)


def test_the_bands_are_those_of_librosa() -> None:
    """Two frames, number for number."""
    mel = mel_of_wave(vowel())
    assert mel.shape == (161, BANDS)
    assert mel[0] == pytest.approx(VECTOR["mel"][0], rel=1e-3, abs=1e-6)
    assert mel[80] == pytest.approx(VECTOR["mel"][1], rel=1e-3, abs=1e-6)


@given(st.floats(0.001, 1.0))
@settings(max_examples=10, deadline=None)
def test_loudness_changes_nothing(gain: float) -> None:
    """All takes are read at one level."""
    wave = vowel()[:8000]
    assert mel_of_wave(wave * np.float32(gain)) == pytest.approx(mel_of_wave(wave), rel=1e-3, abs=1e-7)


def test_silence_has_no_power() -> None:
    """And no division by nothing."""
    assert not mel_of_wave(np.zeros(1600, np.float32)).any()
    assert not mel_of_magnitudes(np.zeros((10, 257), np.float32)).any()


@pytest.mark.parametrize(("samples", "frames"), [(1, 1), (159, 1), (160, 2), (16000, 101)])
def test_a_frame_is_centred_on_each_ten_milliseconds(samples: int, frames: int) -> None:
    """Also on the first and the last."""
    assert len(mel_of_wave(np.ones(samples, np.float32))) == frames


def test_a_frame_reads_twelve_and_a_half_milliseconds_on_both_sides() -> None:
    """An impulse is in three of them."""
    wave = np.zeros(3200, np.float32)
    wave[1600] = 1.0
    # Frame 10 is centred there; 9 and 11 reach it, 8 and 12 do not.
    assert np.flatnonzero(mel_of_wave(wave).any(axis=1)).tolist() == [9, 10, 11]


def test_each_band_has_the_area_one() -> None:
    """Per hertz, as the network was trained."""
    fine = filter_bank(1 << 15)
    assert fine.sum(axis=1) * SAMPLE_RATE / (1 << 15) == pytest.approx(np.ones(BANDS), rel=1e-3)


def test_the_bands_lie_where_slaney_put_them() -> None:
    """By the definition of his scale."""
    highest = filter_bank(1 << 15).argmax(axis=1) * SAMPLE_RATE / (1 << 15)
    # 200/3 Hz a mel up to 1 kHz, 27 steps an octave of 6.4 above: 42 edges over 45.245 mel.
    assert highest[[0, 1, 11]] == pytest.approx([73.57, 147.14, 882.83], abs=0.5)
    assert highest[-1] == pytest.approx(7415.4, abs=0.5)


def test_magnitudes_give_nearly_the_bands_of_their_wave() -> None:
    """The finer bins are brought to the coarser ones."""
    wave = vowel()
    from_wave = mel_of_wave(wave)
    from_magnitudes = mel_of_magnitudes(magnitudes_of(wave))
    # Frame t of the magnitudes is centred 200 samples into the wave.
    ratio = from_magnitudes[20:120].mean(axis=0) / from_wave[21:121].mean(axis=0)
    assert ratio[:25] == pytest.approx(np.ones(25), abs=0.15)


def test_the_level_of_magnitudes_is_that_of_the_wave() -> None:
    """By Parseval's theorem."""
    rng = np.random.default_rng(0)
    noise = np.asarray(0.1 * rng.standard_normal(32000), np.float32)
    ratio = mel_of_magnitudes(magnitudes_of(noise)).mean() / mel_of_wave(noise)[2:-2].mean()
    assert ratio == pytest.approx(1.0, abs=0.02)


def test_the_bank_cannot_be_changed_by_who_borrows_it() -> None:
    """All takes share it."""
    with pytest.raises(ValueError, match="read-only"):
        filter_bank(400)[0, 0] = 1.0
