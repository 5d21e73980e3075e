"""How a picture is turned to be seen upright: EXIF's orientation (0x0112, CIPA DC-008), for display alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtGui import QImage, QTransform

from app.console.language import tr

Box = tuple[float, float, float, float]
"""Left, top, width, height in shares of the picture."""


@dataclass(frozen=True)
class Upright:
    """Where a stored picture goes when it is seen upright: ``x' = across_x * x + across_y * y``, ``y'`` likewise, from
    its middle. ``words``: what was done, empty for nothing."""

    across_x: int
    across_y: int
    down_x: int
    down_y: int
    words: str

    @property
    def swaps(self) -> bool:
        """Whether width and height change places."""
        return self.across_x == 0

    def point(self, x: float, y: float) -> tuple[float, float]:
        """A point, in shares of the picture."""
        x, y = x - 0.5, y - 0.5
        return self.across_x * x + self.across_y * y + 0.5, self.down_x * x + self.down_y * y + 0.5

    def box(self, box: Box) -> Box:
        """A box, in shares of the picture."""
        left, top, width, height = box
        (x0, y0), (x1, y1) = self.point(left, top), self.point(left + width, top + height)
        return min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0)

    def image(self, image: QImage) -> QImage:
        """A picture; no pixel is mixed with another. Any thread."""
        if not self.words:
            return image
        return image.transformed(QTransform(self.across_x, self.down_x, self.across_y, self.down_y, 0, 0))


_AS_STORED = Upright(1, 0, 0, 1, "")
_TURNS: Mapping[int, Upright] = {
    1: _AS_STORED,
    2: Upright(-1, 0, 0, 1, tr("mirrored")),
    3: Upright(-1, 0, 0, -1, tr("turned by 180 degrees")),
    4: Upright(1, 0, 0, -1, tr("mirrored and turned by 180 degrees")),
    5: Upright(0, 1, 1, 0, tr("mirrored and turned by 90 degrees to the left")),
    6: Upright(0, -1, 1, 0, tr("turned by 90 degrees to the right")),
    7: Upright(0, -1, -1, 0, tr("mirrored and turned by 90 degrees to the right")),
    8: Upright(0, 1, -1, 0, tr("turned by 90 degrees to the left")),
}


def upright(orientation: int | None) -> Upright:
    """How a picture of this orientation, 1 to 8, is turned; any other, or none, is left as it is stored."""
    return _TURNS.get(orientation or 1, _AS_STORED)
