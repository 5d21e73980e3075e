"""LFCC-GMM 64 as a score of speakers: a background mixture whose means are drawn towards an enrolment's frames
(Reynolds et al. 2000), and the mean log likelihood ratio of a take's frames.

The background is fitted to takes of the training, of all speakers: where those are the ones that are compared, that can
only help this peer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from sklearn.mixture import GaussianMixture

from app.capabilities.voice.analysis.bands import band_spectrogram
from app.capabilities.voice.analysis.spectra import TooLittleSpeech, condition
from app.capabilities.voice.matrix import Samples, magnitudes_of
from voice_model.baseline import FRAMES_A_CLASS, MIXTURES, lfcc

RELEVANCE: Final = 16.0
"""Frames of a mixture at which its own mean weighs as much as the background's."""

Frames = npt.NDArray[np.float32]
Scores = npt.NDArray[np.float64]


def frames_of(wave: Samples) -> Frames:
    """Coefficients (T, 60) of every second frame of a take's speech; of the whole take where it has too little."""
    try:
        heard = condition(wave)
    except TooLittleSpeech:
        heard = wave
    return lfcc(band_spectrogram(magnitudes_of(heard)))[::2]


@dataclass(frozen=True)
class BackgroundMixture:
    """``means``, ``precisions`` (64, 60), ``offsets`` (64,): logarithms of the weights with the normal constants."""

    means: npt.NDArray[np.float64]
    precisions: npt.NDArray[np.float64]
    offsets: npt.NDArray[np.float64]

    @classmethod
    def fit(cls, takes: Sequence[Frames], seed: int = 1) -> BackgroundMixture:
        """To frames of many takes (T, 60), each giving the same number."""
        rng = np.random.default_rng(seed)
        each = -(-FRAMES_A_CLASS // len(takes))
        frames = np.concatenate([take[rng.permutation(len(take))[:each]] for take in takes])
        fitted = GaussianMixture(MIXTURES, covariance_type="diag", max_iter=15, tol=1e-2, random_state=seed).fit(frames)
        constants = 0.5 * np.log(fitted.precisions_ / (2 * np.pi)).sum(axis=1)
        return cls(fitted.means_, fitted.precisions_, np.log(fitted.weights_) + constants)

    def adapted(self, frames: Frames) -> npt.NDArray[np.float64]:
        """Means (64, 60) of one speaker whose frames (T, 60) these are."""
        logs = self._logs(frames, self.means)
        shares = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        counts = shares.sum(axis=0)
        own = shares.T @ frames / np.maximum(counts, 1e-9)[:, None]
        weight = (counts / (counts + RELEVANCE))[:, None]
        return np.asarray(weight * own + (1 - weight) * self.means)

    def ratio(self, frames: Frames, several: npt.NDArray[np.float64]) -> Scores:
        """Mean log likelihood ratio of frames (T, 60) between each of the speakers' means (e, 64, 60) and the
        background, (e,)."""
        plain = np.logaddexp.reduce(self._logs(frames, self.means), axis=1)
        logs = self._logs(frames, several.reshape(-1, several.shape[-1]))
        highest = np.logaddexp.reduce(logs.reshape(len(frames), len(several), -1), axis=2)
        return np.asarray((highest - plain[:, None]).mean(axis=0))

    def _logs(self, frames: Frames, means: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Of each frame under each Gaussian, weight included, (T, m), for means (m, 60), m a multiple of 64."""
        times = len(means) // len(self.means)
        precisions, offsets = np.tile(self.precisions, (times, 1)), np.tile(self.offsets, times)
        wide = np.asarray(frames, np.float64)
        distances = wide**2 @ precisions.T - 2 * wide @ (means * precisions).T + (means**2 * precisions).sum(axis=1)
        return np.asarray(offsets - 0.5 * distances)


def mixture_scores(
    background: BackgroundMixture,
    enrolments: Sequence[tuple[int, ...]],
    clean: Sequence[Frames],
    tested: Mapping[str, Sequence[Frames]],
) -> dict[str, Scores]:
    """By channel, the score of every take with every enrolment, (takes, enrolments). ``enrolments``: numbers of takes;
    ``clean``: the frames that they are enrolled with; ``tested``: by channel those of every take."""
    several = np.stack([background.adapted(np.concatenate([clean[take] for take in takes])) for takes in enrolments])
    return {
        channel: np.stack([background.ratio(frames, several) for frames in heard]) for channel, heard in tested.items()
    }
