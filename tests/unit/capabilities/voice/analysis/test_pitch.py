"""Fundamental frequency, linear prediction and formants of known signals."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.voice.analysis.pitch import formants_of, linear_prediction, parabola_shift, pitch_of
from app.capabilities.voice.matrix import magnitudes_of


def harmonics(f0: float, count: int = 8) -> np.ndarray:
    """A second of the first harmonics of ``f0`` Hz, with a little noise."""
    phase = 2 * np.pi * f0 * np.arange(16_000) / 16_000
    wave = np.sum([0.05 * np.cos(number * phase) for number in range(1, count + 1)], axis=0)
    return (wave + np.random.default_rng(1).normal(0, 0.001, 16_000)).astype(np.float32)


@pytest.mark.parametrize("f0", [90, 123, 200, 317, 440])
def test_f0_of_harmonics(f0: float) -> None:
    """Each frame is within a hundredth; those that hold three periods are as periodic as can be."""
    found, strength = pitch_of(magnitudes_of(harmonics(f0)) ** 2, 0.1)
    assert found == pytest.approx(np.full(len(found), f0), rel=0.01)
    assert f0 < 120 or strength.min() > 0.9
    assert strength.max() <= 1


def test_noise_has_no_pitch() -> None:
    """Its strength is low."""
    noise = np.random.default_rng(2).normal(0, 0.1, 16_000).astype(np.float32)
    assert np.median(pitch_of(magnitudes_of(noise) ** 2, 0.02)[1]) < 0.5


def test_the_octave_cost_decides_between_a_lag_and_its_double() -> None:
    """Half the frequency is there too, faintly: the longer period is the better one, unless an octave costs more."""
    wave = harmonics(220) + np.float32(0.7) * harmonics(110, 1)
    power = magnitudes_of(wave) ** 2
    assert np.median(pitch_of(power, 0.0)[0]) == pytest.approx(110, rel=0.01)
    assert np.median(pitch_of(power, 0.2)[0]) == pytest.approx(220, rel=0.01)


def test_silence_has_a_pitch_without_strength() -> None:
    """No division by zero."""
    f0, strength = pitch_of(np.zeros((3, 257), np.float32), 0.02)
    assert np.isfinite(f0).all()
    assert strength.tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("points", "shift"),
    [((0.0, 1.0, 0.0), 0.0), ((0.5, 1.0, 0.9), 1 / 3), ((0.9, 1.0, 0.5), -1 / 3), ((1.0, 1.0, 1.0), 0.0)],
)
def test_the_vertex_of_a_parabola(points: tuple[float, float, float], shift: float) -> None:
    """Between the points, nearer to the higher neighbour."""
    assert parabola_shift(*(np.array([point]) for point in points)) == pytest.approx(shift, abs=1e-6)


def test_the_vertex_stays_within_half_a_step() -> None:
    """Where the middle is no peak."""
    assert parabola_shift(np.array([0.0]), np.array([1.0]), np.array([3.0])).tolist() == [-0.5]
    assert parabola_shift(np.array([0.0]), np.array([1.0]), np.array([1.9])).tolist() == [0.5]


def test_linear_prediction_solves_the_normal_equations() -> None:
    """The recursion's filters are those of a linear solver, and the error is what is left."""
    rng = np.random.default_rng(3)
    waves = rng.normal(size=(4, 500))
    waves[:, 1:] += 0.9 * waves[:, :-1]
    lags = np.array([[np.dot(wave[: 500 - k], wave[k:]) for k in range(9)] for wave in waves])
    filters, error = linear_prediction(lags, 8)
    for wave in range(4):
        matrix = np.array([[lags[wave, abs(i - j)] for j in range(8)] for i in range(8)])
        matrix += np.eye(8) * 1e-4 * lags[wave, 0]
        solved = -np.linalg.solve(matrix, lags[wave, 1:])
        assert filters[wave] == pytest.approx([1, *solved], abs=1e-4)
        left = lags[wave, 0] * 1.0001 + solved @ lags[wave, 1:]
        assert error[wave] == pytest.approx(left, rel=1e-4)


def test_formants_of_an_envelope_of_known_poles() -> None:
    """The power spectrum of an all-pole filter gives its resonances back; what the pre-emphasis adds is small."""
    hertz = np.arange(257) * 31.25
    for wanted in ((500, 1500, 2500), (300, 2200, 3000), (750, 1150, 2600)):
        power = np.ones(257)
        for formant, width in zip((*wanted, 3700, 4500), (60, 80, 100, 150, 200), strict=True):
            pole = np.exp(-np.pi * width / 10_000 + 2j * np.pi * formant / 10_000)
            delay = np.exp(-2j * np.pi * hertz / 10_000)
            power /= np.abs((1 - pole * delay) * (1 - np.conj(pole) * delay)) ** 2
        power /= 1 + 0.97**2 - 2 * 0.97 * np.cos(2 * np.pi * hertz / 16_000)
        found = formants_of(power[None].astype(np.float32), 1)
        assert found[0] == pytest.approx(wanted, abs=12)


def test_a_smaller_circle_parts_two_formants() -> None:
    """Two that are one peak on the unit circle are two within it."""
    hertz = np.arange(257) * 31.25
    power = np.ones(257)
    for formant, width in ((800, 220), (1000, 220), (2500, 100), (3500, 100), (4400, 100)):
        pole = np.exp(-np.pi * width / 10_000 + 2j * np.pi * formant / 10_000)
        delay = np.exp(-2j * np.pi * hertz / 10_000)
        power /= np.abs((1 - pole * delay) * (1 - np.conj(pole) * delay)) ** 2
    power /= 1 + 0.97**2 - 2 * 0.97 * np.cos(2 * np.pi * hertz / 16_000)
    on_circle = formants_of(power[None].astype(np.float32), 1)[0]
    within = formants_of(power[None].astype(np.float32), 0.94)[0]
    assert on_circle[1] == pytest.approx(2500, abs=50)
    assert within == pytest.approx([800, 1000, 2500], abs=60)


def test_a_flat_spectrum_has_no_formants() -> None:
    """Zero where the envelope has fewer peaks."""
    assert formants_of(np.zeros((1, 257), np.float32), 1).tolist() == [[0, 0, 0]]
