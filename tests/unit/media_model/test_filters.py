"""The filters that are laid over a part of an image."""

from __future__ import annotations

import numpy as np
import pytest

from media_model.filters import LOCAL
from tests.unit.media_model.scenes import photo

PICTURE = photo(1)[100:164, 200:296]
SMOOTHING = ("blur", "box", "median", "motion", "down_up", "non_local_means", "smooth_skin")


def grain(rgb: np.ndarray) -> float:
    """Deviation of what changes from pixel to pixel."""
    return float(np.diff(rgb.astype(float), axis=1).std())


def test_there_are_fourteen() -> None:
    """Each is another way to touch up a part."""
    assert len(LOCAL) == 14


@pytest.mark.parametrize("name", LOCAL)
def test_a_filter_is_seeded_and_keeps_the_shape(name: str) -> None:
    """The image changes, its shape and type do not, and the same draws give the same image."""
    before = PICTURE.copy()
    done = LOCAL[name](PICTURE, np.random.default_rng(5))
    assert done.shape == PICTURE.shape
    assert done.dtype == np.uint8
    assert (done != PICTURE).any()
    assert (done == LOCAL[name](PICTURE, np.random.default_rng(5))).all()
    assert (before == PICTURE).all()


@pytest.mark.parametrize("name", LOCAL)
def test_draws_matter(name: str) -> None:
    """Several draws give several images."""
    assert len({LOCAL[name](PICTURE, np.random.default_rng(seed)).tobytes() for seed in range(12)}) >= 3


@pytest.mark.parametrize("name", [*SMOOTHING, "sharpen", "own_jpeg"])
def test_a_flat_colour_stays(name: str) -> None:
    """What smooths or sharpens keeps a flat colour within the rounding of a level."""
    flat = np.full((40, 48, 3), (60, 130, 200), np.uint8)
    for seed in range(6):
        assert np.abs(LOCAL[name](flat, np.random.default_rng(seed)).astype(int) - flat).max() <= 2


@pytest.mark.parametrize("name", SMOOTHING)
def test_smoothing_filters_smooth(name: str) -> None:
    """Less changes from pixel to pixel."""
    for seed in range(6):
        assert grain(LOCAL[name](PICTURE, np.random.default_rng(seed))) < grain(PICTURE)


def test_sharpening_sharpens() -> None:
    """More changes from pixel to pixel."""
    for seed in range(6):
        assert grain(LOCAL["sharpen"](PICTURE, np.random.default_rng(seed))) > 1.1 * grain(PICTURE)


@pytest.mark.parametrize("name", ["white_noise", "correlated_noise"])
def test_noise_has_its_strength(name: str) -> None:
    """The deviation is from 2 to 14 levels; in half of the draws the channels share it."""
    flat = np.full((48, 64, 3), 128, np.uint8)
    deviations, shared = [], 0
    for seed in range(60):
        noise = LOCAL[name](flat, np.random.default_rng(seed)).astype(float) - 128
        deviations.append(noise.std())
        shared += bool((noise[..., 0] == noise[..., 2]).all())
        assert abs(noise.mean()) < 2
    assert 1.8 < min(deviations) < 3
    assert 10 < max(deviations) < 15
    assert 15 <= shared <= 45


def neighbour_correlation(name: str) -> float:
    """Mean correlation of the noise of neighbouring pixels."""
    flat = np.full((64, 64, 3), 128, np.uint8)
    found = []
    for seed in range(10):
        noise = LOCAL[name](flat, np.random.default_rng(seed)).astype(float)[..., 0] - 128
        found.append(np.corrcoef(noise[:, 1:].ravel(), noise[:, :-1].ravel())[0, 1])
    return float(np.mean(found))


def test_grain_is_correlated_and_white_noise_is_not() -> None:
    """Neighbours share grain; of white noise each pixel has its own."""
    assert neighbour_correlation("correlated_noise") > 0.4
    assert abs(neighbour_correlation("white_noise")) < 0.05


def test_posterizing_leaves_few_levels() -> None:
    """12 to 48 levels, black and white among them."""
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, axis=2)
    counts = [len(np.unique(LOCAL["posterize"](ramp, np.random.default_rng(seed)))) for seed in range(200)]
    assert min(counts) == 12
    assert max(counts) == 48
    assert {0, 255} <= set(np.unique(LOCAL["posterize"](ramp, np.random.default_rng(1))))


def zeros_by_offset(rgb: np.ndarray) -> np.ndarray:
    """Share of vanishing DCT coefficients of luma for each of the 64 offsets of an 8 px grid."""
    k, n = np.arange(8)[:, None], np.arange(8)
    basis = np.cos((2 * n + 1) * k * np.pi / 16) / 2
    basis[0] /= np.sqrt(2)
    luma = rgb @ np.array([0.299, 0.587, 0.114])
    shares = np.empty((8, 8))
    for top, left in np.ndindex(8, 8):
        rows, columns = (luma.shape[0] - top) // 8, (luma.shape[1] - left) // 8
        tiles = luma[top : top + rows * 8, left : left + columns * 8].reshape(rows, 8, columns, 8)
        shares[top, left] = (np.abs(np.einsum("ki,rico,lo->rckl", basis, tiles, basis, optimize=True)) < 0.5).mean()
    return shares


def test_an_own_jpeg_is_off_the_grid() -> None:
    """The grid of the filter's JPEG never begins at the first pixel, and not always at the same one."""
    found = set()
    for seed in range(12):
        done = LOCAL["own_jpeg"](PICTURE, np.random.default_rng(seed))
        found.add(divmod(int(np.argmax(zeros_by_offset(done))), 8))
    assert (0, 0) not in found
    assert len(found) >= 6


def test_tone_is_one_curve() -> None:
    """Equal levels stay equal, and brighter ones are not darker."""
    ramp = np.repeat(np.arange(256, dtype=np.uint8)[None, :, None], 3, axis=2)
    curves = [LOCAL["tone"](ramp, np.random.default_rng(seed))[0].astype(int) for seed in range(40)]
    assert all((np.diff(curve, axis=0) >= 0).all() and (curve[:, 0] == curve[:, 2]).all() for curve in curves)
    middles = [curve[128, 0] for curve in curves]
    assert 70 <= min(middles) < 110
    assert 150 < max(middles) <= 190


def test_colour_moves_saturation_and_balance() -> None:
    """Some draws bring grey a tint; some bring colours nearer to grey and some away from it."""
    colour = np.full((8, 8, 3), (100, 120, 150), np.uint8)
    spans = [np.ptp(LOCAL["colour"](colour, np.random.default_rng(seed))[0, 0].astype(int)) for seed in range(60)]
    assert min(spans) < 25
    assert max(spans) > 80
    grey = np.full((8, 8, 3), 120, np.uint8)
    tints = [np.ptp(LOCAL["colour"](grey, np.random.default_rng(seed))[0, 0].astype(int)) for seed in range(60)]
    assert 10 < np.median(tints) < 60
