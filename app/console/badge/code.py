"""The Data Matrix of a card (ISO/IEC 16022, ECC 200): ``urn:uuid:<GUID>``, lower case with hyphens (RFC 9562)."""

from __future__ import annotations

from typing import cast
from uuid import UUID

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainterPath


def contents(card_guid: str) -> str:
    """The text of the code: the name that the card's certificates carry too. Raises ValueError if it is no GUID."""
    return UUID(card_guid).urn


def data_matrix(card_guid: str, area: QRectF) -> QPainterPath:
    """The code's dark modules, filling ``area`` (square); the caller leaves a module's width of white around it.

    One path: separate rectangles would show hairlines between them in some viewers and printers.
    """
    # Imported here: a console that prints nothing never loads it.
    import zxingcpp

    code = zxingcpp.create_barcode(contents(card_guid), zxingcpp.BarcodeFormat.DataMatrix)
    image = code.to_image(scale=1, add_quiet_zones=False)
    rows, columns = image.shape
    pixels = memoryview(cast("bytes", image))  # its stub does not say that it is a buffer
    step_x, step_y = area.width() / columns, area.height() / rows
    path = QPainterPath()
    for y in range(rows):
        x = 0
        while x < columns:
            if pixels[y, x]:
                x += 1
                continue
            begin = x
            while x < columns and not pixels[y, x]:
                x += 1
            path.addRect(area.x() + begin * step_x, area.y() + y * step_y, (x - begin) * step_x, step_y)
    return path
