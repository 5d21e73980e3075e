"""The small network on bands, in ONNX Runtime."""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.voice.analysis.moments import Numbers
from app.inference.session import open_session

INPUT: Final = "bands"
OUTPUT: Final = "score"
MIN_FRAMES: Final = 64
"""Fewer are repeated until they are as many: the network halves them five times."""


class CloneNetwork:
    """A score of how synthetic bands are. ``model``: of an ONNX file, read in one thread. ``ValueError`` where it
    is none."""

    def __init__(self, model: bytes) -> None:
        self._session = open_session(model)

    def score(self, bands: Numbers) -> float:
        """Of bands (T, 128), T > 0: not calibrated, larger where they are rather synthetic."""
        repeats = -(-MIN_FRAMES // len(bands))
        given = np.ascontiguousarray(np.tile(bands, (repeats, 1))[None, None], np.float32)
        (found,) = self._session.run([OUTPUT], {INPUT: given})
        return float(np.asarray(found).reshape(-1)[0])
