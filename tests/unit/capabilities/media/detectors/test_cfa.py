"""Colour filter array and resampling: traces that a lossless image keeps."""

from __future__ import annotations

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.cfa import cfa_maps
from app.capabilities.media.detectors.image import DecodedImage, JpegPast

Pixels = npt.NDArray[np.uint8]


def _scene(height: int, width: int) -> Pixels:
    """Soft shapes with noise."""
    drawn = np.random.default_rng(21)
    soft = cv2.GaussianBlur(drawn.normal(0, 200, (height, width, 3)), (0, 0), 4) + 120
    return np.clip(soft + drawn.normal(0, 4, soft.shape), 0, 255).astype(np.uint8)


def _camera(pixels: Pixels, odd: int) -> Pixels:
    """Green measured where row + column has the parity ``odd``, bilinear between."""
    green = pixels[:, :, 1].astype(np.float64)
    between = cv2.filter2D(green, cv2.CV_64F, np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]) / 4)
    made = pixels.copy()
    made[:, :, 1] = np.where(np.indices(green.shape).sum(axis=0) % 2 == odd, green, np.rint(between))
    return made


SCENE = _scene(160, 192)
LARGER = cv2.resize(_scene(128, 160), (192, 160), interpolation=cv2.INTER_LINEAR)


@pytest.mark.parametrize("odd", [0, 1])
def test_a_place_without_the_filter_array_has_no_ratio(odd: int) -> None:
    """With either lattice measured, the map is high with its trace and near 0 without."""
    pixels = _camera(SCENE, odd)
    pixels[48:112, 64:128] = SCENE[48:112, 64:128]
    result = cfa_maps(DecodedImage(pixels))
    found = result.maps["cfa"]
    assert found.shape == (20, 24)
    assert found.dtype == np.float32
    outside = np.ones(found.shape, bool)
    outside[5:15, 7:17] = False
    assert np.abs(found[7:13, 9:15]).max() < 1.2
    assert found[outside].min() > 2
    assert result.globals["cfa_ratio"] == pytest.approx(np.median(found))


def test_an_image_without_filter_array_has_no_ratio() -> None:
    """Both lattices err alike."""
    assert cfa_maps(DecodedImage(SCENE)).globals["cfa_ratio"] < 0.1


def test_a_resampled_image_has_a_line() -> None:
    """Scaled by 1.2 or 1.25, both ways or one: the second derivative repeats."""
    plain = cfa_maps(DecodedImage(SCENE)).globals["resampling_line"]
    wide = cv2.resize(_scene(160, 160), (192, 160), interpolation=cv2.INTER_LINEAR)
    tall = cv2.resize(_scene(128, 192), (192, 160), interpolation=cv2.INTER_LINEAR)
    for pixels in (LARGER, wide, tall):
        assert cfa_maps(DecodedImage(pixels)).globals["resampling_line"] > plain + 1


@pytest.mark.parametrize("before", [(128, 160), (160, 160), (128, 192)])
def test_a_resampled_place_has_a_line(before: tuple[int, int]) -> None:
    """Resampled both ways or one, the map is higher there than nearly anywhere far from it."""
    pixels = _scene(160, 384)
    pixels[:, :192] = cv2.resize(_scene(*before), (192, 160), interpolation=cv2.INTER_LINEAR)
    found = cfa_maps(DecodedImage(pixels)).maps["resampling"]
    assert found.shape == (20, 48)
    assert np.median(found[:, 4:20]) > np.quantile(found[:, 28:], 0.8)


def test_what_repeats_every_eight_px_is_no_line() -> None:
    """So do the borders of JPEG's blocks."""
    steps = np.zeros((160, 192))
    steps[:, ::8] = 40
    pixels = np.clip(SCENE + steps[:, :, None], 0, 255).astype(np.uint8)
    plain = cfa_maps(DecodedImage(SCENE)).globals["resampling_line"]
    assert cfa_maps(DecodedImage(pixels)).globals["resampling_line"] < plain + 0.5


def test_a_plain_image_shows_nothing() -> None:
    """No errors, no lines."""
    result = cfa_maps(DecodedImage(np.full((64, 72, 3), 130, np.uint8)))
    assert not any(found.any() for found in result.maps.values())
    assert dict(result.globals) == {"cfa_ratio": 0, "resampling_line": 0}


def test_a_jpeg_is_not_judged() -> None:
    """Its quantizers have taken the traces."""
    result = cfa_maps(DecodedImage(SCENE, JpegPast(np.ones((8, 8), np.uint16))))
    assert not result.maps
    assert result.not_applicable == "JPEG destroys the traces of filter array and resampling"


def test_an_image_of_less_than_a_window_is_not_judged() -> None:
    """64 px are a window; a px less is none."""
    assert cfa_maps(DecodedImage(SCENE[:64, :64])).maps["resampling"].shape == (8, 8)
    for pixels in (SCENE[:63], SCENE[:, :63]):
        assert cfa_maps(DecodedImage(pixels)).not_applicable == "a side is shorter than 64 px"


def test_the_same_image_gives_the_same_maps() -> None:
    """No chance is in it."""
    first, again = (cfa_maps(DecodedImage(LARGER)).maps for _ in range(2))
    assert all(np.array_equal(first[name], again[name]) for name in first)


def _plain_ratio(green: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of each block the mean of the logs of the lattices' squared errors, each smoothed by a Gaussian of 1 px."""
    height, width = green.shape
    around = np.pad(green, 1, mode="reflect")
    errors = green - (around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:]) / 4
    bell = np.exp(-(np.arange(-3, 4) ** 2) / 2)
    bell /= bell.sum()

    def smooth(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        padded = np.pad(values, 3, mode="reflect")
        windows = np.lib.stride_tricks.sliding_window_view(padded, (7, 7))
        return np.asarray((windows * np.outer(bell, bell)).sum(axis=(2, 3)))

    even = (np.indices(green.shape).sum(axis=0) % 2 == 0).astype(float)
    logs = [np.log(smooth(errors**2 * lattice) / smooth(lattice) + 0.05) for lattice in (even, 1 - even)]
    rows, columns = height // 8, width // 8
    return np.asarray((logs[0] - logs[1])[: rows * 8, : columns * 8].reshape(rows, 8, columns, 8).mean(axis=(1, 3)))


def _plain_line(power: npt.NDArray[np.float64]) -> float:
    """The strongest of the 33 frequencies that are more than one off a multiple of 8, over their median."""
    kept = [power[line] for line in (2, 3, 4, 5, 6, 10, 11, 12, 13, 14, 18, 19, 20, 21, 22, 26, 27, 28, 29, 30)]
    return float(np.log((max(kept) + 1) / (np.median(kept) + 1)))


def _plain_spectra(luma: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Along rows, of 64 x 64 px around each block that lie in the image's whole blocks."""
    rows, columns = luma.shape[0] // 8, luma.shape[1] // 8
    padded = np.pad(luma, ((0, 0), (1, 1)), mode="edge")
    size = np.abs(padded[:, 2:] - 2 * padded[:, 1:-1] + padded[:, :-2])
    of_blocks = size.reshape(rows, 8, -1).mean(axis=1)
    mirrored = np.pad(of_blocks, ((4, 3), (0, 0)), mode="reflect")
    fade = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(64) / 63)
    spectra = np.zeros((rows, columns, 33))
    for row in range(rows):
        means = mirrored[row : row + 8].mean(axis=0)
        for column in range(columns):
            start = min(max(8 * column + 4 - 32, 0), 8 * columns - 64)
            piece = means[start : start + 64]
            spectra[row, column] = np.abs(np.fft.fft((piece - piece.mean()) * fade)[:33]) ** 2
    return spectra


@pytest.mark.parametrize(("height", "width", "odd"), [(64, 64, 0), (75, 110, 1), (104, 80, 0)])
def test_the_maps_are_those_of_plain_words(height: int, width: int, odd: int) -> None:
    """Of a camera's pixels, some of which were resampled; sides are no multiples of 8."""
    pixels = _camera(_scene(height, width), odd)
    pixels[:, : width // 2] = cv2.resize(pixels[:, : width // 3], (width // 2, height), interpolation=cv2.INTER_LINEAR)
    pixels[20:30] //= 2
    image = DecodedImage(pixels)
    rows, columns = image.grid
    ratio = _plain_ratio(pixels[:, :, 1].astype(float))
    middle = float(np.median(ratio))
    luma = image.luma[: rows * 8, : columns * 8].astype(float)
    across, down = _plain_spectra(luma), _plain_spectra(luma.T).swapaxes(0, 1)
    lines = [
        [max(_plain_line(across[row, column]), _plain_line(down[row, column])) for column in range(columns)]
        for row in range(rows)
    ]
    found = cfa_maps(image)
    np.testing.assert_allclose(found.maps["cfa"], ratio * (1 if middle >= 0 else -1), atol=2e-3)
    np.testing.assert_allclose(found.maps["resampling"], lines, atol=2e-3)
    assert found.globals["cfa_ratio"] == pytest.approx(abs(middle), abs=1e-3)
    whole = max(_plain_line(spectra.mean(axis=(0, 1))) for spectra in (across, down))
    assert found.globals["resampling_line"] == pytest.approx(whole, abs=1e-3)
