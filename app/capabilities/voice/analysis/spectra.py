"""One conditioning for all that is judged, in training and in the product, and the sub-band envelopes behind it.

A judge of synthesis finds the easiest difference first: the bandwidth of a codec, the level, the noise floor, digital
silence. So all recordings are made alike in these before a number is taken: pauses cut to 80 ms, 60 Hz to 6.8 kHz, one
level, one dither.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.analysis.moments import Numbers
from app.capabilities.voice.analysis.speech import kept_frames, levels_of_magnitudes, speech_of_levels, trim_pauses
from app.capabilities.voice.matrix import HOP, MAX_SAMPLES, N_FFT, SAMPLE_RATE, WINDOW, Samples, hann, wipe

HIGHEST_HZ: Final = 6800.0
LOWEST_HZ: Final = 60.0
LEVEL: Final = 10 ** (-26 / 20)
"""Root mean square that all recordings are brought to: -26 dBFS."""
DITHER: Final = 10 ** (-72 / 20)
"""Root mean square of the white noise that is added then."""
MIN_SAMPLES: Final = SAMPLE_RATE
"""Of what is left without pauses: with less than a second nothing is measured."""
ENVELOPE_BANDS: Final = 8
ENVELOPE_RATE: Final = 2000
"""Hz: two samples of an envelope in each millisecond."""
_BAND_HZ: Final = 800.0
_FIRST_HZ: Final = 100.0
_SILENT: Final = 1e-6
_SIZES: Final = 8
"""Lengths of transforms whose gains are kept: a desk's recordings are much alike in length."""
_SEED: Final = 20_26

Envelopes = npt.NDArray[np.float32]
"""Of sub-bands, shape (n, 8), 2 kHz."""


class TooLittleSpeech(ValueError):
    """Less than ``MIN_SAMPLES`` are left without pauses."""


def _rise(hertz: Numbers, low: float, high: float) -> Numbers:
    """0 below ``low``, 1 above ``high``, half a cosine between them."""
    return np.asarray(0.5 - 0.5 * np.cos(np.pi * np.clip((hertz - low) / (high - low), 0, 1)))


def band_limits(hertz: Numbers) -> npt.NDArray[np.float32]:
    """The gain of the conditioning at each frequency: 0.5 at 60 Hz and at 6.8 kHz."""
    passed = _rise(hertz, LOWEST_HZ - 20, LOWEST_HZ + 20) * (1 - _rise(hertz, HIGHEST_HZ - 150, HIGHEST_HZ + 150))
    return passed.astype(np.float32)


def _padded_size(samples: int) -> int:
    """A length that the Fourier transform is quick at, with room for the filters' tails; a multiple of 8 x 512."""
    return -(-(samples + 1024) // 4096) * 4096


@functools.lru_cache(maxsize=_SIZES)
def _limits_of(size: int) -> npt.NDArray[np.float32]:
    """``band_limits`` at the bins of a transform of ``size``. Read only."""
    return band_limits(np.fft.rfftfreq(size, 1 / SAMPLE_RATE))


@functools.lru_cache(maxsize=_SIZES)
def _band_edges(size: int) -> tuple[tuple[slice, npt.NDArray[np.float32]], ...]:
    """The bins of each sub-band in a transform of ``size``, and their gains. Read only."""
    step = SAMPLE_RATE / size
    found = []
    for band in range(ENVELOPE_BANDS):
        low = _FIRST_HZ + band * _BAND_HZ
        bins = slice(int((low - 50) / step), int((low + _BAND_HZ + 50) / step))
        hertz = np.arange(bins.start, bins.stop) * step
        edges: Numbers = _rise(hertz, low - 50, low + 50) * (1 - _rise(hertz, low + _BAND_HZ - 50, low + _BAND_HZ + 50))
        found.append((bins, edges.astype(np.float32)))
    return tuple(found)


@functools.cache
def _dither() -> Samples:
    """White Gaussian noise of unit power, always the same: a recording has one judgement."""
    return np.random.default_rng(_SEED).standard_normal(MAX_SAMPLES, np.float32)


def condition(wave: Samples) -> Samples:
    """``wave`` (n,) without its pauses, band-limited, at ``LEVEL``, with ``DITHER``; shape (m,), m <= n.

    Raises ``TooLittleSpeech`` where m is less than ``MIN_SAMPLES``. What is judged is made here and nowhere else.
    """
    spoken = trim_pauses(wave)
    if len(spoken) < MIN_SAMPLES:
        raise TooLittleSpeech("less than a second of speech")
    size = _padded_size(len(spoken))
    spectrum = np.fft.rfft(spoken, size)
    spectrum *= _limits_of(size)
    limited = np.fft.irfft(spectrum, size)[: len(spoken)]
    wipe(spoken, spectrum)
    limited *= LEVEL / max(float(np.sqrt(np.mean(limited * limited))), _SILENT)
    limited += np.float32(DITHER) * _dither()[: len(limited)]
    return np.asarray(limited, np.float32)


def condition_magnitudes(magnitudes: Numbers) -> Numbers:
    """The same for magnitudes (T, 257), shape (t, 257): the dither is added at drawn phases against the speech."""
    kept = magnitudes[kept_frames(speech_of_levels(levels_of_magnitudes(magnitudes)))]
    if len(kept) * HOP < MIN_SAMPLES:
        raise TooLittleSpeech("less than a second of speech")
    limited: Numbers = kept * band_limits(np.fft.rfftfreq(N_FFT, 1 / SAMPLE_RATE))
    power = np.mean(10 ** (levels_of_magnitudes(limited) / 10))
    limited *= LEVEL / max(float(np.sqrt(power)), _SILENT)
    frames = np.lib.stride_tricks.sliding_window_view(_dither(), WINDOW)[::HOP][: len(limited)]
    # The phase of the noise is drawn, so it may count from the phase of the speech, which is not there.
    noise = np.fft.rfft(frames * (np.float32(DITHER) * hann()), N_FFT)
    return np.asarray(np.abs(limited + noise), np.float32)


def subband_envelopes(wave: Samples) -> Envelopes:
    """The moduli of the analytic signals of eight bands of 800 Hz from 100 Hz to 6.5 kHz, shape (n // 8, 8).

    Each band is cut from one Fourier transform, with its edges rounded over 100 Hz, and transformed back at 2 kHz:
    twice its width, so that nothing folds.
    """
    size = _padded_size(len(wave))
    spectrum = np.fft.rfft(wave, size)
    short = size * ENVELOPE_RATE // SAMPLE_RATE
    found = np.empty((len(wave) * ENVELOPE_RATE // SAMPLE_RATE, ENVELOPE_BANDS), np.float32)
    for band, (bins, edges) in enumerate(_band_edges(size)):
        baseband = np.zeros(short, np.complex64)
        baseband[: len(edges)] = spectrum[bins] * edges
        # Twice: only the positive frequencies are there. The transform is shorter, and divides by its own length.
        found[:, band] = np.abs(np.fft.ifft(baseband))[: len(found)] * (2 * short / size)
    wipe(spectrum)
    return found
