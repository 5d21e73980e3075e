"""What counts as hard evidence, by the real detectors on drawn images."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest

from app.capabilities.media.detectors.copy_move import copy_moves
from app.capabilities.media.detectors.image import DecodedImage, JpegPast
from app.capabilities.media.detectors.jpeg_grid import jpeg_grid
from app.capabilities.media.verdict.hard_evidence import MOST_INLIERS, HardEvidence, by_chance, hard_evidence
from app.capabilities.media.verdict.regions import find_regions
from tests.unit.capabilities.media.detectors.traced_scenes import Pixels, pasted, scene, through_jpeg
from tests.unit.capabilities.media.verdict.judgements import judgement

WORDS = ("media", "scan", "verdict", "menu", "open", "save", "region", "report")


def _screen() -> Pixels:
    """Words that repeat, on white."""
    drawn = np.full((300, 420, 3), 255, np.uint8)
    for line, y in enumerate(range(24, 300, 18)):
        text = " ".join(WORDS[(line * 3 + place) % len(WORDS)] for place in range(6))
        cv2.putText(drawn, text, (8, y), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (20, 20, 20), 1, cv2.LINE_AA)
    return drawn


def _checks() -> Pixels:
    """A pattern that JPEG gave its grid, cropped off that."""
    y, x = np.mgrid[:300, :420]
    checked = ((y // 5 + x // 5) % 2 * 150 + 50).astype(np.uint8)
    return np.ascontiguousarray(through_jpeg(np.dstack([checked] * 3), 70)[3:, 5:])


def _gradient() -> Pixels:
    """An even change of light without noise, compressed."""
    y, x = np.mgrid[:300, :420]
    return through_jpeg(np.dstack([np.rint(x * 0.25 + y * 0.12).astype(np.uint8)] * 3), 63)


def _stripes() -> Pixels:
    """Fine stripes, compressed twice."""
    y, x = np.mgrid[:300, :420]
    waves = np.rint(128 + 90 * np.sin(2 * np.pi * (0.31 * y + 0.13 * x))).astype(np.uint8)
    return through_jpeg(through_jpeg(np.dstack([waves] * 3), 60), 85)


def _letterbox() -> Pixels:
    """A scene between black borders that lie off the grid."""
    drawn = scene(3)
    drawn[:37] = drawn[-29:] = 0
    return through_jpeg(drawn, 80)


def _judge(rgb: Pixels, past: JpegPast | None = None) -> HardEvidence:
    image = DecodedImage(rgb, past)
    grid = jpeg_grid(image)
    made = judgement(np.zeros(image.grid, np.float32), foreign=grid.regions, main=grid.main, copies=copy_moves(image))
    return hard_evidence(find_regions(made)[0], image, None)


@pytest.mark.parametrize("draw", [_screen, _checks, _gradient, _stripes, _letterbox])
def test_drawings_and_patterns_are_no_evidence(draw: Callable[[], Pixels]) -> None:
    """Authentic images that repeat themselves, are too plain, or have borders."""
    assert _judge(draw()).reasons == ()


def test_a_screen_is_told_by_its_shades_not_by_the_number_of_matches() -> None:
    """The words do match as copies do; that they do not count is said."""
    image = DecodedImage(_screen())
    assert max(copy.inliers for copy in copy_moves(image)) > MOST_INLIERS
    assert _judge(_screen()).doubts


def test_what_was_pasted_from_another_jpeg_is_evidence() -> None:
    """The donor's grid is three columns and five rows off."""
    donor = through_jpeg(scene(2, 264 + 8, 280 + 8), 70)[3:267, 5:285]
    found = _judge(pasted(through_jpeg(scene(1), 85), donor))
    assert any("a JPEG grid of its own" in reason for reason in found.reasons)
    assert not found.doubts


def test_a_copy_within_a_scene_is_evidence() -> None:
    """12 x 12 blocks, moved by 100 px."""
    rgb = scene(4, 264, 360)
    rgb[60:180, 220:340] = rgb[60:180, 40:160]
    found = _judge(rgb)
    assert any("shows the same as" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    ("log10_nfa", "words"),
    [
        (-6.0, "by chance in 1 of 10^6 images of this size"),
        (-2.3, "by chance in 1 of 200 images of this size"),
        (0.3, "of which chance alone gives 2 in an image of this size"),
    ],
)
def test_a_number_of_false_alarms_is_read_as_chance(log10_nfa: float, words: str) -> None:
    """In powers of ten, as people read them."""
    assert by_chance(log10_nfa) == words
