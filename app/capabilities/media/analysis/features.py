"""What the network reads of a measured image: five groups of numbers for each 8 px block. Training and product make
them here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.media.analysis.measure import Measured
from app.capabilities.media.detectors.blocks import CLIP, robust_score
from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.detectors.jpeg_grid import PHASES, mirrored_phases, phase_volume
from app.capabilities.media.detectors.quantization import BINS, MODES, one_hot
from app.capabilities.media.detectors.splicebuster import CLASSES

SCORED: Final[tuple[tuple[str, str], ...]] = (
    ("ela", "ela_70"),
    ("ela", "ela_85"),
    ("ela", "ela_95"),
    ("noise", "noise"),
    ("sharpness", "sharpness_a"),
    ("sharpness", "sharpness_b"),
    ("ghost", "ghost_foreign"),
    ("ghost", "ghost_missing"),
    ("ghost", "ghost_ratio"),
    ("splicebuster", "splicebuster"),
    ("blocking", "blocking"),
    ("blocking", "blocking_grid"),
    ("quantization", "dq"),
    ("cfa", "cfa"),
    ("cfa", "resampling"),
    ("jpeg_grid", "grid_main"),
    ("jpeg_grid", "grid_missing"),
    ("jpeg_grid", "grid_foreign"),
)
"""Detector and map of the channels that hold robust scores."""
RAW: Final[tuple[tuple[str, str, float], ...]] = (
    ("jpeg_grid", "grid_main", 0.5),
    ("jpeg_grid", "grid_missing", 0.5),
    ("jpeg_grid", "grid_foreign", 0.5),
    ("quantization", "dq", 20.0),
    ("splicebuster", "splicebuster", 3.0),
    ("ghost", "ghost_foreign", 8.0),
    ("ghost", "ghost_missing", 8.0),
    ("blocking", "blocking", 3.0),
    ("cfa", "resampling", 4.0),
)
"""Detector, map and unit of the channels that hold bounded or counted values as they are, clipped to +-2 units."""
_NUMBERS: Final[tuple[tuple[str, str, float], ...]] = (
    ("jpeg_grid", "grid_share", 0.5),
    ("ghost", "ghost_quality", 100.0),
    ("ghost", "ghost_dip", 1.0),
    ("ghost", "ghost_ratio_level", 3.0),
    ("quantization", "dq_modes", 12.0),
    ("ela", "ela_70_level", 2.0),
    ("ela", "ela_85_level", 2.0),
    ("ela", "ela_95_level", 2.0),
    ("sharpness", "sharpness_a_level", 4.0),
    ("sharpness", "sharpness_b_level", 4.0),
    ("blocking", "blocking_contrast", 0.2),
    ("cfa", "cfa_ratio", 2.0),
    ("cfa", "resampling_line", 4.0),
)
_LOG_NUMBERS: Final[tuple[tuple[str, str, float], ...]] = (
    ("jpeg_grid", "grid_log10_nfa", -4.0),
    ("jpeg_grid", "grid_foreign_log10_nfa", -2.0),
    ("quantization", "dq_gain", 0.5),
    ("noise", "noise_deviation", 1.0),
)
_SCENE: Final = 4
"""Channels for texture, light, telling blocks and copies."""
CHANNELS: Final[Mapping[str, int]] = {
    "maps": len(SCORED) + len(RAW) + _SCENE,
    "phases": PHASES,
    "histograms": 2 * CLASSES,
    "modes": len(MODES) * BINS,
    "numbers": len(_NUMBERS) + len(_LOG_NUMBERS) + 4,
}
"""The network's inputs by name, with their last dimension: five groups."""
KEPT: Final = "kept"
"""The network's input beside those: for each group, in the order of ``CHANNELS``, 1 where it is read and 0 where it is
not."""


@dataclass(frozen=True)
class BlockInputs:
    """The features of one image or tile of (rows, columns) blocks, small enough to be kept.

    ``maps``: shape (rows, columns, 31), about -2 to 2. ``counts``: ``jpeg_grid.zero_counts``. ``histograms``: shape
    (rows, columns, 50), Splicebuster's less the median over the image. ``bins``: ``quantization.mode_bins``.
    ``numbers``: of the whole image, shape (21,).
    """

    maps: FloatMap
    counts: npt.NDArray[np.uint8]
    histograms: FloatMap
    bins: npt.NDArray[np.uint8]
    numbers: FloatMap


def block_inputs(measured: Measured) -> BlockInputs:
    """The features of what was measured. A detector that is not applicable leaves its channels zero."""
    empty = np.zeros_like(measured.texture)
    traces = measured.traces
    copied = np.zeros(empty.shape, np.bool_)
    for copy in measured.copies:
        copied |= copy.source | copy.copy
    maps = [robust_score(traces[detector].maps.get(name, empty)) * (2 / CLIP) for detector, name in SCORED]
    maps += [np.clip(traces[detector].maps.get(name, empty) / unit, -2, 2) for detector, name, unit in RAW]
    maps += [measured.texture / 4, measured.light, measured.telling.astype(np.float32), copied.astype(np.float32)]
    histograms = measured.histograms - np.median(measured.histograms, axis=(0, 1))
    return BlockInputs(
        maps=np.stack(maps, axis=2).astype(np.float32),
        counts=measured.grid.counts,
        histograms=np.clip(histograms * 12, -4, 4).astype(np.float32),
        bins=measured.bins,
        numbers=_numbers(measured),
    )


def mirrored_inputs(inputs: BlockInputs, axis: int) -> BlockInputs:
    """The features of the mirrored image of whole blocks, upside down (``axis`` 0) or left to right (1)."""
    return BlockInputs(
        np.flip(inputs.maps, axis),
        mirrored_phases(inputs.counts, axis),
        np.flip(inputs.histograms, axis),
        np.flip(inputs.bins, axis),
        inputs.numbers,
    )


def network_arrays(inputs: BlockInputs) -> dict[str, FloatMap]:
    """The arrays that the network takes, by the names of ``CHANNELS``: float32, shape (rows, columns, channels), and
    ``numbers`` of shape (channels,)."""
    return {
        "maps": inputs.maps,
        "phases": phase_volume(inputs.counts),
        "histograms": inputs.histograms,
        "modes": one_hot(inputs.bins),
        "numbers": inputs.numbers,
    }


def _numbers(measured: Measured) -> FloatMap:
    """The numbers of the whole image, each scaled to about 1 and clipped to +-3."""
    numbers = [measured.traces[detector].globals.get(name, 0.0) / unit for detector, name, unit in _NUMBERS]
    numbers += [
        math.log1p(max(0.0, measured.traces[detector].globals.get(name, 0.0) / unit)) / 2
        for detector, name, unit in _LOG_NUMBERS
    ]
    quantizers = measured.luma_quantizers
    numbers += [
        float(quantizers is not None),
        0.0 if quantizers is None else math.log(float(quantizers.mean())) / 4,
        math.log1p(max((copy.inliers for copy in measured.copies), default=0)) / 4,
        float(measured.grid.main is not None and measured.grid.main != (0, 0)),
    ]
    return np.clip(np.array(numbers, np.float32), -3, 3)
