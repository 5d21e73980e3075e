"""Where somebody speaks, by level alone, and the recording without its pauses.

The mask answers "voice or pause", never "voice or music": a sound that is no speech counts as speech here, and the
scores behind it judge it.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import Flags, Numbers
from app.capabilities.voice.matrix import HOP, SAMPLE_RATE, Samples

PAUSE: Final = 8
"""Frames of 10 ms that a pause is cut to: silence of a machine is digital, and must not decide."""
FLOOR_DBFS: Final = -90.0
"""Nothing is quieter: a level of digital zero is no number."""
_SMOOTHED: Final = 5
"""Frames that a level is averaged over."""
_RANGE_DB: Final = 35.0
"""What is further below the loudest frames is a pause even where nothing is quieter."""
_SPREAD_DB: Final = 6.0
"""Loudest less quietest frames. Steady noise has 1 or 2 dB; with less than this there is no telling."""
_SHARE: Final = 0.35
"""Of the way from the quietest to the loudest frames, dB, where speech begins."""
_HANGOVER: Final = 3
"""Frames that are added on both sides: consonants begin and end below the threshold."""


def levels_of(wave: Samples) -> Numbers:
    """The level of each whole block of 10 ms, dBFS (a full sine has -3), shape (n // 160,)."""
    blocks = wave[: len(wave) // HOP * HOP].reshape(-1, HOP)
    return _decibels(np.einsum("tn,tn->t", blocks, blocks) / HOP)


def levels_of_magnitudes(magnitudes: Numbers) -> Numbers:
    """The same of each frame of magnitudes (T, 257), by Parseval's theorem over the window's energy, shape (T,)."""
    power = np.einsum("tk,tk->t", magnitudes, magnitudes) * 2 - magnitudes[:, 0] ** 2 - magnitudes[:, -1] ** 2
    # 512 bins; a Hann window of 400 samples has the energy 150.
    return _decibels(power / (512 * 150))


def _decibels(power: Numbers) -> Numbers:
    return np.asarray(10 * np.log10(np.maximum(power, 10 ** (FLOOR_DBFS / 10))), np.float32)


def speech_of_levels(levels: Numbers) -> Flags:
    """True for the frames that hold speech, by their levels (T,) in dB. All False where the level never moves."""
    if len(levels) == 0:
        return np.zeros(0, np.bool_)
    smooth = np.convolve(np.pad(levels, _SMOOTHED // 2, mode="edge"), np.full(_SMOOTHED, 1 / _SMOOTHED), "valid")
    quiet, loud = np.percentile(smooth, (5, 95))
    if loud - quiet < _SPREAD_DB:
        # Either speech without a pause or a steady noise: by level they are the same. Silence is neither.
        return np.full(len(levels), False)
    speech = smooth > max(quiet + _SHARE * (loud - quiet), loud - _RANGE_DB)
    reach = np.ones(2 * _HANGOVER + 1)
    return np.asarray(np.convolve(speech, reach, "same")[: len(levels)] > 0.5, np.bool_)


def speech_mask(wave: Samples) -> Flags:
    """True for each block of 10 ms of ``wave`` that holds speech, shape (n // 160,)."""
    return speech_of_levels(levels_of(wave))


def kept_frames(speech: Flags) -> Flags:
    """True for speech and for the first and last 40 ms of each pause; the ends are pauses too."""
    reach = np.ones(PAUSE + 1)
    return np.asarray(np.convolve(speech, reach, "same")[: len(speech)] > 0.5, np.bool_)


def trim_pauses(wave: Samples) -> Samples:
    """``wave`` with each pause cut to at most 80 ms, shape (m,), m a multiple of 160."""
    blocks = wave[: len(wave) // HOP * HOP].reshape(-1, HOP)
    return np.asarray(blocks[kept_frames(speech_mask(wave))].reshape(-1), np.float32)


def seconds_of(speech: Flags) -> float:
    """The net speech of a mask, s."""
    return float(np.count_nonzero(speech)) * HOP / SAMPLE_RATE
