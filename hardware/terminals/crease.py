"""Features of a palm's creases (`ALG` 1): where dark lines run in a picture, and in which direction.

The picture is evened out. Twelve Gabor filters find lines. Their answers become one complex number per pixel, whose
angle is twice the line's (so that both directions along a line agree), and a grid of 16 x 16 of those numbers is the
feature vector. Views are the same grid read at shifts of a few pixels: a hand never lies where it lay before, and
neither averaging nor aligning can replace the views.

Sources: the orientation field in double-angle form (Bigun and Granlund 1987), Gabor filters of palmprints (Zhang, Kong,
You and Wong 2003).
"""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.terminals.projection import Floats, unit

ALG: Final = 1
"""This extractor's number in a palm frame and in a registry."""

SIDE: Final = 128
"""Rows and columns of the picture of a palm's middle."""

Views: TypeAlias = Literal[1, 9, 25]

_EVENING: Final = 8.0
_SMOOTHING: Final = 2.5
_ORIENTATIONS: Final = 12
_GABOR_REACH: Final = 17
_GABOR_SIGMA: Final = 4.6
_GABOR_ASPECT: Final = 0.36
_WAVELENGTH: Final = 9.0
_LEAST_FIELD: Final = 1e-6  # rounding errors of an empty picture give 1e-11, a line of one grey level 1
_FIRST_CELL: Final = 4
_CELL: Final = 8
_STEPS: Final[dict[int, tuple[int, ...]]] = {1: (0,), 9: (-6, 0, 6), 25: (-6, -3, 0, 3, 6)}


def shifts(views: Views) -> tuple[tuple[int, int], ...]:
    """The (dy, dx) of the views in pixels: the unshifted first, then row by row."""
    steps = _STEPS[views]
    return ((0, 0), *((dy, dx) for dy in steps for dx in steps if dy or dx))


def features(roi: NDArray[np.uint8], views: Views = 25) -> Floats:
    """The feature vectors of a grey picture: float64 (views, 512), each of length 1, in the order of `shifts`.

    `roi`: uint8 (128, 128), the palm's middle. Raises ValueError for another picture, or one without any line.
    """
    if roi.shape != (SIDE, SIDE) or roi.dtype != np.uint8:
        raise ValueError(f"the picture of a palm has {SIDE} x {SIDE} grey pixels of 8 bits")
    field = orientation_field(roi)
    if float(np.abs(field).max()) < _LEAST_FIELD:
        raise ValueError("there is no line in this picture")
    cells = np.stack([_cells(np.roll(field, shift, axis=(0, 1))) for shift in shifts(views)])
    values = cells.reshape(len(cells), -1).view(np.float64)  # (re, im) of each cell in turn
    return unit(np.copysign(np.sqrt(np.abs(values)), values))


def detail(roi: NDArray[np.uint8]) -> float:
    """How far the pixels of a picture, uint8 (128, 128), lie from its own blur, in grey levels: the median, at least 0.

    The filters even out strength, so ``features`` makes something of the steps of a mere gradient too. This tells it: a
    gradient has 0.3 at most, and the drawn palms at least 5.
    """
    grey = roi.astype(np.float64)
    return float(np.median(np.abs(grey - _gauss(grey, _EVENING))))


def orientation_field(roi: NDArray[np.uint8]) -> NDArray[np.complex128]:
    """Strength and doubled angle of the dark lines at each pixel: complex (128, 128)."""
    grey = roi.astype(np.float64)
    detail = grey - _gauss(grey, _EVENING)
    even = detail / (np.sqrt(_gauss(detail * detail, _EVENING)) + 0.001)
    field = np.zeros((SIDE, SIDE), np.complex128)
    for kernel, direction in zip(_GABORS, _DIRECTIONS, strict=True):
        # The kernels are point-symmetric, so OpenCV's correlation is the convolution.
        answer = cv2.filter2D(even, cv2.CV_64F, kernel, borderType=cv2.BORDER_CONSTANT)
        field += np.maximum(0.0, -answer) * direction
    return _gauss(field.real.copy(), _SMOOTHING) + 1j * _gauss(field.imag.copy(), _SMOOTHING)


def _cells(field: NDArray[np.complex128]) -> NDArray[np.complex128]:
    return field[_FIRST_CELL::_CELL, _FIRST_CELL::_CELL]


def _gauss(values: Floats, sigma: float) -> Floats:
    """Gaussian blur: separable, cut at 4 sigma, the border pixel itself repeated in the reflection."""
    reach = int(4 * sigma + 0.5)
    at = np.arange(-reach, reach + 1.0)
    kernel = np.exp(at * at / (-2 * sigma * sigma))
    kernel /= kernel.sum()
    return np.asarray(cv2.sepFilter2D(values, cv2.CV_64F, kernel, kernel, borderType=cv2.BORDER_REFLECT), np.float64)


def _gabor(angle: float) -> Floats:
    """Real Gabor kernel (35, 35) across lines at `angle` radians: mean 0, length 1."""
    y, x = np.mgrid[-_GABOR_REACH : _GABOR_REACH + 1, -_GABOR_REACH : _GABOR_REACH + 1].astype(np.float64)
    u = x * np.cos(angle) + y * np.sin(angle)
    v = y * np.cos(angle) - x * np.sin(angle)
    envelope = np.exp(-(u * u + _GABOR_ASPECT * v * v) / (2 * _GABOR_SIGMA**2))
    kernel = envelope * np.cos(2 * np.pi * u / _WAVELENGTH)
    kernel -= kernel.mean()
    return np.asarray(kernel / np.linalg.norm(kernel), np.float64)


_ANGLES: Final = tuple(np.pi * k / _ORIENTATIONS for k in range(_ORIENTATIONS))
_GABORS: Final = tuple(_gabor(angle) for angle in _ANGLES)
_DIRECTIONS: Final = tuple(np.exp(2j * angle) for angle in _ANGLES)
