"""From the bytes of a file to all that it says of its past."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

from cryptography import x509
from PIL import Image, JpegImagePlugin

from app.capabilities.media.provenance.credentials import ContentCredentials, read_credentials
from app.capabilities.media.provenance.exif import (
    MISMATCH,
    embedded_thumbnail,
    orientation_and_software,
    small_luma,
    thumbnail_difference,
)
from app.capabilities.media.provenance.quantizers import table_origin

_MOST_PIXELS: Final = 40_000_000
_IMAGES: Final = {
    "image/jpeg": "JPEG",
    "image/png": "PNG",
    "image/webp": "WEBP",
    "image/tiff": "TIFF",
}


@dataclass(frozen=True)
class ExifOrigin:
    """``software``: EXIF 0x0131. ``thumbnail_mismatch``: whether the embedded thumbnail shows something else than the
    image, which an editor forgot to make anew; None without one. ``thumbnail_difference``: how far it is from it, grey
    levels (``exif.thumbnail_difference``); a mismatch from ``exif.MISMATCH`` on. ``quant_table_origin``: of a JPEG, in
    words."""

    software: str | None = None
    thumbnail_mismatch: bool | None = None
    thumbnail_difference: float | None = None
    quant_table_origin: str | None = None


@dataclass(frozen=True)
class FileProvenance:
    """What a file says of its past."""

    credentials: ContentCredentials
    exif: ExifOrigin


def read_provenance(media: bytes, mime: str, roots: Sequence[x509.Certificate] = ()) -> FileProvenance:
    """All that a file of the media type ``mime`` says of its past; under ``roots`` credentials are trusted. A file of
    another type than it is said to be, or a broken one, says nothing; no bytes raise anything but ``MemoryError``."""
    return FileProvenance(read_credentials(media, mime, roots), _exif_origin(media, mime))


def prepare_provenance() -> None:
    """Loads all that ``read_provenance`` needs: afterwards it opens no file. About 0.1 s of a processor."""
    small = Image.new("RGB", (2, 2))
    for mime, name in _IMAGES.items():
        file = BytesIO()
        small.save(file, name)
        read_provenance(file.getvalue(), mime)


def _exif_origin(media: bytes, mime: str) -> ExifOrigin:
    """What EXIF and the quantizers say."""
    if mime not in _IMAGES:
        return ExifOrigin()
    try:
        with warnings.catch_warnings(action="ignore"):
            picture = Image.open(BytesIO(media), formats=[_IMAGES[mime]])
    except Exception:
        # A hostile file makes a decoder raise anything.
        return ExifOrigin()
    _, software = orientation_and_software(picture)
    if not isinstance(picture, JpegImagePlugin.JpegImageFile):
        return ExifOrigin(software)
    difference = _difference(media, picture)
    mismatch = None if difference is None else difference >= MISMATCH
    return ExifOrigin(software, mismatch, difference, table_origin(picture.quantization))


def _difference(media: bytes, picture: JpegImagePlugin.JpegImageFile) -> float | None:
    """How far the embedded thumbnail is from its picture; None where one of them cannot be had."""
    thumbnail = embedded_thumbnail(picture)
    if thumbnail is None or picture.width * picture.height > _MOST_PIXELS:
        return None
    whole = small_luma(media, picture)
    return None if whole is None else thumbnail_difference(thumbnail, whole)
