"""The trained network, run by ONNX Runtime on one thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from app.capabilities.media.analysis.features import CHANNELS, KEPT, BlockInputs, mirrored_inputs, network_arrays
from app.capabilities.media.detectors.image import FloatMap
from app.inference.session import open_session

READINGS: Final[tuple[tuple[tuple[int, ...], str | None], ...]] = (
    ((), None),
    ((0,), "numbers"),
    ((1,), "histograms"),
    ((0, 1), "modes"),
)
"""How an image is read: the axes along which it is mirrored (both is its half turn), and the group of inputs that is
not read. The network was trained with groups missing, and what it says without one errs in other places."""
_LEAST: Final = 1e-6
"""Least probability, and least distance from 1, that counts."""


@dataclass(frozen=True)
class NetworkAnswer:
    """Probabilities. ``heatmap``: of each block that it was changed, by the mean logit of 3x3 blocks, shape (rows,
    columns);
    ``score``: that the image was changed; ``after``: of the after-lives in the model's order."""

    heatmap: FloatMap
    score: float
    after: tuple[float, ...]


class BlockNetwork:
    """A network in memory: after this no file is opened and no thread begun."""

    def __init__(self, model: bytes) -> None:
        """``model``: an ONNX file with the inputs of ``features.CHANNELS`` and ``KEPT``. Raises ``ValueError`` for any
        other."""
        self._session = open_session(model)
        wanted = {node.name: node.shape[-1] for node in self._session.get_inputs()}
        known = {**CHANNELS, KEPT: len(CHANNELS)}
        if wanted != known:
            raise ValueError(f"the network takes {wanted}, not {known}")

    def answer(self, inputs: BlockInputs) -> NetworkAnswer:
        """For one image or tile: the mean of what is said in each of ``READINGS``, of the logits where something is
        said about a change, for what was changed does not depend on where left is. The numbers are of the whole image:
        the score is of those readings that have them."""
        heatmaps, scores, lives = [], [], []
        for axes, without in READINGS:
            turned = inputs
            for axis in axes:
                turned = mirrored_inputs(turned, axis)
            heatmap, score, after = self._one(network_arrays(turned), without)
            heatmaps.append(np.flip(heatmap, axes))
            if without != "numbers":
                scores.append(score)
            lives.append(after)
        logits = np.asarray(np.mean(heatmaps, axis=0), np.float32)
        smooth = np.asarray(cv2.blur(logits, (3, 3), borderType=cv2.BORDER_REFLECT), np.float32).reshape(logits.shape)
        score = _probability(np.asarray(np.mean(scores), np.float32))
        return NetworkAnswer(_probability(smooth), float(score), tuple(np.mean(lives, axis=0).tolist()))

    def _one(self, arrays: Mapping[str, FloatMap], without: str | None) -> tuple[FloatMap, FloatMap, FloatMap]:
        """Of one reading: the logits of the blocks and of the image, and the probabilities of the after-lives."""
        kept = np.array([[group != without for group in CHANNELS]], np.float32)
        heatmap, score, after = self._session.run(
            ["heatmap", "score", "after"], {KEPT: kept, **{name: array[None] for name, array in arrays.items()}}
        )
        return _logit(heatmap[0]), _logit(score[0]), after[0]


def _logit(probabilities: FloatMap) -> FloatMap:
    bounded = np.clip(probabilities.astype(np.float64), _LEAST, 1 - _LEAST)
    return np.asarray(np.log(bounded / (1 - bounded)), np.float32)


def _probability(logits: FloatMap) -> FloatMap:
    return np.asarray(1 / (1 + np.exp(-logits)), np.float32)
