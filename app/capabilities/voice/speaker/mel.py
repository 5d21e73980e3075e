"""What the speaker network reads: 40 bands of linear power, 25 ms every 10 ms, at a fixed level.

The bands are Slaney's (Auditory Toolbox 1998), each of unit area in Hz, 0 to 8 kHz, on power spectra without logarithm:
what the network of Resemblyzer 0.1.4 was trained on, made there by librosa.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.matrix import HOP, N_FFT, SAMPLE_RATE, WINDOW, Samples, wipe

Mel = npt.NDArray[np.float32]
"""Shape (T, 40), frames of 10 ms; power per band at the level ``LEVEL_DBFS``."""

BANDS: Final = 40
LEVEL_DBFS: Final = -30.0
"""Root mean square to which every take is brought: the network heard its training there."""

_LINEAR_HZ: Final = 200.0 / 3
_BREAK_HZ: Final = 1000.0
_BREAK_MEL: Final = _BREAK_HZ / _LINEAR_HZ
_LOG_STEP: Final = np.log(6.4) / 27.0


def mel_of_wave(wave: Samples) -> Mel:
    """The bands of a waveform of n >= 1 samples, T = 1 + n // 160. Frame t is centred on sample 160 t; what lies beyond
    both ends is zero. Zeros stay zeros."""
    frames = 1 + len(wave) // HOP
    padded = np.zeros((frames - 1) * HOP + WINDOW, np.float32)
    inside = wave[: len(padded) - WINDOW // 2]
    padded[WINDOW // 2 : WINDOW // 2 + len(inside)] = inside
    windowed = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP] * _window()
    spectra = np.fft.rfft(windowed, WINDOW)
    power = np.square(np.abs(spectra))
    mel = power @ filter_bank(WINDOW).T
    mean_square = float(np.mean(np.square(wave, dtype=np.float64)))
    wipe(padded, windowed, spectra, power)
    return _at_level(mel, mean_square)


def mel_of_magnitudes(magnitudes: npt.NDArray[np.float32]) -> Mel:
    """The bands of a magnitude matrix (T, 257), n_fft 512 of windows of 400: the finer bins' sums are brought to the
    coarser ones' by 400 / 512, and the level is found by Parseval's theorem."""
    power = np.square(magnitudes)
    mel = power @ filter_bank(N_FFT).T
    mel *= WINDOW / N_FFT
    # Of a real signal's two-sided spectrum all bins but the first and the last stand for two.
    energy = 2.0 * float(power.sum(dtype=np.float64)) - float(power[:, [0, -1]].sum(dtype=np.float64))
    mean_square = energy / (N_FFT * len(magnitudes) * float(np.square(_window(), dtype=np.float64).sum()))
    wipe(power)
    return _at_level(mel, mean_square)


@functools.cache
def filter_bank(n_fft: int) -> npt.NDArray[np.float32]:
    """Weights of the bins of a spectrum of ``n_fft``, shape (40, n_fft // 2 + 1), per Hz: triangles of area
    1 between its neighbours' centres. Read only."""
    edges = _hertz(np.linspace(0.0, _mel(SAMPLE_RATE / 2), BANDS + 2))
    bins = np.arange(n_fft // 2 + 1) * (SAMPLE_RATE / n_fft)
    rising = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    falling = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    weights = np.maximum(0.0, np.minimum(rising, falling)) * (2.0 / (edges[2:] - edges[:-2]))[:, None]
    bank = weights.astype(np.float32)
    bank.setflags(write=False)
    return bank


def _at_level(mel: npt.NDArray[np.float32], mean_square: float) -> Mel:
    if mean_square > 0.0:
        mel *= 10 ** (LEVEL_DBFS / 10) / mean_square
    return np.asarray(mel, np.float32)


def _mel(hertz: float) -> float:
    """Slaney's scale from 1 kHz up, where it is logarithmic."""
    return float(_BREAK_MEL + np.log(hertz / _BREAK_HZ) / _LOG_STEP)


def _hertz(mel: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The inverse of Slaney's scale: linear below 1 kHz, logarithmic above."""
    high = _BREAK_HZ * np.exp(_LOG_STEP * (mel - _BREAK_MEL))
    return np.where(mel < _BREAK_MEL, mel * _LINEAR_HZ, high)


@functools.cache
def _window() -> npt.NDArray[np.float32]:
    """A periodic Hann window."""
    return (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW)).astype(np.float32)
