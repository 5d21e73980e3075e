"""What a detector gets and what it gives: a decoded image, and maps on the grid of its 8 px blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

BLOCK: Final = 8
"""Side of a block, px: that of JPEG's."""

FloatMap = npt.NDArray[np.float32]


@dataclass(frozen=True)
class JpegPast:
    """What the file says of its own compression. ``luma``: the quantizers of its luma in natural (not zigzag) order,
    shape (8, 8), 1 to 65535."""

    luma: npt.NDArray[np.uint16]


@dataclass(frozen=True)
class DecodedImage:
    """An image as the decoder gave it: never scaled, and not turned, for both destroy the traces.

    ``rgb``: shape (height, width, 3), uint8. ``jpeg``: None where the file is no JPEG.
    """

    rgb: npt.NDArray[np.uint8]
    jpeg: JpegPast | None = None

    @cached_property
    def luma(self) -> FloatMap:
        """BT.601 luma, float32, 0 to 255, shape (height, width)."""
        return np.asarray(cv2.cvtColor(self.rgb.astype(np.float32), cv2.COLOR_RGB2GRAY), np.float32)

    @property
    def grid(self) -> tuple[int, int]:
        """Rows and columns of whole blocks; what is left at the right and at the bottom belongs to none."""
        return self.rgb.shape[0] // BLOCK, self.rgb.shape[1] // BLOCK


@dataclass(frozen=True)
class TraceMaps:
    """What one detector found: maps by name, each float32 of shape ``DecodedImage.grid``, finite everywhere, and
    numbers of the whole image by name. ``not_applicable`` says in one sentence why there are none."""

    maps: Mapping[str, FloatMap]
    globals: Mapping[str, float]
    not_applicable: str | None = None

    @classmethod
    def none(cls, why: str) -> TraceMaps:
        """Nothing can be said of this image, as ``why`` tells."""
        return cls({}, {}, why)
