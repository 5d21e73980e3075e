"""What a recording is good for: how much speech, over how much noise, how wide, clipped or not, in which room."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import TINY, Flags, Numbers, quantiles
from app.capabilities.voice.analysis.speech import levels_of_magnitudes, seconds_of, speech_of_levels
from app.capabilities.voice.matrix import HOP, N_FFT, SAMPLE_RATE, WINDOW, Samples, magnitudes_of, wipe

HIGHEST_SNR_DB: Final = 60.0
"""Pauses of digital zero have no noise; more than this is not told apart."""
_FLOOR_SHARE: Final = 0.1
"""The share of frames by which a band's noise is judged: each band is quiet now and then, also within speech."""
_FLOOR_BANDS: Final = 24
_FLOOR_BIAS: Final = 1.85
"""Mean over 10 % quantile of the power of Gaussian noise in a band of ten bins (chi-squared, 13 degrees)."""
_OVER_FLOOR: Final = 4.0
_BELOW_PEAK: Final = 1e-6
"""A bin belongs to the bandwidth where speech is 6 dB over the floor and not more than 60 dB below the peak."""
_ROOM_BANDS: Final = 8
_FALL: Final = 4
"""Frames (40 ms) over which a band's level falls."""
_FALL_SHARES: Final = (0.02, 0.1, 0.3)
_FALL_WEIGHTS: Final = (1.96, -1.62, -0.18)
_FALL_OFFSET: Final = 4.9
"""By least squares on simulated rooms of 0.2 to 0.8 s, with and without noise. It orders rooms: medians of -15 dry,
-7 at a true -12, -4 at -6, -2 at 0 and above. A voice that stops in a dry room falls by more than 20 dB in 40 ms; the
tail of a room does not."""
_DRY_DB, _WET_DB = -15.0, 3.0
"""Bounds of the estimate: what is drier or wetter is not told apart."""
_LEAST_ROOM_SNR_DB: Final = 10.0
_FLAT: Final = 0.002
_NEAR_PEAK: Final = 0.97
_LEAST_LEVEL: Final = 10 ** (-60 / 20)


@dataclass(frozen=True, slots=True)
class VoiceQuality:
    """``speech_s``: net speech, s. ``snr_db``: speech over the noise floor, at most 60. ``bandwidth_hz``: up to where
    speech stands out of the floor. ``clipping``: share of samples at a flat top. ``level_dbfs``: of the speech, of the
    whole where there is none. ``reverberation_db``: of the room over the direct voice, a rough estimate, -15 to 3. NaN,
    and None for the last, where it cannot be measured: without speech, the clipping of magnitudes, the room under 10 dB
    of noise."""

    speech_s: float
    snr_db: float
    bandwidth_hz: float
    clipping: float
    level_dbfs: float
    reverberation_db: float | None


def quality_of(wave: Samples) -> VoiceQuality:
    """The quality of a waveform (n,), 16 kHz, full scale 1.0, as it came."""
    magnitudes = centred_magnitudes(wave)
    found = quality_of_magnitudes(magnitudes, clipping_of(wave))
    wipe(magnitudes)
    return found


def centred_magnitudes(wave: Samples) -> Numbers:
    """Magnitudes (n // 160, 257) of frames around each block of 10 ms, as ``speech_mask`` counts them."""
    padded = np.pad(wave, (WINDOW - HOP) // 2)
    found = magnitudes_of(padded)
    wipe(padded)
    return found


def quality_of_magnitudes(magnitudes: Numbers, clipping: float = float("nan")) -> VoiceQuality:
    """The same of ``centred_magnitudes`` (T, 257) and the ``clipping_of`` their waveform, where there was one. Silence,
    or a level that never moves, has no speech to measure, but it has a level."""
    levels = levels_of_magnitudes(magnitudes)
    speech = speech_of_levels(levels)
    if not speech.any():
        missing = float("nan")
        return VoiceQuality(0.0, missing, missing, clipping, _mean_level(levels), None)
    power = magnitudes * magnitudes
    snr = snr_of(power, speech)
    found = VoiceQuality(
        speech_s=seconds_of(speech),
        snr_db=snr,
        bandwidth_hz=bandwidth_of(power, speech),
        clipping=clipping,
        level_dbfs=_mean_level(levels[speech]),
        reverberation_db=reverberation_of(power) if snr >= _LEAST_ROOM_SNR_DB else None,
    )
    wipe(power)
    return found


def _mean_level(levels: Numbers) -> float:
    """The level, dBFS, of frames together that have ``levels`` (T,) each, T > 0: the mean is of their power."""
    return float(10 * np.log10(np.mean(10 ** (levels / 10))))


def snr_of(power: Numbers, speech: Flags) -> float:
    """Speech over noise, dB, of power spectra (T, 257): the noise is each band's lowest tenth, brought to its mean."""
    edges = np.linspace(2, 242, _FLOOR_BANDS + 1).astype(np.intp)
    bands = np.add.reduceat(power, edges, axis=1)[:, :-1]
    noise = float(quantiles(bands, (_FLOOR_SHARE,))[0].sum()) * _FLOOR_BIAS
    voice = float(bands[speech].mean(axis=0).sum()) - noise
    least = 10 ** (-HIGHEST_SNR_DB / 10)
    return float(10 * np.log10(max(voice, TINY) / max(noise, voice * least, TINY)))


def bandwidth_of(power: Numbers, speech: Flags) -> float:
    """The highest frequency, Hz, at which the mean spectrum of speech stands out, of power spectra (T, 257)."""
    smooth = np.ones(5) / 5
    mean = np.convolve(power[speech].mean(axis=0), smooth, "same")
    floor = np.convolve(quantiles(power, (_FLOOR_SHARE,))[0], smooth, "same")
    there = np.flatnonzero((mean > _OVER_FLOOR * floor) & (mean > _BELOW_PEAK * mean.max()))
    return float(there[-1] * SAMPLE_RATE / N_FFT) if len(there) else 0.0


def reverberation_of(power: Numbers) -> float:
    """Reverberant over direct energy, dB, as the falls of eight bands from 250 Hz to 5.25 kHz say, of power spectra
    (T, 257). Levels count within 40 dB of a band's loudest, and falls from within 20 dB of it."""
    edges = np.linspace(8, 168, _ROOM_BANDS + 1).astype(np.intp)
    levels = 10 * np.log10(np.add.reduceat(power, edges, axis=1)[:, :-1] + TINY)
    loudest = quantiles(levels, (0.98,))[0]
    levels = np.maximum(levels, loudest - 40)
    changes = (levels[_FALL:] - levels[:-_FALL])[levels[:-_FALL] > loudest - 20]
    estimate = _FALL_OFFSET + float(np.dot(_FALL_WEIGHTS, quantiles(changes, _FALL_SHARES)))
    return min(max(estimate, _DRY_DB), _WET_DB)


def clipping_of(wave: Samples) -> float:
    """The share of samples on flat tops near the peak of either sign: clipped at full scale, or before a gain."""
    flat, turned = 0, -wave
    for half in (wave, turned):
        peak = float(half.max(initial=0))
        if peak > _LEAST_LEVEL:
            high = half > _NEAR_PEAK * peak
            level = high[1:] & high[:-1] & (np.abs(np.diff(half)) < _FLAT * peak)
            # A sample belongs to a top where it is level with the one before or the one after.
            flat += int(np.count_nonzero(np.append(level, False) | np.insert(level, 0, False)))
    wipe(turned)
    return flat / max(len(wave), 1)
