"""Outlines of blocks in pixels: boxes, and polygons of few corners."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import BLOCK
from app.capabilities.media.messages import MOST_CORNERS

_COARSER: Final = 1.5
_FIRST: Final = 0.5
"""First tolerance of the outline, in half blocks: it takes away what lies on a straight line alone."""

BlockArea = npt.NDArray[np.bool_]


def box_of(area: BlockArea) -> list[int]:
    """x, y, width, height in px of at least one block."""
    rows, columns = np.flatnonzero(area.any(axis=1)), np.flatnonzero(area.any(axis=0))
    top, left = int(rows[0]), int(columns[0])
    return [side * BLOCK for side in (left, top, int(columns[-1]) + 1 - left, int(rows[-1]) + 1 - top)]


def polygon_of(area: BlockArea) -> list[list[int]]:
    """The corners of the outline in px, 3 to 24, without holes: of blocks that do not hang together the convex hull,
    and so where an outline of so few corners would cross itself."""
    # Each block is two pixels wide here, so that a contour, which runs through pixels, has all four corners of a block.
    doubled = area.astype(np.uint8).repeat(2, axis=0).repeat(2, axis=1)
    found = cv2.findContours(doubled, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_SIMPLE)[0]
    contours = [np.asarray(contour, np.int32) for contour in found]
    if len(contours) == 1:
        outline = _simplify(contours[0])
        if not _crosses_itself(outline):
            return outline
    return _simplify(np.asarray(cv2.convexHull(np.concatenate(contours)), np.int32))


def _simplify(contour: npt.NDArray[np.int32]) -> list[list[int]]:
    """Corners of a contour of half blocks, px, by Douglas and Peucker (1973), as coarse as the number of corners
    demands."""
    tolerance = _FIRST
    while True:
        corners = cv2.approxPolyDP(contour, tolerance, closed=True)[:, 0]
        if len(corners) <= MOST_CORNERS:
            break
        tolerance *= _COARSER
    if len(corners) < 3:
        left, top, width, height = cv2.boundingRect(contour)
        right, bottom = left + width - 1, top + height - 1
        corners = np.array([[left, top], [right, top], [right, bottom], [left, bottom]])
    outline: list[list[int]] = ((corners + 1) // 2 * BLOCK).tolist()
    return outline


def _crosses_itself(outline: list[list[int]]) -> bool:
    """Whether two sides of a closed outline cross; that they touch is none."""
    corners = np.array(outline, np.int64)
    sides = list(zip(corners, np.roll(corners, -1, axis=0), strict=True))
    return any(
        _side(*one, other[0]) * _side(*one, other[1]) < 0 and _side(*other, one[0]) * _side(*other, one[1]) < 0
        for number, one in enumerate(sides)
        for other in sides[number + 2 :]
    )


def _side(start: npt.NDArray[np.int64], end: npt.NDArray[np.int64], place: npt.NDArray[np.int64]) -> int:
    """On which side of a line a place lies: -1, 0, 1."""
    along, off = end - start, place - start
    return int(np.sign(along[0] * off[1] - along[1] * off[0]))
