"""One pass of all detectors over an image, or over a part of a large one."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.blocking import blocking_maps
from app.capabilities.media.detectors.blocks import light, texture
from app.capabilities.media.detectors.cfa import cfa_maps
from app.capabilities.media.detectors.copy_move import FoundCopy, copy_moves
from app.capabilities.media.detectors.ela import ela_maps
from app.capabilities.media.detectors.ghost import ghost_maps
from app.capabilities.media.detectors.image import BLOCK, DecodedImage, FloatMap, TraceMaps
from app.capabilities.media.detectors.jpeg_grid import GridFinding, jpeg_grid
from app.capabilities.media.detectors.noise import noise_maps
from app.capabilities.media.detectors.quantization import double_quantization, mode_bins
from app.capabilities.media.detectors.sharpness import sharpness_maps
from app.capabilities.media.detectors.splicebuster import (
    Residual,
    root_histograms,
    splicebuster_maps,
    third_differences,
)
from app.capabilities.media.detectors.telling import BlockMask, telling_blocks

TILE: Final = 2048
"""Longest side of what is measured at once, px: it bounds the memory (measured untiled: 0.9 GiB at 12 MP)."""
OVERLAP: Final = 256
"""Least overlap of two neighbouring tiles, px: as far as the network sees."""
LEAST_SIDE: Final = 64
"""Shortest side of an image that is measured, px: the side of the histograms' window."""
COPIES: Final = "copy_move"
"""Name of the detector that is called on the whole image only."""

Corner = tuple[int, int]
_Kept = TypeVar("_Kept")


@dataclass(frozen=True)
class Measured:
    """What the detectors found in one image or tile, every map of its ``grid``.

    ``traces``: by detector. ``texture``, ``light``: as ``detectors.blocks`` gives them. ``telling``: blocks that are
    neither flat nor saturated. ``histograms``: Splicebuster's, shape (rows, columns, 50). ``bins``: of the quantized
    coefficients, shape (rows, columns, 20). ``luma_quantizers``: shape (8, 8), None where the file is no JPEG.
    ``timings_ms``: wall time by detector, and ``shared`` for what several of them need.
    """

    traces: Mapping[str, TraceMaps]
    texture: FloatMap
    light: FloatMap
    telling: BlockMask
    grid: GridFinding
    histograms: FloatMap
    bins: npt.NDArray[np.uint8]
    copies: tuple[FoundCopy, ...]
    luma_quantizers: npt.NDArray[np.uint16] | None
    timings_ms: Mapping[str, float]


class _Watch:
    """Keeps how long each detector takes."""

    def __init__(self) -> None:
        self.timings_ms: dict[str, float] = {}

    def clock(self, name: str, call: Callable[[], _Kept]) -> _Kept:
        """What ``call`` gives."""
        begun = time.perf_counter()
        given = call()
        self.timings_ms[name] = self.timings_ms.get(name, 0.0) + (time.perf_counter() - begun) * 1000
        return given


def corners(size: tuple[int, int]) -> tuple[Corner, ...]:
    """Upper left pixels of the tiles of an image of ``size`` (height, width), row by row: multiples of 8, evenly
    spread, so that tiles of at most ``TILE`` px cover the whole blocks and overlap by ``OVERLAP`` px or more."""
    downs, rights = (_starts(side) for side in size)
    return tuple((down, right) for down in downs for right in rights)


def tile_of(image: DecodedImage, corner: Corner) -> DecodedImage:
    """The tile at a corner, as an image of its own with the same JPEG past."""
    if image.rgb.shape[0] <= TILE and image.rgb.shape[1] <= TILE:
        return image
    part = image.rgb[corner[0] : corner[0] + TILE, corner[1] : corner[1] + TILE]
    return DecodedImage(np.ascontiguousarray(part), image.jpeg)


def measure(image: DecodedImage, copies: tuple[FoundCopy, ...] | None = None) -> Measured:
    """All detectors on an image of at most ``TILE`` px a side and at least ``LEAST_SIDE``; ValueError else.
    ``copies``: those that the whole image is known to have, on this image's grid; None: they are looked for here."""
    if not LEAST_SIDE <= min(image.rgb.shape[:2]) <= max(image.rgb.shape[:2]) <= TILE:
        raise ValueError(f"{image.rgb.shape[1]} x {image.rgb.shape[0]} px: {LEAST_SIDE} to {TILE} px are measured")
    watch = _Watch()
    texture_map, light_map, telling, differences = watch.clock("shared", lambda: _common(image))
    histograms = watch.clock("splicebuster", lambda: root_histograms(image, differences))
    grid = watch.clock("jpeg_grid", lambda: jpeg_grid(image))
    bins = watch.clock("quantization", lambda: mode_bins(image))
    detectors: dict[str, Callable[[], TraceMaps]] = {
        "ela": lambda: ela_maps(image, texture_map, light_map, telling),
        "noise": lambda: noise_maps(image, texture_map, light_map, telling),
        "sharpness": lambda: sharpness_maps(image, texture_map, light_map, telling),
        "ghost": lambda: ghost_maps(image, texture_map, light_map, telling),
        "splicebuster": lambda: splicebuster_maps(image, histograms),
        "blocking": lambda: blocking_maps(image, differences, texture_map, light_map),
        "quantization": lambda: double_quantization(image),
        "cfa": lambda: cfa_maps(image),
    }
    traces = {name: watch.clock(name, call) for name, call in detectors.items()}
    traces["jpeg_grid"] = grid.traces
    found = watch.clock(COPIES, lambda: copy_moves(image)) if copies is None else copies
    return Measured(
        traces=traces,
        texture=texture_map,
        light=light_map,
        telling=telling,
        grid=grid,
        histograms=histograms,
        bins=bins,
        copies=found,
        luma_quantizers=None if image.jpeg is None else image.jpeg.luma,
        timings_ms=watch.timings_ms,
    )


def _common(image: DecodedImage) -> tuple[FloatMap, FloatMap, BlockMask, tuple[Residual, Residual]]:
    return texture(image), light(image), telling_blocks(image), third_differences(image)


def _starts(side: int) -> tuple[int, ...]:
    """Where the tiles of one side begin."""
    whole = side // BLOCK * BLOCK
    if side <= TILE:
        return (0,)
    count = -(-(whole - OVERLAP) // (TILE - OVERLAP))
    return tuple(round(number * (whole - TILE) / (count - 1) / BLOCK) * BLOCK for number in range(count))
