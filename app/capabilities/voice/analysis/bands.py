"""What the network and the router read of magnitudes."""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import TINY, Numbers, quantiles
from app.capabilities.voice.analysis.speech import levels_of_magnitudes

BANDS: Final = 128
ROUTER_NUMBERS: Final = 5
_BIN_HZ: Final = 31.25
_QUIET: Final = 0.1
"""The share of frames whose mean spectrum is the noise floor."""


def band_spectrogram(magnitudes: Numbers) -> Numbers:
    """Natural log power of 128 bands of 62.5 Hz of conditioned magnitudes (T, 257), each less its mean over time.

    float32 (T, 128). 0 Hz is in no band. The mean is the channel's, so it is taken away.
    """
    power = magnitudes[:, 1:] ** 2
    logs = np.log(power.reshape(len(power), BANDS, 2).sum(axis=2) + TINY)
    return np.asarray(logs - logs.mean(axis=0), np.float32)


def router_numbers(magnitudes: Numbers) -> Numbers:
    """Five numbers of magnitudes (T, 257) **before** conditioning, by which telephone, codec and noise are told apart.

    Spread of the level (95 less 5 %, dB); 4 to 6.5 kHz over 0.3 to 3.4 kHz in the louder half of the frames (dB); the
    quietest tenth of the frames in 0.3 to 3.4 kHz, below the loudest (dB); the level at 20 %, below the loudest (dB);
    the slope of that quietest tenth's spectrum (dB a kHz, 0.3 to 3.4 kHz). None depends on the recording's gain.
    """
    levels = levels_of_magnitudes(magnitudes)
    low, fifth, middle, high = quantiles(levels, (0.05, 0.2, 0.5, 0.95))
    power = magnitudes * magnitudes
    speech = power[levels >= middle].mean(axis=0)
    floor = power[levels <= quantiles(levels, (_QUIET,))[0]].mean(axis=0)
    loud = power[levels >= high].mean(axis=0)
    voice, above = slice(10, 109), slice(128, 208)
    slope = np.polyfit(np.arange(voice.start, voice.stop) * (_BIN_HZ / 1000), _decibels(floor[voice]), 1)[0]
    ratio = _decibels(speech[above].mean()) - _decibels(speech[voice].mean())
    hush = _decibels(floor[voice].mean()) - _decibels(loud[voice].mean())
    return np.asarray([high - low, ratio, hush, fifth - high, slope], np.float32)


def _decibels(power: Numbers) -> Numbers:
    """dB of powers, not below that of a signal of -120 dBFS under the window."""
    return np.asarray(10 * np.log10(np.maximum(power, 1.5e-10)), np.float32)
