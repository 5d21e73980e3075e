"""Sums of sinusoids: harmonics of F0, or the peaks of each frame (McAulay and Quatieri 1986)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from app.capabilities.voice.matrix import SAMPLE_RATE, Samples
from voice_model.attacks.transforms import Floats, finished, pitch_of, smooth_envelopes, spectra_of, wave_from

_HOP = 160
_WINDOW = 512


def harmonic(wave: Samples, rng: Generator) -> Samples:
    """Harmonics with the amplitudes of a smooth envelope where voiced, shaped noise elsewhere and above an edge."""
    f0 = pitch_of(wave, _HOP)
    spectra = spectra_of(wave, _WINDOW, _HOP)[: len(f0)]
    f0 = f0[: len(spectra)]
    envelopes = smooth_envelopes(spectra, int(rng.integers(25, 50)))
    length = len(wave)
    voiced = np.interp(np.arange(length), np.arange(len(f0)) * _HOP, (f0 > 0).astype(float)) > 0.5
    steady = (
        np.interp(np.arange(len(f0)), np.flatnonzero(f0 > 0), f0[f0 > 0]) if (f0 > 0).any() else np.full(len(f0), 100.0)
    )
    track = np.interp(np.arange(length), np.arange(len(f0)) * _HOP, steady)
    phase = 2 * np.pi * np.cumsum(track / SAMPLE_RATE)
    edge = rng.uniform(3500, 7000)
    bin_hz = SAMPLE_RATE / _WINDOW
    spoken = np.zeros(length)
    for number in range(1, int(edge / max(float(steady.min()), 60.0)) + 1):
        places = np.minimum(number * steady / bin_hz, envelopes.shape[1] - 1.001)
        low = places.astype(int)
        share = places - low
        rows = np.arange(len(low))
        logs = envelopes[rows, low] * (1 - share) + envelopes[rows, low + 1] * share
        loud = np.where((number * steady < edge) & (f0 > 0), np.exp(logs), 0.0)
        amplitude = np.interp(np.arange(length), np.arange(len(f0)) * _HOP, loud)
        spoken += amplitude * np.sqrt(track) * np.cos(number * phase + rng.uniform(0, 2 * np.pi))
    noise = rng.standard_normal(length)
    shaped = spectra_of(noise, _WINDOW, _HOP)[: len(envelopes)] * np.exp(envelopes)
    above = np.fft.rfftfreq(_WINDOW, 1 / SAMPLE_RATE) > edge
    rest = wave_from(np.where((f0 > 0)[:, None] & ~above, 0.0, shaped), _WINDOW, _HOP, length)
    power = np.sum(np.abs(spectra) ** 2, axis=1)
    loud = power[f0 > 0].mean() / max(power[f0 == 0].mean(), 1e-9) if (f0 > 0).any() and (f0 == 0).any() else 1.0
    spoken = np.where(voiced, spoken, 0.0)
    own = (
        np.mean(spoken[voiced] ** 2) / max(np.mean(rest[~voiced] ** 2), 1e-12)
        if voiced.any() and (~voiced).any()
        else 1.0
    )
    return finished(spoken * np.sqrt(loud / max(own, 1e-12)) + rest, wave)


def peaks(wave: Samples, rng: Generator) -> Samples:
    """The loudest peaks of each frame, each with a phase that follows from the frame before."""
    window = int(rng.choice([512, 640, 800]))
    hop = int(rng.choice([128, 160]))
    most = int(rng.integers(20, 60))
    magnitudes = np.abs(spectra_of(wave, window, hop))
    made = np.zeros(magnitudes.shape, complex)
    previous = rng.uniform(0, 2 * np.pi, magnitudes.shape[1])
    advance = 2 * np.pi * hop / window
    for index, row in enumerate(magnitudes):
        summit = np.flatnonzero((row[1:-1] > row[:-2]) & (row[1:-1] >= row[2:])) + 1
        kept = np.sort(summit[np.argsort(row[summit])[-most:]])
        if not len(kept):
            continue
        left, middle, right = (np.log(row[kept + step] + 1e-9) for step in (-1, 0, 1))
        exact = kept + np.clip(0.5 * (left - right) / np.minimum(left - 2 * middle + right, -1e-6), -0.5, 0.5)
        phases = previous[kept] + advance * exact
        nearest = kept[np.abs(np.arange(len(row))[:, None] - kept).argmin(1)]
        own: Floats = np.zeros(len(row))
        own[kept] = phases
        previous = own[nearest]
        for shift in (-2, -1, 0, 1, 2):
            places = np.clip(kept + shift, 0, len(row) - 1)
            made[index, places] = row[places] * np.exp(1j * (phases + np.pi * (shift % 2)))
    return finished(wave_from(made, window, hop, len(wave)), wave)
