"""How a face differs from what is around it: where a face was swapped, its noise and sharpness are another's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from app.capabilities.media.analysis.judgement import ImageJudgement
from app.capabilities.media.detectors.blocks import CLIP
from app.capabilities.media.detectors.faces import FaceBox
from app.capabilities.media.detectors.image import BLOCK, FloatMap
from app.capabilities.media.messages import MOST_FACES, FaceMeasures, ScanFace
from app.capabilities.media.verdict.outlines import BlockArea

_RING: Final = 1.6
"""Size of the ring's outer ellipse in those of the face's."""
_FEWEST: Final = 6
"""Reliable blocks that the face and its ring need."""
_FLATTEST: Final = 1e-6


def measure_faces(boxes: Sequence[FaceBox], judgement: ImageJudgement) -> list[ScanFace]:
    """The faces with what sets them apart, in the order of ``boxes`` (px, within the image), at most 32."""
    return [
        ScanFace(
            id=f"f{number}",
            bbox=list(box),
            inside_vs_ring=FaceMeasures(
                **{name: _difference(box, judgement, name) for name in ("noise", "sharpness", "ghost")}
            ),
        )
        for number, box in enumerate(boxes[:MOST_FACES], 1)
    ]


def _difference(box: FaceBox, judgement: ImageJudgement, name: str) -> float | None:
    """Median of a layer in the ellipse of the box less that in the ring, in the layer's robust deviations."""
    layer = judgement.layers.get(name)
    if layer is None:
        return None
    face = _ellipse(box, 1.0, layer)
    inside = face & judgement.reliable
    ring = _ellipse(box, _RING, layer) & ~face & judgement.reliable
    if min(np.count_nonzero(inside), np.count_nonzero(ring)) < _FEWEST:
        return None
    known = layer[judgement.reliable]
    spread = 1.4826 * float(np.median(np.abs(known - np.median(known))))
    step = float(np.median(layer[inside]) - np.median(layer[ring]))
    return float(np.clip(step / max(spread, _FLATTEST), -CLIP, CLIP))


def _ellipse(box: FaceBox, size: float, layer: FloatMap) -> BlockArea:
    """Blocks whose middles lie in the ellipse within a box, ``size`` times as large around the same middle."""
    left, top, width, height = box
    rows, columns = (np.arange(side) * BLOCK + BLOCK / 2 for side in layer.shape)
    down = (rows - (top + height / 2)) / (size * height / 2)
    across = (columns - (left + width / 2)) / (size * width / 2)
    return np.asarray(np.add.outer(down**2, across**2) <= 1, np.bool_)
