"""Linear prediction: an all-pole filter for each frame, and an excitation that no throat made."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from scipy.linalg import solve_toeplitz
from scipy.signal import lfilter

from app.capabilities.voice.matrix import Samples
from voice_model.attacks.transforms import Floats, excitation, finished, pitch_of, resampled

_HOP = 160


def pulse_excited(wave: Samples, rng: Generator) -> Samples:
    """Pulses or noise, never both."""
    return _spoken(wave, rng, int(rng.integers(14, 25)), 0.0)


def mixed_excited(wave: Samples, rng: Generator) -> Samples:
    """Pulses with breath in them."""
    return _spoken(wave, rng, int(rng.integers(16, 33)), float(rng.uniform(0.05, 0.4)))


def ten_coefficients(wave: Samples, rng: Generator) -> Samples:
    """After LPC-10 (FS 1015): 8 kHz, ten coefficients, 22.5 ms, one of sixty pitches, 32 gains."""
    narrow = resampled(wave, 1, 2)
    hop, order = 180, 10
    f0 = pitch_of(wave, 360)
    steps = np.geomspace(50, 400, 60)
    f0 = np.where(f0 > 0, steps[np.abs(np.log(np.maximum(f0, 50))[:, None] - np.log(steps)).argmin(1)], 0.0)
    # The excitation is made at 16 kHz and taken down, so that one maker serves both rates.
    source = resampled(excitation(f0, 360, len(wave), rng, 0.0), 1, 2)[: len(narrow)]
    spoken = _filtered(narrow, source, hop, order, quantized=True)
    return finished(resampled(spoken, 2, 1)[: len(wave)], wave)


def _spoken(wave: Samples, rng: Generator, order: int, breath: float) -> Samples:
    emphasised = lfilter([1, -0.97], [1], np.asarray(wave, np.float64))
    source = excitation(pitch_of(wave, _HOP), _HOP, len(wave), rng, breath)
    spoken = _filtered(emphasised, source, _HOP, order, quantized=False)
    return finished(lfilter([1], [1, -0.97], spoken), wave)


def _filtered(wave: Floats, source: Floats, hop: int, order: int, *, quantized: bool) -> Floats:
    """The source through the all-pole filters of the wave, hop by hop."""
    window = np.hanning(2 * hop + 80)
    padded = np.pad(wave, len(window) // 2)
    spoken = np.zeros(len(source))
    state = np.zeros(order)
    for begin in range(0, len(source), hop):
        frame = padded[begin : begin + len(window)]
        frame = frame * window[: len(frame)]
        correlation = np.correlate(frame, frame, "full")[len(frame) - 1 : len(frame) + order]
        correlation[0] = correlation[0] * 1.0001 + 1e-7
        poles = np.concatenate([[1.0], -solve_toeplitz(correlation[:-1], correlation[1:])])
        power = max(float(poles @ correlation), 0.0) / np.sum(window**2)
        gain = np.sqrt(power)
        if quantized:
            gain = 10 ** (np.round(np.log10(gain + 1e-6) * 10.7) / 10.7)
            poles = _coarse(poles)
        spoken[begin : begin + hop], state = lfilter([gain], poles, source[begin : begin + hop], zi=state)
    return spoken


def _coarse(poles: Floats) -> Floats:
    """The filter with reflection coefficients in 32 steps of their arcsine."""
    current, reflections = poles.copy(), []
    for size in range(len(poles) - 1, 0, -1):
        last = float(np.clip(current[size], -0.999, 0.999))
        reflections.append(last)
        current = (current[:size] - last * current[size:0:-1]) / (1 - last**2)
    rebuilt = np.ones(1)
    for reflection in reversed(reflections):
        step = np.pi / 32
        coarse = float(np.clip(np.sin(np.round(np.arcsin(reflection) / step) * step), -0.995, 0.995))
        extended = np.append(rebuilt, 0.0)
        rebuilt = extended + coarse * extended[::-1]
    return rebuilt
