"""The facts that are shipped: the threshold, and strengths as the judge has them."""

from __future__ import annotations

from pathlib import Path

import cv2
import msgspec
import numpy as np
import pytest

from app.capabilities.media.analysis.features import block_inputs
from app.capabilities.media.analysis.judge import ImageJudge, cut_of
from app.capabilities.media.analysis.measure import measure
from app.capabilities.media.calibration import HARDEST, OTHERS
from app.capabilities.media.detectors.image import DecodedImage
from media_model.calibrate import best_cut, facts_of, inputs_of, strengths_of
from media_model.examples import Example, save
from tests.unit.capabilities.media.detectors.jpeg_pictures import as_jpeg, texture_picture

SHIPPED = Path(__file__).parents[3] / "resources" / "media"
RGB = texture_picture(9, 264, 280)
RGB[160:224, 168:248] = RGB[16:80, 24:104]
IMAGE = as_jpeg(RGB, 80)
INPUTS = block_inputs(measure(IMAGE))


def _example(edited: bool) -> Example:
    labels = np.zeros(IMAGE.grid, np.int8)
    labels[20:28, 21:31] = edited
    return Example(INPUTS, labels, "copy_move" if edited else "authentic", "jpeg", 0)


def test_the_best_cut_parts_edited_from_clean() -> None:
    """It follows the image where edits differ in strength, and leaves authentic images nearly clean."""
    example = _example(True)
    strong, faint = (
        (np.where(example.labels == 1, high, low).astype(np.float32), example)
        for high, low in ((0.9, 0.5), (0.35, 0.15))
    )
    authentic = (np.full(IMAGE.grid, 0.12, np.float32), _example(False))
    floor, share = best_cut([strong, faint, authentic])
    assert 0.12 < floor <= 0.35
    assert 0.5 < cut_of(strong[0], floor, share) <= 0.9
    assert 0.15 < cut_of(faint[0], floor, share) <= 0.35


def test_strengths_are_those_of_a_judgement() -> None:
    """Of the features alone, to what half precision leaves."""
    judged = {
        trace.name: trace.strength
        for trace in ImageJudge.load(SHIPPED).judge(IMAGE).traces
        if trace.not_applicable is None
    }
    found = strengths_of(INPUTS)
    assert set(found) == set(judged)
    for name, strength in found.items():
        assert strength == pytest.approx(judged[name], abs=1e-4)


def test_facts_hold_every_authentic_score(tmp_path: Path) -> None:
    """By after-life, in rising order, and those of the hardest photograph again; an edited image among them is
    refused."""
    for name, edited in (("1", False), ("2", False), ("3", True)):
        save(_example(edited), tmp_path / f"{name}.npz")
    files = sorted(tmp_path.iterdir())
    network = (SHIPPED / "network.onnx").read_bytes()
    facts = facts_of(network, files[1:], files[:2])
    hardest = facts.scores[HARDEST]
    assert sorted(score for life, some in facts.scores.items() if life != HARDEST for score in some) == list(hardest)
    assert len(hardest) == 2
    assert all(tuple(sorted(some)) == some for some in (*facts.scores.values(), *facts.strengths.values()))
    assert len(facts.version) == 16
    assert OTHERS not in facts.scores
    with pytest.raises(ValueError, match="no authentic image"):
        facts_of(network, files[1:], files)


def test_authentic_images_of_others_are_asked_as_they_are(tmp_path: Path) -> None:
    """Those of a manifest without a mask; their scores are those of a judgement, and stand by themselves."""
    (tmp_path / "kept").mkdir()
    for name, edited in (("1", False), ("2", True)):
        save(_example(edited), tmp_path / "kept" / f"{name}.npz")
    files = sorted((tmp_path / "kept").iterdir())
    pixels = [texture_picture(seed, 264, 280) for seed in (1, 2)]
    for number, rgb in enumerate(pixels):
        cv2.imwrite(str(tmp_path / f"{number}.png"), cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR))
    listed = [{"file": f"{n}.png", "mask": mask, "kind": "any", "final": "png"} for n, mask in enumerate((None, "m"))]
    (tmp_path / "manifest.json").write_bytes(msgspec.json.encode(listed))
    facts = facts_of((SHIPPED / "network.onnx").read_bytes(), files, files[:1], inputs_of(tmp_path))
    judged = ImageJudge.load(SHIPPED).judge(DecodedImage(pixels[0]))
    assert facts.scores[OTHERS] == (pytest.approx(judged.score, abs=1e-4),)
    assert len(facts.scores[HARDEST]) == 1
