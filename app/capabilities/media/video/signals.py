"""What is measured of each frame while a video is read: small arrays, so that hundreds of frames fit in memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import FloatMap

THUMB_SIZE: Final = (64, 48)
"""Width and height of what is compared of each frame, px."""
CELL_GRID: Final = (32, 24)
"""Columns and rows of the cells in which a frame is compared with the one before."""
_PRINT_SIZE: Final = (128, 96)
_FIRST: Final = 256


def fingerprint(luma: npt.NDArray[np.uint8]) -> npt.NDArray[np.float16]:
    """The fine detail of a frame, without its light: shape (12288,)."""
    small = cv2.resize(luma, _PRINT_SIZE, interpolation=cv2.INTER_AREA)
    return cv2.Laplacian(small, cv2.CV_32F).ravel().astype(np.float16)


@dataclass
class FrameSignals:
    """Of every frame that was read: ``thumbs`` uint8 (frames, 48, 64); ``changes`` float16 (frames, 24, 32), the mean
    absolute difference from the frame before of each cell, grey levels, 0 for a frame that has none before it or one
    of another size; ``times`` in seconds. Of each ``step``-th frame ``prints``, by the frame's number."""

    most_prints: int
    step: int = 1
    count: int = 0
    times: list[float] = field(default_factory=list)
    prints: dict[int, npt.NDArray[np.float16]] = field(default_factory=dict)
    _thumbs: npt.NDArray[np.uint8] = field(default_factory=lambda: np.zeros((_FIRST, *THUMB_SIZE[::-1]), np.uint8))
    _changes: npt.NDArray[np.float16] = field(default_factory=lambda: np.zeros((_FIRST, *CELL_GRID[::-1]), np.float16))

    def add(self, time_s: float, luma: npt.NDArray[np.uint8], before: npt.NDArray[np.uint8] | None) -> bool:
        """Measures the next frame; whether it is one of those of which a fingerprint is kept."""
        if self.count == len(self._thumbs):
            self._thumbs = np.concatenate([self._thumbs, np.zeros_like(self._thumbs)])
            self._changes = np.concatenate([self._changes, np.zeros_like(self._changes)])
        self._thumbs[self.count] = cv2.resize(luma, THUMB_SIZE, interpolation=cv2.INTER_AREA)
        if before is not None and before.shape == luma.shape:
            apart = cv2.absdiff(luma, before).astype(np.float32)
            self._changes[self.count] = cv2.resize(apart, CELL_GRID, interpolation=cv2.INTER_AREA)
        kept = self.count % self.step == 0
        if kept:
            self.prints[self.count] = fingerprint(luma)
            if len(self.prints) > self.most_prints:
                self.step *= 2
                self.prints = {at: one for at, one in self.prints.items() if at % self.step == 0}
        self.times.append(time_s)
        self.count += 1
        return kept

    @property
    def thumbs(self) -> npt.NDArray[np.uint8]:
        """Of all frames."""
        return self._thumbs[: self.count]

    @property
    def changes(self) -> npt.NDArray[np.float16]:
        """Of all frames."""
        return self._changes[: self.count]


def running_median(values: FloatMap, reach: int) -> FloatMap:
    """Median over time of each value's ``2 * reach + 1`` neighbours, itself included; at both ends of those that there
    are, the nearest window. Shape as ``values``: (frames, ...)."""
    width = min(2 * reach + 1, len(values))
    if width == 0:
        return values
    windows = np.lib.stride_tricks.sliding_window_view(values, width, axis=0)
    # In pieces: the windows of a long video would need a gigabyte at once.
    pieces = [np.median(windows[at : at + _FIRST], axis=-1) for at in range(0, len(windows), _FIRST)]
    inner = np.concatenate(pieces).astype(np.float32)
    places = np.clip(np.arange(len(values)) - width // 2, 0, len(inner) - 1)
    return np.asarray(inner[places], np.float32)
