"""A template as a gallery keeps it: 512 codes (the value plus 128), their length, and their signs."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hardware.terminals.projection import DIMENSIONS

NORM: Final = 724.0773439350247
"""Length of a template: 32 units a standard deviation, 512 values."""
NORM_TOLERANCE: Final = 0.1
"""Rounding and clipping change the length by less than this part of it. Rows of other lengths are no templates, and
would spoil the order of inner products."""
BIAS: Final = 128
"""faiss's signed 8-bit code of a value is the value plus this."""
SIGN_BYTES: Final = DIMENSIONS // 8
BLOCK: Final = 1_024
"""Rows that are worked on at a time where a copy of each is made."""

Int8: TypeAlias = NDArray[np.int8]
Codes: TypeAlias = NDArray[np.uint8]
Scores: TypeAlias = NDArray[np.float32]
Rows: TypeAlias = NDArray[np.int64]
"""Numbers of rows."""


def codes_of(rows: Int8) -> Codes:
    """The codes of templates, int8 (512,) or (k, 512) with k >= 1; ``ValueError`` if they are none."""
    templates = rows[None] if rows.ndim == 1 else rows
    if templates.dtype != np.int8 or templates.ndim != 2 or not len(templates) or templates.shape[1] != DIMENSIONS:
        raise ValueError("a template is int8, 512 values")
    codes = np.bitwise_xor(templates.view(np.uint8), np.uint8(BIAS), order="C")
    for at in range(0, len(codes), BLOCK):
        if (np.abs(norms(codes[at : at + BLOCK]) - NORM) > NORM_TOLERANCE * NORM).any():
            codes.fill(0)
            raise ValueError("a template has another length than one that a rotation gives")
    return codes


def norms(codes: Codes) -> Scores:
    """The length of each template."""
    values = codes.astype(np.float32)
    values -= BIAS
    lengths: Scores = np.sqrt(np.einsum("ij,ij->i", values, values))
    values.fill(0)
    return lengths


def signs_of(values: NDArray[Any], zero: int) -> Codes:
    """A bit for each value, 1 from ``zero`` on: (n, 512) to (n, 64)."""
    positive = values >= zero
    packed = np.packbits(positive, axis=1)
    positive.fill(False)
    return packed
