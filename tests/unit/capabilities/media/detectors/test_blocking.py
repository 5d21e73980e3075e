"""Blocking: a grid that is elsewhere, missing, or nowhere."""

from __future__ import annotations

from itertools import product

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.blocking import blocking_maps
from app.capabilities.media.detectors.blocks import detrend, light, texture
from app.capabilities.media.detectors.image import DecodedImage, TraceMaps
from app.capabilities.media.detectors.splicebuster import third_differences

Pixels = npt.NDArray[np.uint8]


def _photo(height: int, width: int) -> Pixels:
    """Soft shapes with noise."""
    drawn = np.random.default_rng(12)
    soft = cv2.GaussianBlur(drawn.normal(0, 250, (height, width, 3)), (0, 0), 4) + 120
    return np.clip(soft + drawn.normal(0, 2, soft.shape), 0, 255).astype(np.uint8)


def _jpeg(pixels: Pixels, quality: int) -> Pixels:
    _, data = cv2.imencode(".jpg", pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)


def blocking_of(image: DecodedImage) -> TraceMaps:
    """What the detector says with the image's own differences, texture and light."""
    return blocking_maps(image, third_differences(image), texture(image), light(image))


PHOTO = _photo(256, 320)
PRESSED = _jpeg(PHOTO, 70)
REGION = (slice(12, 20), slice(8, 18))
FAR = (slice(0, 32), slice(26, 40))


@pytest.mark.parametrize(
    "inside", [PHOTO, np.roll(PRESSED, (4, 3), (0, 1)), np.roll(PRESSED, 4, 0), np.roll(PRESSED, 4, 1)]
)
def test_a_place_without_the_images_grid_stands_out(inside: Pixels) -> None:
    """Never compressed, or with its grid moved both ways or one way: its profile is far from the image's, and it has
    less of the image's period."""
    pixels = PRESSED.copy()
    pixels[72:184, 40:168] = inside[72:184, 40:168]
    result = blocking_of(DecodedImage(pixels))
    assert sorted(result.maps) == ["blocking", "blocking_grid"]
    for found in result.maps.values():
        assert found.dtype == np.float32
        assert found.shape == (32, 40)
    other, own = result.maps["blocking"], result.maps["blocking_grid"]
    assert other[REGION].min() > np.quantile(other[FAR], 0.98)
    assert own[REGION].max() < np.quantile(own[FAR], 0.02)


def _profile(grey: npt.NDArray[np.float32], row: int, column: int) -> list[float]:
    """Of the 7 x 7 blocks around a block, the mean residual along rows at each phase, in parts of all and half a grey
    level; blocks beyond an edge are those that mirror them."""
    rows, columns = grey.shape[0] // 8, grey.shape[1] // 8
    sums = np.zeros(8)
    for down, right in product(range(-3, 4), range(-3, 4)):
        top, left = _inside(row + down, rows) * 8, _inside(column + right, columns) * 8
        for phase in range(8):
            x = left + phase
            if 2 <= x < columns * 8 - 1:
                tall = grey[top : top + 8]
                sums[phase] += np.abs(tall[:, x - 2] - 3 * tall[:, x - 1] + 3 * tall[:, x] - tall[:, x + 1]).sum()
    means = sums / (49 * 8)
    return list(means / (means.mean() + 0.5))


def _inside(number: int, count: int) -> int:
    return count - 1 - abs(count - 1 - abs(number))


def test_the_maps_are_those_of_plain_words() -> None:
    """Pixel by pixel, for a small image; the tolerance is that of residuals rounded to sixteenths."""
    image = DecodedImage(PRESSED[:64, :72])
    each = [(row, column) for row in range(8) for column in range(9)]
    across = np.array([_profile(image.luma, row, column) for row, column in each])
    down = np.array([_profile(image.luma.T, column, row) for row, column in each])
    apart, own = np.zeros(72), np.zeros(72)
    for windows in (across, down):
        profile = np.median(windows, axis=0)
        apart += ((windows - profile) ** 2).sum(axis=1)
        swing = profile - profile.mean()
        own += windows @ swing / (swing @ swing + 0.01) / 2
    result = blocking_of(image)
    np.testing.assert_allclose(result.maps["blocking"].ravel(), np.log(apart + 0.003), atol=0.06)
    rest = detrend(own.reshape(8, 9).astype(np.float32), texture(image), light(image))
    np.testing.assert_allclose(result.maps["blocking_grid"], rest, atol=0.06)


def test_the_contrast_is_that_of_the_profile() -> None:
    """Ramps of eight px that end in a step: the residual is a step's 1, 3, 1 over three phases and nothing on five."""
    ramp = np.tile((np.arange(64) // 8 % 2 * 80 + 80).astype(np.uint8), (64, 1))
    result = blocking_of(DecodedImage(np.repeat(ramp[:, :, None], 3, axis=2)))
    step = np.array([80, 160, 80, 0, 0, 0, 0, 0])
    across = step / (step.mean() + 0.5)
    assert result.globals["blocking_contrast"] == pytest.approx(across.std() / 2, rel=0.02)


def test_a_harder_quantizer_leaves_more_contrast() -> None:
    """The number follows the strength of the grid."""
    contrasts = [blocking_of(DecodedImage(_jpeg(PHOTO, quality))).globals["blocking_contrast"] for quality in (90, 60)]
    assert contrasts[0] < contrasts[1]


@pytest.mark.parametrize("pixels", [PHOTO, np.full((64, 64, 3), 90, np.uint8)])
def test_an_image_without_grid_is_not_judged(pixels: Pixels) -> None:
    """Noise and plain grey repeat nothing."""
    result = blocking_of(DecodedImage(pixels))
    assert not result.maps
    assert result.not_applicable == "the image has no grid of 8 px"


def test_a_faint_grid_is_judged() -> None:
    """Quality 98 leaves one that can just be measured."""
    assert blocking_of(DecodedImage(_jpeg(PHOTO, 98))).globals["blocking_contrast"] < 0.02


def test_an_image_of_less_than_a_window_is_not_judged() -> None:
    """56 px are a window; a px less is none."""
    assert blocking_of(DecodedImage(PRESSED[:56, :56])).maps
    for pixels in (PRESSED[:55], PRESSED[:, :55]):
        assert blocking_of(DecodedImage(pixels)).not_applicable == "a side is shorter than 56 px"


def test_the_same_image_gives_the_same_maps() -> None:
    """No chance is in it."""
    first, again = (blocking_of(DecodedImage(PRESSED)).maps for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)
