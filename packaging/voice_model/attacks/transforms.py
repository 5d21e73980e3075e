"""Short-time transforms and excitations that several families of attacks share."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyworld
from numpy.random import Generator
from scipy.signal import resample_poly

from app.capabilities.voice.matrix import SAMPLE_RATE, Samples

Floats = npt.NDArray[np.float64]
Spectra = npt.NDArray[np.complex128]


def spectra_of(wave: npt.NDArray[np.floating], window: int, hop: int) -> Spectra:
    """Short-time spectra, shape (frames, window // 2 + 1), Hann window, half a window of zeros on both sides."""
    padded = np.pad(np.asarray(wave, np.float64), window // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop]
    return np.asarray(np.fft.rfft(frames * np.hanning(window + 1)[:-1], axis=1))


def wave_from(spectra: Spectra, window: int, hop: int, length: int) -> Floats:
    """The wave whose short-time spectra are nearest (Griffin and Lim 1984, equation 6), ``length`` samples."""
    shape = np.hanning(window + 1)[:-1]
    frames = np.fft.irfft(spectra, window, axis=1) * shape
    total = np.zeros(hop * (len(frames) - 1) + window)
    weight = np.full(len(total), 1e-8)
    for index, frame in enumerate(frames):
        total[index * hop : index * hop + window] += frame
        weight[index * hop : index * hop + window] += shape**2
    total /= np.maximum(weight, 1e-3)
    cut = total[window // 2 : window // 2 + length]
    return np.pad(cut, (0, length - len(cut)))


def pitch_of(wave: npt.NDArray[np.floating], hop: int) -> Floats:
    """F0 in Hz at each hop, 0 where unvoiced (DIO and StoneMask, Morise)."""
    samples = np.asarray(wave, np.float64)
    f0, times = pyworld.dio(samples, SAMPLE_RATE, frame_period=1000 * hop / SAMPLE_RATE)
    return np.asarray(pyworld.stonemask(samples, f0, times, SAMPLE_RATE))


def excitation(f0: Floats, hop: int, length: int, rng: Generator, breath: float) -> Floats:
    """Pulses where voiced, of unit power, mixed with a ``breath`` share of noise; noise alone where unvoiced."""
    track = np.interp(np.arange(length), np.arange(len(f0)) * hop, f0)
    voiced = np.repeat(f0 > 0, hop)[:length]
    voiced = np.pad(voiced, (0, length - len(voiced)))
    track = np.where(voiced & (track > 40), track, 0.0)
    phase = np.cumsum(track / SAMPLE_RATE)
    beats = np.flatnonzero(np.diff(np.floor(phase), prepend=0.0) > 0)
    pulses = np.zeros(length)
    pulses[beats] = np.sqrt(SAMPLE_RATE / np.maximum(track[beats], 40.0))
    noise = rng.standard_normal(length)
    mixed = np.sqrt(1 - breath) * pulses + np.sqrt(breath) * noise
    return np.where(voiced, mixed, noise)


def mel_matrix(bands: int, window: int, highest_hz: float = 8000.0) -> Floats:
    """Triangles on the mel scale, shape (bands, window // 2 + 1)."""
    edges = 700 * (10 ** (np.linspace(0, 2595 * np.log10(1 + highest_hz / 700), bands + 2) / 2595) - 1)
    hertz = np.fft.rfftfreq(window, 1 / SAMPLE_RATE)
    rising = (hertz[None] - edges[:-2, None]) / (edges[1:-1] - edges[:-2])[:, None]
    falling = (edges[2:, None] - hertz[None]) / (edges[2:] - edges[1:-1])[:, None]
    return np.maximum(0.0, np.minimum(rising, falling))


def smooth_envelopes(spectra: Spectra, coefficients: int) -> Floats:
    """Log magnitude of each frame with only the first ``coefficients`` of its cepstrum, (frames, bins)."""
    logs = np.log(np.abs(spectra) + 1e-6)
    cepstra = np.fft.irfft(logs, axis=1)
    cepstra[:, coefficients:-coefficients] = 0.0
    return np.asarray(np.fft.rfft(cepstra, axis=1).real)


def resampled(wave: npt.NDArray[np.floating], up: int, down: int) -> Floats:
    """By a polyphase filter, ``up`` to ``down``."""
    return np.asarray(resample_poly(np.asarray(wave, np.float64), up, down))


def finished(wave: Floats, like: Samples) -> Samples:
    """float32 at the level of ``like``."""
    loudness = float(np.sqrt(np.mean(np.square(like, dtype=np.float64))))
    own = float(np.sqrt(np.mean(np.square(wave))))
    return np.clip(wave * (loudness / max(own, 1e-9)), -0.99, 0.99).astype(np.float32)
