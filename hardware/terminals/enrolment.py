"""Several samples of one palm become one row of the gallery."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from hardware.terminals.rotation import Templates, quantised, unit

LEAST_COSINE: Final = 0.35
"""A sample whose best view is less like the first one's unshifted view is not added: ask for it again."""


@dataclass(frozen=True, slots=True, eq=False)
class Enrolled:
    """`row`: int8 (512,). `quality`: 0..100, 100 times the lowest cosine of a sample that was added; 100 for one sample
    alone. `discarded`: positions of the samples that were not."""

    row: Templates = field(repr=False)
    quality: int
    discarded: tuple[int, ...]


def enrol(samples: Sequence[Templates]) -> Enrolled:
    """One row of `samples`, int8 (views, 512) each with the unshifted view first.

    Samples 2.. are aligned to the first by the view of theirs that is most like its unshifted one. A rotation keeps
    angles, so this needs no key and works on what terminals send. ValueError if there is none or one is all zero.
    """
    if len(samples) == 0:
        raise ValueError("an enrolment has at least one sample")
    first = unit(samples[0][0])
    total = samples[0][0].astype(np.float64)
    lowest = 1.0
    discarded = []
    for position, views in enumerate(samples[1:], start=1):
        directions = unit(views)
        cosines = directions @ first
        directions.fill(0)
        best = int(np.argmax(cosines))
        if cosines[best] < LEAST_COSINE:
            discarded.append(position)
            continue
        aligned = views[best].astype(np.float64)  # to add int8 itself would cast through a buffer that nobody clears
        total += aligned
        aligned.fill(0)
        lowest = min(lowest, float(cosines[best]))
    direction = unit(total)
    row = quantised(direction)
    for scratch in (first, total, direction):
        scratch.fill(0)
    return Enrolled(row, int(100 * lowest), tuple(discarded))
