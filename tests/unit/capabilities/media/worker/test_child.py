"""What a worker does with a file, in this process: no lock."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest

from app.capabilities.media.analysis.judge import ImageJudge
from app.capabilities.media.detectors.faces import FaceFinder
from app.capabilities.media.messages import ScanReport
from app.capabilities.media.worker import child
from app.capabilities.media.worker.child import Instruments
from app.capabilities.media.worker.protocol import ScanFound
from tests.media_model import shared_model
from tests.video_clips import encode


def test_of_all_keyframes_one_has_its_report_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """That of the highest score: heatmap, layers and faces of the others would be thrown away."""
    judge, made, sent = ImageJudge.load(shared_model()), [], []
    plain = child.scan_report

    def counted(judgement: Any, *given: Any, **how: Any) -> Any:
        made.append(judgement.score)
        return plain(judgement, *given, **how)

    monkeypatch.setattr(child, "scan_report", counted)
    frames = np.random.default_rng(5).integers(0, 256, (4, 80, 96), np.uint8)
    clip = encode(frames, "-c:v", "mpeg4", "-g", "1")
    child.answer(clip, Instruments(judge, FaceFinder()), lambda *said: sent.append(said))
    found, report, *_ = sent[-1]
    assert isinstance(found, ScanFound)
    told = msgspec.json.decode(report, type=ScanReport)
    assert [told.score] == made
    assert " of 4 keyframes" in " ".join(told.confidence_reasons)
