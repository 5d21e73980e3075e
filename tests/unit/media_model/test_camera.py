"""Simulated cameras: the colour filter array, noise, the fixed pattern, and the photograph's window."""

from __future__ import annotations

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from media_model.camera import DEMOSAICS, PHASES, SOFTENERS, Camera, Mosaic, Plane, along_edges, defocus, scene_of
from media_model.draws import Rgb
from tests.unit.media_model.scenes import photo, within

PERFECT = Camera(
    seed=1,
    prnu=0,
    well=1e12,
    read=0,
    phase="RGGB",
    demosaic="bilinear",
    gamma=2.2,
    softener=None,
    softness=0,
    sharpening=0,
    radius=1,
)
DRAWN = [Camera.draw(seed) for seed in range(1000)]


def flat(colour: tuple[int, int, int], height: int = 60, width: int = 80) -> Rgb:
    """An image of one colour."""
    return np.full((height, width, 3), colour, np.uint8)


def read_through(rgb: np.ndarray, phase: str) -> Mosaic:
    """What a sensor reads of an image without any noise."""
    seen = Mosaic(np.zeros(rgb.shape[:2], np.float32), phase)
    for channel, colour in enumerate("RGB"):
        seen.values[seen.sites(colour)] = rgb[..., channel][seen.sites(colour)]
    return seen


@pytest.mark.parametrize("phase", PHASES)
def test_a_tile_reads_its_four_colours(phase: str) -> None:
    """The sites of the first 2x2 pixels, row by row, are the letters of the phase; each pixel reads one colour."""
    seen = Mosaic(np.zeros((5, 7), np.float32), phase)
    sites = {colour: seen.sites(colour) for colour in "RGB"}
    assert "".join(c for y, x in np.ndindex(2, 2) for c in "RGB" if sites[c][y, x]) == phase
    assert (sum(sites[c].astype(int) for c in "RGB") == 1).all()
    assert (sites["G"][:3, :5] == sites["G"][2:, 2:]).all()


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("name", DEMOSAICS)
def test_a_flat_colour_comes_back(name: str, phase: str) -> None:
    """Each demosaicing gives a flat colour back in each phase, up to the border."""
    colour = np.array([0.2, 0.5, 0.8], np.float32)
    seen = DEMOSAICS[name](read_through(np.tile(colour, (13, 18, 1)), phase))
    assert seen.shape == (13, 18, 3)
    np.testing.assert_allclose(seen, np.tile(colour, (13, 18, 1)), atol=1e-5)


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("name", sorted(set(DEMOSAICS) - {"median_hue"}))
def test_what_was_read_stays(name: str, phase: str) -> None:
    """Only missing colours are made up."""
    rgb = np.random.default_rng(3).random((12, 14, 3), np.float32)
    mosaic = read_through(rgb, phase)
    seen = DEMOSAICS[name](mosaic)
    for channel, colour in enumerate("RGB"):
        sites = mosaic.sites(colour)
        np.testing.assert_allclose(seen[..., channel][sites], rgb[..., channel][sites], atol=1e-5)


def test_demosaicings_differ() -> None:
    """Five ways, five results."""
    mosaic = read_through(photo(1)[:64, :64] / np.float32(255), "GRBG")
    seen = [way(mosaic) for way in DEMOSAICS.values()]
    assert len(seen) == 5
    assert all(np.abs(a - b).mean() > 1e-3 for i, a in enumerate(seen) for b in seen[:i])


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("turned", [False, True])
def test_green_follows_an_edge(turned: bool, phase: str) -> None:
    """Across a grey edge, upright or level, the directed green is exact, which the mean of neighbours is not."""
    grey: Plane = np.tile(np.where(np.arange(24) < 11, 0.2, 0.8).astype(np.float32), (24, 1))
    scene = np.repeat((grey.T if turned else grey)[..., None], 3, axis=2)
    mosaic = read_through(scene, phase)
    np.testing.assert_allclose(along_edges(mosaic)[..., 1], scene[..., 1], atol=1e-5)
    assert np.abs(DEMOSAICS["bilinear"](mosaic)[..., 1] - scene[..., 1]).max() > 0.1


def test_green_is_corrected_by_a_quarter_of_the_bend() -> None:
    """On x^2 + 100 y the levels change least along x: green is the mean of its side neighbours, x^2 + 1, and a quarter
    of the second difference over 4 px, -8. With both axes exchanged the same."""
    grey = (np.arange(20) ** 2 + 100 * np.arange(20)[:, None]).astype(np.float32)
    for plane in (grey, grey.T):
        scene = np.repeat(plane[..., None], 3, axis=2)
        green = along_edges(read_through(scene, "RGGB"))[..., 1]
        np.testing.assert_allclose(green[4:14:2, 4:14:2], plane[4:14:2, 4:14:2] - 1, atol=1e-3)


def test_a_median_removes_a_lone_difference() -> None:
    """A pixel whose hue stands alone loses it to the median, and keeps it without."""
    scene = np.full((16, 16, 3), 0.5, np.float32)
    scene[8, 8, 0] = 0.9
    mosaic = read_through(scene, "RGGB")
    assert DEMOSAICS["constant_hue"](mosaic)[8, 8, 0] == pytest.approx(0.9)
    assert DEMOSAICS["median_hue"](mosaic)[8, 8, 0] < 0.71


@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("demosaic", DEMOSAICS)
def test_a_camera_without_noise_keeps_a_flat_colour(demosaic: str, phase: str) -> None:
    """Light, filters and gamma together change no flat colour by more than one level."""
    camera = replace(PERFECT, phase=phase, demosaic=demosaic)
    taken = camera.expose(flat((40, 120, 220)), np.random.default_rng(2))
    assert taken.dtype == np.uint8
    assert np.abs(taken.astype(int) - (40, 120, 220)).max() <= 1


@pytest.mark.parametrize("demosaic", DEMOSAICS)
def test_black_and_white_stay_within_their_bounds(demosaic: str) -> None:
    """Noise and overshoot at an edge of black and white are clipped, and do not turn over."""
    scene = flat((0, 0, 0))
    scene[:, 40:] = 255
    camera = replace(PERFECT, demosaic=demosaic, well=400.0, read=0.006, sharpening=1.2)
    taken = camera.expose(scene, np.random.default_rng(3))
    assert taken[:, :36].max() < 110
    assert taken[:, 44:].min() > 150
    assert (taken[:, 44:] == 255).mean() > 0.3


@pytest.mark.parametrize("level", [60, 200])
def test_noise_is_that_of_photons_and_of_reading(level: int) -> None:
    """The variance of what is read is light / well + read^2, at gamma 1 and full scale 1."""
    camera = replace(PERFECT, gamma=1.0, well=900.0, read=0.03)
    green = camera.expose(flat((level,) * 3, 200, 300), np.random.default_rng(4))[0::2, 1::2, 1] / 255
    assert green.var() == pytest.approx(level / 255 / 900 + 0.03**2, rel=0.05)
    assert green.mean() == pytest.approx(level / 255, abs=0.002)


def test_exposures_of_one_camera_differ_in_noise_alone() -> None:
    """The noise is the exposure's, and the same generator gives the same image."""
    camera, scene = Camera.draw(5), photo(2)[:100, :120]
    first = camera.expose(scene, np.random.default_rng(1))
    assert (first == camera.expose(scene, np.random.default_rng(1))).all()
    assert (first != camera.expose(scene, np.random.default_rng(2))).any()


def test_the_fixed_pattern_is_the_cameras_own() -> None:
    """The pattern has mean 1 and the camera's deviation, and is that of the seed."""
    camera = replace(PERFECT, prnu=0.02)
    pattern = camera.pattern(200, 300)
    assert pattern.mean() == pytest.approx(1, abs=5e-4)
    assert pattern.std() == pytest.approx(0.02, rel=0.02)
    assert (pattern == replace(camera, gamma=1.9).pattern(200, 300)).all()
    assert abs(np.corrcoef(pattern.ravel(), replace(camera, seed=2).pattern(200, 300).ravel())[0, 1]) < 0.02


def residual_correlation(taken: Rgb, camera: Camera) -> float:
    """Correlation of an image's residual with what a camera's pattern would leave in it (Lukas, Fridrich, Goljan)."""
    luma = cv2.cvtColor(taken, cv2.COLOR_RGB2GRAY).astype(np.float32)
    residual = luma - cv2.GaussianBlur(luma, (0, 0), 1.5)
    expected = (camera.pattern(*luma.shape) - 1) * luma
    return float(np.corrcoef(residual.ravel(), expected.ravel())[0, 1])


def test_an_image_correlates_with_its_own_camera_only() -> None:
    """The residual of an image shows its camera's pattern, and no other's."""
    cameras = [replace(Camera.draw(seed), prnu=0.02, well=20000.0, read=0.001, softener=None) for seed in (1, 2, 3)]
    for number, camera in enumerate(cameras):
        taken = camera.expose(
            cv2.GaussianBlur(photo(number)[:240, :320], (0, 0), 2), np.random.default_rng(10 + number)
        )
        for other, judged in enumerate(cameras):
            seen = residual_correlation(taken, judged)
            assert seen > 0.2 if other == number else abs(seen) < 0.03


def test_cameras_are_of_all_kinds() -> None:
    """Every phase, demosaicing and softener is drawn about as often as the others; 30 % of cameras soften."""
    for phase in PHASES:
        assert within(sum(camera.phase == phase for camera in DRAWN), 1 / 4, 1000)
    for name in DEMOSAICS:
        assert within(sum(camera.demosaic == name for camera in DRAWN), 1 / 5, 1000)
    for name in SOFTENERS:
        assert within(sum(camera.softener == name for camera in DRAWN), 0.1, 1000)
    assert within(sum(camera.sharpening == 0 for camera in DRAWN), 0.2, 1000)


def test_cameras_keep_their_bounds() -> None:
    """Gamma is from 1.8 to 2.4; each other number stays in its range and comes near both ends of it."""
    bounds = {
        "gamma": (1.8, 2.4),
        "prnu": (0.004, 0.02),
        "well": (400, 20000),
        "read": (0.0003, 0.006),
        "sharpening": (0, 1.2),
        "radius": (0.7, 1.5),
        "softness": (0, 1),
    }
    for name, (low, high) in bounds.items():
        values = [getattr(camera, name) for camera in DRAWN]
        assert low <= min(values) <= low + 0.02 * (high - low)
        assert high - 0.02 * (high - low) <= max(values) <= high


def test_a_seed_is_one_camera() -> None:
    """The same seed gives the same camera, another seed another."""
    assert Camera.draw(11) == Camera.draw(11)
    assert len({replace(camera, seed=0) for camera in DRAWN}) == 1000


def grain(taken: Rgb) -> float:
    """Deviation from the mean of the neighbours."""
    return float((taken.astype(np.float32) - cv2.blur(taken, (3, 3))).std())


@pytest.mark.parametrize("name", SOFTENERS)
def test_softeners_take_noise_away(name: str) -> None:
    """A camera with a softener has less grain than the same without."""
    camera = replace(PERFECT, well=800.0)
    plain = camera.expose(flat((128,) * 3), np.random.default_rng(6))
    soft = replace(camera, softener=name, softness=1.0).expose(flat((128,) * 3), np.random.default_rng(6))
    assert grain(soft) < 0.8 * grain(plain)
    assert soft.mean() == pytest.approx(plain.mean(), abs=1)


def test_sharpening_adds_grain() -> None:
    """More of the unsharp mask, more grain."""
    camera = replace(PERFECT, well=800.0)
    seen = [
        grain(replace(camera, sharpening=amount).expose(flat((128,) * 3), np.random.default_rng(6)))
        for amount in (0.0, 0.01, 0.5, 1.0)
    ]
    assert seen[0] <= seen[1] < 0.8 * seen[2]
    assert seen[2] < 0.85 * seen[3]


def test_a_scene_is_a_window_scaled_down() -> None:
    """Scales are from .25 to .72, windows lie in the photograph everywhere, and both axes have one scale."""
    picture = np.zeros((900, 1200, 3), np.uint8)
    picture[..., 0], picture[..., 1] = np.arange(1200) / 5, np.arange(900)[:, None] / 5
    generator = np.random.default_rng(3)
    scales, starts = [], []
    for _ in range(200):
        scene = scene_of(picture, (96, 128), generator).astype(float)
        assert scene.shape == (96, 128, 3)
        span_x, span_y = (scene[0, -1, 0] - scene[0, 0, 0]) * 5, (scene[-1, 0, 1] - scene[0, 0, 1]) * 5
        scales.append(127 / span_x)
        starts.append((scene[0, 0, 0] * 5, scene[0, 0, 1] * 5))
        assert span_y / span_x == pytest.approx(95 / 127, rel=0.12)
    assert 0.24 < min(scales) < 0.28
    assert 0.65 < max(scales) < 0.76
    assert min(x for x, _ in starts) < 40
    assert max(x for x, _ in starts) > 800
    assert min(y for _, y in starts) < 40
    assert max(y for _, y in starts) > 600


def test_a_photograph_must_be_large_enough() -> None:
    """The scale may be .72 and not more."""
    generator, least = np.random.default_rng(1), (math.ceil(72 / 0.72), math.ceil(144 / 0.72))
    assert scene_of(np.zeros((*least, 3), np.uint8), (72, 144), generator).shape == (72, 144, 3)
    for short in ((least[0] - 1, least[1]), (least[0], least[1] - 1)):
        with pytest.raises(ValueError, match=f"{short[1]} x {short[0]} px is too small for 144 x 72"):
            scene_of(np.zeros((*short, 3), np.uint8), (72, 144), generator)


def test_a_part_of_a_scene_is_out_of_focus() -> None:
    """Where it is sharp it stays as it was, elsewhere fine detail goes; the draws differ in where."""
    scene = np.random.default_rng(3).integers(0, 256, (96, 128, 3), np.uint8)
    sharp: list[float] = []
    for seed in range(20):
        seen = defocus(scene, np.random.default_rng(seed))
        assert (seen.shape, seen.dtype) == (scene.shape, np.uint8)
        kept = (seen == scene).all(axis=2)
        sharp.append(float(kept.mean()))
        soft = np.abs(np.diff(seen.astype(int), axis=1))[~kept[:, 1:]].mean()
        assert soft < 0.9 * np.abs(np.diff(scene.astype(int), axis=1)).mean()
    assert 0.2 < np.mean(sharp) < 0.8
    assert np.std(sharp) > 0.05
