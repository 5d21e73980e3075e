"""The measuring pass: what it makes, what it refuses, and the tiles of large images."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.analysis.judge import DETECTORS
from app.capabilities.media.analysis.measure import (
    COPIES,
    LEAST_SIDE,
    OVERLAP,
    TILE,
    corners,
    measure,
    tile_of,
)
from app.capabilities.media.detectors.blocks import light, texture
from app.capabilities.media.detectors.copy_move import copy_moves
from app.capabilities.media.detectors.ela import ela_maps
from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.detectors.splicebuster import root_histograms, third_differences
from app.capabilities.media.detectors.telling import telling_blocks
from tests.unit.capabilities.media.detectors.jpeg_pictures import as_jpeg, texture_picture


@pytest.fixture(scope="module")
def image() -> DecodedImage:
    """A JPEG whose sides are no multiples of 8."""
    return as_jpeg(texture_picture(1, 263, 285), 80)


def test_every_detector_is_asked(image: DecodedImage) -> None:
    """Each has its traces and its time."""
    measured = measure(image)
    assert {*measured.traces, COPIES} == set(DETECTORS)
    assert set(measured.timings_ms) == {*DETECTORS, "shared"}
    assert all(took > 0 for took in measured.timings_ms.values())


def test_every_map_has_the_shape_of_the_grid(image: DecodedImage) -> None:
    """Those of the detectors and those that are made for several of them."""
    measured = measure(image)
    maps = [values for trace in measured.traces.values() for values in trace.maps.values()]
    for values in (*maps, measured.texture, measured.light, measured.telling):
        assert values.shape == (32, 35)
        assert np.isfinite(values).all()
    assert (measured.histograms.shape, measured.bins.shape) == ((32, 35, 50), (32, 35, 20))


def test_what_is_shared_is_what_each_would_make_itself(image: DecodedImage) -> None:
    """Error levels and histograms come out as when the detector is called alone."""
    measured = measure(image)
    alone = ela_maps(image, texture(image), light(image), telling_blocks(image))
    np.testing.assert_array_equal(measured.traces["ela"].maps["ela_85"], alone.maps["ela_85"])
    np.testing.assert_array_equal(measured.histograms, root_histograms(image, third_differences(image)))


def test_known_copies_are_not_sought_again() -> None:
    """They are handed on as they are."""
    rgb = texture_picture(2, 256, 264)
    rgb[160:220, 150:230] = rgb[20:80, 30:110]
    picture = DecodedImage(rgb)
    found = copy_moves(picture)
    assert len(found) == 1
    assert measure(picture, found).copies is found
    assert measure(picture, ()).copies == ()


@pytest.mark.parametrize("sides", [(LEAST_SIDE - 1, 100), (100, LEAST_SIDE - 1), (64, TILE + 1)])
def test_other_sizes_are_refused(sides: tuple[int, int]) -> None:
    """Too small for a window, and too large for the memory."""
    height, width = sides
    with pytest.raises(ValueError, match=rf"^{width} x {height} px: 64 to 2048 px are measured$"):
        measure(DecodedImage(np.zeros((*sides, 3), np.uint8)))


@given(height=st.integers(8, 20_000), width=st.integers(8, 20_000))
def test_tiles_cover_an_image(height: int, width: int) -> None:
    """Each whole block lies in a tile; tiles begin on the grid and overlap enough."""
    places = corners((height, width))
    for side, starts in (
        (height, sorted({down for down, _ in places})),
        (width, sorted({right for _, right in places})),
    ):
        assert starts[0] == 0
        assert starts[-1] + TILE >= side // 8 * 8
        assert all(start % 8 == 0 for start in starts)
        assert all(after - before <= TILE - OVERLAP for before, after in pairwise(starts))
        assert starts[-1] + 8 <= side
    assert len(places) == len(set(places))


def test_a_small_image_is_its_own_tile(image: DecodedImage) -> None:
    """Nothing is copied."""
    assert corners(image.rgb.shape[:2]) == ((0, 0),)
    assert tile_of(image, (0, 0)) is image


def test_a_tile_keeps_the_past_of_the_file() -> None:
    """Its quantizers, and its blocks' places on the grid."""
    picture = as_jpeg(np.zeros((TILE + 80, 72, 3), np.uint8), 75)
    first, last = (tile_of(picture, corner) for corner in corners(picture.rgb.shape[:2]))
    assert first.jpeg is last.jpeg is picture.jpeg
    assert first.rgb.shape == last.rgb.shape == (TILE, 72, 3)
