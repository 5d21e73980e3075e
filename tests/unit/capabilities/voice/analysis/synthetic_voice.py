"""Voices made by the source-filter model (Fant 1960): what F0, formants and pauses they have is known."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

RATE = 16_000
Wave = npt.NDArray[np.float32]


def vowel(f0: float, formants: tuple[float, ...] = (700, 1200, 2600, 3500, 4500), seconds: float = 2.0) -> Wave:
    """Pulses at ``f0`` Hz through a glottal slope and resonances of 80 to 200 Hz, peak 0.4, with 190 ms of pause."""
    samples = int(seconds * RATE)
    pulses = np.diff(np.floor(np.arange(samples) * f0 / RATE), prepend=0)
    hertz = np.fft.rfftfreq(2 * samples, 1 / RATE)
    delay = np.exp(-2j * np.pi * hertz / RATE)
    response = 1 / (1 - 0.96 * delay)
    for formant, width in zip(formants, (80, 90, 120, 150, 200), strict=True):
        radius = np.exp(-np.pi * width / RATE)
        response /= 1 - 2 * radius * np.cos(2 * np.pi * formant / RATE) * delay + radius**2 * delay**2
    wave = np.fft.irfft(np.fft.rfft(pulses, 2 * samples) * response)[:samples]
    wave *= 0.4 / np.abs(wave).max()
    wave[samples // 3 : samples // 3 + 3000] = 0
    return (wave + np.random.default_rng(0).normal(0, 1e-4, samples)).astype(np.float32)


def speech(seed: int = 0, seconds: float = 3.0) -> Wave:
    """A wandering voice: noise between pulses, levels that rise and fall four times a second, a pause of 300 ms."""
    rng = np.random.default_rng(seed)
    samples = int(seconds * RATE)
    time = np.arange(samples) / RATE
    phase = np.cumsum(120 + 20 * np.sin(2 * np.pi * 0.7 * time) + rng.normal(0, 2, samples)) / RATE
    source = np.diff(np.floor(phase), prepend=0) + rng.normal(0, 0.03, samples)
    hertz = np.fft.rfftfreq(samples, 1 / RATE)
    shape = 1 / (1 + (hertz / 700) ** 2) + 0.1 * np.exp(-(((hertz - 2500) / 900) ** 2)) + 0.01
    wave = np.fft.irfft(np.fft.rfft(source) * shape, samples) * (0.55 + 0.45 * np.sin(2 * np.pi * 4 * time))
    wave[samples // 2 : samples // 2 + 4800] = 0
    return (0.3 * wave / np.abs(wave).max() + rng.normal(0, 1e-4, samples)).astype(np.float32)
