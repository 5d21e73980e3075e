"""Blocks that can say something, and statistics over them alone."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.detectors.blocks import detrend
from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.detectors.telling import mean_of_telling, mute, telling_blocks, trend_free, unfit

DRAWN = np.random.default_rng(11)


def one_block(*pixels: tuple[int, int, int], count: int = 1, ground: int = 100) -> bool:
    """Whether a block tells something in which ``count`` pixels of a grey ground have each of these colours."""
    rgb = np.full((64, 3), ground, np.uint8)
    for number, pixel in enumerate(pixels):
        rgb[number * count : (number + 1) * count] = pixel
    return bool(telling_blocks(DecodedImage(rgb.reshape(8, 8, 3)))[0, 0])


def test_a_flat_block_tells_nothing() -> None:
    """Its luma spans under half a grey level: 4 steps of blue are .456, 5 are .57."""
    assert not one_block((100, 100, 100))
    assert not one_block((100, 100, 104))
    assert one_block((100, 100, 105))
    assert one_block((101, 101, 101))
    assert one_block((99, 99, 99), count=63)


@pytest.mark.parametrize(("end", "inside"), [(2, 3), (253, 252)])
def test_a_block_tells_nothing_when_more_than_half_of_it_is_at_an_end(end: int, inside: int) -> None:
    """33 of 64 pixels at an end are too many, 32 are not; one level further inside is no end."""
    assert one_block((end, end, end), count=32)
    assert not one_block((end, end, end), count=33)
    assert not one_block((0, 0, 0), (255, 255, 255), count=17)
    assert one_block((inside, inside, inside), count=63)


def test_each_block_is_judged_by_its_own_pixels() -> None:
    """The mask has the shape of the grid, and pixels outside whole blocks count nowhere."""
    rgb = np.full((19, 30, 3), 100, np.uint8)
    rgb[9, 17], rgb[17, 3], rgb[3, 27] = 180, 180, 180
    expected = np.zeros((2, 3), bool)
    expected[1, 2] = True
    np.testing.assert_array_equal(telling_blocks(DecodedImage(rgb)), expected)


def test_an_image_of_256_px_is_large_enough() -> None:
    """The shorter side decides, be it the height or the width."""
    telling = np.ones((40, 40), bool)
    for height, width in ((255, 400), (400, 255)):
        image = DecodedImage(np.zeros((height, width, 3), np.uint8))
        assert unfit(image, telling) == "the short side is under 256 px"
    for height, width in ((256, 400), (400, 256)):
        assert unfit(DecodedImage(np.zeros((height, width, 3), np.uint8)), telling) is None


def test_64_telling_blocks_are_enough() -> None:
    """One less is too few."""
    image = DecodedImage(np.zeros((256, 256, 3), np.uint8))
    telling = np.zeros((32, 32), bool)
    telling[:2] = True
    assert unfit(image, telling) is None
    telling[0, 0] = False
    assert unfit(image, telling) == "fewer than 64 blocks are neither flat nor saturated"


def test_a_mute_block_has_the_median_of_the_telling_ones() -> None:
    """What it had before does not count; the others keep theirs."""
    values = np.array([[1, 2, 9], [4, 1e6, -1e6]], np.float32)
    telling = np.array([[True, True, True], [True, False, False]])
    np.testing.assert_array_equal(mute(values, telling), np.array([[1, 2, 9], [4, 3, 3]], np.float32))


def test_a_mute_block_does_not_bend_the_trend() -> None:
    """The rest is that of the telling blocks alone, however wild the others are."""
    t, of_light = DRAWN.random((9, 12), np.float32), DRAWN.random((9, 12), np.float32)
    values = (3 * t + DRAWN.normal(0, 0.1, t.shape)).astype(np.float32)
    telling = DRAWN.random(t.shape) > 0.3
    wild = np.where(telling, values, np.float32(50))
    rest = trend_free(wild, telling, np.where(telling, t, np.float32(90)), of_light)
    expected = detrend(values[telling], t[telling], of_light[telling])
    np.testing.assert_array_equal(rest[telling], expected)
    assert (rest[~telling] == np.median(expected)).all()
    assert rest.dtype == np.float32


def test_a_mean_is_over_the_telling_blocks_around() -> None:
    """Against plain words, with the border mirrored; zero where no block around tells anything."""
    values = DRAWN.random((7, 8), np.float32) * 10
    telling = DRAWN.random(values.shape) > 0.4
    telling[:3, :3] = False
    telling[6, 7] = True
    wide, wide_telling = np.pad(values, 1, mode="symmetric"), np.pad(telling, 1, mode="symmetric")
    means = mean_of_telling(np.where(telling, values, np.float32(1e4)), telling)
    for row in range(7):
        for column in range(8):
            near = wide_telling[row : row + 3, column : column + 3]
            expected = wide[row : row + 3, column : column + 3][near].mean() if near.any() else 0
            assert means[row, column] == pytest.approx(expected, rel=1e-5)
    assert means[1, 1] == 0
