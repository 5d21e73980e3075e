"""Features of a palm's creases."""

from __future__ import annotations

import hashlib
from typing import Any, get_args

import numpy as np
import pytest

from hardware.terminals import crease
from hardware.terminals.extraction import LEAST_DETAIL
from hardware.terminals.projection import Projection
from hardware.terminals.synthetic_palms import SyntheticPalm
from tests.hardware.terminals import second_template


def waves() -> np.ndarray[Any, Any]:
    """The picture of the design's table."""
    y, x = np.mgrid[0:128, 0:128]
    first, second = 50 * np.cos(2 * np.pi * (x + 0.3 * y) / 19), 40 * np.cos(2 * np.pi * (0.2 * x - y) / 31)
    return np.rint(128 + first + second).astype(np.uint8)


def test_the_published_template_comes_out() -> None:
    """From the picture to int8, to the bit."""
    template = Projection(bytes(range(32)), "training", 1).template(crease.features(waves(), 1))[0]
    assert template[:8].tolist() == [-15, 69, -12, 22, 20, 28, -47, -16]
    assert (
        hashlib.sha256(template.tobytes()).hexdigest()
        == "693f78657528539d3555861c84840cc5df8f7516997c1c6c3dfa0216ac501f91"
    )


@pytest.mark.parametrize("picture", [waves(), SyntheticPalm("crease", "1").shot(1)], ids=["waves", "palm"])
def test_a_second_implementation_agrees(picture: np.ndarray[Any, Any]) -> None:
    """Sums of shifted pictures give the same 25 views to 1e-12."""
    field = second_template.orientation_field(picture)
    expected = [second_template.view(field, dy, dx) for dy, dx in crease.shifts(25)]
    assert np.abs(crease.features(picture, 25) - expected).max() < 1e-12


@pytest.mark.parametrize("views", get_args(crease.Views))
def test_the_unshifted_view_is_the_first(views: crease.Views) -> None:
    """Fewer views are a part of more of them, and each has length 1."""
    picture = SyntheticPalm("crease", "2").shot(1)
    every = crease.features(picture)
    chosen = [crease.shifts(25).index(shift) for shift in crease.shifts(views)]
    assert chosen[0] == 0
    assert crease.shifts(views)[0] == (0, 0)
    assert len(set(crease.shifts(views))) == views
    assert np.array_equal(crease.features(picture, views), every[chosen])
    assert np.allclose(np.linalg.norm(every, axis=1), 1.0, rtol=0, atol=1e-12)


def test_a_shifted_hand_is_met_by_the_view_shifted_as_far() -> None:
    """The view (dy, dx) of a picture is the plain view of the picture moved by (dy, dx), but for its border."""
    picture = SyntheticPalm("crease", "3").shot(1)
    moved = np.roll(picture, (6, -3), axis=(0, 1))
    cosines = crease.features(picture) @ crease.features(moved, 1)[0]
    assert crease.shifts(25)[int(np.argmax(cosines))] == (6, -3)
    assert cosines.max() > 0.85


@pytest.mark.parametrize(
    "picture",
    [
        np.zeros((127, 128), np.uint8),
        np.zeros((128, 128)),
        np.zeros((128, 128, 3), np.uint8),
        *(np.full((128, 128), grey, np.uint8) for grey in (0, 1, 77, 255)),
    ],
)
def test_what_is_no_palm_is_refused(picture: np.ndarray[Any, Any]) -> None:
    """Other sizes and types, and pictures without a line."""
    with pytest.raises(ValueError, match="picture"):
        crease.features(picture)


def test_one_grey_level_is_a_line() -> None:
    """A faint crease is found, however bright the picture."""
    picture = np.full((128, 128), 200, np.uint8)
    picture[64] = 199
    assert np.isfinite(crease.features(picture, 1)).all()


def test_a_gradient_has_no_detail_and_a_palm_has() -> None:
    """In any direction, steep and faint; also where light falls on a palm from the side."""
    ramp = np.arange(128)
    gradients = [np.tile(ramp * 2, (128, 1)), np.tile(ramp * 2, (128, 1)).T, ramp[:, None] + ramp]
    gradients += [np.tile(100 + ramp // 8, (128, 1)), np.full((128, 128), 90)]
    assert max(crease.detail(gradient.astype(np.uint8)) for gradient in gradients) < LEAST_DETAIL / 2
    palm = SyntheticPalm("crease", "1").shot(1)
    lit = np.clip(palm // 2 + np.tile(ramp, (128, 1)), 0, 255).astype(np.uint8)
    assert min(crease.detail(palm), crease.detail(lit)) > 2 * LEAST_DETAIL
