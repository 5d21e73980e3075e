"""The WORLD vocoder (Morise et al. 2016): F0, spectral envelope and aperiodicity, each open to change."""

from __future__ import annotations

import numpy as np
import pyworld
from numpy.random import Generator

from app.capabilities.voice.matrix import SAMPLE_RATE, Samples
from voice_model.attacks.transforms import Floats, finished


def plain(wave: Samples, rng: Generator) -> Samples:
    """Analysis and synthesis, with one of two estimators of F0."""
    f0, envelope, aperiodicity = _analysed(wave, rng)
    return _spoken(f0, envelope, aperiodicity, wave)


def smoothed(wave: Samples, rng: Generator) -> Samples:
    """With an envelope of few coefficients, and coded aperiodicity: as statistical synthesis gives them."""
    f0, envelope, aperiodicity = _analysed(wave, rng)
    order = int(rng.integers(24, 61))
    coded = pyworld.code_spectral_envelope(envelope, SAMPLE_RATE, order)
    if rng.random() < 0.5:
        weights = np.array([0.25, 0.5, 0.25])
        coded = np.apply_along_axis(lambda column: np.convolve(column, weights, "same"), 0, coded)
        f0 = np.where(f0 > 0, np.convolve(f0, np.ones(5) / 5, "same"), 0.0)
    size = (envelope.shape[1] - 1) * 2
    flat = pyworld.decode_spectral_envelope(np.ascontiguousarray(coded), SAMPLE_RATE, size)
    breath = pyworld.decode_aperiodicity(pyworld.code_aperiodicity(aperiodicity, SAMPLE_RATE), SAMPLE_RATE, size)
    return _spoken(np.ascontiguousarray(f0), flat, breath, wave)


def pitch_moved(wave: Samples, rng: Generator) -> Samples:
    """Another pitch, or another range of it, in the same voice."""
    f0, envelope, aperiodicity = _analysed(wave, rng)
    voiced = f0 > 0
    middle = float(np.median(f0[voiced])) if voiced.any() else 100.0
    moved = middle * 2 ** (rng.uniform(-4, 4) / 12) * (np.maximum(f0, 1.0) / middle) ** rng.uniform(0.4, 1.3)
    return _spoken(np.where(voiced, moved, 0.0), envelope, aperiodicity, wave)


def warped(wave: Samples, rng: Generator) -> Samples:
    """Formants moved by 6 to 18 %, as conversion to another voice does."""
    f0, envelope, aperiodicity = _analysed(wave, rng)
    factor = float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.06, 0.18)))
    bins = np.arange(envelope.shape[1])
    logs = np.log(envelope)
    moved = np.exp(np.stack([np.interp(bins * factor, bins, row) for row in logs]))
    return _spoken(f0 * 2 ** (rng.uniform(-3, 3) / 12), np.ascontiguousarray(moved), aperiodicity, wave)


def _analysed(wave: Samples, rng: Generator) -> tuple[Floats, Floats, Floats]:
    samples = np.asarray(wave, np.float64) + 1e-6 * rng.standard_normal(len(wave))
    if rng.random() < 0.2:
        f0, times = pyworld.harvest(samples, SAMPLE_RATE)
    else:
        f0, times = pyworld.dio(samples, SAMPLE_RATE)
        f0 = pyworld.stonemask(samples, f0, times, SAMPLE_RATE)
    envelope = pyworld.cheaptrick(samples, f0, times, SAMPLE_RATE)
    return f0, envelope, pyworld.d4c(samples, f0, times, SAMPLE_RATE)


def _spoken(f0: Floats, envelope: Floats, aperiodicity: Floats, like: Samples) -> Samples:
    return finished(pyworld.synthesize(f0, envelope, aperiodicity, SAMPLE_RATE)[: len(like)], like)
