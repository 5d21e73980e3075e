"""Where the traces of an image can be read, and what takes their worth away."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.media.analysis.judgement import ImageJudgement
from app.capabilities.media.detectors.image import DecodedImage, FloatMap
from app.capabilities.media.detectors.telling import SHORTEST_SIDE, is_saturated

LARGEST_QUANTIZER: Final = 45.0
"""Mean of a JPEG's luma quantizers above which it keeps too little."""
FEWEST_RELIABLE: Final = 0.6
STRONGLY: Final = 10 / 7
"""Enlargement from which on an image is strongly resized."""
_WINDOW: Final = 64
_LOWEST: Final = 6
"""Frequency from which on detail is sought, 1/64 px."""
_MOST_ROWS: Final = 512
_REFERENCE: Final = np.arange(4, 9)
_FAINT: Final = 10**-1.5
"""Of the power that falls as 1/f^2 from the reference on; less is no detail. Measured on photographs: fewer than 5 %
of those in their own size seem enlarged 10/7-fold, half of those enlarged 1.6-fold do."""


class Worth(IntEnum):
    """What may be read of a block; the values are the indices of the layer's palette."""

    RELIABLE = 0
    FLAT = 1
    SATURATED = 2
    TOO_SMALL = 3
    COMPRESSED = 4
    RESIZED = 5


@dataclass(frozen=True)
class Reliability:
    """``blocks``: a ``Worth`` for each, shape ``DecodedImage.grid``; ``share`` of the reliable ones, 0 without blocks;
    ``readable``: that share without what holds for the whole image; ``whole``: what does, in sentences."""

    blocks: npt.NDArray[np.uint8]
    share: float
    readable: float
    whole: tuple[str, ...]


def reliability_of(judgement: ImageJudgement, image: DecodedImage) -> Reliability:
    """What can be read of an image. What holds for the whole of it makes all of its blocks unreliable."""
    muted = np.where(is_saturated(image), Worth.SATURATED, Worth.FLAT)
    blocks = np.where(judgement.reliable, Worth.RELIABLE, muted).astype(np.uint8)
    readable = float(np.mean(judgement.reliable)) if judgement.reliable.size else 0.0
    whole: list[tuple[Worth, str]] = []
    height, width = image.rgb.shape[:2]
    if min(height, width) < SHORTEST_SIDE:
        whole.append((Worth.TOO_SMALL, f"Its short side is {min(height, width)} px; {SHORTEST_SIDE} px are needed."))
    if image.jpeg is not None and (mean := float(image.jpeg.luma.mean())) > LARGEST_QUANTIZER:
        said = (
            f"It is heavily compressed: its luma quantizers have a mean of {mean:.0f}, above {LARGEST_QUANTIZER:.0f}."
        )
        whole.append((Worth.COMPRESSED, said))
    if judgement.after_life == "resized" and (scale := enlargement(image)) >= STRONGLY:
        said = (
            f"It seems to be enlarged about {scale:.1f}-fold: the finest detail that such a size can hold is missing."
        )
        whole.append((Worth.RESIZED, said))
    if whole:
        blocks[blocks == Worth.RELIABLE] = whole[0][0]
    share = float(np.mean(blocks == Worth.RELIABLE)) if blocks.size else 0.0
    return Reliability(blocks, share, readable, tuple(sentence for _, sentence in whole))


def enlargement(image: DecodedImage) -> float:
    """How many times an image was enlarged at least, as its finest detail says: 1 to 5, rarely above 1 where it was
    not. Tells nothing of one that was made smaller."""
    power = _power(image.luma) + _power(image.luma.T)
    frequencies = np.arange(_LOWEST, _WINDOW // 2)
    # Off the lines that a grid of 8 px makes.
    off = frequencies[(frequencies % 8 > 1) & (frequencies % 8 < 7)]
    usual = np.median(power[_REFERENCE] * _REFERENCE**2)
    detail = off[power[off] * off**2 > _FAINT * usual]
    finest = detail.max() if len(detail) else off[0]
    # The last frequency off the lines stands for the largest that there is.
    return float(off[-1] / finest)


def _power(luma: FloatMap) -> npt.NDArray[np.float64]:
    """Mean power spectrum along the second axis, in windows of 64 px of at most 512 evenly spread rows: 33 values, zero
    where the axis is shorter."""
    rows = luma[:: -(-luma.shape[0] // _MOST_ROWS)]
    count = luma.shape[1] // _WINDOW
    if count == 0:
        return np.zeros(_WINDOW // 2 + 1)
    pieces = rows[:, : count * _WINDOW].reshape(len(rows), count, _WINDOW)
    centred = (pieces - pieces.mean(axis=2, keepdims=True)) * np.hanning(_WINDOW).astype(np.float32)
    return np.asarray((np.abs(np.fft.rfft(centred, axis=2)) ** 2).mean(axis=(0, 1)), np.float64)
