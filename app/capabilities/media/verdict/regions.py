"""The places that differ: connected blocks of the heatmap, regions with a grid of their own, copies and sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np

from app.capabilities.media.analysis.judgement import ImageJudgement
from app.capabilities.media.detectors.copy_move import FoundCopy
from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.detectors.jpeg_grid import GridRegion
from app.capabilities.media.messages import MOST_REGIONS, RegionKind
from app.capabilities.media.verdict.outlines import BlockArea

FEWEST_BLOCKS: Final = 4
"""Fewest blocks of a region of the heatmap; a smaller one is a speck."""
MOST_GRIDS: Final = 8
BACKING_SHARE: Final = 0.75
"""A detector backs a region if a block of it stands out more than one elsewhere in so many of all pairs of both."""
_BACKING_STEP: Final = 0.05
"""And if the medians of its layer differ by as much."""
_JOINED: Final = np.ones((3, 3), np.uint8)


@dataclass(frozen=True)
class FoundRegion:
    """A place that differs. ``area``: its blocks, shape ``DecodedImage.grid``; ``score``: 0 to 1; ``backing``: by
    detector, strongest first, in which share of all pairs of a block inside and one outside that inside stands out
    more; ``partner``: of a copy the number of the other place in the list."""

    id: str
    kind: RegionKind
    area: BlockArea
    score: float
    backing: Mapping[str, float] = field(default_factory=dict)
    grid: GridRegion | None = None
    copy: FoundCopy | None = None
    partner: str | None = None


def find_regions(judgement: ImageJudgement) -> tuple[tuple[FoundRegion, ...], int]:
    """The regions, copies before grids before places of the heatmap, each kind with the surest first, at most 32; and
    how many more there are."""
    places: list[tuple[RegionKind, BlockArea, float, GridRegion | None, FoundCopy | None]] = []
    # A copy needs both of its places.
    copies = sorted((one for one in judgement.copies if one.source.any() and one.copy.any()), key=_fewer_inliers)
    for one in copies[: MOST_REGIONS // 4]:
        places += (("copy_source", one.source, 1.0, None, one), ("copy_target", one.copy, 1.0, None, one))
    grids = [one for one in (judgement.grid.regions if judgement.grid is not None else ()) if one.mask.any()]
    places += (("foreign_grid", grid.mask, 1.0, grid, None) for grid in grids[:MOST_GRIDS])
    warm = warm_places(judgement.heatmap, judgement.threshold)
    left = MOST_REGIONS - len(places)
    places += (("anomaly", area, score, None, None) for area, score in warm[:left])
    surplus = 2 * max(0, len(copies) - MOST_REGIONS // 4) + max(0, len(grids) - MOST_GRIDS) + max(0, len(warm) - left)
    backings = _backings([place[1] for place in places], judgement)
    found = []
    for number, ((kind, area, score, grid, copy), backing) in enumerate(zip(places, backings, strict=True), 1):
        partner = {"copy_source": f"r{number + 1}", "copy_target": f"r{number - 1}"}.get(kind)
        found.append(FoundRegion(f"r{number}", kind, area, score, backing, grid, copy, partner))
    return tuple(found), surplus


def warm_places(heatmap: FloatMap, threshold: float) -> list[tuple[BlockArea, float]]:
    """Connected blocks from ``threshold`` on, gaps of up to two closed, of ``FEWEST_BLOCKS`` or more, with the mean of
    the map inside; those with the largest sum of what lies above the threshold first."""
    warm = (heatmap >= threshold).astype(np.uint8)
    closed = cv2.morphologyEx(warm, cv2.MORPH_CLOSE, _JOINED)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(closed, connectivity=4)
    cells = labels.ravel()
    sums = np.bincount(cells, heatmap.ravel().astype(np.float64), count)
    above = np.bincount(cells, np.maximum(heatmap.ravel() - threshold, 0).astype(np.float64), count)
    sizes = stats[:, cv2.CC_STAT_AREA]
    order = sorted(range(1, count), key=lambda label: (-above[label], label))
    large = [label for label in order if sizes[label] >= FEWEST_BLOCKS]
    return [(labels == label, float(sums[label] / sizes[label])) for label in large]


def superiority(inside: FloatMap, outside: FloatMap) -> float:
    """In which share of all pairs a value of ``inside`` is larger than one of ``outside`` (sorted, not empty); ties
    count half (Mann and Whitney 1947)."""
    below = np.searchsorted(outside, inside, "left") + np.searchsorted(outside, inside, "right")
    return float(below.mean() / (2 * len(outside)))


def _fewer_inliers(copy: FoundCopy) -> int:
    return -copy.inliers


def _backings(areas: Sequence[BlockArea], judgement: ImageJudgement) -> list[dict[str, float]]:
    """Of each area the detectors whose layer stands out in it, against the reliable blocks of no area."""
    backings: list[dict[str, float]] = [{} for _ in areas]
    if not areas:
        return backings
    outside = judgement.reliable & ~np.logical_or.reduce(areas)
    for name, layer in judgement.layers.items():
        rest = np.sort(layer[outside])
        for area, backing in zip(areas, backings, strict=True):
            inside = layer[area & judgement.reliable]
            if not len(rest) or not len(inside) or np.median(inside) - np.median(rest) < _BACKING_STEP:
                continue
            share = superiority(inside, rest)
            if share >= BACKING_SHARE:
                backing[name] = share
    return [dict(sorted(backing.items(), key=lambda item: -item[1])) for backing in backings]
