"""A holder's photo from a file of unknown origin."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColorSpace, QImage, QPainter

from app.console.formats.image_file import read_image
from app.console.language import tr

MIN_SIZE = QSize(90, 120)
"""Less than 100 dots an inch on the card."""
FULL_SIZE = QSize(567, 756)
"""24 x 32 mm at 600 dots an inch: more is not printed, and not kept."""


def photo_of(data: bytes) -> QImage:
    """The photo in a JPEG or PNG file: turned as its EXIF says, cropped to 3:4 (width : height), at most ``FULL_SIZE``,
    opaque, in sRGB, without metadata. Raises ImageRefused. Blocks for up to some 100 ms."""
    image = read_image(data, what=tr("a badge's photo"), least=MIN_SIZE)
    if image.colorSpace().isValid() and image.colorSpace() != QColorSpace(QColorSpace.NamedColorSpace.SRgb):
        image = image.convertedToColorSpace(QColorSpace(QColorSpace.NamedColorSpace.SRgb))
    return _printable(image)


def crop(size: QSize) -> QRectF:
    """The 3:4 part of a picture that is printed. A tall picture loses more below than above, because a head is in its
    upper half."""
    width = min(float(size.width()), size.height() * 0.75)
    height = width / 0.75
    return QRectF((size.width() - width) / 2, (size.height() - height) / 3, width, height)


def _printable(image: QImage) -> QImage:
    part = image.copy(crop(image.size()).toRect())
    if part.width() > FULL_SIZE.width():
        part = part.scaled(FULL_SIZE, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
    # Drawn on a new image: transparent pixels become white, and no text chunk of the file is taken over.
    sheet = QImage(part.size(), QImage.Format.Format_RGB32)
    sheet.fill(Qt.GlobalColor.white)
    painter = QPainter(sheet)
    painter.drawImage(0, 0, part)
    painter.end()
    return sheet
