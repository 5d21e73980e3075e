"""Crops of kept examples: what one step of training sees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.media.analysis.features import BlockInputs, mirrored_inputs, network_arrays
from app.capabilities.media.detectors.image import FloatMap
from media_model.examples import Example
from media_model.lives import AFTER_SHARES

CROP: Final = (44, 56)
"""Rows and columns of a crop, blocks."""
AFTER_LIVES: Final = tuple(sorted(AFTER_SHARES))
"""The kinds of life after the change, in the order of the network's guess."""


@dataclass(frozen=True)
class Crop:
    """``arrays``: the network's inputs, ``labels``: shape ``CROP``, 1, 0 or -1 where a block does not count;
    ``edited``: is a block of the crop edited; ``after``: its number in ``AFTER_LIVES``."""

    arrays: dict[str, FloatMap]
    labels: npt.NDArray[np.int8]
    edited: bool
    after: int


def mirrored(example: Example, axis: int) -> Example:
    """The example of the mirrored image of whole blocks, upside down (``axis`` 0) or left to right (1)."""
    return Example(
        mirrored_inputs(example.inputs, axis),
        np.flip(example.labels, axis),
        example.kind,
        example.after,
        example.source,
    )


def draw_crop(example: Example, generator: np.random.Generator) -> Crop:
    """A crop at a drawn place, mirrored in half of the draws each way. An example that is smaller is mirrored at its
    border; blocks beyond it do not count."""
    for axis in (0, 1):
        if generator.random() < 0.5:
            example = mirrored(example, axis)
    rows, columns = example.labels.shape
    top, left = (
        int(generator.integers(max(0, have - wanted) + 1)) for have, wanted in zip((rows, columns), CROP, strict=True)
    )
    window = np.s_[top : top + CROP[0], left : left + CROP[1]]
    inputs = example.inputs
    labels = np.full(CROP, -1, np.int8)
    inside = example.labels[window]
    labels[: inside.shape[0], : inside.shape[1]] = inside
    cut = BlockInputs(
        _filled(inputs.maps[window]),
        _filled(inputs.counts[window]),
        _filled(inputs.histograms[window]),
        _filled(inputs.bins[window]),
        inputs.numbers,
    )
    return Crop(network_arrays(cut), labels, bool((labels == 1).any()), AFTER_LIVES.index(example.after))


def _filled(part: npt.NDArray[np.generic]) -> npt.NDArray[np.generic]:
    missing = [(0, wanted - have) for have, wanted in zip(part.shape[:2], CROP, strict=True)]
    return np.pad(part, [*missing, (0, 0)], "symmetric") if any(after for _, after in missing) else part
