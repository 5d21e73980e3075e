"""The square of a palm: two marked finger valleys give it, and only it leaves the console."""

from __future__ import annotations

import math
import os
import stat
from pathlib import Path

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QTransform

from app.console.formats.image_file import MAX_BYTES, ImageRefused, read_image
from app.console.language import tr

SIDE = 128
"""Pixels of the square's side, as it is sent: 8 bits of grey, row by row."""
SIDE_OF_VALLEYS = 1.2
BELOW_VALLEYS = 0.2
"""The square's side, and how far it lies below the line of the valleys, in distances between the two."""
LONGEST = 2048
"""Longer side of a picture that is marked; more shows nothing more of 128 pixels."""
FINEST = 8
"""Pixels, in a row, that are averaged for one of the square."""
LEAST_DISTANCE = 40.0
"""Valleys nearer than these pixels show too little of the palm."""


def read_palm(path: Path) -> QImage:
    """The grey picture of a palm from a file, at most ``LONGEST`` pixels long. Nothing of the file stays in memory but
    this. Raises ImageRefused, OSError. Blocks for up to some 100 ms; any thread."""
    # Do not wait: a named pipe would keep the thread for ever.
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as file:
        found = os.fstat(file.fileno())
        if not stat.S_ISREG(found.st_mode):
            raise ImageRefused(tr("This is no file."))
        data = bytearray(min(found.st_size, MAX_BYTES + 1))
        try:
            read = 0
            while count := file.readinto(memoryview(data)[read:]):
                read += count
            return palm_of(data)
        finally:
            data[:] = bytes(len(data))


def palm_of(data: bytes | bytearray) -> QImage:
    """As ``read_palm``, of the file's bytes."""
    colours = read_image(data, what=tr("the picture of a palm"), least=QSize(SIDE, SIDE))
    small = colours
    if max(colours.width(), colours.height()) > LONGEST:
        small = colours.scaled(
            LONGEST, LONGEST, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation
        )
    grey = small.convertToFormat(QImage.Format.Format_Grayscale8)
    for part in (colours, small):
        if part is not grey:
            wipe(part)
    return grey


def square(first: QPointF, second: QPointF) -> tuple[QPointF, QPointF, QPointF, QPointF]:
    """The four corners of the palm's square, clockwise from the one beside the first valley. It lies at the right hand
    of somebody who goes from the first valley to the second, on a picture whose y grows downwards: below them, when the
    first is the left one."""
    along = second - first
    across = QPointF(-along.y(), along.x())
    corner = (first + second) / 2 + across * BELOW_VALLEYS - along * (SIDE_OF_VALLEYS / 2)
    right, down = along * SIDE_OF_VALLEYS, across * SIDE_OF_VALLEYS
    return corner, corner + right, corner + right + down, corner + down


def trouble(size: QSize, first: QPointF, second: QPointF) -> str:
    """What is wrong with these two marks in a picture of that size, in a sentence; empty when nothing."""
    if math.dist(first.toTuple(), second.toTuple()) < LEAST_DISTANCE:
        return tr("The marks are too near to each other: one belongs to each side of the palm.")
    inside = all(
        -1 <= corner.x() <= size.width() + 1 and -1 <= corner.y() <= size.height() + 1
        for corner in square(first, second)
    )
    return "" if inside else tr("The square leaves the picture: swap the marks, or take a picture that shows more.")


def cut(image: QImage, first: QPointF, second: QPointF, *, finest: int = FINEST) -> bytearray:
    """The palm's square, ``SIDE`` x ``SIDE`` grey values row by row. Some 10 ms, less than
    one with ``finest`` 1 (a preview); any thread."""
    corners = square(first, second)
    wide = math.dist(corners[0].toTuple(), corners[1].toTuple())
    fine = SIDE * min(finest, max(1, math.ceil(wide / SIDE)))
    # Drawn larger and then averaged: a palm that is only sampled loses its fine creases to noise.
    sheet = QImage(fine, fine, QImage.Format.Format_RGB32)
    sheet.fill(Qt.GlobalColor.black)
    right, down = (corners[1] - corners[0]) / fine, (corners[3] - corners[0]) / fine
    placed, ok = QTransform(
        right.x(), right.y(), down.x(), down.y(), corners[0].x(), corners[0].y()
    ).inverted()  # fmt: skip
    if not ok:
        raise ValueError("two marks at one place")
    painter = QPainter(sheet)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setTransform(placed)
    painter.drawImage(0, 0, image)
    painter.end()
    mean = sheet.scaled(SIDE, SIDE, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
    grey = mean.convertToFormat(QImage.Format.Format_Grayscale8)
    try:
        # Rows of 128 bytes lie one behind the other: Qt's rows begin at multiples of four.
        return bytearray(grey.constBits())
    finally:
        for part in (sheet, mean, grey):
            wipe(part)


def wipe(image: QImage) -> None:
    """Overwrite a picture that nobody else has."""
    image.fill(0)
