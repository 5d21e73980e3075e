"""Photographs of the user that training images are made of."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from media_model.draws import Rgb

LEAST: Final = (740, 560)
"""Least width and height of a photograph, px."""
LONGEST: Final = 2000
"""Longer side to which larger photographs are scaled down, px."""
SUFFIXES: Final = frozenset({".jpg", ".jpeg", ".png", ".webp", ".tif", ".tiff", ".bmp"})


@dataclass(frozen=True)
class Photo:
    """A photograph: its file's name in the folder, with its folders, the SHA-256 of the file in hex, and its pixels,
    upright as EXIF says."""

    name: str
    sha256: str
    rgb: Rgb


@dataclass(frozen=True)
class Album:
    """The photographs of a folder in the order of their names, and for each refused file the reason."""

    photos: tuple[Photo, ...]
    refused: Mapping[str, str]


def load(folder: Path, excluded: Collection[str]) -> Album:
    """The photographs below a folder. Refused are pictures under ``LEAST``, those whose SHA-256 (hex) is in
    ``excluded`` (pictures that others are measured with must not be trained on), a file that is there twice, and what
    is no picture; files of other suffixes are passed over. NotADirectoryError where there is no such folder."""
    if not folder.is_dir():
        raise NotADirectoryError(folder)
    shut = {digest.lower() for digest in excluded}
    photos: list[Photo] = []
    refused: dict[str, str] = {}
    for path in sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES and path.is_file()):
        name, file = path.relative_to(folder).as_posix(), path.read_bytes()
        digest = sha256(file).hexdigest()
        if digest in shut:
            refused[name] = "on the list of excluded pictures"
        elif any(photo.sha256 == digest for photo in photos):
            refused[name] = "the same file as another"
        elif (rgb := _pixels(file)) is None:
            refused[name] = "no picture that can be read"
        elif rgb.shape[1] < LEAST[0] or rgb.shape[0] < LEAST[1]:
            refused[name] = f"{rgb.shape[1]} x {rgb.shape[0]} px, under {LEAST[0]} x {LEAST[1]}"
        else:
            photos.append(Photo(name, digest, _shrunk(rgb)))
    return Album(tuple(photos), refused)


def _pixels(file: bytes) -> Rgb | None:
    if not file:
        return None
    try:
        pixels = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR_RGB)
    except cv2.error:  # sizes that the decoder refuses
        return None
    return None if pixels is None else np.asarray(pixels, np.uint8)


def _shrunk(rgb: Rgb) -> Rgb:
    """At most ``LONGEST`` px, but never under ``LEAST``: a panorama keeps its height."""
    height, width = rgb.shape[:2]
    factor = max(LONGEST / max(height, width), LEAST[0] / width, LEAST[1] / height)
    if factor >= 1:
        return rgb
    size = max(LEAST[0], round(width * factor)), max(LEAST[1], round(height * factor))
    return np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
