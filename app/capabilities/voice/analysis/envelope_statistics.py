"""Y: 156 numbers of how sub-bands move together within a pitch period, and of the bispectrum."""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import TINY, Numbers, moments, quantiles
from app.capabilities.voice.matrix import Samples

ENVELOPE_STATISTICS: Final = 156
_LOUD_SHARE: Final = 0.35
"""The loudest share of the time, which is looked at a second time by itself."""
_BLOCK: Final = 40
"""Envelope samples (20 ms) that one level is taken over."""
_FRAME: Final = 80
_SHORTEST, _LONGEST = 5, 31
"""Lags of the pitch in envelope samples of 0.5 ms: 400 to 65 Hz."""
_DECIMATED: Final = 256
"""Samples of 8 kHz in a frame of the bispectrum: 32 ms, 31.25 Hz a bin."""
_REGION_BANDS: Final = 8
"""Bands of 500 Hz on each axis of the bispectrum up to 4 kHz: twenty regions below the diagonal and the limit."""
_REGIONS: Final = 20


def envelope_statistics(wave: Samples, envelopes: Numbers) -> Numbers:
    """The 156 numbers of a conditioned waveform (n,), n >= 16,000, and its ``subband_envelopes``; float32, finite.

    84 correlations (28 pairs: of the log envelopes, and in the loudest 35 % of the time of the envelopes over their
    local mean and of the changes in 1 ms), 16 shapes of distributions in that time, 16 of the periodicity at the pitch
    lag, 40 of twenty regions of the bispectrum. None changes when the recording's polarity is turned.
    """
    whole = envelopes[: len(envelopes) // _BLOCK * _BLOCK]
    level = whole.sum(axis=1).reshape(-1, _BLOCK).mean(axis=1)
    loud = np.repeat(level > quantiles(level, (1 - _LOUD_SHARE,))[0], _BLOCK)
    logs = np.log(whole + 1e-6)
    change = (logs[2:] - logs[:-2])[loud[2:] & loud[:-2]]
    blocks = whole.reshape(-1, _BLOCK, whole.shape[1])
    local = (blocks / (blocks.mean(axis=1, keepdims=True) + TINY)).reshape(whole.shape)[loud]
    _, skewness, kurtosis = moments(local)
    found = np.concatenate(
        [
            _pairs(logs),
            _pairs(local),
            _pairs(change),
            skewness,
            np.log(np.maximum(kurtosis, -2.9) + 3),
            periodicity(whole),
            bispectrum_regions(wave),
        ]
    )
    return np.asarray(found, np.float32)


def _pairs(columns: Numbers) -> Numbers:
    """Correlations of the 28 pairs of eight columns."""
    centred = columns - columns.mean(axis=0)
    size = np.sqrt((centred * centred).sum(axis=0)) + TINY
    whole = (centred.T @ centred) / (size[:, None] * size)
    return np.asarray(whole[np.triu_indices(whole.shape[0], 1)], np.float32)


def periodicity(envelopes: Numbers) -> Numbers:
    """Mean and deviation over frames of 40 ms of each sub-band's autocorrelation at the lag where their sum is
    highest, 16 numbers of envelopes (n, 8) at 2 kHz."""
    frames = np.lib.stride_tricks.sliding_window_view(envelopes, _FRAME, axis=0)[:: _FRAME // 2]
    centred = frames - frames.mean(axis=2, keepdims=True)
    spectrum = np.fft.rfft(centred, 128)
    lags = np.fft.irfft(np.abs(spectrum) ** 2)[:, :, : _LONGEST + 1]
    # A frame of 80 samples in 128: lags up to 48 do not fold. Fewer products the longer the lag.
    lags *= np.float32(_FRAME) / (_FRAME - np.arange(_LONGEST + 1, dtype=np.float32))
    normal = lags / (lags[:, :, :1] + TINY)
    best = normal.sum(axis=1)[:, _SHORTEST:].argmax(axis=1) + _SHORTEST
    found = normal[np.arange(len(normal)), :, best]
    return np.concatenate([found.mean(axis=0), found.std(axis=0)])


def bispectrum_regions(wave: Samples) -> Numbers:
    """Modulus and real part of the normalised bispectrum in twenty regions up to 4 kHz, means over frames, 40 numbers.

    In each frame the triple products X(i) X(j) conj X(i + j) of a region are summed and divided by the sum of their
    moduli: 1 where all have one phase. A frame's delay turns none of them. Every third bin of each axis is taken.
    """
    frames = _halve(wave)
    spectrum = np.fft.rfft(frames * np.hanning(_DECIMATED + 1)[:-1].astype(np.float32))
    level = (np.abs(spectrum) ** 2).sum(axis=1)
    spectrum = spectrum[level > quantiles(level, (0.4,))[0]]
    if len(spectrum) == 0:
        return np.zeros(2 * _REGIONS, np.float32)
    one, other, region = _triples()
    products = spectrum[:, one] * spectrum[:, other] * np.conj(spectrum[:, one + other])
    starts = np.flatnonzero(np.diff(region, prepend=-1))
    sums = np.add.reduceat(products, starts, axis=1)
    sizes = np.add.reduceat(np.abs(products), starts, axis=1) + TINY**2
    normal = sums / sizes
    real = normal.real.mean(axis=0)
    # A triple product turns with the recording's polarity, which is the microphone's: the sum is called positive.
    return np.concatenate([np.abs(normal).mean(axis=0), -real if real.sum() < 0 else real])


def _halve(wave: Samples) -> Numbers:
    """Frames (T, 256) at 8 kHz, one every 16 ms, of the waveform by a half-band filter of 31 taps."""
    tap = np.arange(-15, 16)
    kernel = (np.sinc(tap / 2) * np.hamming(31)).astype(np.float32)
    low = np.convolve(wave, kernel / kernel.sum(), "same")[::2]
    return np.lib.stride_tricks.sliding_window_view(low, _DECIMATED)[:: _DECIMATED // 2]


def _triples() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """First and second bins of the triples, and the regions that they lie in, sorted by these."""
    one, other = (part.reshape(-1) for part in np.meshgrid(np.arange(2, 128, 3), np.arange(2, 128, 3), indexing="ij"))
    inside = (one <= other) & (one + other < 128)
    one, other = one[inside], other[inside]
    width = 128 / _REGION_BANDS
    first, second = (one / width).astype(np.intp), (other / width).astype(np.intp)
    # A pair of bands whose sum lies across the limit goes to the last region that lies wholly below it.
    second = np.minimum(second, _REGION_BANDS - 1 - first)
    region = first * _REGION_BANDS + second
    order = np.argsort(region, kind="stable")
    return one[order], other[order], region[order]
