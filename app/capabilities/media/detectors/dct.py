"""The 8x8 DCT of JPEG at any of the 64 offsets that its grid can have in an image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.blocks import blocks_of
from app.capabilities.media.detectors.image import BLOCK, FloatMap


def _basis() -> npt.NDArray[np.float32]:
    position, frequency = np.arange(BLOCK) + 0.5, np.arange(BLOCK)[:, None]
    rows = np.cos(np.pi / BLOCK * frequency * position) * np.sqrt(2 / BLOCK)
    rows[0] /= np.sqrt(2)
    return np.asarray(rows, np.float32)


BASIS: Final = _basis()
"""The orthonormal DCT-II of JPEG (ITU-T T.81, A.3.3), shape (frequency, position)."""


def _sliding() -> npt.NDArray[np.float32]:
    """The transform of 16 neighbours at each of the 8 offsets: shape (offset x frequency, 16)."""
    rows = np.zeros((BLOCK, BLOCK, 2 * BLOCK), np.float32)
    for offset in range(BLOCK):
        rows[offset, :, offset : offset + BLOCK] = BASIS
    return rows.reshape(BLOCK * BLOCK, 2 * BLOCK)


_SLIDING: Final = _sliding()


def block_dct(luma: FloatMap, row: int = 0, column: int = 0) -> npt.NDArray[np.float32]:
    """Coefficients of the whole blocks whose grid starts at pixel (``row``, ``column``), each 0 to 7: shape (rows,
    columns, 8, 8), the last two the vertical and the horizontal frequency. Luma is not shifted by 128, which only the
    DC coefficient would show."""
    tiles = blocks_of(luma[row:, column:]).transpose(0, 2, 1, 3)
    return np.asarray(BASIS @ tiles @ BASIS.T, np.float32)


def every_offset(luma: FloatMap) -> Iterator[npt.NDArray[np.float32]]:
    """For each row of whole blocks, the coefficients at all 64 offsets: shape (8, 8, columns, 8, 8), which is (row
    offset, vertical frequency, block, column offset, horizontal frequency). Where a block reaches over the right or
    the lower border its coefficients mean nothing."""
    rows, columns = luma.shape[0] // BLOCK, luma.shape[1] // BLOCK
    beyond = ((0, BLOCK - luma.shape[0] % BLOCK), (0, BLOCK - luma.shape[1] % BLOCK))
    padded = np.pad(luma, beyond)
    for row in range(rows):
        down = (_SLIDING @ padded[row * BLOCK : (row + 2) * BLOCK]).reshape(BLOCK * BLOCK, columns + 1, BLOCK)
        pairs = np.concatenate([down[:, :-1], down[:, 1:]], axis=2)
        yield (pairs.reshape(-1, 2 * BLOCK) @ _SLIDING.T).reshape(BLOCK, BLOCK, columns, BLOCK, BLOCK)
