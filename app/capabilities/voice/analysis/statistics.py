"""All that the judge of synthesis reads of one recording, made in one place for training and product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from app.capabilities.voice.analysis.bands import band_spectrogram, router_numbers
from app.capabilities.voice.analysis.envelope_statistics import envelope_statistics
from app.capabilities.voice.analysis.magnitude_statistics import magnitude_statistics
from app.capabilities.voice.analysis.moments import Numbers
from app.capabilities.voice.analysis.phase_statistics import phase_statistics
from app.capabilities.voice.analysis.spectra import condition, condition_magnitudes, subband_envelopes
from app.capabilities.voice.matrix import Samples, magnitudes_of, wipe

FEATURES_VERSION: Final = 2
"""Changes with any number that is made here: models say which one they were trained on."""


@dataclass(frozen=True, slots=True, eq=False)
class VoiceStatistics:
    """``magnitude`` (133,), ``phase`` (94,), ``envelope`` (156,), ``bands`` (T, 128), ``router`` (5,), float32.

    ``phase`` and ``envelope`` are both None where only magnitudes were sent."""

    magnitude: Numbers
    phase: Numbers | None
    envelope: Numbers | None
    bands: Numbers
    router: Numbers


def statistics_of(wave: Samples) -> VoiceStatistics:
    """The statistics of a waveform, 16 kHz, full scale 1.0, as it came: it is conditioned here.

    Raises ``TooLittleSpeech`` where less than a second is left without its pauses.
    """
    clean = condition(wave)
    envelopes, magnitudes, as_it_came = subband_envelopes(clean), magnitudes_of(clean), magnitudes_of(wave)
    found = VoiceStatistics(
        magnitude=magnitude_statistics(magnitudes),
        phase=phase_statistics(clean, envelopes),
        envelope=envelope_statistics(clean, envelopes),
        bands=band_spectrogram(magnitudes),
        router=router_numbers(as_it_came),
    )
    wipe(clean, envelopes, magnitudes, as_it_came)
    return found


def statistics_of_magnitudes(magnitudes: Numbers) -> VoiceStatistics:
    """The same of magnitudes (T, 257): without what needs a phase."""
    clean = condition_magnitudes(magnitudes)
    found = VoiceStatistics(
        magnitude_statistics(clean), None, None, band_spectrogram(clean), router_numbers(magnitudes)
    )
    wipe(clean)
    return found
