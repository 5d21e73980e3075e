"""The trained network, run by ONNX Runtime on one thread."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from app.capabilities.media.analysis.features import CHANNELS, BlockInputs, mirrored_inputs, network_arrays
from app.capabilities.media.detectors.image import FloatMap
from app.inference.session import open_session

_MIRRORINGS: Final[tuple[tuple[int, ...], ...]] = ((), (0,), (1,), (0, 1))
"""The axes along which an image is mirrored; both is its half turn."""


@dataclass(frozen=True)
class NetworkAnswer:
    """Probabilities. ``heatmap``: of each block that it was changed, mean of 3x3 blocks, shape (rows, columns);
    ``score``: that the image was changed; ``after``: of the after-lives in the model's order."""

    heatmap: FloatMap
    score: float
    after: tuple[float, ...]


class BlockNetwork:
    """A network in memory: after this no file is opened and no thread begun."""

    def __init__(self, model: bytes) -> None:
        """``model``: an ONNX file with the inputs of ``features.CHANNELS``. Raises ``ValueError`` for any other."""
        self._session = open_session(model)
        wanted = {node.name: node.shape[-1] for node in self._session.get_inputs()}
        if wanted != dict(CHANNELS):
            raise ValueError(f"the network takes {wanted}, not {dict(CHANNELS)}")

    def answer(self, inputs: BlockInputs) -> NetworkAnswer:
        """For one image or tile: the mean of what is said of it and of its three mirror images, for what was changed
        does not depend on where left is."""
        heatmaps, scores, lives = [], [], []
        for axes in _MIRRORINGS:
            turned = inputs
            for axis in axes:
                turned = mirrored_inputs(turned, axis)
            said = self._one(network_arrays(turned))
            heatmaps.append(np.flip(said.heatmap, axes))
            scores.append(said.score)
            lives.append(said.after)
        heatmap = np.asarray(np.mean(heatmaps, axis=0), np.float32)
        return NetworkAnswer(heatmap, float(np.mean(scores)), tuple(np.mean(lives, axis=0).tolist()))

    def _one(self, arrays: Mapping[str, FloatMap]) -> NetworkAnswer:
        """Of one mirroring."""
        heatmap, score, after = self._session.run(
            ["heatmap", "score", "after"], {name: array[None] for name, array in arrays.items()}
        )
        smooth = cv2.blur(heatmap[0], (3, 3), borderType=cv2.BORDER_REFLECT)
        return NetworkAnswer(
            np.asarray(smooth, np.float32).reshape(heatmap.shape[1:]), float(score[0]), tuple(after[0].tolist())
        )
