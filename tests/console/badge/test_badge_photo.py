"""Photos from files of unknown origin."""

from __future__ import annotations

import struct
import zlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtGui import QImage

from app.console.badge import photo_of
from app.console.badge.photo import FULL_SIZE
from app.console.formats.image_file import MAX_BYTES, ImageRefused
from tests.console.badge.conftest import encoded, picture


def chunk(kind: bytes, data: bytes) -> bytes:
    """A PNG chunk with its check sum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb(width: int, height: int) -> bytes:
    """A small PNG that says that it is large."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(bytes(1 << 20))) + chunk(b"IEND", b"")


def turned(orientation: int, data: bytes) -> bytes:
    """The JPEG with an EXIF orientation (CIPA DC-008, tag 0x0112)."""
    tiff = b"MM\0*\0\0\0\x08" + b"\0\x01" + struct.pack(">HHIHH", 0x0112, 3, 1, orientation, 0) + bytes(4)
    exif = b"Exif\0\0" + tiff
    return data[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + data[2:]


def dark(image: QImage, x: float, y: float) -> bool:
    """Whether the picture is dark at this part of its width and height."""
    return image.pixelColor(int(x * (image.width() - 1)), int(y * (image.height() - 1))).value() < 128


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
@pytest.mark.parametrize(("width", "height"), [(300, 400), (1600, 900), (500, 2000), (3000, 4000)])
def test_a_photo_is_cropped_and_limited(application: object, kind: str, width: int, height: int) -> None:
    """3:4 whatever the file's shape, never larger than what is printed."""
    photo = photo_of(picture(width, height, kind))
    assert photo.width() / photo.height() == pytest.approx(0.75, abs=0.01)
    assert photo.width() <= FULL_SIZE.width()
    assert dark(photo, 0.1, 0.5)
    assert not dark(photo, 0.9, 0.5)


def test_a_photo_is_turned_as_its_exif_says(application: object) -> None:
    """A telephone's portrait lies on its side in the file: its left half is the top, or the bottom."""
    lying = picture(800, 600, "JPEG", "#000000")
    clockwise, back = photo_of(turned(6, lying)), photo_of(turned(8, lying))
    assert dark(clockwise, 0.5, 0.1)
    assert not dark(clockwise, 0.5, 0.9)
    assert dark(back, 0.5, 0.9)
    assert not dark(back, 0.5, 0.1)


def test_what_is_transparent_becomes_white(application: object) -> None:
    """Otherwise a cut-out portrait would stand in black."""
    image = QImage(300, 400, QImage.Format.Format_ARGB32)
    image.fill(0)
    assert photo_of(encoded(image)).pixelColor(150, 200).value() == 255


def test_a_photo_keeps_no_words_of_its_file(application: object) -> None:
    """Text chunks hold names, places, programs."""
    image = QImage(300, 400, QImage.Format.Format_RGB32)
    image.fill(0)
    image.setText("Comment", "Training place")
    data = encoded(image)
    assert b"Training place" in data
    assert photo_of(data).textKeys() == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "neither JPEG nor PNG"),
        (b"GIF89a" + bytes(100), "neither JPEG nor PNG"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "neither JPEG nor PNG"),
        (b"\xff\xd8\xff" + bytes(MAX_BYTES), "at most 10 MB"),
        (b"\xff\xd8\xff\xd9", "damaged"),
        (b"\x89PNG\r\n\x1a\n", "damaged"),
        (bomb(60000, 60000), "60000 x 60000 pixels"),
        (bomb(9000, 9000), "9000 x 9000 pixels"),
        (bomb(20, 20), "needs 90 x 120"),
        (b"%PDF-1.4", "neither"),
    ],
    ids=["empty", "gif", "svg", "large", "jpeg-end", "png-start", "bomb", "bomb-small-sides", "tiny", "pdf"],
)
@pytest.mark.qt_log_ignore(".*", extend=True)
def test_a_hostile_file_is_refused_with_words(application: object, data: bytes, words: str) -> None:
    """Nothing is decoded whose size is not known and allowed before."""
    with pytest.raises(ImageRefused, match=words):
        photo_of(data)


@pytest.mark.qt_log_ignore(".*", extend=True)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(["PNG", "JPEG"]),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=12),
    length=st.floats(0, 1),
)
def test_any_bytes_are_a_photo_or_refused(
    application: object, kind: str, changes: list[tuple[float, int]], length: float
) -> None:
    """Damaged anywhere, cut off anywhere: a picture of the right shape or a sentence, and never anything else."""
    data = bytearray(picture(120, 160, kind))
    for place, value in changes:
        data[int(place * len(data))] = value
    sentence, shape = "", 0.75
    try:
        photo = photo_of(bytes(data[: int(length * len(data)) + 1]))
        shape = photo.width() / photo.height()
    except ImageRefused as refusal:
        sentence = str(refusal)
    assert sentence[-1:] in ("", ".")
    assert shape == pytest.approx(0.75, abs=0.02)
