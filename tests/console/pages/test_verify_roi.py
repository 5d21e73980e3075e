"""The palm's square out of a picture of unknown origin."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QSize
from PySide6.QtGui import QImage

from app.console.formats.image_file import ImageRefused
from app.console.pages.verify.roi import LONGEST, SIDE, cut, palm_of, read_palm, square, trouble
from tests.console.pages.palm_pictures import VALLEYS, drawn, picture, placed


def encoded(image: QImage, kind: str = "PNG") -> bytes:
    """The picture as a file."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    assert image.save(buffer, kind)
    return bytes(data.data())


def grey(image: QImage) -> np.ndarray:
    """Its values, float64."""
    return np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine()).astype(float)


@pytest.mark.parametrize("turned", [0.0, 31.0, -112.0])
def test_two_valleys_give_the_square_that_was_there(application: object, turned: float) -> None:
    """1.2 of their distance, 0.2 below their line, however the hand lies."""
    where = placed(turned)
    image = palm_of(encoded(picture("ARC-T0001", 1, where)))
    found = np.frombuffer(bytes(cut(image, *map(where.map, VALLEYS))), np.uint8).reshape(SIDE, SIDE).astype(float)
    wanted = grey(drawn("ARC-T0001", 1))
    inner = (slice(4, -4), slice(4, -4))
    assert np.corrcoef(found[inner].ravel(), wanted[inner].ravel())[0, 1] > 0.9
    # The other order turns the square to the fingers: it is another one.
    back, front = reversed(square(*VALLEYS)), square(*reversed(VALLEYS))
    assert [(round(at.x()), round(at.y())) for at in back] != [(round(at.x()), round(at.y())) for at in front]


def test_a_large_picture_is_made_smaller(application: object) -> None:
    """What is marked is never larger than what the square can show."""
    image = QImage(5000, 3000, QImage.Format.Format_Grayscale8)
    image.fill(90)
    small = palm_of(encoded(image, "JPEG"))
    assert (small.width(), small.format()) == (LONGEST, QImage.Format.Format_Grayscale8)


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    """A named pipe, a directory: a sentence, and no thread that waits for ever."""
    os.mkfifo(tmp_path / "pipe.png")
    with pytest.raises(ImageRefused, match="no file"):
        read_palm(tmp_path / "pipe.png")
    with pytest.raises((ImageRefused, OSError)):
        read_palm(tmp_path)


@pytest.mark.qt_log_ignore(".*", extend=True)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    kind=st.sampled_from(["PNG", "JPEG"]),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=8),
    length=st.floats(0, 1),
    marks=st.tuples(*[st.floats(-50, 250) for _ in range(4)]),
)
def test_any_file_and_any_marks_give_a_square_or_a_sentence(
    application: object,
    kind: str,
    changes: list[tuple[float, int]],
    length: float,
    marks: tuple[float, float, float, float],
) -> None:
    """Damaged, cut off, marked outside: 16,384 grey values, or words, and never anything else."""
    image = QImage(200, 180, QImage.Format.Format_RGB32)
    image.fill(0x556677)
    data = bytearray(encoded(image, kind))
    for place, value in changes:
        data[int(place * len(data))] = value
    first, second = QPointF(marks[0], marks[1]), QPointF(marks[2], marks[3])
    sentence, found = "", bytearray(SIDE * SIDE)
    try:
        palm = palm_of(data[: int(length * len(data)) + 1])
        sentence = trouble(palm.size(), first, second)
        if not sentence:
            found = cut(palm, first, second)
    except ImageRefused as refusal:
        sentence = str(refusal)
    assert sentence[-1:] in ("", ".")
    assert len(found) == SIDE * SIDE


def test_marks_that_give_no_palm_are_told() -> None:
    """Too near to each other, or with a square that leaves the picture."""
    size = QSize(400, 400)
    assert "too near" in trouble(size, QPointF(100, 100), QPointF(120, 100))
    assert "leaves the picture" in trouble(size, QPointF(300, 100), QPointF(100, 100))
    assert trouble(size, QPointF(100, 100), QPointF(300, 100)) == ""
