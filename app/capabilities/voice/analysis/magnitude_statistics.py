"""H: 133 numbers of magnitudes alone, which both profiles of the matrix have.

Ratios, differences and shapes of distributions, never a mean spectrum: bandwidth and level are the channel's. Most tell
how the fine structure of the spectrum (harmonics, and the noise between them) goes on in time and frequency, which
phase reconstruction and vocoders do not get right.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import TINY, Flags, Numbers, correlation, moments, quantiles
from app.capabilities.voice.analysis.pitch import VOICED, formants_where, pitch_of

MAGNITUDE_STATISTICS: Final = 133
_LOUD_DB: Final = 30.0
"""Frames further below the loudest are left out: they are pauses and their noise."""
_FIRST, _LAST = 4, 208
"""Bins of 31.25 Hz that are looked at, 125 Hz to 6.5 kHz: what every wideband channel passes."""
_OCTAVE_COST: Final = 0.02
"""Small: an octave's error now and then is a trait of the voice as well."""
_FLUX_BANDS: Final = 12
_MODULATED_BANDS: Final = 5
_FINE_BANDS: Final = 6
_NARROW, _WIDE = 5, 17
"""Bins (156 and 531 Hz) of the running mean that is taken from a log spectrum: what is left is its fine structure."""
_SEGMENT: Final = 64
"""Frames of a modulation spectrum: 0.64 s, 1.56 Hz a bin."""
_MODULATION: Final = (1, 2, 4, 8, 13, 21)
"""Bins at which its bands begin: 1.6, 3.1, 6.3, 12.5, 20 and 33 Hz; the last ends at 50 Hz."""


def magnitude_statistics(magnitudes: Numbers) -> Numbers:
    """The 133 numbers of conditioned magnitudes (T, 257), T >= 98; float32, finite.

    6 of formant tracks, 7 of F0 and level, 36 of spectral flux, 6 of modulation, 78 of the fine structure.
    """
    power = magnitudes * magnitudes
    level = np.log(power.sum(axis=1) + TINY)
    loud = level > quantiles(level, (0.95,))[0] - _LOUD_DB * np.log(10) / 10
    f0, strength = pitch_of(power, _OCTAVE_COST)
    voiced = loud & (strength > VOICED)
    logs = np.log(power[:, _FIRST:_LAST] + TINY)
    found = np.concatenate(
        [
            _formants(formants_where(voiced, power, radius=1), voiced),
            _pitch(np.log(f0), strength, level, voiced),
            _flux(_log_bands(power, _FLUX_BANDS), loud),
            _modulation(_log_bands(power, _MODULATED_BANDS)),
            _fine_structure(logs, loud),
        ]
    )
    return np.asarray(found, np.float32)


def _log_bands(power: Numbers, bands: int) -> Numbers:
    """Log energies of ``bands`` bands of one width from 125 Hz to 6.5 kHz, shape (T, bands)."""
    edges = np.linspace(_FIRST, _LAST, bands + 1).astype(np.intp)
    return np.asarray(np.log(np.add.reduceat(power, edges, axis=1)[:, :-1] + TINY))


def _formants(tracks: Numbers, voiced: Flags) -> Numbers:
    """For F1, F2, F3: the median step of their logarithm in 10 ms, and how far one step tells the next: a throat moves
    on, a vocoder's analysis jumps to and fro."""
    found = []
    for number in range(tracks.shape[1]):
        there = voiced & (tracks[:, number] > 0)
        first, _, pairs = _steps(np.log(np.maximum(tracks[:, number], 1)), there)
        found += [quantiles(np.abs(first), (0.5,))[0], correlation(*pairs)]
    return np.asarray(found)


def _steps(track: Numbers, there: Flags) -> tuple[Numbers, Numbers, tuple[Numbers, Numbers]]:
    """First and second differences within runs of ``there``, and neighbouring first differences as two columns."""
    step = np.diff(track)
    both = there[1:] & there[:-1]
    three = both[1:] & both[:-1]
    return step[both], np.diff(step)[three], (step[:-1][three], step[1:][three])


def _pitch(log_f0: Numbers, strength: Numbers, level: Numbers, voiced: Flags) -> Numbers:
    """Jitter of F0 (median, 90 %, and of its second difference), kurtosis of its steps, median strength and step of the
    strength, shimmer of the level."""
    first, second, _ = _steps(log_f0, voiced)
    return np.concatenate(
        [
            quantiles(np.abs(first), (0.5, 0.9)),
            quantiles(np.abs(second), (0.5,)),
            [moments(first)[2]],
            quantiles(strength[voiced], (0.5,)),
            quantiles(np.abs(_steps(strength, voiced)[0]), (0.5,)),
            quantiles(np.abs(_steps(level, voiced)[0]), (0.5,)),
        ]
    )


def _flux(bands: Numbers, loud: Flags) -> Numbers:
    """Deviation, skewness and kurtosis of what each band's log energy changes by in 10 ms."""
    return np.concatenate(moments(np.diff(bands, axis=0)[loud[1:] & loud[:-1]]))


def _modulation(bands: Numbers) -> Numbers:
    """Log shares of six modulation bands, 1.6 to 50 Hz, in the bands' log energies; their mean over the bands."""
    starts = np.arange(0, len(bands) - _SEGMENT + 1, _SEGMENT // 2)
    segments = bands[starts[:, None] + np.arange(_SEGMENT)]
    window = np.hanning(_SEGMENT + 1)[:-1].astype(np.float32)
    moved = (segments - segments.mean(axis=1, keepdims=True)) * window[:, None]
    spectrum = np.abs(np.fft.rfft(moved, axis=1)) ** 2
    energy = np.add.reduceat(spectrum.mean(axis=0), _MODULATION, axis=0)
    return np.asarray(np.log((energy + TINY) / (energy.sum(axis=0) + TINY)).mean(axis=1))


def _fine_structure(logs: Numbers, loud: Flags) -> Numbers:
    """What the log spectrum (T, 204) has over its narrow and its wide running mean, each in six bands.

    Deviation, skewness and kurtosis: noise has a known distribution, harmonics another, a vocoder's mixture neither.
    Then how alike it is 10 and 20 ms later; for the narrow one, one bin higher and one lower 10 ms later; for the wide
    one, one bin higher at the same time.
    """
    narrow = _Fine(over_running_mean(logs, _NARROW), loud)
    wide = _Fine(over_running_mean(logs, _WIDE), loud)
    return np.concatenate(
        (
            *(*narrow.shape(), narrow.alike(1, 0), narrow.alike(2, 0), narrow.alike(1, 1), narrow.alike(1, -1)),
            *(*wide.shape(), wide.alike(1, 0), wide.alike(2, 0), wide.alike(0, 1)),
        )
    )


def over_running_mean(logs: Numbers, width: int) -> Numbers:
    """``logs`` (T, n) less the mean of ``width`` (odd) neighbours along the second axis; the ends are repeated."""
    half = width // 2
    padded = np.pad(logs, ((0, 0), (half, half)), mode="edge")
    total = padded[:, : logs.shape[1]].copy()
    for step in range(1, width):
        total += padded[:, step : step + logs.shape[1]]
    return np.asarray(logs - total / width, np.float32)


class _Fine:
    """A fine structure in bands, shape (T, 34, 6), and which of its frames are loud."""

    def __init__(self, fine: Numbers, loud: Flags) -> None:
        self._bands = np.ascontiguousarray(fine.reshape(len(fine), _FINE_BANDS, -1).transpose(0, 2, 1))
        self._loud = loud

    def shape(self) -> tuple[Numbers, Numbers, Numbers]:
        """Deviation, skewness and kurtosis over the loud frames, each of shape (6,)."""
        return moments(self._bands[self._loud].reshape(-1, _FINE_BANDS))

    def alike(self, frames: int, bins: int) -> Numbers:
        """The correlation with itself ``frames`` later and ``bins`` higher (0, 1 or -1), shape (6,), where all frames
        between the two are loud. The means are zero as they come."""
        count = len(self._loud) - frames
        both = np.logical_and.reduce([self._loud[step : step + count] for step in range(frames + 1)])
        size = self._bands.shape[1] - abs(bins)
        here = self._bands[:count, max(-bins, 0) :][both, :size]
        there = self._bands[frames:, max(bins, 0) :][both, :size]
        squares = np.einsum("tbf,tbf->f", here, here) * np.einsum("tbf,tbf->f", there, there)
        return np.asarray(np.einsum("tbf,tbf->f", here, there) / np.sqrt(squares + TINY), np.float32)
