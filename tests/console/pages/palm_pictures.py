"""Pictures of drawn palms as a camera gives them: larger than the palm's square, and turned."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter, QTransform

from hardware.terminals.synthetic_palms import SyntheticPalm

SIDE = 128
VALLEYS = QPointF(SIDE / 2 - SIDE / 2.4, -SIDE / 6), QPointF(SIDE / 2 + SIDE / 2.4, -SIDE / 6)
"""Where the marks belong, in pixels of the square: 1.2 of their distance is its side, 0.2 lie above it."""
WIDE, HIGH = 1067, 900


def drawn(node_id: str, shot: int) -> QImage:
    """The palm's square as the training terminal's camera sees it."""
    grey = SyntheticPalm("training", node_id).shot(shot)
    return QImage(grey.data, SIDE, SIDE, SIDE, QImage.Format.Format_Grayscale8).copy()


def placed(turned: float = 0.0, scale: float = 3.0) -> QTransform:
    """Pixels of the square to pixels of the picture."""
    return QTransform().translate(WIDE / 2, HIGH * 0.62).rotate(turned).scale(scale, scale).translate(-64, -64)


def picture(node_id: str, shot: int, where: QTransform) -> QImage:
    """The palm in its picture."""
    image = QImage(WIDE, HIGH, QImage.Format.Format_RGB32)
    image.fill(0x808080)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
    painter.setTransform(where)
    painter.drawImage(0, 0, drawn(node_id, shot))
    painter.end()
    return image


def saved(directory: Path, node_id: str, count: int, where: QTransform, *, first: int = 1) -> list[Path]:
    """Pictures of one hand as files."""
    paths = []
    for shot in range(first, first + count):
        paths.append(directory / f"{node_id}-{shot}.png")
        assert picture(node_id, shot, where).save(str(paths[-1]))
    return paths
