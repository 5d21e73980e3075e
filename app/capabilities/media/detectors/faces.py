"""Faces, upright and seen from the front: Haar features in a boosted cascade (Viola and Jones, "Rapid object detection
using a boosted cascade of simple features", CVPR 2001; this cascade: Lienhart, Kuranov, Pisarevsky, DAGM 2003).

The cascade is OpenCV's ``haarcascade_frontalface_alt2.xml`` (Intel License Agreement for Open Source Computer Vision
Library, Copyright (C) 2000 Intel Corporation), as its wheel has it; its notice stands in the file, which must be kept
whole wherever it is handed on. Textures are taken for faces, too, and faces from the side, turned or covered are not
found: a face is a place to look at, never evidence.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import DecodedImage

MOST_SEARCHED: Final = 1_000_000
"""Larger images are scaled down to this many pixels for the search alone."""
SMALLEST: Final = 40
"""Shortest side of a face, px of the searched image."""
MOST_FACES: Final = 16
"""Largest faces that are given."""
_SCALE: Final = 1.1
_NEIGHBOURS: Final = 6
"""Boxes that must agree. Three, OpenCV's own, took twice as many textures for faces."""
_TURNS: Final = {3: 2, 6: 3, 8: 1}
"""Quarter turns to the left that put an image of this EXIF orientation upright."""

FaceBox = tuple[int, int, int, int]
"""x, y, width, height, px of the image as it is stored."""


class FaceFinder:
    """The cascade, loaded. Opens no file afterwards."""

    def __init__(self) -> None:
        """Reads the cascade of OpenCV's wheel. ``OSError`` where it is missing, ``ValueError`` if it cannot be read."""
        file = Path(cv2.__file__).parent / "data" / "haarcascade_frontalface_alt2.xml"
        stored = cv2.FileStorage(file.read_text("utf-8"), cv2.FILE_STORAGE_READ | cv2.FILE_STORAGE_MEMORY)
        self._cascade = cv2.CascadeClassifier()
        if not self._cascade.read(stored.getFirstTopLevelNode()):
            raise ValueError(f"{file} is no cascade")

    def find(self, image: DecodedImage, orientation: int | None = None) -> tuple[FaceBox, ...]:
        """The faces of an image, the largest first, at most 16. ``orientation``: EXIF 0x0112, by which the image is
        turned for the search; mirrored ones (2, 4, 5, 7) are searched as they are stored."""
        turns = _TURNS.get(orientation or 1, 0)
        grey = np.ascontiguousarray(np.rot90(np.rint(image.luma).astype(np.uint8), turns))
        shrunk = min(1.0, (MOST_SEARCHED / grey.size) ** 0.5)
        small = cv2.resize(grey, None, fx=shrunk, fy=shrunk, interpolation=cv2.INTER_AREA) if shrunk < 1 else grey
        found = self._cascade.detectMultiScale(
            small, scaleFactor=_SCALE, minNeighbors=_NEIGHBOURS, minSize=(SMALLEST, SMALLEST)
        )
        faces = np.asarray(found, np.float64).reshape(-1, 4) / shrunk
        faces = faces[np.argsort(-faces[:, 2] * faces[:, 3], kind="stable")][:MOST_FACES]
        height, width = grey.shape
        return tuple(_turn_back(_inside(face, width, height), width, height, turns) for face in faces)


def _inside(face: npt.NDArray[np.float64], width: int, height: int) -> FaceBox:
    """A box in whole px, within the image."""
    left, top, right, bottom = np.rint([face[0], face[1], face[0] + face[2], face[1] + face[3]]).astype(int).tolist()
    left, top = max(0, left), max(0, top)
    return left, top, min(width, right) - left, min(height, bottom) - top


def _turn_back(box: FaceBox, width: int, height: int, turns: int) -> FaceBox:
    """A box of an image of ``width`` by ``height`` that was turned to the left ``turns`` times, in the image before."""
    left, top, across, down = box
    for _ in range(turns):
        left, top, across, down = height - top - down, left, down, across
        width, height = height, width
    return left, top, across, down
