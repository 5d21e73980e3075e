"""Drawings, gradients and patterns, against plain words at their thresholds."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.detectors.jpeg_grid import GridRegion
from app.capabilities.media.verdict.hard_evidence import (
    by_chance,
    hard_evidence,
    is_drawn,
    is_gradient,
    is_periodic,
    power_of_ten,
)
from app.capabilities.media.verdict.regions import FoundRegion, find_regions
from tests.unit.capabilities.media.verdict.judgements import copied, judgement, picture, place

Levels = npt.NDArray[np.float64]


def _grey(levels: npt.NDArray[np.generic]) -> DecodedImage:
    """Of these levels, rounded."""
    return DecodedImage(np.repeat(np.rint(levels).astype(np.uint8)[:, :, None], 3, axis=2))


@pytest.mark.parametrize("shade", [0, 7, 255])
@pytest.mark.parametrize(("same", "drawn"), [(239, False), (240, True), (241, True)])
def test_a_drawing_has_fifteen_percent_of_one_shade(same: int, drawn: bool, shade: int) -> None:
    """240 of the 1600 pixels of a block and the two to each side."""
    levels = (np.arange(1, 1 + 56 * 56) % 199 + 20).reshape(56, 56)
    around = levels[8:48, 8:48].copy()
    around.flat[:same] = shade
    levels[8:48, 8:48] = around
    # What lies farther away does not count.
    levels[:8], levels[:, 48:] = shade, shade
    assert is_drawn(_grey(levels), place(slice(3, 4), slice(3, 4), (7, 7))) == drawn


@pytest.mark.parametrize(("span", "gradient"), [(5, True), (6, False), (7, False)])
def test_a_gradient_spans_less_than_six_levels(span: int, gradient: bool) -> None:
    """In the middle one of three blocks; the others are far plainer and far richer."""
    levels = np.full((16, 32), 100)
    levels[0, 9], levels[5, 17] = 100 + span, 200
    area = place(slice(0, 1), slice(0, 3), (2, 4))
    levels[8:] = np.arange(32) * 7
    assert is_gradient(_grey(levels), area) == gradient


def _detail(image: DecodedImage, rows: slice, columns: slice) -> Levels:
    """What a Gaussian of 2 px leaves, without its mean: by hand, mirrored at the border of the piece."""
    piece = image.luma[rows, columns].astype(float)
    reach = 8
    weights = np.exp(-(np.arange(-reach, reach + 1) ** 2) / 8.0)
    weights /= weights.sum()
    padded = np.pad(piece, reach, mode="reflect")
    smooth = np.apply_along_axis(
        np.convolve, 1, np.apply_along_axis(np.convolve, 0, padded, weights, "valid"), weights, "valid"
    )
    detail = piece - smooth
    return np.asarray(detail - detail.mean())


def _periodic(image: DecodedImage, rows: slice, columns: slice) -> float:
    """The best correlation with itself, moved by 6 px or more down or to a side, at most half of its size."""
    detail = _detail(image, rows, columns)
    height, width = detail.shape
    best = -np.inf
    for down in range(height // 2 + 1):
        for across in range(-(width // 2), width // 2 + 1):
            if down < 6 and abs(across) < 6:
                continue
            one = detail[down:, max(0, across) : width + min(0, across)]
            other = detail[: height - down, max(0, -across) : width - max(0, across)]
            best = max(best, float((one * other).mean()))
    return best / float((detail * detail).mean())


@pytest.mark.parametrize(
    "move",
    [(0, 5), (0, 6), (5, 5), (6, 0), (5, 0), (6, 6), (0, 16), (0, 17), (12, 0), (13, 0), (3, 7), (3, -7), (12, -16)],
)
@pytest.mark.parametrize("noise", [0.0, 9.0, 10.0, 14.0])
def test_a_pattern_repeats_from_six_px_to_half_its_size(move: tuple[int, int], noise: float) -> None:
    """Noise in 3 x 4 blocks that comes again at one move, with noise of its own: as plain sums say."""
    down, across = move
    drawn = np.random.default_rng([24 + down, 32 + across])
    levels = drawn.normal(128, 30, (24, 32))
    for row in range(24):
        for column in range(32):
            if row >= down and 0 <= column - across < 32:
                levels[row, column] = levels[row - down, column - across]
    levels = np.clip(levels + drawn.normal(0, noise + 0.01, levels.shape), 0, 255)
    whole = np.full((40, 56), 128.0)
    whole[8:32, 16:48] = levels
    image = _grey(whole)
    area = place(slice(1, 4), slice(2, 6), image.grid)
    wanted = _periodic(image, slice(8, 32), slice(16, 48))
    assert abs(wanted - 0.9) > 0.0002
    assert is_periodic(image, area) == (wanted >= 0.9)


def test_what_is_flat_or_smaller_than_a_move_is_no_pattern() -> None:
    """One block has no move of 6 px within its half; a flat place has no detail."""
    waves = np.tile(np.arange(8) % 2 * 90 + 50, (24, 9))
    image = _grey(waves)
    assert is_periodic(image, place(slice(1, 2), slice(2, 3), image.grid)) is False
    assert is_periodic(image, place(slice(1, 2), slice(2, 4), image.grid))
    assert is_periodic(_grey(np.full((24, 72), 90)), place(slice(0, 3), slice(0, 9), (3, 9))) is False


def test_of_a_large_place_its_middle_512_px_count() -> None:
    """Stripes there, noise beside it; and the other way round."""
    drawn = np.random.default_rng(1)
    noise = drawn.integers(40, 200, (32, 1024)).astype(float)
    stripes = np.tile(np.arange(8) // 4 * 90.0 + 50, (32, 128))
    whole = place(slice(0, 4), slice(0, 128), (4, 128))
    for inner, outer in ((stripes, noise), (noise, stripes)):
        levels = outer.copy()
        levels[:, 256:768] = inner[:, 256:768]
        assert is_periodic(_grey(levels), whole) == (inner is stripes)
        assert is_periodic(_grey(levels.T), whole.T) == (inner is stripes)


@pytest.mark.parametrize(
    ("exponent", "words"), [(0, "1"), (2.3, "200"), (3.9, "7943"), (3.99999, "10000"), (4, "10^4"), (31.6, "10^32")]
)
def test_powers_of_ten_are_written_out_below_ten_thousand(exponent: float, words: str) -> None:
    """As people read them."""
    assert power_of_ten(exponent) == words


def test_a_chance_of_one_is_no_rarity() -> None:
    """At 0 chance alone gives one in each image."""
    assert by_chance(0.0) == "of which chance alone gives 1 in an image of this size"
    assert by_chance(-1.0) == "by chance in 1 of 10 images of this size"


@pytest.mark.parametrize(("nfa", "counts"), [(-2.0, False), (-2.01, True)])
def test_a_grid_counts_below_one_in_a_hundred(nfa: float, counts: bool) -> None:
    """In an image of noise, which is neither plain nor repeats."""
    regions = (FoundRegion("r1", "foreign_grid", place(), 1.0, grid=GridRegion(place(), (1, 2), nfa)),)
    found = hard_evidence(regions, picture(), None)
    assert found.reasons == (("r1 has a JPEG grid of its own, by chance in 1 of 102 images of this size.",) * counts)
    assert found.doubts == {}


def test_a_copy_is_told_once_by_its_target() -> None:
    """Not by its source too."""
    regions, _ = find_regions(judgement(copies=(copied(31),)))
    assert hard_evidence(regions, picture(), None).reasons == ("r2 shows the same as r1: 31 details match.",)
