"""Faces by the cascade, on drawn ones; where they are, and that other drawings have none."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from app.capabilities.media.detectors import faces
from app.capabilities.media.detectors.faces import MOST_FACES, FaceFinder
from app.capabilities.media.detectors.image import DecodedImage
from tests.unit.capabilities.media.detectors.traced_scenes import Pixels, scene

SIZE = 120


@pytest.fixture(scope="module")
def finder() -> FaceFinder:
    """The cascade, which takes a tenth of a second to load."""
    return FaceFinder()


def drawn_face(places: list[tuple[int, int]], height: int = 300, width: int = 400) -> Pixels:
    """A light oval with brows, eyes, nose and mouth at each place (left, top of a square of 120 px), on grey."""
    drawn = np.full((height, width, 3), 90, np.uint8)
    parts = [(50, 55, 42, 55, 190), (32, 45, 9, 5, 60), (68, 45, 9, 5, 60), (32, 35, 12, 3, 90), (68, 35, 12, 3, 90)]
    for left, top in places:
        for x, y, across, down, shade in [*parts, (50, 64, 6, 4, 150), (50, 82, 15, 4, 100)]:
            middle = int(left + x * SIZE / 100), int(top + y * SIZE / 100)
            axes = int(across * SIZE / 100), int(down * SIZE / 100)
            cv2.ellipse(drawn, middle, axes, 0, 0, 360, (shade, shade, shade), -1)
    return np.asarray(cv2.GaussianBlur(drawn, (0, 0), 3), np.uint8)


def _is_there(box: tuple[int, int, int, int], left: int, top: int) -> bool:
    """Whether the middle of a box is that of a face's square, within a fifth of its side."""
    x, y, width, height = box
    return max(abs(x + width / 2 - left - SIZE / 2), abs(y + height / 2 - top - SIZE / 2)) < SIZE / 5


def test_faces_are_found_where_they_are(finder: FaceFinder) -> None:
    """Two of them, no third."""
    found = finder.find(DecodedImage(drawn_face([(30, 90), (230, 60)])))
    assert len(found) == 2
    assert any(_is_there(box, 30, 90) for box in found)
    assert any(_is_there(box, 230, 60) for box in found)


@pytest.mark.parametrize(("orientation", "turns"), [(3, 2), (6, 1), (8, 3)])
def test_a_turned_image_is_searched_upright(finder: FaceFinder, orientation: int, turns: int) -> None:
    """The box is one of the image as it is stored."""
    stored = np.ascontiguousarray(np.rot90(drawn_face([(230, 60)]), turns))
    marked = np.zeros((300, 400), np.bool_)
    marked[60 : 60 + SIZE, 230 : 230 + SIZE] = True
    rows, columns = np.nonzero(np.rot90(marked, turns))
    (box,) = finder.find(DecodedImage(stored), orientation)
    assert _is_there(box, int(columns.min()), int(rows.min()))
    assert finder.find(DecodedImage(stored)) == ()


def test_a_large_image_is_searched_small_and_told_in_its_own_px(finder: FaceFinder) -> None:
    """2.4 megapixels: the box lies in the image and around the face."""
    large = cv2.resize(drawn_face([(230, 60)]), None, fx=4.5, fy=4.5)
    (box,) = finder.find(DecodedImage(np.asarray(large, np.uint8)))
    x, y, width, height = box
    assert _is_there((round(x / 4.5), round(y / 4.5), round(width / 4.5), round(height / 4.5)), 230, 60)


@pytest.mark.parametrize("seed", range(4))
def test_textures_have_no_faces(finder: FaceFinder, seed: int) -> None:
    """Shapes and grain of four scenes."""
    assert finder.find(DecodedImage(scene(seed, 264, 360))) == ()


def test_the_number_of_faces_is_bounded(finder: FaceFinder) -> None:
    """Of twenty faces sixteen are told."""
    places = [(20 + 150 * column, 20 + 160 * row) for row in range(4) for column in range(5)]
    found = finder.find(DecodedImage(drawn_face(places, 680, 790)))
    assert len(found) == MOST_FACES


@pytest.mark.parametrize("size", [(1, 1), (8, 200), (30, 30)])
def test_an_image_smaller_than_a_face_has_none(finder: FaceFinder, size: tuple[int, int]) -> None:
    """Nothing is searched in it."""
    assert finder.find(DecodedImage(np.full((*size, 3), 128, np.uint8))) == ()


def test_the_bounds_of_the_search_are_those_of_the_page() -> None:
    """A megapixel, faces of 40 px, sixteen of them."""
    assert (faces.MOST_SEARCHED, faces.SMALLEST, faces.MOST_FACES) == (1_000_000, 40, 16)


@pytest.mark.parametrize(
    ("face", "box"),
    [
        ((4.0, 5.0, 10.0, 8.0), (4, 5, 10, 8)),
        ((4.4, 5.6, 10.2, 8.2), (4, 6, 11, 8)),
        ((-3.0, -2.0, 10.0, 8.0), (0, 0, 7, 6)),
        ((25.0, 15.0, 10.0, 8.0), (25, 15, 5, 5)),
    ],
)
def test_a_box_is_whole_px_within_the_image(
    face: tuple[float, float, float, float], box: tuple[int, int, int, int]
) -> None:
    """Of 30 x 20 px: its corners are rounded, and what is outside is cut."""
    assert faces._inside(np.array(face), 30, 20) == box


@pytest.mark.parametrize("turns", [0, 1, 2, 3])
def test_a_box_is_turned_back(turns: int) -> None:
    """As a mark in an image that numpy turns."""
    marked = np.zeros((20, 30), np.bool_)
    marked[3:9, 4:15] = True
    turned = np.rot90(marked, turns)
    rows, columns = np.nonzero(turned)
    box = int(columns.min()), int(rows.min()), int(np.ptp(columns)) + 1, int(np.ptp(rows)) + 1
    assert faces._turn_back(box, turned.shape[1], turned.shape[0], turns) == (4, 3, 11, 6)


class Seen:
    """In place of the cascade: keeps what it was given, and finds what it is told."""

    def __init__(self, *found: tuple[int, int, int, int]) -> None:
        self._found = found
        self.pictures: list[Pixels] = []
        self.options: dict[str, object] = {}

    def detectMultiScale(self, picture: Pixels, **options: object) -> tuple[tuple[int, int, int, int], ...]:
        """OpenCV's name."""
        self.pictures.append(picture)
        self.options = options
        return self._found


@pytest.mark.parametrize(("side", "searched"), [(1000, 1000), (1001, 1000), (2000, 1000)])
def test_a_megapixel_is_searched_as_it_is(side: int, searched: int) -> None:
    """A larger image is made as small; the largest faces come first, in px of the image."""
    seen = Seen((10, 20, 50, 40), (100, 200, 80, 60), (300, 20, 40, 50))
    finder = object.__new__(FaceFinder)
    finder._cascade = seen  # type: ignore[assignment]
    found = finder.find(DecodedImage(np.zeros((side, side, 3), np.uint8)))
    assert seen.pictures[0].shape == (searched, searched)
    assert seen.options == {"scaleFactor": 1.1, "minNeighbors": 6, "minSize": (40, 40)}
    scale = side / searched
    wanted = [(100, 200, 80, 60), (10, 20, 50, 40), (300, 20, 40, 50)]
    np.testing.assert_allclose(found, np.array(wanted) * scale, atol=1)
