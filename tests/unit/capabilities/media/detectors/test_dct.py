"""The DCT at every offset, against its definition."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.dct import BASIS, block_dct, every_offset

LUMA = np.random.default_rng(3).integers(0, 256, (27, 37)).astype(np.float32)


def in_words(tile: npt.NDArray[np.float32], v: int, u: int) -> float:
    """One coefficient as ITU-T T.81 A.3.3 defines it."""
    scale = (math.sqrt(0.5) if v == 0 else 1) * (math.sqrt(0.5) if u == 0 else 1) / 4
    return scale * sum(
        float(tile[y, x]) * math.cos((2 * x + 1) * u * math.pi / 16) * math.cos((2 * y + 1) * v * math.pi / 16)
        for y in range(8)
        for x in range(8)
    )


def test_the_basis_is_orthonormal() -> None:
    """No coefficient is louder than another."""
    np.testing.assert_allclose(BASIS @ BASIS.T, np.eye(8), atol=1e-6)


def test_a_coefficient_is_that_of_the_standard() -> None:
    """Vertical frequency first, horizontal second, on the block that starts at the offset."""
    found = block_dct(LUMA, 2, 5)
    assert found.shape == (3, 4, 8, 8)
    for v, u in ((0, 0), (0, 1), (3, 0), (7, 7), (2, 5)):
        assert found[1, 2, v, u] == pytest.approx(in_words(LUMA[10:18, 21:29], v, u), abs=1e-3)


def test_without_an_offset_the_grid_starts_at_the_corner() -> None:
    """Row 0, column 0; what is left at the right and the bottom has no block."""
    found = block_dct(LUMA)
    assert found.shape == (3, 4, 8, 8)
    assert found[2, 3, 1, 2] == pytest.approx(in_words(LUMA[16:24, 24:32], 1, 2), abs=1e-3)


def test_all_offsets_at_once_are_each_offset_alone() -> None:
    """Each block that lies in the image has the coefficients that it has by itself."""
    together = np.stack(list(every_offset(LUMA)))
    assert together.shape == (3, 8, 8, 4, 8, 8)
    for row in range(8):
        for column in range(8):
            alone = block_dct(LUMA, row, column)
            blocks = together[: alone.shape[0], row, :, : alone.shape[1], column].transpose(0, 2, 1, 3)
            np.testing.assert_allclose(blocks, alone, atol=2e-3)
