"""Pictures and the maps that lie on them, as Qt paints them: values become colours, what was not judged becomes a
mask."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QBuffer, QByteArray, QIODevice
from PySide6.QtGui import QImage, QImageReader

from app.console.language import tr
from app.console.theme.heat import heat_table

GreyMap = npt.NDArray[np.uint8]
MAX_PIXELS = 50_000_000


class LayerRefused(ValueError):
    """The bytes are no PNG or JPEG of an allowed size; the text is a sentence for people."""


def read_layer(data: bytes) -> QImage:
    """The picture in ``data`` (PNG or JPEG, at most 50 megapixels by its header). Raises LayerRefused. Blocks for up to
    some 100 ms; any thread."""
    kind = {b"\x89P": "png", b"\xff\xd8": "jpeg"}.get(data[:2])
    if kind is None:
        raise LayerRefused(tr("The layer is neither PNG nor JPEG."))
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(kind.encode()))
    reader.setAutoDetectImageFormat(False)
    size = reader.size()
    if size.isEmpty() or size.width() * size.height() > MAX_PIXELS:
        raise LayerRefused(tr("The layer does not say a size that can be shown."))
    image = reader.read()
    if image.isNull():
        raise LayerRefused(tr("The layer is damaged: it cannot be read."))
    return image


def index_map(image: QImage) -> GreyMap:
    """The palette index of each pixel of a picture with a palette, (rows, columns); of any other its brightness."""
    wanted = QImage.Format.Format_Indexed8 if image.colorCount() else QImage.Format.Format_Grayscale8
    if image.format() != wanted:
        image = image.convertToFormat(wanted)  # two colours come as single bits
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : image.width()].copy()


def values_of(indexes: GreyMap, legend: Sequence[tuple[int, float | None]]) -> tuple[GreyMap, GreyMap]:
    """What palette indexes mean: values 0..255 for 0..1, and 255 where there is a value, else 0. ``legend``: index and
    value (None: it has none); between two entries with values, value and index are proportional."""
    told = sorted((index, value) for index, value in legend if value is not None)
    if not told:
        return indexes, np.full_like(indexes, 255)
    places = np.arange(256)
    table = np.rint(255 * np.interp(places, [one[0] for one in told], [one[1] for one in told])).astype(np.uint8)
    known = np.full(256, 255, np.uint8)
    for index, value in legend:
        if value is None:
            table[index], known[index] = 0, 0
    return table[indexes], known[indexes]


def heat_image(values: GreyMap) -> QImage:
    """The map in the colours of the heat scale, one pixel a value, transparent where it is 0."""
    return _image(heat_table()[values])


def unjudged_image(judged: npt.NDArray[np.bool_]) -> QImage:
    """A mask, opaque where nothing was judged."""
    return _image(np.where(judged, np.uint32(0), np.uint32(0xFFFFFFFF)))


def grey_image(image: QImage) -> QImage:
    """The same picture without colours, so that those of the map stand out."""
    return image.convertToFormat(QImage.Format.Format_Grayscale8)


def _image(argb: npt.NDArray[np.uint32]) -> QImage:
    rows, columns = argb.shape
    data = np.ascontiguousarray(argb)
    made = QImage(data.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)
    return made.copy()  # owns its bytes


def ramp(steps: int) -> GreyMap:
    """One row of ``steps`` values that rise from 0 to 255."""
    return np.rint(np.linspace(0, 255, steps)).astype(np.uint8)[None, :]


def png_bytes(image: QImage) -> bytes:
    """The picture as a PNG. Blocks; any thread."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]  # the stub wants bytes, Qt takes text
    return bytes(buffer.data().data())
