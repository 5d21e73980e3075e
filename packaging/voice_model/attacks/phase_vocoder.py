"""The phase vocoder (Flanagan and Golden 1966): another tempo or pitch, with or without identity phase locking
(Laroche and Dolson 1999)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from app.capabilities.voice.matrix import Samples
from voice_model.attacks.transforms import Floats, finished, resampled, spectra_of, wave_from


def tempo(wave: Samples, rng: Generator) -> Samples:
    """Faster or slower by 8 to 30 %."""
    return finished(
        _stretched(np.asarray(wave, np.float64), _factor(rng), locked=bool(rng.random() < 0.5), rng=rng), wave
    )


def pitch(wave: Samples, rng: Generator) -> Samples:
    """Higher or lower, phases of each bin by themselves."""
    return _moved(wave, rng, locked=False)


def pitch_locked(wave: Samples, rng: Generator) -> Samples:
    """Higher or lower, the phases around a peak locked to it."""
    return _moved(wave, rng, locked=True)


def _factor(rng: Generator) -> float:
    return float(np.exp(rng.choice([-1, 1]) * rng.uniform(0.08, 0.26)))


def _moved(wave: Samples, rng: Generator, *, locked: bool) -> Samples:
    factor = _factor(rng)
    stretched = _stretched(np.asarray(wave, np.float64), factor, locked=locked, rng=rng)
    return finished(resampled(stretched, 100, round(100 * factor)), wave)


def _stretched(wave: Floats, factor: float, *, locked: bool, rng: Generator) -> Floats:
    """``factor`` times as long."""
    window = int(rng.choice([512, 800, 1024]))
    hop = window // 4
    spectra = spectra_of(wave, window, hop)
    magnitudes, angles = np.abs(spectra), np.angle(spectra)
    expected = 2 * np.pi * hop / window * np.arange(spectra.shape[1])
    times = np.arange(0, len(spectra) - 1.001, 1 / factor)
    made = np.empty((len(times), spectra.shape[1]), complex)
    phase = angles[0].copy()
    bins = np.arange(spectra.shape[1])
    for index, time in enumerate(times):
        first, share = int(time), time - int(time)
        row = (1 - share) * magnitudes[first] + share * magnitudes[first + 1]
        used = phase
        if locked:
            summit = np.flatnonzero((row[1:-1] > row[:-2]) & (row[1:-1] >= row[2:])) + 1
            if len(summit):
                # Between two peaks the border lies half way.
                peak = summit[np.searchsorted((summit[1:] + summit[:-1]) / 2, bins)]
                used = phase[peak] + angles[first] - angles[first][peak]
        made[index] = row * np.exp(1j * used)
        turn = angles[first + 1] - angles[first] - expected
        phase = used + expected + turn - 2 * np.pi * np.round(turn / (2 * np.pi))
    return wave_from(made, window, hop, round(len(wave) * factor))
