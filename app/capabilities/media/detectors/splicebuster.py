"""Splicebuster: places whose fine noise has another history than the rest of the image (Cozzolino, Poggi, Verdoliva,
"Splicebuster: a new blind image splicing detector", WIFS 2015)."""

from __future__ import annotations

from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import BLOCK, DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.telling import SHORTEST_SIDE

CLASSES: Final = 25
"""Classes of 4-tuples of -1, 0, 1 when a tuple, its reverse, its negative and both together count as one."""
STEPS: Final = 16
"""Steps of a residual per grey level: in whole numbers a mirrored image has exactly the same residuals."""
_COMPONENTS: Final = 8
_ROUNDS: Final = 10
_KEPT: Final = 0.75
_FLOOR: Final = 1e-8

Residual = npt.NDArray[np.int16]
Tuples = npt.NDArray[np.uint8]


def third_differences(image: DecodedImage) -> tuple[Residual, Residual]:
    """The residuals [1, -3, 3, -1] of the luma in sixteenths of a grey level: along rows, shape (height, width - 3),
    and along columns, shape (height - 3, width)."""
    luma = np.rint(image.luma * STEPS).astype(np.int16)
    across = luma[:, :-3] - luma[:, 3:] + 3 * (luma[:, 2:-1] - luma[:, 1:-2])
    down = luma[:-3] - luma[3:] + 3 * (luma[2:-1] - luma[1:-2])
    return across, down


def root_histograms(image: DecodedImage, differences: tuple[Residual, Residual]) -> FloatMap:
    """Square roots of the shares of the tuple classes in the 64 px around each block's centre: shape (rows, columns,
    50). The squares of the first 25 bins (tuples along the residual's direction) have the sum 1, and so have those of
    the last 25 (across it).

    ``differences``: the image's ``third_differences``. A residual r counts as ``round(r / 2)``, at most 1 in size. A
    tuple belongs to the block of its centre, in equal parts where its centre lies between pixels: a mirrored image has
    the same histograms, mirrored.
    """
    counts = np.zeros((*image.grid, 2, CLASSES), np.float32)
    for levels, seen in zip(_levels(*differences), (counts, counts.swapaxes(0, 1)), strict=True):
        seen[:, :, 0] += _by_block(_tuples(levels.T).T, (0,), (3,), seen.shape[:2])
        seen[:, :, 1] += _by_block(_tuples(levels), (1, 2), (1, 2), seen.shape[:2])
    windows = _window_sums(_window_sums(counts).swapaxes(0, 1)).swapaxes(0, 1)
    shares = windows / windows.sum(axis=3, keepdims=True)
    return np.asarray(np.sqrt(shares).reshape(*image.grid, 2 * CLASSES), np.float32)


def splicebuster_maps(image: DecodedImage, histograms: FloatMap) -> TraceMaps:
    """``splicebuster``: ``log(1 + d)``, d the squared robust Mahalanobis distance of a block's histogram from those of
    the image, in its eight principal components; 0 and more, high where the noise is another. ``histograms``: as
    ``root_histograms`` gives them."""
    if min(image.rgb.shape[:2]) < SHORTEST_SIDE:
        return TraceMaps.none(f"a side is shorter than {SHORTEST_SIDE} px")
    far = _distances(_principal(histograms.reshape(-1, 2 * CLASSES).astype(np.float64)))
    return TraceMaps({"splicebuster": np.log1p(far).reshape(image.grid).astype(np.float32)}, {})


def _levels(*differences: Residual) -> tuple[Tuples, Tuples]:
    """Both residuals, quantized and raised to 0, 1, 2; that along columns transposed, so that its direction is the
    second axis too."""
    across, down = ((residual > STEPS).astype(np.uint8) - (residual < -STEPS) + np.uint8(1) for residual in differences)
    return across, down.T


def _tuples(levels: Tuples) -> Tuples:
    """Four levels that follow each other along the first axis, as a number to base 3."""
    pairs = levels[:-1] * np.uint8(3) + levels[1:]
    return np.asarray(pairs[:-2] * np.uint8(9) + pairs[2:], np.uint8)


def _class_table() -> npt.NDArray[np.intp]:
    """The class of each of the 81 tuples."""
    tuples = list(product((0, 1, 2), repeat=4))
    least = []
    for one in tuples:
        negative = tuple(2 - level for level in one)
        least.append(tuples.index(min(one, one[::-1], negative, negative[::-1])))
    return np.unique(least, return_inverse=True)[1].astype(np.intp)


_CLASS_OF: Final = _class_table()


def _by_block(tuples: Tuples, downs: tuple[int, ...], rights: tuple[int, ...], grid: tuple[int, ...]) -> FloatMap:
    """Counts of classes by block: shape (rows, columns, 25). The centre of tuple (0, 0) is spread evenly on the pixels
    at ``downs`` and ``rights``."""
    rows, columns = grid
    counts = np.zeros(rows * columns * CLASSES, np.float32)
    for down, right in product(downs, rights):
        inside = tuples[: rows * BLOCK - down, : columns * BLOCK - right]
        row = (np.arange(inside.shape[0]) + down) // BLOCK
        column = (np.arange(inside.shape[1]) + right) // BLOCK
        index = _CLASS_OF[inside]
        index += ((row * columns)[:, None] + column) * CLASSES
        counts += np.bincount(index.ravel(), minlength=counts.size)
    return counts.reshape(rows, columns, CLASSES) / np.float32(len(downs) * len(rights))


def _window_sums(counts: FloatMap) -> FloatMap:
    """Sums along the first axis over the 64 px around each block's centre: seven blocks whole, the outer two half."""
    padded = np.pad(counts, ((4, 4), (0, 0), (0, 0), (0, 0)))
    rows = len(counts)
    sums = (padded[:rows] + padded[8:]) * np.float32(0.5)
    for start in range(1, 8):
        sums += padded[start : start + rows]
    return sums


def _principal(features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """The eight components of largest variance."""
    centred = features - features.mean(axis=0)
    _, directions = np.linalg.eigh(centred.T @ centred)
    return np.asarray(centred @ directions[:, -_COMPONENTS:], np.float64)


def _distances(features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Squared Mahalanobis distances from the mean and covariance of the three quarters that are nearest themselves:
    concentration steps as in Rousseeuw and Van Driessen, "A fast algorithm for the minimum covariance determinant
    estimator", Technometrics 1999, begun at the median."""
    spread = np.median(np.abs(features - np.median(features, axis=0)), axis=0) + _FLOOR
    far = (((features - np.median(features, axis=0)) / spread) ** 2).sum(axis=1)
    for _ in range(_ROUNDS):
        near = features[far <= np.quantile(far, _KEPT)]
        off = features - near.mean(axis=0)
        inverse = np.linalg.inv(np.cov(near.T) + _FLOOR * np.eye(_COMPONENTS))
        far = (off @ inverse * off).sum(axis=1)
    return np.asarray(far, np.float64)
