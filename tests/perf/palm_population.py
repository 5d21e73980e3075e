"""Persons and shots of their palms as vectors, for measurements of search and policy: drawn, so no proof of anything
about real palms. What it varies is what such a proof would depend on: how many independent directions the features have
(``dimension``: participation ratio of their spectrum) and how alike two shots of one hand are (``cosine``)."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from app.biometrics.template_codes import NORM, Int8
from hardware.terminals.projection import DIMENSIONS

Floats = NDArray[np.float32]

DIMENSION_SWEEP: Final = (80, 160, 320)
COSINE_SWEEP: Final = (0.5, 0.675, 0.85)
_SPREAD: Final = 0.04
"""Deviation of one shot's cosine from the sweep's: some shots are worse than others."""


class Population:
    """Features of strangers and of their shots, float32 (n, 512), length 1. Equal for equal arguments."""

    def __init__(self, seed: int, dimension: float, cosine: float) -> None:
        self._random = np.random.default_rng((seed, round(dimension), round(cosine * 1000)))
        self._weights = _spectrum(dimension)
        self._cosine = cosine

    @property
    def variances(self) -> Floats:
        """Of the directions, (512,), together 1."""
        shares: Floats = self._weights**2 / (self._weights**2).sum()
        return shares

    def persons(self, count: int) -> Floats:
        """So many strangers."""
        return _unit(self._random.standard_normal((count, DIMENSIONS), dtype=np.float32) * self._weights)

    def shots(self, persons: Floats) -> Floats:
        """One more shot of each."""
        alike = np.clip(self._cosine + _SPREAD * self._random.standard_normal((len(persons), 1)), 0.0, 0.98)
        return _unit((alike * persons + np.sqrt(1 - alike**2) * self.persons(len(persons))).astype(np.float32))

    def projection(self) -> Floats:
        """A random projection, (512, 512), orthonormal."""
        q, r = np.linalg.qr(self._random.standard_normal((DIMENSIONS, DIMENSIONS)))
        return (q * np.sign(np.diagonal(r))).astype(np.float32)


def templates(features: Floats, projection: Floats) -> Int8:
    """As ``hardware/terminals/README.md`` says, but for its fixed-point steps."""
    return np.clip(np.rint(features @ projection.T * np.float32(NORM)), -127, 127).astype(np.int8)


def cosines(left: Int8, right: Int8) -> Floats:
    """Of each row of ``left`` with each of ``right``."""
    return _unit(left.astype(np.float32)) @ _unit(right.astype(np.float32)).T


def _unit(rows: Floats) -> Floats:
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


def _spectrum(dimension: float) -> Floats:
    """Deviations of the directions: variances that fall exponentially, with (sum)^2 / sum of squares = dimension."""
    index = np.arange(DIMENSIONS)
    low, high = 1.0, 1e5
    for _ in range(100):
        scale = (low * high) ** 0.5
        variances = np.exp(-index / scale)
        ratio = variances.sum() ** 2 / (variances**2).sum()
        low, high = (scale, high) if ratio < dimension else (low, scale)
    return np.sqrt(variances).astype(np.float32)
