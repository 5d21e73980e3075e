"""What sets a face apart from the ring around it."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.verdict.faces import measure_faces
from app.capabilities.media.verdict.report import scan_report
from tests.unit.capabilities.media.verdict.judgements import GRID, judgement, picture, place

BOX = (160, 64, 96, 96)


def test_a_face_of_other_noise_stands_out() -> None:
    """By the layer's own deviations; a detector that does not apply says nothing."""
    noise = np.random.default_rng(1).normal(0.3, 0.02, GRID).astype(np.float32)
    noise[8:20, 20:32] += 0.1
    (face,) = measure_faces([BOX], judgement(layers={"noise": noise}))
    assert (face.id, face.bbox) == ("f1", list(BOX))
    assert face.inside_vs_ring.noise == pytest.approx(0.1 / 0.02, rel=0.25)
    assert face.inside_vs_ring.sharpness is None


def test_a_face_that_cannot_be_read_says_nothing() -> None:
    """Too few of its blocks are reliable."""
    flat = ~place(slice(6, 22), slice(18, 34))
    (face,) = measure_faces([BOX], judgement(layers={"noise": np.ones(GRID, np.float32)}, reliable=flat))
    assert face.inside_vs_ring.noise is None


def test_a_region_that_covers_a_face_names_it() -> None:
    """Half of the face's box is enough."""
    made = judgement(place(slice(8, 20), slice(20, 28)).astype(np.float32))
    faces = measure_faces([BOX, (8, 8, 48, 48)], made)
    report, _ = scan_report(made, picture(), None, None, faces=faces)
    assert [region.face_id for region in report.regions] == ["f1"]
    assert [face.id for face in report.faces] == ["f1", "f2"]
