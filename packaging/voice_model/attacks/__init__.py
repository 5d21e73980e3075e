"""Makers of clones, by family. Each takes a human wave and gives the same words in a synthesizer's voice.

A maker is a function of wave (float32, (n,), 16 kHz, full scale 1.0) and random generator; what it draws from the
generator are the settings that differ from clone to clone. ``FAMILIES`` lists all of those that copy a recording; the
text-to-speech engines are in ``synthesizers`` and the trained vocoder in ``neural``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from numpy.random import Generator

from app.capabilities.voice.matrix import Samples
from voice_model.attacks import (
    cepstral,
    griffin_lim,
    linear_prediction,
    phase_vocoder,
    sinusoidal,
    world,
)

Maker = Callable[[Samples, Generator], Samples]

FAMILIES: Final[Mapping[str, Mapping[str, Maker]]] = MappingProxyType(
    {
        "griffin_lim": {
            "gl_mel": griffin_lim.from_mel,
            "gl_magnitude": griffin_lim.from_magnitude,
            "gl_few": griffin_lim.few_iterations,
        },
        "world": {
            "world_plain": world.plain,
            "world_smoothed": world.smoothed,
            "world_pitch": world.pitch_moved,
            "world_warped": world.warped,
        },
        "linear_prediction": {
            "lpc_pulse": linear_prediction.pulse_excited,
            "lpc_mixed": linear_prediction.mixed_excited,
            "lpc10": linear_prediction.ten_coefficients,
        },
        "sinusoidal": {"sin_harmonic": sinusoidal.harmonic, "sin_peaks": sinusoidal.peaks},
        "cepstral": {"cep_minimum": cepstral.minimum_phase, "cep_zero": cepstral.zero_phase},
        "phase_vocoder": {
            "pv_tempo": phase_vocoder.tempo,
            "pv_pitch": phase_vocoder.pitch,
            "pv_locked": phase_vocoder.pitch_locked,
        },
    }
)
"""Kinds of clone by family: what one family does to the fine structure, no other does."""
