"""The statistics of the judge: the plain reference's numbers, what they must not see, and that they are finite."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.capabilities.voice.analysis.envelope_statistics import (
    ENVELOPE_STATISTICS,
    bispectrum_regions,
    envelope_statistics,
)
from app.capabilities.voice.analysis.magnitude_statistics import MAGNITUDE_STATISTICS, magnitude_statistics
from app.capabilities.voice.analysis.phase_statistics import PHASE_STATISTICS, phase_statistics
from app.capabilities.voice.analysis.spectra import TooLittleSpeech, condition, subband_envelopes
from app.capabilities.voice.analysis.statistics import FEATURES_VERSION, statistics_of, statistics_of_magnitudes
from app.capabilities.voice.matrix import magnitudes_of
from tests.unit.capabilities.voice.analysis.reference_statistics import (
    envelope_reference,
    magnitude_reference,
    phase_reference,
)
from tests.unit.capabilities.voice.analysis.synthetic_voice import speech

VECTOR = json.loads((Path(__file__).parents[4] / "vectors" / "voice-statistics-2.json").read_text())


def conditioned_second(seed: int = 3) -> np.ndarray:
    """1.1 s of a conditioned voice: short, for the reference is slow."""
    return condition(speech(seed))[:17_600]


def test_magnitude_statistics_are_those_of_the_reference() -> None:
    """All 133, written out as sums."""
    magnitudes = magnitudes_of(conditioned_second())
    expected = magnitude_reference(magnitudes)
    assert len(expected) == MAGNITUDE_STATISTICS
    assert magnitude_statistics(magnitudes) == pytest.approx(expected, rel=2e-3, abs=2e-3)


def test_phase_statistics_are_those_of_the_reference() -> None:
    """All 94, with angles where the program multiplies unit numbers."""
    wave = conditioned_second()
    envelopes = subband_envelopes(wave)
    expected = phase_reference(wave, envelopes)
    assert len(expected) == PHASE_STATISTICS
    assert phase_statistics(wave, envelopes) == pytest.approx(expected, rel=2e-3, abs=2e-3)


def test_envelope_statistics_are_those_of_the_reference() -> None:
    """All 156."""
    wave = conditioned_second()
    envelopes = subband_envelopes(wave)
    expected = envelope_reference(wave, envelopes)
    assert len(expected) == ENVELOPE_STATISTICS
    assert envelope_statistics(wave, envelopes) == pytest.approx(expected, rel=2e-3, abs=2e-3)


def drawn_sound() -> np.ndarray:
    """2.4 s that every program can make: six harmonics that glide, syllables, a pause and noise, by integers alone."""
    count = 38_400
    time = np.arange(count) / 16_000
    phase = 2 * np.pi * np.cumsum(110 + 25 * np.sin(2 * np.pi * 0.8 * time)) / 16_000
    tones = sum(np.sin(order * phase + order**2) / order for order in (1, 2, 3, 7, 12, 25))
    noise = np.frombuffer(hashlib.shake_256(b"arc-voice-statistics").digest(count), np.int8) / 128
    wave = (0.1 * tones + 0.01 * noise) * (0.6 + 0.4 * np.sin(2 * np.pi * 4 * time))
    wave[12_000:16_000] = 0.0002 * noise[12_000:16_000]
    return np.asarray(wave, np.float32)


def told(wave: np.ndarray) -> dict[str, list[float]]:
    """Every statistic of a recording, of the bands their means."""
    found = statistics_of(wave)
    assert found.phase is not None
    assert found.envelope is not None
    level = np.abs(found.bands).mean(axis=0)
    parts = {"magnitude": found.magnitude, "phase": found.phase, "envelope": found.envelope, "bands": level}
    parts["router"] = found.router
    return {name: [round(float(number), 4) for number in part] for name, part in parts.items()}


def test_the_statistics_are_those_that_the_models_know() -> None:
    """Number for number. A change of one asks for another ``FEATURES_VERSION``, other models, and another vector."""
    assert VECTOR["features_version"] == FEATURES_VERSION
    found = told(drawn_sound())
    assert {name: len(part) for name, part in found.items()} == {
        "magnitude": 133, "phase": 94, "envelope": 156, "bands": 128, "router": 5,
    }  # fmt: skip
    for name, part in found.items():
        assert part == pytest.approx(VECTOR[name], rel=2e-3, abs=2e-3), name


def test_the_polarity_is_not_seen() -> None:
    """A microphone that is wired the other way round changes nothing."""
    wave = condition(speech())
    turned = [phase_statistics(wave, subband_envelopes(wave)), envelope_statistics(wave, subband_envelopes(wave))]
    straight = [phase_statistics(-wave, subband_envelopes(wave)), envelope_statistics(-wave, subband_envelopes(wave))]
    for one, other in zip(turned, straight, strict=True):
        assert one == pytest.approx(other, abs=2e-4)


def test_the_gain_is_not_seen() -> None:
    """A recording at a third of the level has the same statistics, the router's included."""
    loud, soft = statistics_of(speech()), statistics_of(speech() / np.float32(3))
    assert loud.magnitude == pytest.approx(soft.magnitude, abs=5e-3)
    assert loud.phase == pytest.approx(soft.phase, abs=5e-3)
    assert loud.envelope == pytest.approx(soft.envelope, abs=5e-3)
    assert loud.bands == pytest.approx(soft.bands, abs=5e-3)
    assert loud.router == pytest.approx(soft.router, abs=1e-2)


def test_a_waveform_that_never_moves_has_no_bispectrum() -> None:
    """As many numbers as any other, and none of them says anything."""
    assert bispectrum_regions(np.zeros(17_600, np.float32)).tolist() == [0.0] * 40


def test_a_recording_has_all_parts() -> None:
    """float32 of the stated shapes."""
    found = statistics_of(speech())
    assert found.phase is not None
    assert found.envelope is not None
    parts = (found.magnitude, found.phase, found.envelope, found.bands, found.router)
    assert [part.dtype for part in parts] == [np.float32] * 5
    frames = 1 + (len(condition(speech())) - 400) // 160
    assert [part.shape for part in parts] == [(133,), (94,), (156,), (frames, 128), (5,)]


def test_magnitudes_have_no_phase() -> None:
    """What needs a waveform is None; the rest is near that of the waveform."""
    sent = magnitudes_of(speech())
    found, whole = statistics_of_magnitudes(sent), statistics_of(speech())
    assert found.phase is None
    assert found.envelope is None
    assert found.router == pytest.approx(whole.router)
    assert found.bands.shape[1] == 128
    assert np.median(np.abs(found.magnitude - whole.magnitude)) < 0.05


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from(["noise", "impulses", "square", "sine", "constant", "huge"]),
    st.integers(16_000, 30_000),
    st.floats(1e-7, 1.0),
    st.integers(0, 99),
)
def test_statistics_are_finite(kind: str, samples: int, gain: float, seed: int) -> None:
    """No recording gives NaN, infinity or a warning: it has too little speech, or numbers."""
    rng = np.random.default_rng(seed)
    time = np.arange(samples) / 16_000
    wave = {
        "noise": rng.normal(0, 1, samples),
        "impulses": (rng.random(samples) < 0.001).astype(float),
        "square": np.sign(np.sin(2 * np.pi * 150 * time)),
        "sine": np.sin(2 * np.pi * 1000 * time),
        "constant": np.ones(samples),
        "huge": rng.normal(0, 30, samples),
    }[kind] * gain
    wave[: samples // 20] = 0
    try:
        found = statistics_of(wave.astype(np.float32))
    except TooLittleSpeech:
        return
    for part in (found.magnitude, found.phase, found.envelope, found.bands, found.router):
        assert np.isfinite(part).all()
