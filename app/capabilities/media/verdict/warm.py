"""One report before a worker is locked: numpy and Pillow import some of what they need at its first use."""

from __future__ import annotations

from typing import Final

import numpy as np

from app.capabilities.media.analysis.judgement import ImageJudgement, TraceOutcome
from app.capabilities.media.calibration import Calibration
from app.capabilities.media.detectors.copy_move import FoundCopy
from app.capabilities.media.detectors.image import BLOCK, DecodedImage, JpegPast, TraceMaps
from app.capabilities.media.detectors.jpeg_grid import GridFinding, GridRegion
from app.capabilities.media.messages import C2paState, ExifState, MediaProvenance
from app.capabilities.media.verdict.findings import DETECTORS
from app.capabilities.media.verdict.report import scan_report

_SIDE: Final = 32
"""Blocks a side."""


def warm_report() -> None:
    """Makes a report that goes every way: regions of each kind, whole-image limits, a calibration, pictures."""
    light = np.linspace(0, 255, _SIDE * BLOCK).astype(np.uint8)
    image = DecodedImage(np.dstack([np.add.outer(light // 2, light // 2)] * 3), JpegPast(np.full((8, 8), 9, np.uint16)))
    places = [np.zeros(image.grid, np.bool_) for _ in range(4)]
    for number, place in enumerate(places):
        place[8 * number : 8 * number + 4, 4:12] = True
    heatmap = places[0].astype(np.float32)
    judgement = ImageJudgement(
        heatmap=heatmap,
        threshold=0.5,
        reliable=np.ones(image.grid, np.bool_),
        score=0.5,
        layers={"noise": heatmap, "sharpness": heatmap},
        traces=tuple(TraceOutcome(name, None, 0.5, p_value=0.5) for name in DETECTORS),
        grid=GridFinding(
            (0, 0),
            -9.0,
            (GridRegion(places[1], (3, 5), -9.0),),
            np.zeros((*image.grid, 64), np.uint8),
            TraceMaps({}, {}),
        ),
        copies=(FoundCopy(np.eye(2, 3), 40, places[2], places[3]),),
        after_life="resized",
        globals={},
        timings_ms={},
    )
    provenance = MediaProvenance(c2pa=C2paState(state="none"), exif=ExifState())
    scan_report(judgement, image, provenance, Calibration({"resized": [0.1, 0.9]}))
