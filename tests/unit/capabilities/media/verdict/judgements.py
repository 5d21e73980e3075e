"""Judgements as an analysis gives them, made by hand."""

from __future__ import annotations

import functools
from collections.abc import Mapping

import numpy as np

from app.capabilities.media.analysis.judgement import ImageJudgement, TraceOutcome
from app.capabilities.media.detectors.copy_move import FoundCopy
from app.capabilities.media.detectors.image import DecodedImage, FloatMap, JpegPast
from app.capabilities.media.detectors.jpeg_grid import GridFinding, GridRegion, TraceMaps
from app.capabilities.media.verdict.findings import DETECTORS

Mask = np.ndarray[tuple[int, int], np.dtype[np.bool_]]
GRID = (40, 50)
INSIDE = slice(8, 16), slice(20, 32)


def place(rows: slice = INSIDE[0], columns: slice = INSIDE[1], grid: tuple[int, int] = GRID) -> Mask:
    """The blocks of a rectangle."""
    mask = np.zeros(grid, np.bool_)
    mask[rows, columns] = True
    return mask


@functools.cache
def _noise() -> np.ndarray[tuple[int, int, int], np.dtype[np.uint8]]:
    drawn = np.random.default_rng(1).normal(128, 40, (648, 648, 3))
    return np.clip(drawn, 3, 252).astype(np.uint8)


def picture(grid: tuple[int, int] = GRID, quantizer: int | None = None) -> DecodedImage:
    """An image of noise, which is neither flat nor drawn nor enlarged; of a JPEG with even quantizers."""
    past = None if quantizer is None else JpegPast(np.full((8, 8), quantizer, np.uint16))
    return DecodedImage(_noise()[: grid[0] * 8 + 3, : grid[1] * 8 + 5].copy(), past)


def outcomes(**p_values: float) -> tuple[TraceOutcome, ...]:
    """An outcome of every detector."""
    return tuple(TraceOutcome(name, None, 0.5, p_value=p_values.get(name)) for name in DETECTORS)


def judgement(
    heatmap: FloatMap | None = None,
    *,
    score: float = 0.2,
    reliable: Mask | None = None,
    layers: Mapping[str, FloatMap] | None = None,
    traces: tuple[TraceOutcome, ...] | None = None,
    foreign: tuple[GridRegion, ...] = (),
    main: tuple[int, int] | None = (0, 0),
    copies: tuple[FoundCopy, ...] = (),
    after_life: str = "jpeg",
) -> ImageJudgement:
    """A judgement that finds nothing, but for what is said."""
    cold = np.zeros(GRID, np.float32) if heatmap is None else heatmap
    no_counts = np.zeros((*cold.shape, 64), np.uint8)
    return ImageJudgement(
        heatmap=cold,
        threshold=0.45,
        reliable=np.ones(cold.shape, np.bool_) if reliable is None else reliable,
        score=score,
        layers=layers or {},
        traces=outcomes() if traces is None else traces,
        grid=GridFinding(main, -500.0, foreign, no_counts, TraceMaps({}, {})),
        copies=copies,
        after_life=after_life,
        globals={"noise_deviation": 2.5, "ghost_quality": 85.0, "dq_modes": 7.0},
        timings_ms={"noise": 1.5},
    )


def copied(inliers: int) -> FoundCopy:
    """A copy, moved 160 px to the right."""
    source, target = place(slice(20, 30), slice(4, 14)), place(slice(20, 30), slice(24, 34))
    return FoundCopy(np.array([[1.0, 0.0, 160.0], [0.0, 1.0, 0.0]]), inliers, source, target)
