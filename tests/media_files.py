"""Image files as real encoders write them, and as an attacker does."""

from __future__ import annotations

import re
import struct
import zlib
from io import BytesIO
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

FORMATS = ("JPEG", "PNG", "WEBP", "TIFF", "GIF", "BMP")
_SCAN_END = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]")


def photo(width: int, height: int) -> npt.NDArray[np.uint8]:
    """Light that falls off, and noise: no two rows or columns are equal."""
    across, down = np.meshgrid(np.linspace(0, 1, width), np.linspace(0, 1, height))
    drawn = np.random.default_rng(11).normal(0, 4, (height, width, 3))
    return np.clip(np.stack([220 * across, 200 * down, 120 + 0 * down], axis=2) + drawn, 0, 255).astype(np.uint8)


def encoded(picture: npt.NDArray[Any] | Image.Image, name: str, **options: Any) -> bytes:
    """A file of the format ``name`` by Pillow."""
    file = BytesIO()
    (picture if isinstance(picture, Image.Image) else Image.fromarray(picture)).save(file, name, **options)
    return file.getvalue()


def exif(orientation: int | None = None, software: str | None = None) -> Image.Exif:
    """EXIF with these tags."""
    made = Image.Exif()
    made.update({tag: value for tag, value in ((0x0112, orientation), (0x0131, software)) if value is not None})
    return made


def png_header(width: int, height: int) -> bytes:
    """A PNG that is whole but for its pixels: of them it has one row."""
    parts = [
        (b"IHDR", struct.pack("!IIBBBBB", width, height, 1, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes(1 + (width + 7) // 8))),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack("!I", len(data)) + kind + data + struct.pack("!I", zlib.crc32(kind + data)) for kind, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def scans(jpeg: bytes) -> list[tuple[int, int]]:
    """Begin and end of each scan of a JPEG, from its marker to the next marker."""
    place, found = 2, []
    while (kind := jpeg[place + 1]) != 0xD9:
        end = place + 2 + int.from_bytes(jpeg[place + 2 : place + 4], "big")
        if kind == 0xDA:
            marker = _SCAN_END.search(jpeg, end)
            assert marker is not None
            end = marker.start()
            found.append((place, end))
        place = end
    return found


def slow_jpeg(repeats: int) -> bytes:
    """24 MP in a small file: a scan of 42 bytes that stands for all blocks, again and again; 2 ms of a processor each
    (measured for 1000 in 2.2 s)."""
    flat = np.full((4800, 4992), 128, np.uint8)
    jpeg = cv2.imencode(".jpg", flat, [cv2.IMWRITE_JPEG_PROGRESSIVE, 1])[1].tobytes()
    begin, end = scans(jpeg)[1]
    return jpeg[:end] + jpeg[begin:end] * repeats + jpeg[end:]


def mutated(file: bytes, seed: int) -> bytes:
    """The file with one to six changes: bytes drawn anew, a cut, a run of zeros, a piece twice."""
    drawn = np.random.default_rng(seed)
    data = bytearray(file)
    for _ in range(int(drawn.integers(1, 7))):
        place = int(drawn.integers(len(data)))
        length = int(drawn.integers(1, 40))
        # Most of what a decoder believes stands at the beginning.
        place = place if drawn.random() < 0.4 else place % 128
        change = drawn.choice(["byte", "byte", "byte", "cut", "zero", "twice"])
        if change == "byte":
            data[place] = int(drawn.integers(256))
        elif change == "cut":
            del data[max(16, len(data) - length * 8) :]
        elif change == "zero":
            data[place : place + length] = bytes(len(data[place : place + length]))
        else:
            data[place:place] = data[place : place + length]
    return bytes(data)
