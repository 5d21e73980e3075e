"""A judgement of a video as the report that crosses the wire, with the pictures of its most striking keyframe."""

from __future__ import annotations

from typing import Final

import msgspec

from app.capabilities.media.messages import (
    MOST_SENTENCES,
    FindingCategory,
    MediaProvenance,
    ScanFinding,
    ScanReport,
    ScanVerdict,
    StatedFalseAlarmRate,
    TimelineEntry,
)
from app.capabilities.media.verdict.decision import MANIPULATED_AT, SUSPICIOUS_AT, in_percent
from app.capabilities.media.video.judgement import SpanKind, VideoDetector, VideoFinding, VideoJudgement

KeyframeReport = tuple[ScanReport, dict[str, bytes]]
"""What ``scan_report`` gives of a keyframe."""

_CATEGORY: Final[dict[VideoDetector, FindingCategory]] = {
    "temporal_jump": "temporal",
    "local_jump": "temporal",
    "freeze": "temporal",
    "frame_duplication": "duplication",
    "prnu": "pixel_noise",
}
_SOUGHT: Final[dict[VideoDetector, str]] = {
    "temporal_jump": "Frames that were put in or taken out: the picture as a whole jumps.",
    "local_jump": "A place that was put over the picture: it begins or ends at once while the rest goes on.",
    "freeze": "A place that stands still while the rest moves.",
    "frame_duplication": "Frames that come a second time.",
    "prnu": "The pattern of the camera's sensor.",
}
_SPAN: Final[dict[SpanKind, str]] = {
    "insertion": "Frames {0} to {1} jump out of what is around them.",
    "deletion": "Between frames {0} and {1} the picture jumps as if frames were missing; a cut looks the same.",
    "duplicate": "Frames {0} to {1} are those from frame {2} on, once more.",
    "splice": "In frames {0} to {1} one place appears at once; something quick looks the same.",
    "freeze": "In frames {0} to {1} one place stands still while the rest moves.",
}
_MOST_FINDINGS: Final = 32
_WORTH: Final = "What is said of frames and their order was measured on few clips: it is a place to look at."
_ORDER: Final[tuple[ScanVerdict, ...]] = ("INCONCLUSIVE", "AUTHENTIC_CONSISTENT", "SUSPICIOUS", "MANIPULATED")


def video_report(
    judged: VideoJudgement[KeyframeReport], provenance: MediaProvenance | None, model_version: str | None
) -> KeyframeReport:
    """The report on a video. Regions, heatmap and layers are those of the keyframe with the highest score.

    MANIPULATED on frames that come twice, which chance does not explain. Of a keyframe's score the false-alarm rate is
    multiplied by the number of keyframes (Bonferroni), since the highest of them counts. What else stands out in time
    is SUSPICIOUS at most: no calibration tells how often it does in authentic videos.
    """
    best = max(judged.keyframes, key=lambda one: one.judgement[0].score or 0.0, default=None)
    base, pictures = (ScanReport(), {}) if best is None else best.judgement
    verdict, reasons = _verdict(judged, base)
    regions = [msgspec.structs.replace(one, frame=None if best is None else best.frame) for one in base.regions]
    findings = [*(_finding(one) for one in judged.findings), *base.findings][:_MOST_FINDINGS]
    detectors = {place: one.detector for one in judged.findings for place in one.spans}
    told = [*reasons, _WORTH, *base.confidence_reasons]
    report = msgspec.structs.replace(
        base,
        verdict=verdict,
        findings=findings,
        regions=regions,
        timeline=[
            TimelineEntry(
                t0=one.t0,
                t1=one.t1,
                frame0=one.frame0,
                frame1=one.frame1,
                kind="finding",
                score=one.score,
                detector=detectors.get(place),
                explanation=_SPAN[one.kind].format(one.frame0, one.frame1, one.source),
            )
            for place, one in enumerate(judged.timeline)
        ],
        provenance=provenance,
        confidence_reasons=told[:MOST_SENTENCES],
        limits_hit=[*judged.limits_hit, *base.limits_hit][:MOST_SENTENCES],
        dropped_frames=judged.dropped,
        timings_ms={f"video_{name}": took for name, took in judged.timings_ms.items()} | base.timings_ms,
        model_version=model_version,
    )
    return report, pictures


def _verdict(judged: VideoJudgement[KeyframeReport], base: ScanReport) -> tuple[ScanVerdict, list[str]]:
    """The strongest of what keyframes and their order say, and why."""
    found: list[tuple[ScanVerdict, str]] = []
    fired = {one.detector for one in judged.findings if one.status == "FIRED"}
    if "frame_duplication" in fired:
        found.append(("MANIPULATED", "Frames come a second time, to the last grey level that the codec left."))
    elif fired:
        found.append(("SUSPICIOUS", "Something in the order of the frames stands out: the timeline has its places."))
    count = len(judged.keyframes)
    if base.verdict is None:
        found.append(("INCONCLUSIVE", "No frame could be judged as an image."))
    elif base.false_alarm_rate is None or base.verdict in ("AUTHENTIC_CONSISTENT", "INCONCLUSIVE"):
        found.append((base.verdict, f"So says {_most_striking(count)}."))
    else:
        found.append(_of_keyframes(base.verdict, base.false_alarm_rate, count))
    strongest = max(found, key=lambda one: _ORDER.index(one[0]))
    return strongest[0], [reason for _, reason in found]


def _of_keyframes(verdict: ScanVerdict, rate: StatedFalseAlarmRate, count: int) -> tuple[ScanVerdict, str]:
    """What the highest score of several keyframes is worth."""
    if verdict == "MANIPULATED" and rate.p_value > MANIPULATED_AT:
        # It is no score that decided this, but evidence that chance does not explain.
        return verdict, f"So says the evidence in {_most_striking(count)}."
    chance = min(1.0, rate.p_value * count)
    at_most = f"at most {in_percent(chance)} % of authentic videos"
    said = f"So high a score has {_most_striking(count)} in {at_most} by chance."
    if chance <= MANIPULATED_AT:
        return "MANIPULATED", said
    return ("SUSPICIOUS" if chance <= SUSPICIOUS_AT else "AUTHENTIC_CONSISTENT"), said


def _most_striking(count: int) -> str:
    """The keyframe that a report is about, of so many."""
    return "the only keyframe that was judged" if count == 1 else f"the most striking of {count} keyframes"


def _finding(one: VideoFinding) -> ScanFinding:
    return ScanFinding(
        detector=one.detector,
        category=_CATEGORY[one.detector],
        status=one.status,
        reason=one.reason,
        strength=None if one.status == "NOT_APPLICABLE" else one.score,
        explanation=_SOUGHT[one.detector],
    )
