"""What is shown of a voice's resonance variation, and the tracks behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import Numbers
from app.capabilities.voice.analysis.phase_statistics import COHERENCE, GROUP_DELAY, RESIDUAL_KURTOSIS
from app.capabilities.voice.analysis.pitch import formants_where, pitch_of
from app.capabilities.voice.analysis.quality import centred_magnitudes
from app.capabilities.voice.analysis.spectra import band_limits
from app.capabilities.voice.analysis.speech import levels_of_magnitudes, speech_of_levels
from app.capabilities.voice.matrix import N_FFT, SAMPLE_RATE, Samples, wipe

_OCTAVE_COST: Final = 0.1
_RADIUS: Final = 0.94
_VOICED: Final = 0.6
"""These three agree best with Praat 6.4 on the recordings that the models are made from: three quarters of the errors
by an octave go, and half of the error of F2. The statistics that models are trained on keep their own."""
_FEWEST: Final = 10
"""Frames of 10 ms that a median is taken over at least."""


@dataclass(frozen=True, slots=True)
class Resonance:
    """``f0_hz``: median over voiced speech. ``f0_jitter``: median relative change of it in 10 ms. ``formants``: medians
    of F1, F2, F3, Hz. ``residual_kurtosis``: excess kurtosis of the residual of linear prediction, median.
    ``group_delay_spread``: 0 (one delay in each band) to 1. ``coherence``: of the pitch pulses of neighbouring
    sub-bands, -1 to 1. NaN where it cannot be measured; the last three need a waveform."""

    f0_hz: float
    f0_jitter: float
    formants: tuple[float, float, float]
    residual_kurtosis: float
    group_delay_spread: float
    coherence: float


def resonance_of(wave: Samples, phase: Numbers | None) -> Resonance:
    """The resonance of a waveform (n,) as it came; ``phase``: its phase statistics, where it had enough speech."""
    magnitudes = centred_magnitudes(wave)
    found = resonance_of_magnitudes(magnitudes, phase)
    wipe(magnitudes)
    return found


def pitch_track(wave: Samples) -> Numbers:
    """F0 of each block of 10 ms, Hz, NaN where it is unvoiced or a pause, shape (n // 160,)."""
    return _tracks(centred_magnitudes(wave))[0]


def formant_tracks(wave: Samples) -> Numbers:
    """F1, F2, F3 of each block of 10 ms, Hz, NaN where there is none, shape (n // 160, 3)."""
    return _tracks(centred_magnitudes(wave))[1]


def _tracks(magnitudes: Numbers) -> tuple[Numbers, Numbers]:
    power = (magnitudes * band_limits(np.fft.rfftfreq(N_FFT, 1 / SAMPLE_RATE))) ** 2
    f0, strength = pitch_of(power, _OCTAVE_COST)
    voiced = speech_of_levels(levels_of_magnitudes(magnitudes)) & (strength > _VOICED)
    formants = formants_where(voiced, power, _RADIUS)
    wipe(power)
    return np.where(voiced, f0, np.nan), np.where(voiced[:, None] & (formants > 0), formants, np.nan)


def resonance_of_magnitudes(magnitudes: Numbers, phase: Numbers | None = None) -> Resonance:
    """The same of ``centred_magnitudes`` (T, 257); without ``phase`` what needs a waveform is NaN."""
    f0, formants = _tracks(magnitudes)
    jitter = np.abs(np.diff(f0)) / f0[:-1]
    first, second, third = (_median(formants[:, number]) for number in range(3))
    return Resonance(
        f0_hz=_median(f0),
        f0_jitter=_median(jitter),
        formants=(first, second, third),
        residual_kurtosis=math.nan if phase is None else math.expm1(float(phase[RESIDUAL_KURTOSIS])) - 3,
        group_delay_spread=math.nan if phase is None else 1 - float(phase[GROUP_DELAY].mean()),
        coherence=math.nan if phase is None else float(phase[COHERENCE].mean()),
    )


def _median(track: Numbers) -> float:
    there = track[~np.isnan(track)]
    return float(np.median(there)) if len(there) >= _FEWEST else math.nan
