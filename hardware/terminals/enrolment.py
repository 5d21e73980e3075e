"""Several samples of one palm become one row of the gallery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hardware.terminals.projection import Templates, quantise, unit

LEAST_COSINE: Final = 0.35
"""Least cosine of a sample's best view to the reference's unshifted view; a sample below it is not added."""
COPY_COSINE: Final = 0.995
"""From here on two samples are copies of one: shots of one hand were at most 0.983 alike."""
LEAST_ROUGHNESS: Final = 0.01
"""Squared steps from value to value over squared values: 2 where the values do not depend on their places, 0 for a
constant, 6e-6 for a slope over 512 values."""


class FaultySample(ValueError):
    """Nothing is made of the sample at ``position``."""

    def __init__(self, position: int, fault: str) -> None:
        super().__init__(fault)
        self.position = position


def check_vector(values: NDArray[np.floating[Any]] | Templates) -> None:
    """ValueError if one of the vectors (k, 512) is a constant or a mere slope: no person's features are."""
    directions = unit(values)
    steps = np.diff(directions, axis=1)
    roughness = np.einsum("ij,ij->i", steps, steps)
    directions.fill(0)
    steps.fill(0)
    if (roughness < LEAST_ROUGHNESS).any():
        raise ValueError("its values are all alike, or rise and fall as one slope: they are of no person")


@dataclass(frozen=True, slots=True, eq=False)
class Enrolled:
    """The result of an enrolment.

    `row`: int8 (512,). `quality`: 0..100, 100 times the lowest cosine of a sample that was added; 100 for one sample
    alone. `discarded`: positions of the samples that were not added. `reference`: position of the sample to which the
    others were aligned.
    """

    row: Templates = field(repr=False)
    quality: int
    discarded: tuple[int, ...]
    reference: int


def enrol(samples: Sequence[Templates]) -> Enrolled:
    """One row of `samples`, int8 (views, 512) each with the unshifted view first.

    Each sample is aligned to a reference: of its views the one most like the reference's unshifted view is added. The
    reference is the first of the samples that the most others resemble, so one bad picture does not spoil those after
    it. A projection keeps angles, so this needs no key and works on what terminals send. ValueError if there is no
    sample, or one is all zero; `FaultySample` for one of which a view is a copy of an earlier sample: the same picture
    again says nothing more about a person.
    """
    if len(samples) == 0:
        raise ValueError("an enrolment has at least one sample")
    directions = [unit(views) for views in samples]
    cosines = [[views @ reference[0] for views in directions] for reference in directions]
    alike = [sum(float(one.max()) >= LEAST_COSINE for one in row) for row in cosines]
    reference = alike.index(max(alike))
    for scratch in directions:
        scratch.fill(0)
    for position in range(1, len(samples)):
        for earlier in range(position):
            if max(cosines[earlier][position].max(), cosines[position][earlier].max()) >= COPY_COSINE:
                raise FaultySample(position, f"it is a copy of sample {earlier + 1}, take it anew")
    total = np.zeros(samples[reference].shape[1])
    lowest = 1.0
    discarded = []
    for position, (views, likeness) in enumerate(zip(samples, cosines[reference], strict=True)):
        best = 0 if position == reference else int(np.argmax(likeness))
        if likeness[best] < LEAST_COSINE:
            discarded.append(position)
            continue
        aligned = views[best].astype(np.float64)  # adding int8 itself would cast through a buffer that is never cleared
        total += aligned
        aligned.fill(0)
        if position != reference:
            lowest = min(lowest, float(likeness[best]))
    direction = unit(total)
    row = quantise(direction)
    for scratch in (total, direction):
        scratch.fill(0)
    return Enrolled(row, int(100 * lowest), tuple(discarded), reference)
