"""The figures of an evaluation, on heatmaps that are known."""

from __future__ import annotations

import io

import numpy as np
import pytest

from media_model.evaluate import Judged, figures, life_of, report
from media_model.light_methods import LIGHT

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
