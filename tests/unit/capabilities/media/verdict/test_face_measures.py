"""What sets a face apart from the ring around it."""

from __future__ import annotations

import numpy as np
import pytest

from app.capabilities.media.detectors.jpeg_grid import GridRegion
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


@pytest.mark.parametrize(("rows", "columns"), [((8, 9), (21, 22)), ((9, 10), (20, 21)), ((9, 10), (21, 22))])
def test_a_face_that_is_cut_to_a_sliver_lies_in_its_own_block(rows: tuple[int, int], columns: tuple[int, int]) -> None:
    """Of the image's edge less than a block of it may be left; what covers the block beside it does not cover it."""
    faces = measure_faces([(160, 64, 7, 7)], judgement())
    for area, covered in ((place(slice(*rows), slice(*columns)), []), (place(slice(8, 9), slice(20, 21)), ["f1"])):
        wide = area | place(slice(30, 34), slice(40, 44))
        foreign = GridRegion(wide, (1, 1), -9.0)
        report, _ = scan_report(judgement(foreign=(foreign,)), picture(), None, None, faces=faces)
        assert [region.face_id for region in report.regions if region.face_id] == covered
