"""Seeded draws: one generator for each named purpose, and the distributions that several modules draw from."""

from __future__ import annotations

import math
from zlib import crc32

import numpy as np
import numpy.typing as npt

Rgb = npt.NDArray[np.uint8]
"""An image, shape (height, width, 3), RGB."""
FloatRgb = npt.NDArray[np.float32]
"""As ``Rgb``, in any range."""
Plane = npt.NDArray[np.float32]
"""One value for each pixel, shape (height, width)."""


def generator_of(seed: int, name: str) -> np.random.Generator:
    """The generator of one purpose (``name``) of one seed (>= 0): what one purpose draws moves no other's draws."""
    return np.random.default_rng([seed, crc32(name.encode())])


def log_uniform(generator: np.random.Generator, low: float, high: float) -> float:
    """A number from ``low`` to ``high`` (both > 0) whose logarithm is uniform."""
    return math.exp(generator.uniform(math.log(low), math.log(high)))
