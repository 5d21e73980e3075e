"""Blocks that were quantized once in an image that was quantized twice, and the coefficients' sizes for a network.

After Z. Lin et al., "Fast, automatic and fine-grained tampered JPEG image detection via DCT coefficient analysis",
Pattern Recognition 42, 2009, and T. Bianchi, A. Piva, "Image forgery localization via block-grained analysis of JPEG
artifacts", IEEE TIFS 7, 2012. A first quantizer q1 leaves multiples of q1; the file's quantizer q2 then meets some
of its own steps more often than others, with a period. What was pasted after the first compression lacks the pattern.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.dct import block_dct
from app.capabilities.media.detectors.image import BLOCK, DecodedImage, FloatMap, TraceMaps

# fmt: off
MODES: Final = (
    (0, 1), (1, 0), (2, 0), (1, 1), (0, 2), (0, 3), (1, 2), (2, 1), (3, 0), (4, 0),
    (3, 1), (2, 2), (1, 3), (0, 4), (0, 5), (1, 4), (2, 3), (3, 2), (4, 1), (5, 0),
)
# fmt: on
"""The 20 lowest AC modes in zigzag order (ITU-T T.81, figure 5): vertical, horizontal frequency."""
BINS: Final = 8
"""Bins of a coefficient's size in steps of its quantizer: 0, 1, 2, 3, 4-5, 6-8, 9-15, more."""
NO_BIN: Final = BINS
"""In place of a bin: the file tells no quantizer."""
_FROM: Final = (1, 2, 3, 4, 6, 9, 16)
"""Smallest size of each bin but the first."""
_READ: Final = 12
"""Modes in which a first quantizer is sought."""
_FIRST: Final = range(2, 61)
"""First quantizers that are tried."""
_GAIN: Final = 30.0
"""Nats that a first quantizer must gain over none in a mode: the misfit of the density alone seldom gains so much."""
_STEPS: Final = 40
"""Largest size of a coefficient that is told from larger ones, in steps of the quantizer."""
_REACH: Final = 1100
"""Above the largest AC coefficient of luma, in units of luma."""
_SHIFTS: Final = ((4, 4), (3, 5), (5, 3))
_SINGLE: Final = 0.1
"""Share of the blocks that may be quantized once."""
_ROUNDING: Final = np.array([-0.9, -0.3, 0.3, 0.9])
_ROUNDING_WEIGHT: Final = np.array([0.1, 0.4, 0.4, 0.1])
"""Error of a coefficient by the rounding of pixels between two compressions: deviation 0.5, never on a tie of
integers."""

_Floats = npt.NDArray[np.float64]


def double_quantization(image: DecodedImage) -> TraceMaps:
    """The map ``dq``: for each block, log of the odds that its coefficients were quantized once and not twice, summed
    over the modes with a first quantizer, in nats. Positive where the block lacks the past of the others.

    Numbers: ``dq_modes`` with a first quantizer (1 to 12) and ``dq_gain``, what they gain in nats per block. Not
    applicable to a file that is no JPEG, below 16 px a side, and where no mode shows a first quantizer.
    """
    if image.jpeg is None:
        return TraceMaps.none("The file is no JPEG.")
    if min(image.rgb.shape[:2]) < 2 * BLOCK:
        return TraceMaps.none("The image is smaller than two blocks.")
    coefficients = block_dct(image.luma)
    shifted = [block_dct(image.luma, *shift) for shift in _SHIFTS]
    odds = np.zeros(image.grid)
    modes, gained = 0, 0.0
    for down, across in MODES[:_READ]:
        quantizer = int(image.jpeg.luma[down, across])
        density = _density(np.concatenate([grid[:, :, down, across].ravel() for grid in shifted]))
        steps = _steps(coefficients[:, :, down, across], quantizer)
        gain, twice = _best_first(np.bincount(steps.ravel(), minlength=2 * _STEPS + 1), density, quantizer)
        if gain > _GAIN:
            modes, gained = modes + 1, gained + gain
            odds -= twice[steps]
    if modes == 0:
        return TraceMaps.none("No coefficient shows an earlier compression on the same grid.")
    numbers = {"dq_modes": float(modes), "dq_gain": gained / odds.size}
    return TraceMaps({"dq": odds.astype(np.float32)}, numbers)


def mode_bins(image: DecodedImage) -> npt.NDArray[np.uint8]:
    """For each whole block the bins of its ``MODES`` (see ``BINS``): shape (rows, columns, 20), ``NO_BIN`` everywhere
    if the file is no JPEG."""
    if image.jpeg is None:
        return np.full((*image.grid, len(MODES)), NO_BIN, np.uint8)
    down, across = np.array(MODES).T
    sizes = np.abs(block_dct(image.luma)[:, :, down, across] / image.jpeg.luma[down, across])
    return np.asarray(np.digitize(np.rint(sizes), _FROM), np.uint8)


def one_hot(bins: npt.NDArray[np.uint8]) -> FloatMap:
    """``mode_bins`` as zeros and ones, the bins of one mode beside each other: shape (rows, columns, 160). A block
    without bins is zero."""
    chosen = bins[..., None] == np.arange(BINS)
    return np.asarray(chosen.reshape(*bins.shape[:2], len(MODES) * BINS), np.float32)


def _density(values: npt.NDArray[np.float32]) -> _Floats:
    """How often each integer from -1100 to 1100 is a coefficient of the mode before any quantizer on this grid: that
    of other grids of the same image, taken as even, with a little of a wide Laplacian so that nothing is impossible."""
    whole = np.clip(np.rint(values), -_REACH, _REACH).astype(np.int64) + _REACH
    counted = np.bincount(whole, minlength=2 * _REACH + 1)
    wide = 0.02 * np.exp(-np.abs(np.arange(-_REACH, _REACH + 1)) / 60)
    density = counted + counted[::-1] + wide
    return np.asarray(density / density.sum(), np.float64)


def _steps(values: npt.NDArray[np.float32], quantizer: int) -> npt.NDArray[np.int64]:
    """Coefficients in steps of their quantizer, clipped to +-40, plus 40."""
    return np.clip(np.rint(values / quantizer), -_STEPS, _STEPS).astype(np.int64) + _STEPS


def _best_first(counted: npt.NDArray[np.int64], density: _Floats, quantizer: int) -> tuple[float, _Floats]:
    """The first quantizer that explains best how often each step was ``counted``: its gain over none, nats, and the
    log of its probability for each step over that of none."""
    once = np.maximum(_after_quantizers(density, 1, quantizer), 1e-12)
    best: tuple[float, _Floats] = -np.inf, np.zeros_like(once)
    for first in _FIRST:
        if first != quantizer:
            ratio = np.log((1 - _SINGLE) * _after_quantizers(density, first, quantizer) / once + _SINGLE)
            best = max(best, (float(counted @ ratio), ratio), key=lambda tried: tried[0])
    return best


def _after_quantizers(density: _Floats, first: int, second: int) -> _Floats:
    """Probability of each step of the ``second`` quantizer, -40 to 40, after the ``first``."""
    multiples = np.floor(np.arange(-_REACH, _REACH + 1) / first + 0.5).astype(np.int64)
    most = int(multiples[-1])
    mass = np.bincount(multiples + most, weights=density, minlength=2 * most + 1)
    values = (np.arange(-most, most + 1) * first)[:, None] + _ROUNDING
    weights = mass[:, None] * _ROUNDING_WEIGHT
    steps = np.clip(np.rint(values / second), -_STEPS, _STEPS).astype(np.int64) + _STEPS
    return np.asarray(np.bincount(steps.ravel(), weights=weights.ravel(), minlength=2 * _STEPS + 1), np.float64)
