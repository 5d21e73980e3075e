"""Phases found by iteration from magnitudes (Griffin and Lim 1984; with momentum, Perraudin et al. 2013)."""

from __future__ import annotations

import functools

import numpy as np
from numpy.random import Generator

from app.capabilities.voice.matrix import Samples
from voice_model.attacks.transforms import Floats, finished, mel_matrix, spectra_of, wave_from


def invert(
    magnitudes: Floats, window: int, hop: int, length: int, iterations: int, momentum: float, rng: Generator
) -> Floats:
    """A wave with about these magnitudes, from random phases."""
    spectra = magnitudes * np.exp(2j * np.pi * rng.random(magnitudes.shape))
    previous = np.zeros_like(spectra)
    for _ in range(iterations):
        rebuilt = spectra_of(wave_from(spectra, window, hop, length), window, hop)[: len(magnitudes)]
        moved = rebuilt + momentum * (rebuilt - previous)
        previous = rebuilt
        spectra = magnitudes * moved / np.maximum(np.abs(moved), 1e-12)
    return wave_from(spectra, window, hop, length)


def from_mel(wave: Samples, rng: Generator) -> Samples:
    """From mel bands, as a text-to-speech system without a vocoder of its own has them."""
    window, hop = _window(rng)
    bands = int(rng.choice([40, 64, 80, 80, 128]))
    forward, back = _mel(bands, window)
    magnitudes = np.abs(spectra_of(wave, window, hop))
    flat = np.maximum((magnitudes @ forward.T) @ back.T, 1e-6)
    return finished(
        invert(flat, window, hop, len(wave), int(rng.integers(12, 45)), float(rng.choice([0.0, 0.5, 0.9, 0.99])), rng),
        wave,
    )


def from_magnitude(wave: Samples, rng: Generator) -> Samples:
    """From the whole magnitude spectrum: only the phases are new."""
    window, hop = _window(rng)
    magnitudes = np.abs(spectra_of(wave, window, hop))
    return finished(
        invert(
            magnitudes, window, hop, len(wave), int(rng.integers(16, 50)), float(rng.choice([0.0, 0.5, 0.9, 0.99])), rng
        ),
        wave,
    )


def few_iterations(wave: Samples, rng: Generator) -> Samples:
    """Stopped early: phases that do not fit each other."""
    window, hop = _window(rng)
    magnitudes = np.abs(spectra_of(wave, window, hop))
    if rng.random() < 0.5:
        forward, back = _mel(80, window)
        magnitudes = np.maximum((magnitudes @ forward.T) @ back.T, 1e-6)
    return finished(invert(magnitudes, window, hop, len(wave), int(rng.integers(3, 11)), 0.0, rng), wave)


def _window(rng: Generator) -> tuple[int, int]:
    window = int(rng.choice([400, 512, 800, 1024]))
    return window, window // int(rng.choice([3, 4]))


@functools.cache
def _mel(bands: int, window: int) -> tuple[Floats, Floats]:
    forward = mel_matrix(bands, window)
    return forward, np.linalg.pinv(forward)
