"""What holds for each detector of error levels, noise, sharpness and ghosts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from app.capabilities.media.detectors.ela import ela_maps
from app.capabilities.media.detectors.ghost import ghost_maps
from app.capabilities.media.detectors.image import DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.noise import noise_maps
from app.capabilities.media.detectors.sharpness import sharpness_maps
from app.capabilities.media.detectors.telling import BlockMask
from tests.unit.capabilities.media.detectors.traced_scenes import judged, scene, with_mute_blocks

Detector = Callable[[DecodedImage, FloatMap, FloatMap, BlockMask], TraceMaps]
NAMES = {
    ela_maps: ({"ela_70", "ela_85", "ela_95"}, {"ela_70_level", "ela_85_level", "ela_95_level"}),
    noise_maps: ({"noise"}, {"noise_deviation"}),
    sharpness_maps: ({"sharpness_a", "sharpness_b"}, {"sharpness_a_level", "sharpness_b_level"}),
    ghost_maps: (
        {"ghost_foreign", "ghost_missing", "ghost_ratio"},
        {"ghost_quality", "ghost_dip", "ghost_ratio_level"},
    ),
}
every_detector = pytest.mark.parametrize("detector", list(NAMES))


@every_detector
def test_maps_have_the_shape_of_the_grid(detector: Detector) -> None:
    """Also where the sides are no multiple of 8: float32, finite, of the names that are promised."""
    seen = detector(*judged(scene(3, 259, 285)))
    assert (set(seen.maps), set(seen.globals)) == NAMES[detector]
    assert seen.not_applicable is None
    for values in seen.maps.values():
        assert (values.shape, values.dtype) == ((32, 35), np.float32)
        assert np.isfinite(values).all()
        assert values.std() > 0
    assert all(type(number) is float and np.isfinite(number) for number in seen.globals.values())


@every_detector
def test_flat_and_saturated_blocks_say_nothing(detector: Detector) -> None:
    """They have the median of the others, which have values of their own."""
    image, texture_map, light_map, telling = judged(with_mute_blocks(scene(4)))
    assert not telling[:4].any()
    assert not telling[:, :4].any()
    assert telling[4:, 4:].all()
    for values in detector(image, texture_map, light_map, telling).maps.values():
        assert (values[~telling] == np.median(values[telling])).all()
        assert len(np.unique(values[telling])) > 800


@pytest.mark.parametrize("detector", [ela_maps, ghost_maps])
def test_saturated_blocks_change_no_other(detector: Detector) -> None:
    """Other pixels in them leave every map and every number as it was."""
    image, texture_map, light_map, telling = judged(with_mute_blocks(scene(4), dark=100))
    other = DecodedImage(with_mute_blocks(scene(4), dark=30))
    seen, again = detector(image, texture_map, light_map, telling), detector(other, texture_map, light_map, telling)
    assert seen.globals == again.globals
    for name, values in seen.maps.items():
        np.testing.assert_array_equal(values, again.maps[name])


@every_detector
def test_a_small_image_is_not_judged(detector: Detector) -> None:
    """Under 256 px there are too few blocks."""
    seen = detector(*judged(scene(5, 255, 264)))
    assert (dict(seen.maps), dict(seen.globals)) == ({}, {})
    assert seen.not_applicable == "the short side is under 256 px"


@every_detector
def test_a_blank_image_is_not_judged(detector: Detector) -> None:
    """Nothing in it tells anything."""
    seen = detector(*judged(np.full((256, 256, 3), 90, np.uint8)))
    assert seen.not_applicable == "fewer than 64 blocks are neither flat nor saturated"
