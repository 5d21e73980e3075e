"""X: 94 numbers that need the waveform: the residual of linear prediction, group delay and second phase differences.

A living glottis gives skewed, peaky residuals whose envelopes rise together in all bands; a vocoder that makes up the
phase gives the wrong shape of all three.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import TINY, Flags, Numbers, Spectra, moments, quantiles
from app.capabilities.voice.analysis.pitch import first_lags, linear_prediction
from app.capabilities.voice.matrix import N_FFT, Samples, wipe

PHASE_STATISTICS: Final = 94
RESIDUAL_KURTOSIS: Final = 7
"""Where the logarithm of one more than the residual's median kurtosis stands in them."""
COHERENCE: Final = slice(30, 37)
"""The correlations of neighbouring sub-bands."""
GROUP_DELAY: Final = slice(46, 58)
"""How far one group delay holds, mean over the frames, in each band."""
_FRAME: Final = 320
_STEP: Final = 80
"""Samples between frames of the phase: 5 ms, finer than the magnitudes' so that phases can be followed."""
_ORDER: Final = 16
_LOUD_DB: Final = 25.0
_PHASE_BINS: Final = slice(4, 208)
"""125 Hz to 6.5 kHz, twelve bands of 17 bins or six of 34."""
_DELAY_BANDS: Final = 12
_PHASE_BANDS: Final = 6
_POOLED: Final = 4
"""Samples of the residual's modulus that are averaged: its envelope has 4 kHz."""
_SEGMENT: Final = 1024
_MODULATION: Final = (2, 5, 10, 20, 41, 82, 164, 328, 513)
"""Bins of 3.9 Hz that bound the modulation bands: 8 Hz to 2 kHz, an octave each."""
_LOCAL: Final = 41
"""Samples (20 ms) of the running mean that is taken from a log envelope: syllables go, pitch pulses stay."""


def phase_statistics(wave: Samples, envelopes: Numbers) -> Numbers:
    """The 94 numbers of a conditioned waveform (n,), n >= 16,000, and its ``subband_envelopes``; float32, finite.

    18 of the residual's shape, 12 of its envelope, 16 of the sub-bands' coherence, 24 of the group delay's spread, 24
    of second phase differences. None changes when the recording's polarity is turned.
    """
    window = np.hanning(_FRAME + 1)[:-1].astype(np.float32)
    frames = np.lib.stride_tricks.sliding_window_view(wave, _FRAME)[::_STEP] * window
    spectra = np.fft.rfft(frames, N_FFT)
    power = np.abs(spectra) ** 2
    level = np.log(power.sum(axis=1) + TINY)
    loud = level > quantiles(level, (0.95,))[0] - _LOUD_DB * np.log(10) / 10
    lags = first_lags(power[::2], _ORDER)
    filters, error = linear_prediction(lags, _ORDER)
    residual = residual_of(wave, filters)
    gain = np.log((lags[:, 0] + TINY) / (error + TINY))[loud[::2]]
    found = np.concatenate(
        [
            _residual_shape(residual, loud[::2]),
            quantiles(gain, (0.1, 0.5, 0.9)),
            _residual_envelope(residual),
            subband_coherence(envelopes),
            _group_delay(spectra[loud, _PHASE_BINS]),
            _second_differences(spectra[:, _PHASE_BINS], power[:, _PHASE_BINS], loud),
        ]
    )
    wipe(frames, spectra, power, residual)
    return np.asarray(found, np.float32)


def residual_of(wave: Samples, filters: Numbers) -> Numbers:
    """What the frames' inverse filters leave of ``wave``, shape (T, 160): the middle of each frame of 320 samples, one
    every 160, by the filter of that frame. The blocks follow each other without a gap."""
    order = filters.shape[1] - 1
    start = _FRAME // 4 - order
    runs = np.lib.stride_tricks.sliding_window_view(wave[start:], 2 * _STEP + order)[:: 2 * _STEP][: len(filters)]
    residual = np.zeros((len(runs), 2 * _STEP), np.float32)
    for lag in range(order + 1):
        residual += filters[: len(runs), lag, None] * runs[:, order - lag : order - lag + 2 * _STEP]
    return residual


def _residual_shape(residual: Numbers, loud: Flags) -> Numbers:
    """Skewness, kurtosis and crest of the residual over 20 ms, five quantiles of each over the loud frames."""
    square = residual * residual
    sums = [part.sum(axis=1) for part in (residual, square, square * residual, square * square)]
    mean, second, third, fourth = ((part[1:] + part[:-1]) / (4 * _STEP) for part in sums)
    peak = np.abs(residual).max(axis=1)
    variance = np.maximum(second - mean**2, TINY)
    skewness = (third - 3 * mean * second + 2 * mean**3) / variance**1.5
    kurtosis = (fourth - 4 * mean * third + 6 * mean**2 * second - 3 * mean**4) / variance**2
    crest = np.maximum(peak[1:], peak[:-1]) / np.sqrt(variance)
    shape = np.stack([skewness, np.log(np.maximum(kurtosis, 0) + 1), crest], axis=1)[loud[: len(residual) - 1]]
    # The polarity of a recording is the microphone's: the sign of most skewnesses is called positive.
    if np.median(shape[:, 0]) < 0:
        shape[:, 0] *= -1
    return quantiles(shape, (0.1, 0.3, 0.5, 0.7, 0.9)).T.reshape(-1)


def _residual_envelope(residual: Numbers) -> Numbers:
    """Log shares of eight modulation octaves in the residual's envelope, its skewness and kurtosis, and how much faster
    it rises than it falls, over 0.25 and 0.5 ms: time runs one way in a throat."""
    envelope = np.abs(residual).reshape(-1, _POOLED).mean(axis=1)
    starts = np.arange(0, len(envelope) - _SEGMENT + 1, _SEGMENT // 2)
    segments = envelope[starts[:, None] + np.arange(_SEGMENT)]
    mean = segments.mean(axis=1, keepdims=True)
    window = np.hanning(_SEGMENT + 1)[:-1].astype(np.float32)
    spectrum = np.abs(np.fft.rfft((segments / (mean + TINY) - 1) * window)) ** 2
    shares = np.add.reduceat(spectrum.mean(axis=0), _MODULATION[:-1])
    shares = np.log((shares + TINY) / (shares.sum() + TINY))
    _, skewness, kurtosis = moments((segments / (mean + TINY)).reshape(-1))
    slopes = [moments(envelope[lag:] - envelope[:-lag])[1] for lag in (1, 2)]
    return np.concatenate([shares, [skewness, np.log(np.maximum(kurtosis, 0) + 1)], slopes])


def subband_coherence(envelopes: Numbers) -> Numbers:
    """How the pitch pulses of eight sub-bands go together, 16 numbers of envelopes (n, 8) at 2 kHz.

    Correlations of neighbours, by how much they lead or lag, and correlations of bands two and four apart.
    """
    logs = np.log(envelopes + 1e-6)
    total = np.cumsum(np.concatenate([np.zeros((1, logs.shape[1])), logs]), axis=0)
    local = ((total[_LOCAL:] - total[:-_LOCAL]) / _LOCAL).astype(np.float32)
    level = local.mean(axis=1)
    half = _LOCAL // 2
    loud = level > quantiles(level[::20], (0.5,))[0]
    pulses = (logs[half : half + len(local)] - local) * loud[:, None]
    size = np.sqrt((pulses * pulses).sum(axis=0)) + TINY
    together = (pulses.T @ pulses) / (size[:, None] * size)
    later = (pulses[1:].T @ pulses[:-1]) / (size[:, None] * size)
    lead = np.diagonal(later, 1) - np.diagonal(later, -1)
    far = [np.diagonal(together, apart).mean() for apart in (2, 4)]
    return np.concatenate([np.diagonal(together, 1), lead, far])


def _group_delay(spectra: Spectra) -> Numbers:
    """Mean and deviation over frames of how far one group delay holds in each of twelve bands.

    The products of neighbouring bins turn by the group delay: the modulus of their sum over the sum of their moduli is
    1 where the delay is one number, and near 0 where it is spread."""
    products = spectra[:, 1:] * np.conj(spectra[:, :-1])
    products = np.concatenate([products, products[:, -1:]], axis=1).reshape(len(spectra), _DELAY_BANDS, -1)
    whole = np.abs(products.sum(axis=2))
    held = whole / (np.abs(products).sum(axis=2) + TINY)
    return np.concatenate([held.mean(axis=0), held.std(axis=0)])


def _second_differences(spectra: Spectra, power: Numbers, loud: Flags) -> Numbers:
    """Mean cosines of the second phase difference and of its double in six bands: along time, then along time and
    frequency. No angle is taken: with unit numbers the real part of the product is the cosine."""
    size = np.sqrt(power + TINY)
    real, imaginary = spectra.real / size, spectra.imag / size
    # The advance from frame to frame: the later times the conjugate of the earlier, its parts apart, as real numbers
    # are multiplied in half of the time.
    across = real[1:] * real[:-1] + imaginary[1:] * imaginary[:-1]
    turned = imaginary[1:] * real[:-1] - real[1:] * imaginary[:-1]
    steady = across[1:] * across[:-1] + turned[1:] * turned[:-1]
    mixed = np.zeros(across.shape, np.float32)
    mixed[:, 1:] = across[:, 1:] * across[:, :-1] + turned[:, 1:] * turned[:, :-1]
    strong = _strong(power)
    found = []
    for cosine, bins in ((steady, strong[1:-1] & loud[1:-1, None]), (mixed, strong[1:] & loud[1:, None])):
        weight = bins.astype(np.float32)
        count = weight.reshape(len(weight), _PHASE_BANDS, -1).sum(axis=(0, 2)) + TINY
        for value in (cosine, 2 * cosine * cosine - 1):
            found.append((value * weight).reshape(len(weight), _PHASE_BANDS, -1).sum(axis=(0, 2)) / count)
    return np.concatenate(found)


def _strong(power: Numbers) -> Flags:
    """The bins that hold more than their band's mean in their frame: harmonics, where there are any."""
    banded = power.reshape(len(power), _PHASE_BANDS, -1)
    return np.asarray(banded > banded.mean(axis=2, keepdims=True), np.bool_).reshape(power.shape)
