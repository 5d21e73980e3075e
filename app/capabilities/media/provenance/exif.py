"""EXIF (CIPA DC-008) as a decoder and a report need it."""

from __future__ import annotations

import contextlib
from io import BytesIO
from typing import Final

import cv2
import numpy as np
from PIL import ExifTags, Image

from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.provenance.credentials import printable

MISMATCH: Final = 18.0
"""Grey levels from which on a thumbnail shows something else (see ``thumbnail_difference``). Measured on 360 thumbnails
of 120 authentic pictures (four scalers, qualities 50 to 92, half with bars): 11.2 at most. A piece of the picture moved
afterwards reaches it in 59 % (1 to 3 % of the area), 80 % (3 to 8 %) and 93 % (8 to 17 %)."""
_ORIENTATION: Final = 0x0112
_SOFTWARE: Final = 0x0131
_THUMBNAIL_AT: Final = 0x0201
_THUMBNAIL_LENGTH: Final = 0x0202
_HEADER: Final = b"Exif\0\0"
_THUMBNAIL_SIDE: Final = 640
"""Longest side of a thumbnail that is decoded, px: EXIF's are 160 x 120."""
_COMPARED: Final = 64
"""Side of the squares that are compared, px."""
_CELL: Final = 8
_BARS: Final = 0.12
"""Share of a thumbnail's side that cameras fill with black bars, at most."""


def orientation_and_software(picture: Image.Image) -> tuple[int | None, str | None]:
    """Orientation (1 to 8) and software; neither where EXIF is unreadable, which refuses no picture."""
    try:
        found = picture.getexif()
    except Exception:
        return None, None
    orientation = found.get(_ORIENTATION)
    # A rational 6/1 is an orientation of 6 to Pillow, too.
    return next((number for number in range(1, 9) if number == orientation), None), printable(found.get(_SOFTWARE))


def embedded_thumbnail(picture: Image.Image) -> FloatMap | None:
    """Luma of the thumbnail in a picture's EXIF (its second directory), float32, 0 to 255; None without a readable
    JPEG of 16 to 640 px a side."""
    raw = picture.info.get("exif")
    if not isinstance(raw, bytes):
        return None
    tiff = raw.removeprefix(_HEADER)
    try:
        place = picture.getexif().get_ifd(ExifTags.IFD.IFD1)
        at, length = int(place[_THUMBNAIL_AT]), int(place[_THUMBNAIL_LENGTH])
        if at < 0 or length < 0:
            return None
        file = tiff[at : at + length]
        with Image.open(BytesIO(file), formats=["JPEG"]) as small:
            if min(small.size) < 2 * _CELL or max(small.size) > _THUMBNAIL_SIDE:
                return None
    except Exception:
        return None
    return _grey(file, cv2.IMREAD_GRAYSCALE | cv2.IMREAD_IGNORE_ORIENTATION)


def thumbnail_difference(thumbnail: FloatMap, luma: FloatMap) -> float:
    """How far a thumbnail is from its image, in grey levels: both are made 64 x 64 and smoothed, light and contrast are
    fitted, and the largest mean of the absolute difference of any 8 x 8 cell is taken; the least over four turns, and
    over thumbnails that show all, have black bars at two sides, or are cut to their own shape."""
    differences = []
    for turns in range(4):
        turned = np.rot90(luma, turns)
        height, width = turned.shape
        tall, wide = thumbnail.shape
        shape = (wide / tall) / (width / height)
        pairs = [(thumbnail, turned)]
        # Wider than the image: bars left and right, or image cut above and below; narrower: the other way.
        share = shape if shape < 1 else 1 / shape
        if share < 0.99:
            bar = (0, (1 - share) / 2) if shape > 1 else ((1 - share) / 2, 0)
            cut = bar[::-1]
            if max(bar) <= _BARS:
                pairs.append((_inner(thumbnail, *bar), turned))
            pairs.append((thumbnail, _inner(turned, *cut)))
        differences += [_difference(*pair) for pair in pairs]
    return min(differences)


def small_luma(media: bytes, picture: Image.Image) -> FloatMap | None:
    """Luma of a JPEG, as stored, an eighth of its size where that is enough to compare a thumbnail; None where it
    cannot be decoded."""
    reduced = cv2.IMREAD_REDUCED_GRAYSCALE_8 if min(picture.size) >= 8 * _COMPARED else cv2.IMREAD_GRAYSCALE
    return _grey(media, reduced | cv2.IMREAD_IGNORE_ORIENTATION)


def _grey(file: bytes, flags: int) -> FloatMap | None:
    with contextlib.suppress(cv2.error, MemoryError):
        found = cv2.imdecode(np.frombuffer(file, np.uint8), flags)
        if found is not None:
            return np.asarray(found, np.float32)
    return None


def _inner(picture: FloatMap, down: float, across: float) -> FloatMap:
    """Without these shares of its height and width at either side."""
    height, width = picture.shape
    top, left = round(height * down), round(width * across)
    return picture[top : height - top or None, left : width - left or None]


def _difference(one: FloatMap, other: FloatMap) -> float:
    """Of two pictures of one shape, as ``thumbnail_difference`` tells it."""
    size = (_COMPARED, _COMPARED)
    first, second = (
        cv2.blur(cv2.resize(np.ascontiguousarray(each), size, interpolation=cv2.INTER_AREA), (3, 3))
        for each in (one, other)
    )
    spread = float(second.std())
    gain = float(((first - first.mean()) * (second - second.mean())).mean()) / (spread * spread) if spread > 1 else 1.0
    # A negative, or something without contrast, is no other light.
    gain = min(max(gain, 0.5), 2.0)
    fitted = (second - second.mean()) * gain + first.mean()
    side = _COMPARED // _CELL
    cells = np.abs(first - fitted).reshape(side, _CELL, side, _CELL).mean(axis=(1, 3))
    return float(cells.max())
