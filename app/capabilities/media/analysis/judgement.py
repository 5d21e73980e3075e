"""What the analysis of one image gives to those who put it into words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.copy_move import FoundCopy
from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.detectors.jpeg_grid import GridFinding

THRESHOLD: Final = 0.5
"""Of every heatmap: a block with at least this counts as changed."""


@dataclass(frozen=True)
class TraceOutcome:
    """What one detector says of the whole image.

    ``name``: as in ``ImageJudgement.layers``. ``not_applicable``: in one sentence why it says nothing, None where it
    does; then ``strength`` is the mean of the largest 2 % of its layer, 0 to 1, else 0; of copy-move it is the number
    of inliers of the largest copy in hundreds, at most 1. ``log10_nfa``: log10 of the number of false alarms, of
    detectors that have one. ``p_value``: share of authentic images whose strength is as
    high, in (0, 1], None where no calibration knows the detector.
    """

    name: str
    not_applicable: str | None
    strength: float
    log10_nfa: float | None = None
    p_value: float | None = None


@dataclass(frozen=True)
class ImageJudgement:
    """Where an image was changed, and how sure that is. Every map has the shape of ``DecodedImage.grid``, the image's
    whole 8 px blocks.

    ``heatmap``: 0 to 1, high where a block was changed, scaled so that a block counts as changed from ``threshold``
    (``THRESHOLD``) on.
    ``reliable``: blocks that can say something (neither flat nor saturated). ``score``: of the whole image, 0 to 1,
    to be read by ``app.capabilities.media.calibration`` alone. ``layers``: of each applicable detector how far each
    block stands out, 0 to 1. ``grid``: None below 16 px a side. ``after_life``: the likeliest last life of the file
    (``png``, ``jpeg``, ``twice``, ``filtered`` or ``resized``), which names its calibration set. ``globals``: the
    detectors' numbers of the whole image, by name, and ``tiles``, the number of parts that were judged by themselves.
    ``timings_ms``: wall time by detector, and ``network``.
    """

    heatmap: FloatMap
    threshold: float
    reliable: npt.NDArray[np.bool_]
    score: float
    layers: Mapping[str, FloatMap]
    traces: tuple[TraceOutcome, ...]
    grid: GridFinding | None
    copies: tuple[FoundCopy, ...]
    after_life: str
    globals: Mapping[str, float]
    timings_ms: Mapping[str, float]
