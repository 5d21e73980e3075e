"""The GE2E network (Wan et al. 2018) in ONNX Runtime, on one thread."""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.speaker.mel import BANDS, Mel
from app.inference.session import open_session

WINDOW_FRAMES: Final = 160
"""Of one pass: 1.6 s, what the network was trained on."""
VECTOR: Final = 256
"""Numbers of a d-vector."""
LAYER_MEANS: Final = 768
"""Numbers of the means over time of what the three recurrent layers of 256 give."""


class SpeakerEncoder:
    """A network in memory: after this no file is opened and no thread begun."""

    def __init__(self, model: bytes) -> None:
        """``model``: an ONNX file with the input ``mel`` (n, 160, 40) and the outputs ``vector`` (n, 256) and
        ``layer_means`` (n, 768). Raises ``ValueError`` for any other."""
        self._session = open_session(model)
        found = {node.name: node.shape[1:] for node in (*self._session.get_inputs(), *self._session.get_outputs())}
        wanted = {"mel": [WINDOW_FRAMES, BANDS], "vector": [VECTOR], "layer_means": [LAYER_MEANS]}
        if found != wanted:
            raise ValueError(f"the network has {found}, not {wanted}")

    def embed(self, windows: Mel) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """For windows of shape (n, 160, 40): d-vectors (n, 256), each of length 1 and not negative, and layer means
        (n, 768) within -1 and 1."""
        vectors, means = self._session.run(["vector", "layer_means"], {"mel": windows})
        return np.asarray(vectors, np.float32), np.asarray(means, np.float32)
