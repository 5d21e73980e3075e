"""A judgement as the report that crosses the wire, with its pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

import numpy as np

from app.capabilities.media.analysis.judgement import ImageJudgement
from app.capabilities.media.calibration import Calibration, FalseAlarmRate
from app.capabilities.media.detectors.image import BLOCK, DecodedImage
from app.capabilities.media.messages import (
    MediaProvenance,
    ScanFace,
    ScanRegion,
    ScanReport,
    StatedFalseAlarmRate,
)
from app.capabilities.media.verdict.categories import categories_of
from app.capabilities.media.verdict.decision import decide, worth
from app.capabilities.media.verdict.findings import findings_of, offset_of
from app.capabilities.media.verdict.hard_evidence import HardEvidence, by_chance, hard_evidence
from app.capabilities.media.verdict.layers import FUSED, PREVIEW, preview_layer, reliability_layer, value_layer
from app.capabilities.media.verdict.outlines import box_of, polygon_of
from app.capabilities.media.verdict.regions import FoundRegion, find_regions
from app.capabilities.media.verdict.reliability import Reliability, reliability_of

_NONE: Final[Mapping[str, Calibration]] = MappingProxyType({})
_COVERED: Final = 0.5
"""Share of a face's box that a region covers if it is a region of that face."""
_MOST_TIMINGS: Final = 64


def scan_report(
    judgement: ImageJudgement,
    image: DecodedImage,
    provenance: MediaProvenance | None,
    calibration: Calibration | None,
    *,
    category_calibrations: Mapping[str, Calibration] = _NONE,
    faces: Sequence[ScanFace] = (),
    conversions: Sequence[str] = (),
    preview: bytes | None = None,
    model_version: str | None = None,
) -> tuple[ScanReport, dict[str, bytes]]:
    """The report on ``image`` and its layers by name, PNG. Opens no file and starts no thread.

    ``provenance``: None where it was not read. ``calibration``: of ``judgement.score``, None where there is none.
    ``category_calibrations``: of ``category_scores``, by name. ``conversions``: what was done to have 8-bit RGB.
    ``preview``: a PNG that is listed and handed on. ``png_url`` of a layer is ``heatmap.png?layer=...``: who knows the
    scan's address puts it before (``bundles.place_layers``). An image below 8 px a side has no layers.
    """
    regions, surplus = find_regions(judgement)
    hard = hard_evidence(regions, image, provenance)
    reliability = reliability_of(judgement, image)
    rate = None
    if calibration is not None:
        parts = max(1, int(judgement.globals.get("tiles", 1)))
        rate = calibration.false_alarm_rate(judgement.score, judgement.after_life, parts)
    verdict, decided = decide(rate, hard, reliability)
    report = ScanReport(
        verdict=verdict,
        score=float(np.clip(judgement.score, 0, 1)),
        false_alarm_rate=None if rate is None else _stated_rate(rate),
        categories=categories_of(judgement, regions, category_calibrations),
        findings=findings_of(judgement, regions, hard, provenance),
        regions=[_region(region, judgement, hard, faces) for region in regions],
        faces=list(faces),
        provenance=provenance,
        confidence_reasons=[*decided, *worth(rate, judgement.after_life, hard, reliability, conversions)],
        limits_hit=[f"Regions that are not listed: {surplus}."] if surplus else [],
        timings_ms=dict(list(judgement.timings_ms.items())[:_MOST_TIMINGS]),
        model_version=model_version,
    )
    return _with_layers(report, judgement, reliability, preview)


def _with_layers(
    report: ScanReport, judgement: ImageJudgement, reliability: Reliability, preview: bytes | None
) -> tuple[ScanReport, dict[str, bytes]]:
    """The report with what there is to see, and the pictures."""
    pictures: dict[str, bytes] = {}
    if judgement.heatmap.size:
        report.heatmap, pictures[FUSED] = value_layer(FUSED, judgement.heatmap, judgement.reliable)
        report.reliability_map, png = reliability_layer(reliability)
        pictures[report.reliability_map.name] = png
        for name, values in judgement.layers.items():
            layer, pictures[name] = value_layer(name, values, judgement.reliable)
            report.layers.append(layer)
    if preview is not None:
        pictures[PREVIEW] = preview
        report.layers.append(preview_layer(preview))
    return report, pictures


def _stated_rate(rate: FalseAlarmRate) -> StatedFalseAlarmRate:
    return StatedFalseAlarmRate(
        at_this_score=rate.rate,
        ci95=[rate.low, rate.high],
        p_value=rate.p_value,
        calibration_set=rate.calibration_set,
        n=rate.size,
    )


def _region(
    region: FoundRegion, judgement: ImageJudgement, hard: HardEvidence, faces: Sequence[ScanFace]
) -> ScanRegion:
    """A region as it is told of, with its evidence in words."""
    face = next((face.id for face in faces if _covers(region, face)), None)
    return ScanRegion(
        id=region.id,
        kind=region.kind,
        bbox=box_of(region.area),
        polygon=polygon_of(region.area),
        area=int(np.count_nonzero(region.area)) * BLOCK * BLOCK,
        score=region.score,
        detectors=_detectors(region),
        log10_nfa=None if region.grid is None else region.grid.log10_nfa,
        partner_id=region.partner,
        face_id=face,
        evidence=_evidence(region, judgement, hard, face),
    )


def _detectors(region: FoundRegion) -> list[str]:
    """What found a region, then what backs it."""
    finder = {"foreign_grid": ["jpeg_grid"], "copy_source": ["copy_move"], "copy_target": ["copy_move"]}
    own = finder.get(region.kind, [])
    return [*own, *(name for name in region.backing if name not in own)]


def _evidence(region: FoundRegion, judgement: ImageJudgement, hard: HardEvidence, face: str | None) -> list[str]:
    """Sentences for a reader, the strongest first."""
    said = []
    if region.grid is not None:
        main = judgement.grid.main if judgement.grid is not None else None
        elsewhere = "there is none elsewhere" if main is None else f"at {offset_of(main)} elsewhere"
        here = f"The JPEG grid is offset by {offset_of(region.grid.phase)} here and {elsewhere}"
        said.append(f"{here}; {by_chance(region.grid.log10_nfa)}.")
    if region.copy is not None:
        turned, scaled, mirrored = _turn_of(region.copy.similarity)
        how = f"turned by {turned:.0f} degrees and scaled by {scaled:.2f}{', mirrored' if mirrored else ''}"
        if region.kind == "copy_source":
            said.append(f"{region.partner} shows the same, {how}; {region.copy.inliers} details match.")
        else:
            said.append(f"It shows the same as {region.partner}, {how}; {region.copy.inliers} details match.")
    if region.kind == "anomaly":
        begins = f"a region begins at {judgement.threshold:.2f}"
        said.append(f"All detectors together give it {region.score:.2f} of 1 on the mean; {begins}.")
    said += (
        f"{name}: a block here stands out more than one elsewhere in {100 * share:.0f} of 100 pairs."
        for name, share in list(region.backing.items())[:10]
    )
    if region.kind == "anomaly" and not region.backing:
        said.append("No single detector tells it apart from the rest; only all of them together do.")
    if region.id in hard.doubts:
        said.append(hard.doubts[region.id])
    if face is not None:
        said.append(f"It covers the face {face}.")
    return said


def _turn_of(similarity: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> tuple[float, float, bool]:
    """Degrees, factor, and whether it mirrors."""
    determinant = float(np.linalg.det(similarity[:, :2]))
    turned = float(np.degrees(np.arctan2(similarity[1, 0], similarity[0, 0])))
    return turned, abs(determinant) ** 0.5, determinant < 0


def _covers(region: FoundRegion, face: ScanFace) -> bool:
    left, top, width, height = (side // BLOCK for side in face.bbox)
    part = region.area[top : top + max(1, height), left : left + max(1, width)]
    return bool(part.size and part.mean() >= _COVERED)
