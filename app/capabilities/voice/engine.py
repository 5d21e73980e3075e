"""The engine that hears: who speaks, whether it is a living voice, and how well the take lets either be told.

One pass over one matrix, about 100 ms of a core for 5 s. It keeps nothing: every array that holds the voice is zeroed
before it returns, but for the embeddings, which are the caller's to wipe.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.analysis.quality import VoiceQuality, centred_magnitudes, clipping_of, quality_of_magnitudes
from app.capabilities.voice.analysis.resonance import Resonance, resonance_of_magnitudes
from app.capabilities.voice.analysis.spectra import TooLittleSpeech
from app.capabilities.voice.analysis.statistics import VoiceStatistics, statistics_of, statistics_of_magnitudes
from app.capabilities.voice.clone.judge import CloneJudge
from app.capabilities.voice.conditions import CONDITIONS
from app.capabilities.voice.matrix import Samples, VoiceMatrix, wave_of, wipe
from app.capabilities.voice.messages import LEAST_BANDWIDTH_HZ, LEAST_SNR_DB, LEAST_SPEECH_S, MOST_CLIPPING
from app.capabilities.voice.model_files import VoiceModel, read_model
from app.capabilities.voice.speaker.embedding import (
    Embedding,
    SpeakerWindows,
    mean_embedding,
    windows_of_magnitudes,
    windows_of_wave,
)
from app.capabilities.voice.speaker.encoder import SpeakerEncoder
from app.capabilities.voice.speaker.scoring import ErrorRates, SpeakerScore, SpeakerScorer

ENCODER_FILE: Final = "encoder.onnx"
SPEAKER_FILE: Final = "speaker.npz"


@dataclass(frozen=True)
class VoiceSegment:
    """A stretch of a take, ``t0`` to ``t1`` seconds, pauses included. ``speaker``: float32 (1024,);
    ``synthetic_probability``: of the whole take."""

    t0: float
    t1: float
    speaker: Embedding
    synthetic_probability: float


@dataclass(frozen=True)
class VoiceTake:
    """What was heard of one matrix. ``speaker``: float32 (1024,), the caller's to wipe as those of the segments are;
    ``synthetic_llr``: nats, 0 where there was too little speech to judge; ``synthetic_probability``: at even odds;
    ``phase``: whether the matrix had one; ``unreliable``: of ``noise``, ``reverberation``, ``bandwidth``, ``clipping``,
    ``too_short``, ``phase_missing``; ``resonance_z``: by the name of a number of ``resonance``, standard deviations
    from living voices."""

    quality: VoiceQuality
    resonance: Resonance
    resonance_z: Mapping[str, float]
    speaker: Embedding
    segments: tuple[VoiceSegment, ...]
    synthetic_llr: float
    synthetic_probability: float
    phase: bool
    unreliable: tuple[str, ...]


@dataclass(frozen=True)
class VoiceModelName:
    """``id``: the model's name; ``sha256``: hex, of the list of its files, which has the SHA-256 of each."""

    id: str
    sha256: str


class VoiceEngine:
    """Models in memory; safe on several threads. ``gate_llr``: synthetic from this ``synthetic_llr`` on."""

    def __init__(self, encoder: SpeakerEncoder, scorer: SpeakerScorer, judge: CloneJudge, model: VoiceModel) -> None:
        self._encoder, self._scorer, self._judge = encoder, scorer, judge
        self._norms = model.facts.resonance
        self.model = VoiceModelName(model.facts.id, model.sha256)
        self.gate_llr = judge.facts.gate_llr

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Reads the models of a folder. Raises ``OSError`` where a file is missing, ``ValueError`` where one was
        altered or does not fit this program."""
        model = read_model(folder)
        try:
            encoder = SpeakerEncoder(model.files[ENCODER_FILE])
            scorer = SpeakerScorer.read(model.files[SPEAKER_FILE], model.facts.speaker)
            return cls(encoder, scorer, CloneJudge.load(model), model)
        except KeyError as error:
            raise ValueError(f"the model has no {error}") from error

    def analyse(self, matrix: VoiceMatrix) -> VoiceTake:
        """Everything that is measured of one matrix. The matrix stays as it is: the caller wipes it."""
        if matrix.profile == "magnitude":
            return self._magnitude_take(matrix.values)
        wave = wave_of(matrix)
        try:
            return self._wave_take(wave)
        finally:
            wipe(wave)

    def signature(self, waves: Sequence[Samples]) -> npt.NDArray[np.float16]:
        """A signature of one speaker's takes, each (n,), n >= 16,000: the mean embedding of all their windows under
        each of the eight conditions, float16 (8, 1024). The same takes give the same signature."""
        rows = []
        for place, condition in enumerate(CONDITIONS.values()):
            windows = []
            for number, wave in enumerate(waves):
                heard = condition(wave, np.random.default_rng([place, number]))
                windows.append(windows_of_wave(self._encoder, heard).embeddings)
                wipe(heard)
            several = np.concatenate(windows)
            rows.append(mean_embedding(several))
            wipe(*windows, several)
        return np.stack(rows).astype(np.float16)

    def compare(self, speakers: Embedding, signature: npt.NDArray[np.floating]) -> tuple[SpeakerScore, ...]:
        """As ``SpeakerScorer.compare``."""
        return self._scorer.compare(speakers, signature)

    def error_rates(self, threshold_llr: float) -> ErrorRates:
        """As ``SpeakerScorer.error_rates``."""
        return self._scorer.error_rates(threshold_llr)

    def _wave_take(self, wave: Samples) -> VoiceTake:
        try:
            statistics = statistics_of(wave)
        except TooLittleSpeech:
            statistics = None
        windows = windows_of_wave(self._encoder, wave)
        magnitudes = centred_magnitudes(wave)
        resonance = resonance_of_magnitudes(magnitudes, None if statistics is None else statistics.phase)
        quality = quality_of_magnitudes(magnitudes, clipping_of(wave))
        wipe(magnitudes)
        return self._take(quality, resonance, windows, statistics, phase=True)

    def _magnitude_take(self, magnitudes: npt.NDArray[np.float32]) -> VoiceTake:
        try:
            statistics = statistics_of_magnitudes(magnitudes)
        except TooLittleSpeech:
            statistics = None
        windows = windows_of_magnitudes(self._encoder, magnitudes)
        quality, resonance = quality_of_magnitudes(magnitudes), resonance_of_magnitudes(magnitudes)
        return self._take(quality, resonance, windows, statistics, phase=False)

    def _take(
        self,
        quality: VoiceQuality,
        resonance: Resonance,
        windows: SpeakerWindows,
        statistics: VoiceStatistics | None,
        *,
        phase: bool,
    ) -> VoiceTake:
        """The take of what was measured; statistics (None: too little speech) and windows are wiped."""
        llr, probability, room = 0.0, 0.5, 0.0
        if statistics is not None:
            score = self._judge.judge(statistics)
            llr, probability, room = score.llr, score.probability, score.room_probability
            _wipe_statistics(statistics)
        found = {
            "too_short": quality.speech_s < LEAST_SPEECH_S or statistics is None,
            "clipping": quality.clipping > MOST_CLIPPING,
            "noise": quality.snr_db < LEAST_SNR_DB,
            "reverberation": room >= self._judge.facts.room_gate,
            "bandwidth": quality.bandwidth_hz < LEAST_BANDWIDTH_HZ,
            "phase_missing": not phase,
        }
        take = VoiceTake(
            quality,
            resonance,
            deviations(resonance, self._norms),
            mean_embedding(windows.embeddings),
            tuple(
                VoiceSegment(t0, t1, mean_embedding(embedding[None]), probability)
                for (t0, t1), embedding in zip(windows.spans, windows.embeddings, strict=True)
            ),
            llr,
            probability,
            phase,
            tuple(reason for reason, holds in found.items() if holds),
        )
        wipe(windows.embeddings)
        return take


def deviations(resonance: Resonance, norms: Mapping[str, tuple[float, float]]) -> dict[str, float]:
    """How far each number that has a norm (mean and standard deviation of living voices) lies from it, in standard
    deviations. A number that was not measured has none."""
    measured = {name: getattr(resonance, name) for name in norms}
    return {name: (value - norms[name][0]) / norms[name][1] for name, value in measured.items() if np.isfinite(value)}


def _wipe_statistics(statistics: VoiceStatistics) -> None:
    arrays = (statistics.magnitude, statistics.phase, statistics.envelope, statistics.bands, statistics.router)
    wipe(*(array for array in arrays if array is not None))
