"""Sums over the grid of blocks, robust scores, and the trend that texture and light alone explain."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import BLOCK, DecodedImage, FloatMap

CLIP: Final = 8.0
"""Largest robust score, in deviations."""
_ROUNDS: Final = 3


def block_mean(values: npt.NDArray[np.float32]) -> FloatMap:
    """Mean of each whole 8 px block of an array of shape (height, width): shape (height // 8, width // 8)."""
    return np.asarray(blocks_of(values).mean(axis=(1, 3)), np.float32)


def blocks_of(values: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The whole blocks of an array as shape (rows, 8, columns, 8): a view where the array is contiguous."""
    rows, columns = values.shape[0] // BLOCK, values.shape[1] // BLOCK
    return values[: rows * BLOCK, : columns * BLOCK].reshape(rows, BLOCK, columns, BLOCK)


def texture(image: DecodedImage) -> FloatMap:
    """``log(1 + mean gradient)`` of each block (Sobel 3x3)."""
    across = cv2.Sobel(image.luma, cv2.CV_32F, 1, 0, ksize=3)
    down = cv2.Sobel(image.luma, cv2.CV_32F, 0, 1, ksize=3)
    return np.log1p(block_mean(np.asarray(cv2.magnitude(across, down), np.float32)))


def light(image: DecodedImage) -> FloatMap:
    """Mean luma of each block, 0 to 1."""
    return block_mean(image.luma) / np.float32(255)


def detrend(values: FloatMap, texture_map: FloatMap, light_map: FloatMap) -> FloatMap:
    """What texture and light do not explain: the rest of ``values`` after reweighted least squares on 1, T, T^2, L,
    L^2 and TL, three rounds with the weight ``1 / (1 + (r / 2s)^2)`` (s: robust deviation of the rest r)."""
    t, of_light = texture_map.ravel().astype(np.float64), light_map.ravel().astype(np.float64)
    terms = np.stack([np.ones_like(t), t, t * t, of_light, of_light * of_light, t * of_light], axis=1)
    wanted = values.ravel().astype(np.float64)
    weight = np.ones_like(wanted)
    rest = wanted
    for _ in range(_ROUNDS):
        root = np.sqrt(weight)
        solved = np.linalg.lstsq(terms * root[:, None], wanted * root, rcond=None)[0]
        rest = wanted - terms @ solved
        spread = 1.4826 * float(np.median(np.abs(rest - np.median(rest)))) or 1e-9
        weight = 1.0 / (1.0 + (rest / (2.0 * spread)) ** 2)
    return rest.reshape(values.shape).astype(np.float32)


def robust_score(values: FloatMap) -> FloatMap:
    """``(m - median) / (1.4826 MAD)``, clipped to +-8; zero everywhere where the map is flat."""
    middle = np.median(values)
    spread = 1.4826 * float(np.median(np.abs(values - middle)))
    if spread < 1e-9:
        return np.zeros_like(values)
    return np.asarray(np.clip((values - middle) / spread, -CLIP, CLIP), np.float32)
