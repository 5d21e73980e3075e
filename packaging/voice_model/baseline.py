"""LFCC-GMM 64, the baseline of ASVspoof 2019, on the same rows: 20 linear-frequency cepstral coefficients with their
first and second differences, one mixture for living and one for synthetic voices."""

from __future__ import annotations

from typing import Final

import numpy as np
from sklearn.mixture import GaussianMixture

from voice_model.dataset import Cached
from voice_model.train_experts import is_synthetic

COEFFICIENTS: Final = 20
MIXTURES: Final = 64
FRAMES_A_CLASS: Final = 24_000
"""What a mixture is fitted to; more took longer and changed nothing that could be told."""
_DELTA: Final = 3


def lfcc(bands: np.ndarray) -> np.ndarray:
    """(T, 60) of log powers of linear bands (T, 128), which come without their mean over time."""
    size = bands.shape[1]
    cosines = np.cos(np.pi / size * (np.arange(size) + 0.5)[:, None] * np.arange(COEFFICIENTS))
    cepstra = bands.astype(np.float32) @ (cosines * np.sqrt(2 / size)).astype(np.float32)
    first = _difference(cepstra)
    return np.concatenate([cepstra, first, _difference(first)], axis=1)


def _difference(cepstra: np.ndarray) -> np.ndarray:
    padded = np.pad(cepstra, ((_DELTA, _DELTA), (0, 0)), mode="edge")
    steps = np.arange(1, _DELTA + 1)
    total = sum(
        step
        * (padded[_DELTA + step : len(padded) - _DELTA + step] - padded[_DELTA - step : len(padded) - _DELTA - step])
        for step in steps
    )
    return np.asarray(total / (2 * np.sum(steps**2)), np.float32)


def baseline_scores(learned: Cached, held: Cached, seed: int = 1) -> np.ndarray:
    """Mean log likelihood ratio of each held row, larger where synthetic, by mixtures fitted to the learned ones."""
    rng = np.random.default_rng(seed)
    synthetic = is_synthetic(learned.rows)
    mixtures = []
    for flag in (True, False):
        chosen = np.flatnonzero(synthetic == flag)
        each = -(-FRAMES_A_CLASS // len(chosen))
        frames = []
        for index in chosen:
            own = lfcc(learned.bands[index, : learned.frames[index]])
            frames.append(own[rng.permutation(len(own))[:each]])
        mixture = GaussianMixture(MIXTURES, covariance_type="diag", max_iter=15, tol=1e-2, random_state=seed)
        mixtures.append(mixture.fit(np.concatenate(frames)))
    found = []
    for bands, count in zip(held.bands, held.frames, strict=True):
        own = lfcc(bands[:count])[::2]
        found.append(mixtures[0].score(own) - mixtures[1].score(own))
    return np.array(found)
