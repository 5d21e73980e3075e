"""A worker's process that locks itself and then makes a report: ``python -m tests.security.verdict_child``. Writes the
verdict and the names of the pictures as JSON."""

from __future__ import annotations

import json
import sys
import threading

import numpy as np

from app.capabilities.media.calibration import Calibration
from app.capabilities.media.detectors.jpeg_grid import GridRegion
from app.capabilities.media.verdict.faces import measure_faces
from app.capabilities.media.verdict.report import scan_report
from app.capabilities.media.worker.child import prepare
from app.capabilities.media.worker.sandbox import SandboxLimits
from tests.media_model import shared_model
from tests.unit.capabilities.media.verdict.judgements import copied, judgement, picture, place


def main() -> None:
    """Locks, then reports."""
    image = picture(quantizer=3)
    inside = place().astype(np.float32)
    foreign = (GridRegion(place(), (3, 5), -9.0),)
    made = judgement(inside, copies=(copied(40),), layers={"noise": inside}, foreign=foreign, after_life="resized")
    known = Calibration({"jpeg": list(np.linspace(0, 1, 300))})
    finder = prepare(SandboxLimits(), shared_model()).faces
    threads = threading.active_count()
    faces = measure_faces(finder.find(image, 6), made)
    report, pictures = scan_report(made, image, None, known, faces=faces)
    said = {"verdict": report.verdict, "pictures": sorted(pictures), "threads": threading.active_count() - threads}
    sys.stdout.write(json.dumps(said))


if __name__ == "__main__":
    main()
