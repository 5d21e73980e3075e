"""The figures of an evaluation, on heatmaps that are known."""

from __future__ import annotations

import io
from pathlib import Path

import cv2
import numpy as np
import pytest

from app.capabilities.media.analysis.features import block_inputs
from app.capabilities.media.analysis.judge import ImageJudge
from app.capabilities.media.analysis.measure import measure
from media_model.collection import ListedImage
from media_model.evaluate import (
    AS_LONG,
    POINTS,
    Judged,
    LeftOut,
    figures,
    interval_over,
    judge_all,
    judge_by,
    life_of,
    report,
    report_authentic,
    report_left_out,
)
from media_model.examples import Example, save
from media_model.light_methods import LIGHT
from tests.unit.capabilities.media.detectors.jpeg_pictures import as_jpeg, texture_picture

SHIPPED = Path(__file__).parents[3] / "resources" / "media"

LABELS = np.zeros((8, 8), np.int8)
LABELS[2:4, 2:6] = 1


def _judged(heat: float, score: float, edited: bool, kind: str, life: str, stated: float) -> Judged:
    labels = LABELS if edited else np.zeros_like(LABELS)
    return Judged((labels * heat).astype(np.float32), labels, score, edited, kind, life, stated, 0.5, 0.25)


ALL = [
    _judged(0.9, 0.8, True, "splice", "png", 0.0),
    _judged(0.3, 0.1, True, "poisson", "resized", 0.5),
    _judged(0.0, 0.2, False, "authentic", "png", 0.04),
    _judged(0.0, 0.0, False, "authentic", "resized", 0.9),
]


def test_figures_are_means_over_edited_images() -> None:
    """Heatmaps alone count for the first three, scores for the last."""
    pixel, best, fixed, image = figures(ALL, 0.5, ALL)
    assert (pixel, best, fixed) == (1, 1, 0.5)
    assert image == 0.75


def test_nothing_is_no_number() -> None:
    """Rather than zero."""
    assert all(np.isnan(figures([], 0.5, [])))


@pytest.mark.parametrize(
    ("final", "life"),
    [
        ("png", "png"),
        ("j90s0", "jpeg >= 85"),
        ("jj70s0", "jpeg < 85"),
        ("j88+j70s0", "twice"),
        ("j88s0+crop3,5+j70s2", "twice"),
        ("rs1.16+j76s2", "resized"),
        ("rs0.80", "resized"),
        ("denoise+j71s0", "filtered"),
        ("gamma1.2", "filtered"),
    ],
)
def test_a_last_life_has_one_name(final: str, life: str) -> None:
    """Resizing names it before all else."""
    assert life_of(final) == life


def test_a_report_names_kinds_lives_points_and_peers() -> None:
    """With counts, intervals and costs."""
    out = io.StringIO()
    report({"model": ALL, **dict.fromkeys(LIGHT, ALL)}, 0.5, out)
    said = out.getvalue()
    for wanted in ("all  ", "splice", "poisson", "png", "resized", "CPU 2.00 s/MP", *LIGHT):
        assert wanted in said
    assert "stated 1%: 0 of 2 authentic (0.000 to 0.842), 1 of 2 edited" in said
    assert "stated 5%: 1 of 2 authentic (0.013 to 0.987), 1 of 2 edited" in said


def test_a_report_tells_how_many_times_better_it_is() -> None:
    """Than the best of the light methods, by best F1."""
    out = io.StringIO()
    worse = [_judged(0.9 * (one.score > 0.5), one.score, one.edited, one.kind, one.life, 1) for one in ALL]
    report({"model": ALL, **dict.fromkeys(LIGHT, worse)}, 0.5, out)
    ratio = figures(ALL, 0.5, ALL)[1] / figures(worse, 0.5, worse)[1]
    assert f"best F1 is {ratio:.2f} times that of the best light method" in out.getvalue()
    assert ratio > 1


def test_networks_beside_the_model_judge_their_own_kinds(tmp_path: Path) -> None:
    """On what was measured once: the same network says the same, and one that was as long in training judges all that
    is edited."""
    rgb = texture_picture(3, 264, 280)
    mask = np.zeros((264, 280), np.uint8)
    mask[64:128, 80:160] = 255
    cv2.imwrite(str(tmp_path / "image.png"), rgb)
    cv2.imwrite(str(tmp_path / "mask.png"), mask)
    listed = [
        ListedImage("image.png", "mask.png" if kind != "authentic" else None, kind, "png")
        for kind in ("splice", "poisson", "authentic")
    ]
    file = SHIPPED / "network.onnx"
    beside = [LeftOut.of(f"splice,copymove={file}"), LeftOut.of(f"={file}")]
    found = judge_all(tmp_path, listed, SHIPPED, beside)
    assert [one.kind for one in found["copymove, splice"]] == ["splice"]
    assert [one.kind for one in found[AS_LONG]] == ["splice", "poisson"]
    for one, other in zip(found["model"][:2], found[AS_LONG], strict=True):
        np.testing.assert_allclose(one.heatmap, other.heatmap, atol=1e-6)
        assert one.score == other.score
    shared = judge_by(2, tmp_path, listed, SHIPPED, beside)
    for name, alone in found.items():
        assert sorted(one.score for one in shared[name]) == sorted(one.score for one in alone)
    out = io.StringIO()
    report_left_out(found, beside, 0.5, out)
    lines = out.getvalue().splitlines()[1:]
    assert all(line.startswith("copymove, splice") for line in lines)
    assert [who for line in lines for who in ("without it", AS_LONG, "shipped") if who in line] == [
        "without it",
        AS_LONG,
        "shipped",
    ]
    assert len({tuple(line.split()[-4:]) for line in lines}) == 1


def test_stated_rates_are_held_against_authentic_examples(tmp_path: Path) -> None:
    """Each with the images that alarmed and how many photographs these are of; an edited one is refused."""
    image = as_jpeg(texture_picture(9, 264, 280), 80)
    inputs, labels = block_inputs(measure(image)), np.zeros(image.grid, np.int8)
    for number in range(4):
        save(Example(inputs, labels, "authentic", "jpeg", number // 2), tmp_path / f"{number}.npz")
    out = io.StringIO()
    report_authentic(tmp_path, SHIPPED, out)
    said = out.getvalue()
    judge = ImageJudge.load(SHIPPED)
    judged = judge.judge(image)
    rate = judge.calibration.false_alarm_rate(judged.score, judged.after_life).rate
    assert "4 authentic images of 2 photographs" in said
    for point in POINTS:
        assert f"stated {point:.0%}: {4 * (rate <= point)} of 4" in said
    save(Example(inputs, labels, "splice", "jpeg", 0), tmp_path / "9.npz")
    with pytest.raises(ValueError, match="no authentic image"):
        report_authentic(tmp_path, SHIPPED, out)


def test_images_of_one_photograph_alarm_together() -> None:
    """The interval over photographs is wider than the exact one of as many images where they do, and is the share
    itself where all photographs are alike."""
    photographs = np.repeat(np.arange(20), 50)
    together = photographs < 2
    low, high = interval_over(together, photographs)
    assert low == 0
    assert 0.2 <= high <= 0.3
    alike = np.tile(np.arange(50) < 5, 20)
    assert interval_over(alike, photographs) == (0.1, 0.1)
