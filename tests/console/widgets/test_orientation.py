"""Pictures that stand upright, by what Pillow makes of the same orientation."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image, ImageOps
from PySide6.QtGui import QImage

from app.console.widgets.orientation import upright

STORED = np.random.default_rng(3).integers(0, 256, (5, 7), np.uint8)


def by_pillow(orientation: int) -> npt.NDArray[np.uint8]:
    """The stored picture as Pillow turns it."""
    picture = Image.fromarray(STORED)
    picture.getexif()[0x0112] = orientation
    return np.asarray(ImageOps.exif_transpose(picture))


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_as_exif_says(orientation: int) -> None:
    """Pixel by pixel, none mixed with another."""
    image = QImage(STORED.tobytes(), 7, 5, 7, QImage.Format.Format_Grayscale8)
    turned = upright(orientation).image(image)
    found = [[turned.pixelColor(x, y).red() for x in range(turned.width())] for y in range(turned.height())]
    assert found == by_pillow(orientation).tolist()
    assert upright(orientation).swaps == (turned.width() == 5)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_place_goes_with_its_picture(orientation: int) -> None:
    """The box around one pixel is around the same pixel afterwards; its middle is the point of its middle."""
    turn, expected = upright(orientation), by_pillow(orientation)
    high, wide = expected.shape
    left, top, width, height = turn.box((2 / 7, 1 / 5, 1 / 7, 1 / 5))
    assert (width, height) == (pytest.approx(1 / wide), pytest.approx(1 / high))
    assert expected[round(top * high), round(left * wide)] == STORED[1, 2]
    assert turn.point(2.5 / 7, 1.5 / 5) == pytest.approx((left + width / 2, top + height / 2))


@pytest.mark.parametrize("orientation", [None, 0, 1, 9])
def test_without_an_orientation_a_picture_is_left_as_it_is(orientation: int | None) -> None:
    """And nothing is said of it."""
    assert upright(orientation).words == ""
    assert upright(orientation).box((0.1, 0.2, 0.3, 0.4)) == pytest.approx((0.1, 0.2, 0.3, 0.4))
