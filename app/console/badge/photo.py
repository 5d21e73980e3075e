"""A holder's photo from a file of unknown origin."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QColorSpace, QImage, QImageReader, QPainter

MAX_BYTES = 10_000_000
MAX_SIDE = 10_000
MAX_PIXELS = 30_000_000
"""A picture's header says its size before anything is decoded; this many pixels are at most 240 MB (16 bits a channel),
under the 256 MB that Qt's reader would allocate anyway."""
MIN_SIZE = QSize(90, 120)
"""Less than 100 dots an inch on the card."""
FULL_SIZE = QSize(567, 756)
"""24 x 32 mm at 600 dots an inch: more is not printed, and not kept."""

_KINDS = ((b"\xff\xd8\xff", b"jpeg"), (b"\x89PNG\r\n\x1a\n", b"png"))


class PhotoRefused(ValueError):
    """The file is no photo that can be printed; the text is a sentence for people."""


def photo_of(data: bytes) -> QImage:
    """The photo in a JPEG or PNG file: turned as its EXIF says, cropped to 3:4 (width : height), at most ``FULL_SIZE``,
    opaque, in sRGB, without metadata. Raises PhotoRefused. Blocks for up to some 100 ms."""
    if len(data) > MAX_BYTES:
        raise PhotoRefused(f"The file has {len(data) / 1e6:.0f} MB; a photo has at most {MAX_BYTES // 1_000_000} MB.")
    kind = next((kind for start, kind in _KINDS if data.startswith(start)), None)
    if kind is None:
        raise PhotoRefused("The file is neither JPEG nor PNG.")
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    # The format is named: Qt would otherwise try every decoder it has on these bytes.
    reader = QImageReader(buffer, QByteArray(kind))
    reader.setAutoDetectImageFormat(False)
    reader.setAutoTransform(True)
    size = reader.size()
    if not size.isValid() or size.isEmpty():
        raise PhotoRefused("The file is damaged: it does not say how large its picture is.")
    if max(size.width(), size.height()) > MAX_SIDE or size.width() * size.height() > MAX_PIXELS:
        raise PhotoRefused(
            f"The picture has {size.width()} x {size.height()} pixels; at most {MAX_PIXELS // 1_000_000} million are "
            "read. Save it smaller."
        )
    if min(size.width(), size.height()) < MIN_SIZE.width() or max(size.width(), size.height()) < MIN_SIZE.height():
        raise PhotoRefused(
            f"The picture has {size.width()} x {size.height()} pixels; a badge needs {MIN_SIZE.width()} x "
            f"{MIN_SIZE.height()} or more."
        )
    image = reader.read()
    if image.isNull():
        raise PhotoRefused("The file is damaged: its picture cannot be read.")
    if image.colorSpace().isValid() and image.colorSpace() != QColorSpace(QColorSpace.NamedColorSpace.SRgb):
        image = image.convertedToColorSpace(QColorSpace(QColorSpace.NamedColorSpace.SRgb))
    return _printable(image)


def crop(size: QSize) -> QRectF:
    """The 3:4 part of a picture that is printed. What is cut off of a tall one is cut more below than above: a head is
    in its upper half."""
    width = min(float(size.width()), size.height() * 0.75)
    height = width / 0.75
    return QRectF((size.width() - width) / 2, (size.height() - height) / 3, width, height)


def _printable(image: QImage) -> QImage:
    part = image.copy(crop(image.size()).toRect())
    if part.width() > FULL_SIZE.width():
        part = part.scaled(FULL_SIZE, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
    # On a sheet of its own: what was transparent becomes white, and no text chunk of the file comes along.
    sheet = QImage(part.size(), QImage.Format.Format_RGB32)
    sheet.fill(Qt.GlobalColor.white)
    painter = QPainter(sheet)
    painter.drawImage(0, 0, part)
    painter.end()
    return sheet
