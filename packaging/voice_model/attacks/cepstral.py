"""Channel vocoders by the cepstrum: an excitation shaped by smooth envelopes of minimum or of zero phase."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from app.capabilities.voice.matrix import Samples
from voice_model.attacks.transforms import (
    Floats,
    excitation,
    finished,
    pitch_of,
    smooth_envelopes,
    spectra_of,
    wave_from,
)


def minimum_phase(wave: Samples, rng: Generator) -> Samples:
    """As homomorphic vocoders and MLSA filters speak."""
    return _shaped(wave, rng, minimum=True)


def zero_phase(wave: Samples, rng: Generator) -> Samples:
    """Pulses that are symmetric in time."""
    return _shaped(wave, rng, minimum=False)


def _shaped(wave: Samples, rng: Generator, *, minimum: bool) -> Samples:
    window, hop = int(rng.choice([400, 512, 640])), int(rng.choice([80, 128, 160]))
    envelopes = smooth_envelopes(spectra_of(wave, window, hop), int(rng.integers(20, 60)))
    filters = _minimum(envelopes) if minimum else np.exp(envelopes).astype(complex)
    source = excitation(pitch_of(wave, hop), hop, len(wave), rng, float(rng.choice([0.0, 0.1, 0.3])))
    return finished(wave_from(spectra_of(source, window, hop) * filters, window, hop, len(wave)), wave)


def _minimum(envelopes: Floats) -> Floats:
    """Filters with these log magnitudes and minimum phase: the cepstrum folded onto its causal half."""
    cepstra = np.fft.irfft(envelopes, axis=1)
    size = cepstra.shape[1]
    cepstra[:, 1 : size // 2] *= 2
    cepstra[:, size // 2 + 1 :] = 0.0
    return np.asarray(np.exp(np.fft.rfft(cepstra, axis=1)))
