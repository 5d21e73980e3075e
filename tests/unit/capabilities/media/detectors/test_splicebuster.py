"""Splicebuster: its histograms against a plain count, and places with another history."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.image import DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.splicebuster import root_histograms, splicebuster_maps, third_differences

Pixels = npt.NDArray[np.uint8]
Plane = npt.NDArray[np.float64]


def _faint(height: int, width: int, seed: int = 3) -> Pixels:
    """Grey noise of four levels: its residuals fall on both sides of each quantizer border."""
    grey = np.random.default_rng(seed).integers(100, 104, (height, width), np.uint8)
    return np.repeat(grey[:, :, None], 3, axis=2)


def _photo(side: int) -> Plane:
    """Soft shapes with sensor noise, all channels alike."""
    drawn = np.random.default_rng(8)
    soft = cv2.GaussianBlur(drawn.normal(0, 300, (side, side)), (0, 0), 6) + 120
    return soft + drawn.normal(0, 1.2, soft.shape)


def _rgb(grey: Plane) -> DecodedImage:
    return DecodedImage(np.repeat(np.clip(np.rint(grey), 0, 255).astype(np.uint8)[:, :, None], 3, axis=2))


def histograms_of(image: DecodedImage) -> FloatMap:
    """Of its own third differences."""
    return root_histograms(image, third_differences(image))


def splicebuster_of(image: DecodedImage) -> TraceMaps:
    """Of its own histograms."""
    return splicebuster_maps(image, histograms_of(image))


def _class(levels: tuple[int, ...]) -> tuple[int, ...]:
    """What stands for a tuple, its reverse, its negative, and both."""
    negative = tuple(-level for level in levels)
    return min(levels, levels[::-1], negative, negative[::-1])


CLASSES = sorted({_class(levels) for levels in product((-1, 0, 1), repeat=4)})


def _counted(grey: list[list[int]], column: int) -> Plane:
    """The histogram of a block in an image of one row of blocks, pixel by pixel."""
    height, width = len(grey), len(grey[0])
    bins = np.zeros((2, len(CLASSES)))

    def level(y: int, x: int, down: int, right: int) -> int:
        r = sum(k * grey[y + i * down][x + i * right] for i, k in enumerate((1, -3, 3, -1)))
        return (r > 1) - (r < -1)

    for y, x, down, right, along in product(range(height), range(width), (0, 1), (0, 1), (0, 1)):
        if down == right:
            continue
        step_down, step_right = (down, right) if along else (right, down)
        if y + 3 * (down + step_down) >= height or x + 3 * (right + step_right) >= width:
            continue
        levels = tuple(level(y + i * step_down, x + i * step_right, down, right) for i in range(4))
        centre = x + 1.5 * (right + step_right)
        for pixel in {int(np.floor(centre)), int(np.ceil(centre))}:
            apart = abs(pixel // 8 - column)
            weight = 1.0 if apart < 4 else 0.5 if apart == 4 else 0.0
            share = 0.5 if centre % 1 else 1.0
            bins[0 if along else 1, CLASSES.index(_class(levels))] += weight * share
    return np.sqrt(bins / bins.sum(axis=1, keepdims=True)).ravel()


def test_the_residual_is_the_third_difference() -> None:
    """1, -3, 3, -1 in sixteenths, each way."""
    image = DecodedImage(_faint(9, 7))
    grey = image.rgb[:, :, 0].astype(int)
    across, down = third_differences(image)
    assert (across == 16 * (grey[:, :-3] - 3 * grey[:, 1:-2] + 3 * grey[:, 2:-1] - grey[:, 3:])).all()
    assert (down == 16 * (grey[:-3] - 3 * grey[1:-2] + 3 * grey[2:-1] - grey[3:])).all()


def test_the_steepest_residual_does_not_overflow() -> None:
    """White against black the worst way round is 4 * 255 levels."""
    grey = np.tile(np.array([255, 0, 255, 0], np.uint8), (4, 1))
    across, _ = third_differences(DecodedImage(np.repeat(grey[:, :, None], 3, axis=2)))
    assert (across == 16 * 4 * 255).all()


def test_there_are_25_classes_in_each_half() -> None:
    """50 bins in all; the squares of each half have the sum 1."""
    histograms = histograms_of(DecodedImage(_faint(40, 60)))
    assert len(CLASSES) == 25
    assert histograms.shape == (5, 7, 50)
    assert histograms.dtype == np.float32
    np.testing.assert_allclose((histograms.reshape(5, 7, 2, 25) ** 2).sum(axis=3), 1, rtol=1e-5)


def test_the_histograms_are_those_of_a_plain_count() -> None:
    """Of six blocks in a row, the fifth counts half for the first, the sixth not at all."""
    pixels = _faint(9, 51)
    histograms = histograms_of(DecodedImage(pixels))
    grey = pixels[:8, :48, 0].astype(int).tolist()
    inside = histograms_of(DecodedImage(pixels[:8, :48]))
    for column in range(6):
        np.testing.assert_allclose(inside[0, column], _counted(grey, column), atol=1e-6)
    assert np.abs(inside[0, 0] - inside[0, 5]).max() > 0.01
    assert np.abs(histograms - inside).max() < 0.1


def test_turned_and_mirrored_images_have_the_same_histograms() -> None:
    """Exactly, each in its place: the classes are symmetric and so are the windows."""
    rgb = np.random.default_rng(4).integers(98, 104, (48, 80, 3), np.uint8)
    histograms = histograms_of(DecodedImage(rgb))
    assert (histograms[0, 0] != histograms[-1, -1]).any()
    for same, there in (
        (rgb[:, ::-1], histograms[:, ::-1]),
        (rgb[::-1], histograms[::-1]),
        (rgb.swapaxes(0, 1), histograms.swapaxes(0, 1)),
        (255 - rgb, histograms),
    ):
        assert np.array_equal(histograms_of(DecodedImage(np.ascontiguousarray(same))), there)


def _blurred(grey: Plane) -> Plane:
    return cv2.GaussianBlur(grey, (0, 0), 0.6)


def _noisier(grey: Plane) -> Plane:
    return grey + np.random.default_rng(1).normal(0, 1.2, grey.shape)


def _compressed(grey: Plane) -> Plane:
    _, data = cv2.imencode(".jpg", np.clip(grey, 0, 255).astype(np.uint8), [cv2.IMWRITE_JPEG_QUALITY, 85])
    return cv2.imdecode(data, cv2.IMREAD_GRAYSCALE).astype(np.float64)


def _demosaiced(grey: Plane) -> Plane:
    measured = np.indices(grey.shape).sum(axis=0) % 2 == 0
    between = cv2.filter2D(grey, cv2.CV_64F, np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]) / 4)
    return np.where(measured, grey, between)


@pytest.mark.parametrize("history", [_blurred, _noisier, _compressed, _demosaiced])
def test_a_place_with_another_history_stands_out(history: Callable[[Plane], Plane]) -> None:
    """Its blocks are farther off than all but a few of the others, though it is a sixth of the image."""
    grey = _photo(320)
    grey[96:224, 64:192] = history(grey)[96:224, 64:192]
    maps = splicebuster_of(_rgb(grey)).maps
    found = maps["splicebuster"]
    assert list(maps) == ["splicebuster"]
    assert found.dtype == np.float32
    assert found.shape == (40, 40)
    outside = np.ones(found.shape, bool)
    outside[8:32, 4:28] = False
    assert np.median(found[13:27, 9:23]) > np.quantile(found[outside], 0.98)


def test_the_map_is_the_robust_distance_in_eight_components() -> None:
    """By singular values and solved equations instead of eigenvectors and an inverse."""
    image = _rgb(_photo(256))
    features = histograms_of(image).reshape(-1, 50).astype(np.float64)
    left, sizes, _ = np.linalg.svd(features - features.mean(axis=0), full_matrices=False)
    components = left[:, :8] * sizes[:8]
    from_median = np.abs(components - np.median(components, axis=0))
    far = ((from_median / np.median(from_median, axis=0)) ** 2).sum(axis=1)
    for _ in range(10):
        near = components[far <= np.quantile(far, 0.75)]
        off = components - near.mean(axis=0)
        far = (off * np.linalg.solve(np.cov(near.T), off.T).T).sum(axis=1)
    found = splicebuster_of(image).maps["splicebuster"]
    np.testing.assert_allclose(found.ravel(), np.log(1 + far), rtol=0.01)


def test_the_same_image_gives_the_same_map() -> None:
    """No chance is in it."""
    image = _rgb(_photo(256))
    first, again = (splicebuster_of(image).maps["splicebuster"] for _ in range(2))
    assert np.array_equal(first, again)


def test_a_plain_image_shows_nothing() -> None:
    """All blocks are alike."""
    assert not splicebuster_of(DecodedImage(np.full((256, 300, 3), 77, np.uint8))).maps["splicebuster"].any()


@pytest.mark.parametrize("shape", [(255, 400), (400, 255)])
def test_a_small_image_is_not_judged(shape: tuple[int, int]) -> None:
    """Below 256 px there are too few windows."""
    result = splicebuster_of(DecodedImage(_faint(*shape)))
    assert not result.maps
    assert result.not_applicable == "a side is shorter than 256 px"
