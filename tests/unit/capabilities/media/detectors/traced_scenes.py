"""Drawn scenes with a region of another past, and how well a map finds it."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.blocks import light, texture
from app.capabilities.media.detectors.image import DecodedImage, FloatMap
from app.capabilities.media.detectors.telling import BlockMask, telling_blocks

Pixels = npt.NDArray[np.uint8]
ROWS, COLUMNS = slice(10, 22), slice(14, 26)
"""The region, in blocks: 12 x 12."""


def scene(seed: int, height: int = 264, width: int = 280) -> Pixels:
    """Soft shapes of all lights, with texture that grows to the right, and a little noise: RGB."""
    drawn = np.random.default_rng(seed)
    shapes = cv2.GaussianBlur(drawn.normal(0, 1, (height, width, 3)), (0, 0), 9) * 400
    grain = cv2.GaussianBlur(drawn.normal(0, 1, (height, width, 3)), (0, 0), 1.5)
    growing = np.linspace(5, 60, width)[None, :, None]
    values = 120 + shapes + grain * growing + drawn.normal(0, 1.5, (height, width, 3))
    return np.clip(np.rint(values), 15, 240).astype(np.uint8)


def pasted(host: Pixels, donor: Pixels) -> Pixels:
    """``host`` with the region of ``donor`` at the same place."""
    both = host.copy()
    rows, columns = slice(ROWS.start * 8, ROWS.stop * 8), slice(COLUMNS.start * 8, COLUMNS.stop * 8)
    both[rows, columns] = donor[rows, columns]
    return both


def through_jpeg(rgb: Pixels, quality: int) -> Pixels:
    """What is left of it after JPEG without subsampling of chroma."""
    how = [cv2.IMWRITE_JPEG_QUALITY, quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]
    written = cv2.imencode(".jpg", np.ascontiguousarray(rgb[:, :, ::-1]), how)[1]
    return np.ascontiguousarray(cv2.imdecode(written, cv2.IMREAD_COLOR)[:, :, ::-1])


def with_mute_blocks(rgb: Pixels, dark: int = 100) -> Pixels:
    """The four top rows of blocks flat; in the four left columns 44 of 64 pixels white, 20 of grey level ``dark``."""
    changed = rgb.copy()
    block = np.full((8, 8, 3), 255, np.uint8)
    block.reshape(64, 3)[5:25] = dark
    changed[:, :32] = np.tile(block, (rgb.shape[0] // 8 + 1, 4, 1))[: rgb.shape[0]]
    changed[:32] = 121
    return changed


def judged(rgb: Pixels) -> tuple[DecodedImage, FloatMap, FloatMap, BlockMask]:
    """What a detector gets: the image, its texture, its light and its telling blocks."""
    image = DecodedImage(rgb)
    return image, texture(image), light(image), telling_blocks(image)


def found(values: FloatMap) -> float:
    """Share of pairs of a block of the region and one outside in which that of the region is higher: pixel AUC."""
    inside = np.zeros(values.shape, bool)
    inside[ROWS, COLUMNS] = True
    ranks = values.ravel().argsort().argsort().reshape(values.shape) + 1
    here, there = np.count_nonzero(inside), np.count_nonzero(~inside)
    return float((ranks[inside].sum() - here * (here + 1) / 2) / (here * there))
