"""From the bytes of an image file to its pixels, as they are stored: not turned and not scaled.

Pillow reads the header, and the pixels of all but JPEG. JPEG is decoded by OpenCV, in training as here: two decoders
differ by a grey level here and there, which is what the detectors measure.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from io import BytesIO
from typing import Final

import cv2
import numpy as np
from PIL import Image, ImageFile, JpegImagePlugin, UnidentifiedImageError

from app.capabilities.media.detectors.image import DecodedImage, JpegPast
from app.capabilities.media.provenance.exif import orientation_and_software
from app.capabilities.media.video.reading import VIDEO_NAMES
from app.capabilities.media.worker.protocol import (
    MAX_ANALYSED,
    MAX_SIDE,
    PREVIEW_SIDE,
    REASON_MAX,
    Conversion,
    MediaFormat,
)
from app.capabilities.media.worker.refusals import (
    MediaNotAnalysed,
    MediaRefused,
    MediaTooLarge,
    MediaUndecodable,
    MediaUnsupported,
)

MAX_PIXELS: Final = 40_000_000
"""Pixels of an image that is decoded, at most."""
FORMATS: Final[dict[MediaFormat, re.Pattern[bytes]]] = {
    "JPEG": re.compile(rb"\xff\xd8\xff"),
    "PNG": re.compile(rb"\x89PNG\r\n\x1a\n"),
    "WEBP": re.compile(rb"RIFF.{4}WEBP", re.DOTALL),
    "TIFF": re.compile(rb"II[*+]\0|MM\0[*+]"),
    "GIF": re.compile(rb"GIF8[79]a"),
    "BMP": re.compile(rb"BM"),
}
"""What each format begins with."""
_SIXTEEN: Final = re.compile(r"[A-Za-z]+;16")
_PLAIN: Final = {"1", "L", "LA", "P", "PA", "RGB", "RGBA", "RGBX", "CMYK", "YCbCr"}
_NAMED: Final[dict[str, Conversion]] = {
    "P": "palette_expanded",
    "PA": "palette_expanded",
    "CMYK": "cmyk_to_rgb",
    "YCbCr": "ycbcr_to_rgb",
}
# Pillow turns a TIFF by its orientation while it loads it, and no other format.
_TURNED_BACK: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_90,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_270,
}
# A marker with a segment behind it, or the end: not a stuffed zero, a restart, a fill byte or TEM (T.81, table B.1).
_MARKER: Final = re.compile(rb"\xff[^\x00\x01\xd0-\xd7\xff]")
_END_OF_IMAGE: Final = 0xD9


@dataclass(frozen=True)
class OpenedImage:
    """A file whose header was read, and of which no pixel was. ``width``, ``height``: px; a TIFF that lies on its side
    may have them the other way round."""

    data: bytes = field(repr=False)
    picture: Image.Image = field(repr=False)
    format: MediaFormat
    width: int
    height: int


@dataclass(frozen=True)
class DecodedMedia:
    """An image, and what its file says beside the pixels: as ``ImageFacts`` has it."""

    image: DecodedImage
    format: MediaFormat
    mode: str
    conversions: tuple[Conversion, ...]
    orientation: int | None
    software: str | None


def open_image(data: bytes) -> OpenedImage:
    """Reads the header of a file. Raises ``MediaUnsupported``, ``MediaUndecodable``, ``MediaTooLarge`` or
    ``MediaNotAnalysed``."""
    if not data:
        raise MediaUndecodable("The file is empty.")
    found = next((name for name, begins in FORMATS.items() if begins.match(data)), None)
    if found is None:
        raise MediaUnsupported(f"The file is none of {', '.join(FORMATS)}, {VIDEO_NAMES}.")
    try:
        with warnings.catch_warnings(action="ignore"):
            picture = Image.open(BytesIO(data), formats=[found])
    except UnidentifiedImageError as error:
        raise MediaUndecodable("The file's header is broken.") from error
    except Image.DecompressionBombError as error:
        raise MediaTooLarge("The image has more pixels than are decoded.") from error
    except Exception as error:  # a hostile file makes a decoder raise anything
        raise _undecodable(error) from error
    width, height = picture.size
    _judge(width, height)
    return OpenedImage(data, picture, found, width, height)


def decode(opened: OpenedImage) -> DecodedMedia:
    """Decodes the pixels, of an animation those of the first frame. Raises ``MediaUndecodable`` also for a file that
    is cut off, ``MediaUnsupported`` for samples of more than 16 bits or of no colour space that is known here, and
    ``MediaTooLarge`` where memory does not suffice."""
    try:
        with warnings.catch_warnings(action="ignore"):
            media = _jpeg(opened) if opened.format == "JPEG" else _other(opened)
    except MediaRefused:
        raise
    except MemoryError as error:
        raise MediaTooLarge("The pixels need more memory than there is.") from error
    except Exception as error:  # a hostile file makes a decoder raise anything
        if isinstance(error, cv2.error) and error.code == cv2.Error.STS_NO_MEM:
            raise MediaTooLarge("The pixels need more memory than there is.") from error
        raise _undecodable(error) from error
    return media


def preview(image: DecodedImage) -> bytes:
    """A PNG of at most 1024 px a side, as stored: the heatmap lies over it."""
    height, width = image.rgb.shape[:2]
    shrink = min(1.0, PREVIEW_SIDE / max(height, width))
    size = max(1, round(width * shrink)), max(1, round(height * shrink))
    small = cv2.resize(image.rgb, size, interpolation=cv2.INTER_AREA)
    return cv2.imencode(".png", cv2.cvtColor(small, cv2.COLOR_RGB2BGR))[1].tobytes()


def _judge(width: int, height: int) -> None:
    if max(width, height) > MAX_SIDE or width * height > MAX_PIXELS:
        raise MediaTooLarge(f"The image has {width} x {height} pixels, more than are decoded.")
    if width * height > MAX_ANALYSED:
        raise MediaNotAnalysed(f"The image has {width} x {height} pixels, more than are analysed.")


def _undecodable(error: Exception) -> MediaUndecodable:
    said = "".join(sign if sign.isprintable() else " " for sign in f"{type(error).__name__}: {error}")
    return MediaUndecodable(f"The file cannot be decoded: {said}"[:REASON_MAX])


def _jpeg(opened: OpenedImage) -> DecodedMedia:
    """A JPEG by OpenCV, and its quantizers where its first component is luma."""
    if not _is_whole(opened.data):
        raise MediaUndecodable("The file is cut off.")
    flags = cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION
    rgb = cv2.imdecode(np.frombuffer(opened.data, np.uint8), flags)
    if rgb is None or rgb.shape != (opened.height, opened.width, 3):
        raise MediaUndecodable("The file's coded data is broken.")
    picture = opened.picture
    orientation, software = orientation_and_software(picture)
    return DecodedMedia(
        DecodedImage(np.asarray(rgb, np.uint8), _jpeg_past(picture)),
        "JPEG",
        picture.mode,
        tuple(_conversions(picture)),
        orientation,
        software,
    )


def _jpeg_past(picture: Image.Image) -> JpegPast | None:
    """The quantizers of the first component; None where that is no luma (CMYK), or a quantizer is zero, which T.81
    does not have (B.2.4.1)."""
    if not isinstance(picture, JpegImagePlugin.JpegImageFile) or picture.mode not in ("L", "RGB"):
        return None
    luma = np.array(picture.quantization[picture.layer[0][3]], np.uint16).reshape(8, 8)
    return JpegPast(luma) if luma.all() else None


def _is_whole(data: bytes) -> bool:
    """Whether a JPEG has the end of its image (T.81, B.1.1), which is no end of a thumbnail within a segment."""
    place = 2
    while (marker := _MARKER.search(data, place)) is not None:
        place = marker.end()
        if data[place - 1] == _END_OF_IMAGE:
            return True
        place += int.from_bytes(data[place : place + 2], "big")
    return False


def _other(opened: OpenedImage) -> DecodedMedia:
    """All but JPEG, by Pillow."""
    picture = opened.picture
    # Before the pixels: Pillow forgets how they are stored.
    sixteen = opened.format in ("PNG", "TIFF") and any(_SIXTEEN.match(name) for name in _raw_modes(picture))
    if opened.format == "PNG":
        # EXIF may stand behind the pixels there, and broken pixels are not to pass for unreadable EXIF.
        picture.load()
    orientation, software = orientation_and_software(picture)
    picture.load()
    mode = picture.mode
    if mode not in _PLAIN and not mode.startswith("I;16"):
        raise MediaUnsupported(f"Samples of the kind {mode} are not analysed.")
    conversions = _conversions(picture)
    if sixteen:
        conversions.insert(0, "sixteen_bit_to_eight")
    if opened.format == "TIFF" and orientation in _TURNED_BACK:
        picture = picture.transpose(_TURNED_BACK[orientation])
    if mode.startswith("I;16"):
        rgb = np.repeat((np.asarray(picture) >> 8).astype(np.uint8)[:, :, None], 3, axis=2)
    else:
        rgb = np.asarray(picture.convert("RGB"))
    return DecodedMedia(DecodedImage(rgb), opened.format, mode, tuple(conversions), orientation, software)


def _raw_modes(picture: Image.Image) -> list[str]:
    """How a file stores its samples, in Pillow's words, before they are loaded."""
    tiles = picture.tile if isinstance(picture, ImageFile.ImageFile) else []
    return [str(tile.args[0] if isinstance(tile.args, tuple) else tile.args) for tile in tiles]


def _conversions(picture: Image.Image) -> list[Conversion]:
    """What becomes of the samples and of the other frames of a picture, beside the number of bits."""
    done: list[Conversion] = []
    if picture.mode in _NAMED:
        done.append(_NAMED[picture.mode])
    if picture.mode in ("LA", "PA", "RGBA") or "transparency" in picture.info:
        done.append("alpha_dropped")
    if getattr(picture, "is_animated", False):
        done.append("first_frame")
    return done
