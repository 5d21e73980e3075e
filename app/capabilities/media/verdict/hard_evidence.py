"""What chance does not explain in an authentic image, and what only looks so.

Drawings repeat themselves: the same word, the same icon stands on a screen many times, pixel for pixel. A plain
gradient without noise, and a pattern that repeats exactly, have zeros on grids that no compression made. None of them
counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from app.capabilities.media.detectors.blocks import blocks_of
from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.messages import MediaProvenance
from app.capabilities.media.verdict.outlines import BlockArea, box_of
from app.capabilities.media.verdict.regions import FoundRegion

LARGEST_LOG10_NFA: Final = -2.0
"""log10 of the number of false alarms below which a foreign grid is evidence."""
MOST_INLIERS: Final = 30
"""Matches of a copy above which it is evidence."""
ONE_SHADE: Final = 0.15
"""Share of the pixels of a place and its surroundings that have one and the same grey level, from which on it is taken
for a drawing. Measured: copies in photographs to 0.09, words and icons on screens, compressed too, from 0.20."""
_AROUND: Final = np.ones((5, 5), np.uint8)
_SMOOTHEST: Final = 6.0
"""Median span of the luma in a block, grey levels, below which a region is a plain gradient. Measured: 8 and more in
pasted regions, 2 in gradients."""
_PERIODIC: Final = 0.9
"""Correlation of a region with itself, moved, from which on it is a pattern. Measured: pasted regions to 0.75,
checks, stripes and gradients from 0.97."""
_NEAREST: Final = 6
"""Shortest move, px: what lies nearer is alike in every image."""
_LARGEST: Final = 512
_SMOOTH: Final = 2.0


@dataclass(frozen=True)
class HardEvidence:
    """``reasons``: sentences of what counts; ``doubts``: of what would count and does not, and why, by region."""

    reasons: tuple[str, ...]
    doubts: dict[str, str]


def hard_evidence(
    regions: Sequence[FoundRegion], image: DecodedImage, provenance: MediaProvenance | None
) -> HardEvidence:
    """Judges grids, copies and the hash that content credentials are bound to."""
    reasons: list[str] = []
    doubts: dict[str, str] = {}
    for region in regions:
        if region.grid is not None and region.grid.log10_nfa < LARGEST_LOG10_NFA:
            if is_gradient(image, region.area):
                doubts[region.id] = "The place is a plain gradient, which looks like any grid: it does not count alone."
            elif is_periodic(image, region.area):
                doubts[region.id] = (
                    "The place is a repeating pattern, which may make a grid by itself: it does not count."
                )
            else:
                reasons.append(f"{region.id} has a JPEG grid of its own, {by_chance(region.grid.log10_nfa)}.")
        if region.copy is not None and region.copy.inliers > MOST_INLIERS:
            if is_drawn(image, region.copy.source | region.copy.copy):
                doubts[region.id] = (
                    "The places and their surroundings are drawn, and drawings repeat: it does not count."
                )
            elif region.kind == "copy_target":
                reasons.append(f"{region.id} shows the same as {region.partner}: {region.copy.inliers} details match.")
    if provenance is not None and is_hash_broken(provenance):
        reasons.append("The content credentials are bound to other bytes: the file was changed after it was signed.")
    return HardEvidence(tuple(reasons), doubts)


def is_hash_broken(provenance: MediaProvenance) -> bool:
    """Whether a C2PA manifest's hash of the file does not match (C2PA 2.1, section 15.12)."""
    return provenance.c2pa.state == "invalid" and any("hash.mismatch" in code.lower() for code in provenance.c2pa.codes)


def is_drawn(image: DecodedImage, area: BlockArea) -> bool:
    """Whether so much of the blocks and of the two around them has one grey level that they are taken for a drawing."""
    around = cv2.dilate(area.astype(np.uint8), _AROUND) > 0
    shades = np.bincount(_luma_of(image, around).astype(np.uint8).ravel(), minlength=256)
    return bool(shades.max() >= ONE_SHADE * shades.sum())


def is_gradient(image: DecodedImage, area: BlockArea) -> bool:
    """Whether half of the blocks span less than 6 grey levels."""
    return bool(np.median(np.ptp(_luma_of(image, area), axis=(1, 2))) < _SMOOTHEST)


def is_periodic(image: DecodedImage, area: BlockArea) -> bool:
    """Whether the detail in the box of an area (its middle 512 px at most) looks the same when it is moved by 6 px or
    more, and at most half its size: autocorrelation over the pixels that overlap."""
    left, top, width, height = box_of(area)
    down, across = max(0, (height - _LARGEST) // 2), max(0, (width - _LARGEST) // 2)
    piece = image.luma[top + down : top + height - down, left + across : left + width - across]
    detail = piece - cv2.GaussianBlur(piece, (0, 0), _SMOOTH)
    rows, columns = detail.shape
    size = (2 * rows, 2 * columns)
    power = np.abs(np.fft.rfft2(detail - detail.mean(), s=size)) ** 2
    alike = np.fft.irfft2(power, s=size)
    overlap = np.outer(rows - np.arange(rows), columns - np.arange(columns))
    # Moves up and left repeat those down and right; those down and left lie at the end of the rows.
    right = alike[:rows, :columns] / overlap
    back = alike[:rows, -np.arange(columns)] / overlap
    seen = np.zeros((rows, columns), np.bool_)
    seen[: rows // 2 + 1, : columns // 2 + 1] = True
    seen[:_NEAREST, :_NEAREST] = False
    if right[0, 0] <= 0 or not seen.any():
        return False
    return bool(max(right[seen].max(), back[seen].max()) >= _PERIODIC * right[0, 0])


def by_chance(log10_nfa: float) -> str:
    """What a number of false alarms means, in words."""
    if log10_nfa < 0:
        return f"by chance in 1 of {power_of_ten(-log10_nfa)} images of this size"
    return f"of which chance alone gives {power_of_ten(log10_nfa)} in an image of this size"


def power_of_ten(exponent: float) -> str:
    """10 to the power of ``exponent`` (0 and more), as people read it: 40, 10^6."""
    return f"{10**exponent:.0f}" if exponent < 4 else f"10^{exponent:.0f}"


def _luma_of(image: DecodedImage, area: BlockArea) -> np.ndarray[tuple[int, int, int], np.dtype[np.float32]]:
    """Luma of the blocks of an area, in whole levels: shape (blocks, 8, 8)."""
    tiles = blocks_of(np.rint(image.luma)).transpose(0, 2, 1, 3)
    return np.asarray(tiles[area], np.float32)
