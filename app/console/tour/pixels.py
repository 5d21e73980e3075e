"""Pixels of a picture: which are of a colour, how large a contrast is."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage

NEAR = 40.0
"""Distance in RGB within which a pixel is of a token's colour; smoothed edges are farther away."""
Pixels = npt.NDArray[np.int16]


def pixels_of(image: QImage) -> Pixels:
    """Red, green and blue of each pixel: shape (height, width, 3)."""
    whole = image.convertToFormat(QImage.Format.Format_RGB32)
    raw = np.frombuffer(whole.constBits(), dtype=np.uint8).reshape(whole.height(), whole.bytesPerLine() // 4, 4)
    return np.asarray(raw[:, : whole.width(), 2::-1], dtype=np.int16)


def _rgb(colour: str) -> npt.NDArray[np.int16]:
    ink = QColor(colour)
    return np.array([ink.red(), ink.green(), ink.blue()], dtype=np.int16)


def near(pixels: Pixels, colour: str, distance: float = NEAR) -> npt.NDArray[np.bool_]:
    """Which pixels are of that colour."""
    apart = pixels.astype(np.float64) - _rgb(colour)
    return np.asarray(np.sqrt((apart * apart).sum(axis=-1)) <= distance)


def luminance(pixels: npt.NDArray[np.int16]) -> npt.NDArray[np.float64]:
    """WCAG's relative luminance of pixels (..., 3)."""
    share = pixels.astype(np.float64) / 255.0
    linear = np.where(share <= 0.04045, share / 12.92, ((share + 0.055) / 1.055) ** 2.4)
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722]))


def ground_of(pixels: Pixels) -> npt.NDArray[np.int16]:
    """The colour that most pixels have."""
    flat = pixels.reshape(-1, 3).astype(np.int64)
    colours, counts = np.unique(flat @ np.array([65536, 256, 1]), return_counts=True)
    most = int(colours[int(np.argmax(counts))])
    return np.array([most >> 16, (most >> 8) & 255, most & 255], dtype=np.int16)


def contrast(pixels: Pixels) -> float:
    """Largest WCAG contrast of a pixel against the ground: the ink of what is written there."""
    ground = luminance(ground_of(pixels))
    ink = luminance(pixels.reshape(-1, 3))
    ratios = (np.maximum(ink, ground) + 0.05) / (np.minimum(ink, ground) + 0.05)
    return float(ratios.max())


def part_of(pixels: Pixels, box: QRect, ratio: float) -> Pixels:
    top, left = max(0, round(box.top() * ratio)), max(0, round(box.left() * ratio))
    bottom, right = round((box.top() + box.height()) * ratio), round((box.left() + box.width()) * ratio)
    return pixels[top:bottom, left:right]


def filled_share(image: QImage, colour: str) -> float:
    """How far a button is filled with a colour from the left, 0..1: read near its lower edge, where no text is."""
    pixels = pixels_of(image)
    return float(np.mean(near(pixels[max(0, pixels.shape[0] - 6)], colour, 12.0)))
