"""Pictures from files of unknown origin: checked by their first bytes and by the size in their header, then decoded."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize
from PySide6.QtGui import QImage, QImageReader

from app.console.language import tr

MAX_BYTES = 10_000_000
MAX_SIDE = 10_000
MAX_PIXELS = 30_000_000
"""A picture's header says its size before anything is decoded; this many pixels are at most 240 MB (16 bits a channel),
under the 256 MB that Qt's reader would allocate anyway."""

_KINDS = ((b"\xff\xd8\xff", b"jpeg"), (b"\x89PNG\r\n\x1a\n", b"png"))


class ImageRefused(ValueError):
    """The file is not a picture that is accepted; the text is a sentence for people."""


def read_image(data: bytes | bytearray, *, what: str, least: QSize) -> QImage:
    """The picture in a JPEG or PNG file, turned as its EXIF says. ``what``: the picture that is expected, with its
    article; ``least``: its least shorter and longer side. Raises ImageRefused. Blocks for up to some 100 ms; any
    thread. No copy of ``data`` stays."""
    if len(data) > MAX_BYTES:
        raise ImageRefused(
            tr(
                "The file has {size:.0f} MB; {what} has at most {most} MB.",
                size=len(data) / 1_000_000,
                what=what,
                most=MAX_BYTES // 1_000_000,
            )
        )
    kind = next((kind for start, kind in _KINDS if data.startswith(start)), None)
    if kind is None:
        raise ImageRefused(tr("The file is neither JPEG nor PNG."))
    copy = QByteArray(data)
    buffer = QBuffer()
    buffer.setData(copy)
    try:
        buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        return _decode(buffer, QByteArray(kind), what, least)
    finally:
        buffer.close()
        # The buffer lets go first: Qt would otherwise fill a copy of its own.
        buffer.setData(QByteArray())
        copy.fill(0)


def _decode(buffer: QBuffer, kind: QByteArray, what: str, least: QSize) -> QImage:
    # The format is named: Qt would otherwise try every decoder it has on these bytes.
    """Decode one picture after its header has shown a size that is allowed."""
    reader = QImageReader(buffer, kind)
    reader.setAutoDetectImageFormat(False)
    reader.setAutoTransform(True)
    size = reader.size()
    if not size.isValid() or size.isEmpty():
        raise ImageRefused(tr("The file is damaged: it does not say how large its picture is."))
    if max(size.width(), size.height()) > MAX_SIDE or size.width() * size.height() > MAX_PIXELS:
        raise ImageRefused(
            tr(
                "The picture has {width} x {height} pixels; at most {most} million are read. Save it smaller.",
                width=size.width(),
                height=size.height(),
                most=MAX_PIXELS // 1_000_000,
            )
        )
    if min(size.width(), size.height()) < least.width() or max(size.width(), size.height()) < least.height():
        raise ImageRefused(
            tr(
                "The picture has {width} x {height} pixels; {what} needs {least_width} x {least_height} or more.",
                width=size.width(),
                height=size.height(),
                what=what,
                least_width=least.width(),
                least_height=least.height(),
            )
        )
    image = reader.read()
    if image.isNull():
        raise ImageRefused(tr("The file is damaged: its picture cannot be read."))
    return image
