"""Whose quantization tables a JPEG has: those of the standard's annex as the IJG's library scales them, or others.

Cameras, and programs that store images with tables of their own, differ from the IJG's; a file that calls itself a
camera's and has the IJG's was stored by a program since.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

# fmt: off
_LUMA: Final = np.array([
    16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56,
    14, 17, 22, 29, 51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92,
    49, 64, 78, 87, 103, 121, 120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
])
"""ITU-T T.81, table K.1, in natural order."""
_CHROMA: Final = np.array([
    17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99,
    47, 66, 99, 99, 99, 99, 99, 99, *([99] * 32),
])
"""ITU-T T.81, table K.2."""
# fmt: on

OWN_TABLES: Final = "own tables, not those of the JPEG standard"


def table_origin(tables: Mapping[int, Sequence[int]]) -> str | None:
    """In words whose the tables of a JPEG are; None without any. ``tables``: quantizers by the table's number, in
    natural order, as Pillow's ``quantization``; number 0 is luma and 1 chroma, as all writers of two tables have it."""
    luma, chroma = tables.get(0), tables.get(1)
    if luma is None:
        return None
    quality = _quality(_LUMA, luma)
    if quality is None:
        return OWN_TABLES
    if chroma is None or _scaled_table(_CHROMA, quality).tolist() == list(chroma):
        return f"tables of the JPEG standard, IJG quality {quality}"
    return f"luma table of the JPEG standard, IJG quality {quality}; own chroma table"


def _quality(base: npt.NDArray[np.int64], table: Sequence[int]) -> int | None:
    """The highest quality of 1 to 100 at which the base becomes the table."""
    return next((one for one in range(100, 0, -1) if _scaled_table(base, one).tolist() == list(table)), None)


def _scaled_table(base: npt.NDArray[np.int64], quality: int) -> npt.NDArray[np.int64]:
    """As the IJG's ``jpeg_quality_scaling`` and ``jpeg_add_quant_table`` do, for baseline files."""
    percent = 5000 // quality if quality < 50 else 200 - 2 * quality
    return np.clip((base * percent + 50) // 100, 1, 255)
