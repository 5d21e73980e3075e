"""Drawn photographs for the tests of the generator."""

from __future__ import annotations

import cv2
import numpy as np

from media_model.draws import Rgb


def photo(seed: int, width: int = 640, height: int = 480) -> Rgb:
    """Hills of colour with fine texture and some edges, without saturated places."""
    drawn = np.random.default_rng(seed)
    hills = cv2.resize(drawn.random((6, 8, 3), np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    texture = cv2.GaussianBlur(drawn.standard_normal((height, width, 3), np.float32), (0, 0), 1.2)
    rgb = 50 + 150 * hills + 30 * texture
    for _ in range(6):
        corner = drawn.integers(0, (width, height))
        end = corner + drawn.integers(40, 160, 2)
        rgb[corner[1] : end[1], corner[0] : end[0]] += drawn.uniform(-40, 40, 3).astype(np.float32)
    return np.clip(rgb, 20, 235).astype(np.uint8)


def within(count: int, share: float, of: int) -> bool:
    """Is a count within four deviations of what a share of ``of`` draws gives?"""
    return abs(count - share * of) <= 4 * (of * share * (1 - share)) ** 0.5
