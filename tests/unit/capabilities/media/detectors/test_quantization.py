"""Double quantization on what libjpeg wrote, and the bins of the coefficients' sizes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.dct import BASIS, block_dct
from app.capabilities.media.detectors.image import DecodedImage, JpegPast
from app.capabilities.media.detectors.quantization import (
    BINS,
    MODES,
    NO_BIN,
    double_quantization,
    mode_bins,
    one_hot,
)
from tests.unit.capabilities.media.detectors.jpeg_pictures import as_jpeg, texture_picture

Grey = npt.NDArray[np.float64]
PICTURE = texture_picture(1, 256, 256)


@pytest.mark.parametrize("quality", [75, 85, 92])
def test_one_compression_shows_no_first_quantizer(quality: int) -> None:
    """The picture was never compressed before: nothing can be said."""
    found = double_quantization(as_jpeg(PICTURE, quality))
    assert found.not_applicable == "No coefficient shows an earlier compression on the same grid."
    assert dict(found.maps) == {}


@pytest.mark.parametrize(("first", "second"), [(60, 90), (70, 85), (50, 95)])
def test_a_coarser_compression_before_shows_in_every_mode(first: int, second: int) -> None:
    """The steps of the second quantizer that no multiple of the first meets are empty."""
    found = double_quantization(as_jpeg(PICTURE, first, second))
    assert found.not_applicable is None
    assert found.globals["dq_modes"] == 12
    assert 6 < found.globals["dq_gain"] < 24
    assert found.maps["dq"].shape == (32, 32)
    assert found.maps["dq"].dtype == np.float32
    assert (found.maps["dq"] < 0).mean() > 0.99


def test_the_same_quantizers_twice_are_one_compression() -> None:
    """The second meets only its own multiples, which says nothing."""
    assert double_quantization(as_jpeg(PICTURE, 80, 80)).not_applicable is not None


def test_what_was_pasted_between_two_compressions_stands_out() -> None:
    """Blocks that were never compressed before are for one quantizer, all others for two."""
    host = as_jpeg(PICTURE, 60).rgb
    host[64:144, 96:192] = texture_picture(2, 80, 96)
    odds = double_quantization(as_jpeg(host, 90)).maps["dq"]
    inside = np.zeros((32, 32), np.bool_)
    inside[8:18, 12:24] = True
    assert (odds[inside] > 0).mean() > 0.97
    assert (odds[~inside] < 0).mean() > 0.97


def test_the_gain_is_what_the_blocks_sum_up_to() -> None:
    """Nats per block in favour of two quantizers: the map's mean with the other sign."""
    found = double_quantization(as_jpeg(PICTURE, 70, 85))
    assert found.globals["dq_gain"] == pytest.approx(-float(found.maps["dq"].mean()), rel=1e-5)


def test_a_file_that_is_no_jpeg_has_no_quantizers() -> None:
    """However its pixels were compressed before."""
    found = double_quantization(DecodedImage(as_jpeg(PICTURE, 60, 90).rgb))
    assert found.not_applicable == "The file is no JPEG."


@pytest.mark.parametrize(("width", "modes"), [(192, None), (208, 1)])
def test_a_first_quantizer_must_gain_thirty_nats(width: int, modes: int | None) -> None:
    """A finer compression before shows little; the gain grows with the number of blocks until one mode tells."""
    image = as_jpeg(texture_picture(2, 256, 256), 85, 70)
    found = double_quantization(DecodedImage(image.rgb[:, :width], image.jpeg))
    assert found.globals.get("dq_modes") == modes
    assert found.globals.get("dq_gain", 0) * 32 * width / 8 < 31


@pytest.mark.parametrize(("height", "width"), [(15, 64), (64, 15), (5, 5), (16, 16)])
def test_an_image_of_less_than_two_blocks_a_side_says_nothing(height: int, width: int) -> None:
    """Other grids need a block beside the first; at two blocks the number of coefficients is too small."""
    small = height < 16 or width < 16
    why = double_quantization(as_jpeg(PICTURE[:height, :width], 60, 90)).not_applicable
    assert (why == "The image is smaller than two blocks.") is small


# --- bins --------------------------------------------------------------------------------------------------------


def test_the_modes_are_the_first_of_the_zigzag() -> None:
    """Each diagonal in turn, up and down by turns, without the DC."""
    order = sorted(((v, u) for v in range(8) for u in range(8)), key=lambda m: (sum(m), m[sum(m) % 2 == 0]))
    assert list(MODES) == order[1:21]


def test_a_size_is_counted_in_steps_of_its_quantizer() -> None:
    """Rounded, without its sign, in the bins 0, 1, 2, 3, 4-5, 6-8, 9-15, more."""
    quantizers = (14 + np.arange(64) % 7).astype(np.uint16).reshape(8, 8)
    steps = (0.3, 0.7, -1.3, 2.3, 2.7, 3.3, 3.7, -5.3, 5.7, 8.3, 8.7, 15.3, 15.7, -16, 24)
    wanted = [0, 1, 1, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 7]
    for mode in (0, 1, 19):
        found = []
        for step in steps:
            coefficients = np.zeros((8, 8))
            coefficients[MODES[mode]] = step * int(quantizers[MODES[mode]])
            grey = np.rint(128 + BASIS.T @ coefficients @ BASIS).astype(np.uint8)
            bins = mode_bins(DecodedImage(np.stack([grey] * 3, axis=2), JpegPast(quantizers)))
            assert bins.shape == (1, 1, 20)
            assert np.delete(bins[0, 0], mode).sum() == 0
            found.append(int(bins[0, 0, mode]))
        assert found == wanted


def test_bins_of_a_file_are_those_of_its_coefficients() -> None:
    """After one compression the sizes are whole steps, and most are small."""
    bins = mode_bins(as_jpeg(PICTURE, 75))
    assert bins.shape == (32, 32, 20)
    assert bins.dtype == np.uint8
    assert set(np.unique(bins)) == set(range(BINS))
    assert (bins[:, :, 19] <= 1).mean() > 0.9


def test_a_file_that_is_no_jpeg_has_no_bins() -> None:
    """No bin, and so no one."""
    bins = mode_bins(DecodedImage(PICTURE))
    assert bins.shape == (32, 32, 20)
    assert (bins == NO_BIN).all()
    assert not one_hot(bins).any()


def test_each_bin_is_one_one_of_eight() -> None:
    """The eight bins of a mode are beside each other, modes in their order."""
    bins = np.arange(40, dtype=np.uint8).reshape(1, 2, 20) % BINS
    ones = one_hot(bins)
    assert ones.shape == (1, 2, 160)
    assert ones.dtype == np.float32
    for column in range(2):
        for mode in range(20):
            wanted = np.zeros(8)
            wanted[bins[0, column, mode]] = 1
            np.testing.assert_array_equal(ones[0, column, 8 * mode : 8 * mode + 8], wanted)


# --- against plain words ------------------------------------------------------------------------------------------


def _expected(values: list[float]) -> Grey:
    """How often each of -1100 to 1100: counted to both sides, and 2 % of a Laplacian of 60 at its middle."""
    counted = np.zeros(2201)
    for value in values:
        place = min(max(round(value), -1100), 1100)
        counted[1100 + place] += 1
        counted[1100 - place] += 1
    counted += [0.02 * np.exp(-abs(size) / 60) for size in range(-1100, 1101)]
    return np.asarray(counted / counted.sum())


def _after(density: Grey, first: int, second: int) -> Grey:
    """Of each step -40 to 40 of the second quantizer after the first, if pixels are rounded between them."""
    sizes = np.arange(-1100, 1101)
    once = np.floor(sizes / first + 0.5) * first
    chances = np.zeros(81)
    for error, weight in ((-0.9, 0.1), (-0.3, 0.4), (0.3, 0.4), (0.9, 0.1)):
        step = np.clip(np.rint((once + error) / second), -40, 40).astype(int)
        np.add.at(chances, step + 40, density * weight)
    return chances


def _plainly(image: DecodedImage) -> tuple[Grey, int, float]:
    """The map, the number of modes, and their gain per block."""
    assert image.jpeg is not None
    shifted = [block_dct(image.luma[top:, left:]) for top, left in ((4, 4), (3, 5), (5, 3))]
    odds, modes, gains = np.zeros(image.grid), 0, 0.0
    for mode in MODES[:12]:
        second = int(image.jpeg.luma[mode])
        density = _expected([float(one) for grid in shifted for one in grid[:, :, *mode].ravel()])
        own = block_dct(image.luma)[:, :, *mode].ravel()
        steps = np.array([min(max(round(float(one) / second), -40), 40) for one in own])
        none = np.maximum(_after(density, 1, second), 1e-12)
        best = max(
            (
                np.log(0.9 * _after(density, first, second) / none + 0.1)[steps + 40]
                for first in range(2, 61)
                if first != second
            ),
            key=np.sum,
        )
        if best.sum() > 30:
            modes, gains = modes + 1, gains + best.sum()
            odds -= best.reshape(image.grid)
    return odds, modes, gains / odds.size


@pytest.mark.parametrize(
    ("seed", "first", "second", "height", "width"),
    [(3, 60, 90, 65, 107), (4, 30, 95, 88, 72), (5, 12, 75, 80, 96), (6, 4, 50, 96, 96)],
)
def test_the_odds_are_those_of_plain_words(seed: int, first: int, second: int, height: int, width: int) -> None:
    """Block by block, with blocks that were never compressed before among them; sides are no multiples of 8."""
    rgb = as_jpeg(texture_picture(seed, height, width), first).rgb
    rgb[16:40, 24:56] = texture_picture(seed + 10, 24, 32)
    # Steps beyond those that are told apart, and coefficients beyond those that are counted.
    rgb[48:56, 8:12], rgb[48:56, 12:16] = 0, 255
    rgb[40:44, 64:72], rgb[44:48, 64:72] = 255, 0
    rgb[41:45, 1:6], rgb[45:49, 1:6] = 255, 0
    image = as_jpeg(rgb, second)
    odds, modes, gain = _plainly(image)
    found = double_quantization(image)
    assert modes > 0
    assert found.globals["dq_modes"] == modes
    assert found.globals["dq_gain"] == pytest.approx(gain, rel=1e-6)
    np.testing.assert_allclose(found.maps["dq"], odds, rtol=1e-4, atol=1e-4)
