"""How far a thumbnail is from its picture, against plain loops."""

from __future__ import annotations

from io import BytesIO

import cv2
import numpy as np
import numpy.typing as npt
import pytest
from PIL import Image

from app.capabilities.media.provenance import reading
from app.capabilities.media.provenance.exif import (
    embedded_thumbnail,
    orientation_and_software,
    small_luma,
    thumbnail_difference,
)
from tests.media_files import encoded, exif
from tests.unit.capabilities.media.provenance.test_exif import SCENE, found, scene, shrunk, with_thumbnail

Grey = npt.NDArray[np.float32]


def _plain_pair(one: Grey, other: Grey) -> float:
    """The largest mean difference of 64 cells, in the same light and with 0.5 to 2 of the contrast."""
    small = [
        cv2.blur(cv2.resize(np.ascontiguousarray(each), (64, 64), interpolation=cv2.INTER_AREA), (3, 3)).astype(float)
        for each in (one, other)
    ]
    a, b = (each - each.mean() for each in small)
    gain = (a * b).mean() / b.var() if b.std() > 1 else 1.0
    apart = np.abs(a - sorted((0.5, gain, 2.0))[1] * b)
    return max(
        float(apart[row : row + 8, column : column + 8].mean()) for row in range(0, 64, 8) for column in range(0, 64, 8)
    )


def _inside(picture: Grey, down: int, across: int) -> Grey:
    height, width = picture.shape
    return picture[down : height - down, across : width - across]


def _plain(thumbnail: Grey, luma: Grey) -> float:
    """The least over four turns, as they are, without bars, and cut to the thumbnail's shape."""
    told = []
    for turns in range(4):
        turned = np.rot90(luma, turns)
        (tall, wide), (height, width) = thumbnail.shape, turned.shape
        told.append(_plain_pair(thumbnail, turned))
        shape = wide * height / (tall * width)
        if shape > 1 / 0.99:
            bar = (1 - 1 / shape) / 2
            if bar <= 0.12:
                told.append(_plain_pair(_inside(thumbnail, 0, round(wide * bar)), turned))
            told.append(_plain_pair(thumbnail, _inside(turned, round(height * bar), 0)))
        if shape < 0.99:
            bar = (1 - shape) / 2
            if bar <= 0.12:
                told.append(_plain_pair(_inside(thumbnail, round(tall * bar), 0), turned))
            told.append(_plain_pair(thumbnail, _inside(turned, 0, round(width * bar))))
    return min(told)


PICTURE = scene(7, 240, 180).astype(np.float32)
OTHER = scene(8, 240, 180).astype(np.float32)


def _small(picture: Grey, width: int, height: int) -> Grey:
    return np.asarray(
        cv2.resize(np.ascontiguousarray(picture), (width, height), interpolation=cv2.INTER_AREA), np.float32
    )


def _barred(down: int, across: int) -> Grey:
    """A thumbnail of 120 x 160 with black bars."""
    seen = np.zeros((120, 160), np.float32)
    seen[down : 120 - down, across : 160 - across] = _small(PICTURE, 160 - 2 * across, 120 - 2 * down)
    return seen


CASES = {
    "as it is": (_small(PICTURE, 160, 120), PICTURE),
    "another": (_small(OTHER, 160, 120), PICTURE),
    "lighter": (_small(PICTURE, 160, 120) * 0.6 + 90, PICTURE),
    "too pale": (_small(PICTURE, 160, 120) * 0.3 + 90, PICTURE),
    "too strong": (_small(PICTURE, 160, 120), PICTURE * 0.3 + 90),
    "negative": (255 - _small(PICTURE, 160, 120), PICTURE),
    "a flat picture": (_small(PICTURE, 160, 120), np.full((180, 240), 90, np.float32)),
    "a faint picture": (_small(PICTURE, 160, 120), PICTURE * 0.02 + 90),
    "a flat thumbnail": (np.full((120, 160), 50, np.float32), PICTURE),
    "bars above": (_barred(10, 0), PICTURE[15:-15]),
    "bars beside": (_barred(0, 15), PICTURE[:, 22:-22]),
    "wide bars": (_barred(20, 0), PICTURE[30:-30]),
    "cut above": (_small(PICTURE[15:-15], 160, 100), PICTURE),
    "cut beside": (_small(PICTURE[:, 25:-25], 130, 120), PICTURE),
    "turned": (np.ascontiguousarray(np.rot90(_small(PICTURE, 160, 120))), PICTURE),
    "turned and cut": (np.ascontiguousarray(np.rot90(_small(PICTURE[20:-20], 160, 93), 3)), PICTURE),
    "nearly its shape": (_small(PICTURE, 160, 119), PICTURE),
    "a little wider": (_small(PICTURE[3:-3], 160, 116), PICTURE),
}


@pytest.mark.parametrize("case", CASES)
def test_a_difference_is_that_of_plain_loops(case: str) -> None:
    """In whatever way it was made."""
    thumbnail, picture = CASES[case]
    assert thumbnail_difference(thumbnail, picture) == pytest.approx(_plain(thumbnail, picture), rel=1e-4, abs=1e-4)


def test_pictures_of_forty_megapixels_are_compared() -> None:
    """Larger ones are not decoded for it."""
    assert reading._MOST_PIXELS == 40_000_000


def test_what_is_just_a_mismatch_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """From the threshold on; a picture of just as many pixels as are looked at is looked at."""
    file = with_thumbnail(SCENE, encoded(shrunk(scene(4)), "JPEG"))
    difference = found(file).thumbnail_difference
    assert difference is not None
    for threshold, told in ((difference, True), (float(np.nextafter(difference, np.inf)), False)):
        monkeypatch.setattr(reading, "MISMATCH", threshold)
        assert found(file).thumbnail_mismatch is told
    monkeypatch.setattr(reading, "_MOST_PIXELS", SCENE.size)
    assert found(file).thumbnail_difference == difference
    monkeypatch.setattr(reading, "_MOST_PIXELS", SCENE.size - 1)
    assert found(file).thumbnail_difference is None


@pytest.mark.parametrize(
    ("width", "height", "known"),
    [(16, 16, True), (15, 16, False), (16, 15, False), (640, 16, True), (641, 16, False), (16, 641, False)],
)
def test_a_thumbnail_has_sixteen_to_640_px_a_side(width: int, height: int, known: bool) -> None:
    """Others are not decoded."""
    file = with_thumbnail(SCENE, encoded(Image.new("L", (width, height), 90), "JPEG"))
    with Image.open(BytesIO(file)) as picture:
        luma = embedded_thumbnail(picture)
    assert (None if luma is None else luma.shape) == ((height, width) if known else None)


@pytest.mark.parametrize(("side", "read"), [(511, 511), (512, 64), (520, 65)])
def test_a_picture_of_512_px_is_read_at_an_eighth(side: int, read: int) -> None:
    """By its shorter side; as float, 0 to 255."""
    file = encoded(scene(5, side, 600), "JPEG")
    with Image.open(BytesIO(file)) as picture:
        luma = small_luma(file, picture)
    assert luma is not None
    assert (luma.shape[1], luma.dtype.name) == (read, "float32")
    with Image.open(BytesIO(file)) as picture:
        assert small_luma(b"none", picture) is None


@pytest.mark.parametrize(("stored", "told"), [(0, None), (1, 1), (6, 6), (8, 8), (9, None)])
def test_an_orientation_is_one_of_eight(stored: int, told: int | None) -> None:
    """Others are none."""
    with Image.open(BytesIO(encoded(SCENE, "JPEG", exif=exif(orientation=stored)))) as picture:
        assert orientation_and_software(picture) == (told, None)
