"""The specification's three questions: artifact variations, fake boundaries, pixel noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import cv2
import numpy as np

from app.capabilities.media.analysis.judgement import ImageJudgement
from app.capabilities.media.calibration import Calibration
from app.capabilities.media.messages import ScanCategories, ScanCategory
from app.capabilities.media.verdict.regions import FoundRegion

ARTIFACTS: Final = "artifact_variations"
BOUNDARIES: Final = "fake_boundaries"
NOISE: Final = "pixel_noise"
MEMBERS: Final = {
    ARTIFACTS: ("ela", "ghost", "quantization", "blocking", "jpeg_grid"),
    NOISE: ("noise", "splicebuster", "cfa"),
}
"""The detectors that answer a question by the tail of their layers."""
_ACROSS: Final = ("sharpness", "noise", "splicebuster", "blocking", "ela")
"""The layers that jump at the border of what was pasted."""
_RIM: Final = np.ones((5, 5), np.uint8)
"""Two blocks to each side of a border."""
_FEWEST: Final = 4


def category_scores(judgement: ImageJudgement, regions: Sequence[FoundRegion]) -> dict[str, float]:
    """The scores of the questions that can be answered, 0 to 1: the strongest trace of its ``MEMBERS``; of
    ``fake_boundaries`` the largest jump across a region's border, 0 without regions. What authentic images score
    calibrates them."""
    scores: dict[str, float] = {}
    for name, members in MEMBERS.items():
        strengths = [one.strength for one in judgement.traces if one.name in members and one.not_applicable is None]
        if strengths:
            scores[name] = float(np.clip(max(strengths), 0, 1))
    if any(name in judgement.layers for name in _ACROSS):
        scores[BOUNDARIES] = max((jump_across(judgement, region) for region in regions), default=0.0)
    return scores


def jump_across(judgement: ImageJudgement, region: FoundRegion) -> float:
    """How far the medians of the two blocks to each side of a region's border are apart, 0 to 1, in the layer where
    they are most; 0 where either side has fewer than 4 reliable blocks."""
    area = region.area.astype(np.uint8)
    inner = region.area & (cv2.erode(area, _RIM, borderType=cv2.BORDER_CONSTANT, borderValue=1) == 0)
    outer = (cv2.dilate(area, _RIM) > 0) & ~region.area
    inside, outside = inner & judgement.reliable, outer & judgement.reliable
    if min(np.count_nonzero(inside), np.count_nonzero(outside)) < _FEWEST:
        return 0.0
    layers = [judgement.layers[name] for name in _ACROSS if name in judgement.layers]
    jumps = [abs(float(np.median(layer[inside]) - np.median(layer[outside]))) for layer in layers]
    return float(np.clip(max(jumps, default=0.0), 0, 1))


def categories_of(
    judgement: ImageJudgement, regions: Sequence[FoundRegion], calibrations: Mapping[str, Calibration]
) -> ScanCategories:
    """The answers. ``far`` by the question's own calibration; without one by the p-values of its members, the least
    times their number (Bonferroni), so that it is an upper bound; of ``fake_boundaries`` null then."""
    scores = category_scores(judgement, regions)

    def answer(name: str) -> ScanCategory | None:
        if name not in scores:
            return None
        if name in calibrations:
            return ScanCategory(
                score=scores[name], far=calibrations[name].false_alarm_rate(scores[name], judgement.after_life).rate
            )
        return ScanCategory(score=scores[name], far=_upper_bound(judgement, MEMBERS.get(name, ())))

    return ScanCategories(
        artifact_variations=answer(ARTIFACTS), fake_boundaries=answer(BOUNDARIES), pixel_noise=answer(NOISE)
    )


def _upper_bound(judgement: ImageJudgement, members: Sequence[str]) -> float | None:
    """Share of authentic images in which at least one of the members is as rare, at most; None where one that applies
    has no p-value."""
    applied = [one.p_value for one in judgement.traces if one.name in members and one.not_applicable is None]
    shares = [share for share in applied if share is not None]
    return min(1.0, len(shares) * min(shares)) if shares and len(shares) == len(applied) else None
