"""Fundamental frequency and formants of frames, from their power spectra."""

from __future__ import annotations

import functools
from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import TINY, Flags, Numbers
from app.capabilities.voice.matrix import N_FFT, SAMPLE_RATE, WINDOW

LOWEST_F0: Final = 64.0
HIGHEST_F0: Final = 450.0
VOICED: Final = 0.5
"""Normalised autocorrelation at the pitch lag from which on a frame is voiced."""
FORMANT_BINS: Final = 161
"""Bins of 31.25 Hz up to 5 kHz, within which an adult's first four formants lie."""
FORMANT_ORDER: Final = 10
_ENVELOPE: Final = 512
_PEAKS: Final = 3


@functools.cache
def _window_lags() -> Numbers:
    """The circular autocorrelation of the Hann window of 400 samples in 512, 1 at lag 0."""
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)
    lags = np.fft.irfft(np.abs(np.fft.rfft(window, N_FFT)) ** 2)
    return np.asarray(lags / lags[0], np.float32)


def pitch_of(power: Numbers, octave_cost: float) -> tuple[Numbers, Numbers]:
    """F0 in Hz (64 to 450) and its strength (about 0 to 1) for power spectra (T, 257) of a 400-sample Hann window.

    The autocorrelation of the frame over that of its window (Boersma 1993), the highest peak, refined by a parabola. A
    lag twice as long must be better by ``octave_cost``.
    """
    lags = np.fft.irfft(power)
    normal = lags[:, : int(SAMPLE_RATE / LOWEST_F0) + 2] / np.maximum(lags[:, :1], TINY)
    normal /= np.maximum(_window_lags()[: normal.shape[1]], 0.02)
    first = int(SAMPLE_RATE / HIGHEST_F0)
    octaves = np.log2(np.arange(first, normal.shape[1] - 1) / first)
    judged = normal[:, first:-1] - np.float32(octave_cost) * octaves.astype(np.float32)
    best = judged.argmax(axis=1) + first
    row = np.arange(len(power))
    before, here, after = normal[row, best - 1], normal[row, best], normal[row, best + 1]
    shift = parabola_shift(before, here, after)
    return np.asarray(SAMPLE_RATE / (best + shift), np.float32), np.asarray(np.minimum(here, 1), np.float32)


def parabola_shift(before: Numbers, here: Numbers, after: Numbers) -> Numbers:
    """Where the parabola through three equidistant points has its vertex, -0.5 to 0.5 from the middle one."""
    curvature = before - 2 * here + after
    bent = np.abs(curvature) > TINY
    shift = np.where(bent, 0.5 * (before - after) / np.where(bent, curvature, 1), 0)
    return np.asarray(np.clip(shift, -0.5, 0.5), np.float32)


@functools.cache
def _lag_waves(bins: int, order: int) -> Numbers:
    """The inverse Fourier transform of real even spectra by their first half, as far as lag ``order``, shape (bins,
    order + 1). Read only."""
    size = 2 * (bins - 1)
    waves = np.cos(2 * np.pi * np.outer(np.arange(bins), np.arange(order + 1)) / size) * (2 / size)
    waves[[0, -1]] /= 2
    return waves


def first_lags(power: Numbers, order: int) -> Numbers:
    """Autocorrelations at lags 0 to ``order`` of power spectra (T, bins), shape (T, order + 1): what ``irfft`` begins
    with, without the rest of it. In float64: a spectrum falls by 60 dB, and prediction reads the small differences."""
    return np.asarray(power.astype(np.float64) @ _lag_waves(power.shape[1], order))


@functools.cache
def _filter_waves() -> tuple[Numbers, Numbers]:
    """Real and imaginary part of the Fourier transform of ``FORMANT_ORDER`` + 1 numbers at ``_ENVELOPE`` points, shape
    (FORMANT_ORDER + 1, _ENVELOPE // 2 + 1) each. Read only."""
    angles = 2 * np.pi * np.outer(np.arange(FORMANT_ORDER + 1), np.arange(_ENVELOPE // 2 + 1)) / _ENVELOPE
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def linear_prediction(lags: Numbers, order: int) -> tuple[Numbers, Numbers]:
    """The inverse filters 1, a1, ... (T, order + 1) and error powers (T,) of autocorrelations (T, >= order + 1).

    Levinson's and Durbin's recursion on all frames at once, with white noise 40 dB below for its condition.
    """
    r = lags[:, : order + 1].astype(np.float64)
    error = r[:, 0] * 1.0001 + TINY
    filters = np.zeros((len(r), order + 1))
    filters[:, 0] = 1
    for step in range(1, order + 1):
        reflection = -np.einsum("tk,tk->t", filters[:, :step], r[:, step:0:-1]) / error
        filters[:, 1 : step + 1] += reflection[:, None] * filters[:, step - 1 :: -1][:, :step]
        error *= np.maximum(1 - reflection * reflection, TINY)
    return filters.astype(np.float32), error.astype(np.float32)


def formants_of(power: Numbers, radius: float) -> Numbers:
    """F1, F2, F3 in Hz of power spectra (T, 257), shape (T, 3); 0 where a frame's envelope has fewer peaks.

    Selective linear prediction (Makhoul 1975) of 0 to 5 kHz, order 10, pre-emphasis 0.97; the envelope's first three
    peaks from 150 Hz on, refined by a parabola. The envelope is that on a circle of ``radius``: within 1 two formants
    that are one peak on the unit circle come apart (McCandless 1974).
    """
    hertz = np.arange(FORMANT_BINS) * (SAMPLE_RATE / N_FFT)
    emphasis = 1 + 0.97**2 - 2 * 0.97 * np.cos(2 * np.pi * hertz / SAMPLE_RATE)
    lags = first_lags(power[:, :FORMANT_BINS] * emphasis.astype(np.float32), FORMANT_ORDER)
    filters, _ = linear_prediction(lags, FORMANT_ORDER)
    filters *= np.float32(radius) ** -np.arange(FORMANT_ORDER + 1, dtype=np.float32)
    real, imaginary = (filters @ part for part in _filter_waves())
    envelope = -np.log(np.maximum(real * real + imaginary * imaginary, TINY))
    step = 5000 / (_ENVELOPE // 2)
    first = int(150 / step)
    middle = envelope[:, first:-1]
    rows, places = np.nonzero((middle > envelope[:, first - 1 : -2]) & (middle >= envelope[:, first + 1 :]))
    begins = np.searchsorted(rows, np.arange(len(power) + 1))
    tracks = np.zeros((len(power), _PEAKS), np.float32)
    for number in range(_PEAKS):
        row = np.flatnonzero(begins[1:] - begins[:-1] > number)
        at = places[begins[row] + number] + first
        shift = parabola_shift(envelope[row, at - 1], envelope[row, at], envelope[row, at + 1])
        tracks[row, number] = (at + shift) * step
    return tracks


def formants_where(there: Flags, power: Numbers, radius: float) -> Numbers:
    """``formants_of`` the frames that are ``there`` (T,), 0 in the others: a pause has none that anybody reads."""
    tracks = np.zeros((len(power), _PEAKS), np.float32)
    tracks[there] = formants_of(power[there], radius)
    return tracks
