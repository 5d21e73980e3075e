"""What is said of a video: what decides its verdict, and what its frames have to do with it."""

from __future__ import annotations

import pytest

from app.capabilities.media.messages import ScanRegion, ScanReport, ScanVerdict, StatedFalseAlarmRate
from app.capabilities.media.verdict.video import KeyframeReport, video_report
from app.capabilities.media.video.judgement import JudgedKeyframe, SpanKind, VideoDetector, VideoFinding, VideoJudgement
from app.capabilities.media.video.judgement import VideoSpan as Span

DETECTOR_OF: dict[SpanKind, VideoDetector] = {
    "duplicate": "frame_duplication",
    "splice": "local_jump",
    "deletion": "temporal_jump",
}


def keyframe(frame: int, verdict: ScanVerdict, score: float, p_value: float) -> JudgedKeyframe[KeyframeReport]:
    """A keyframe with this report."""
    rate = StatedFalseAlarmRate(
        at_this_score=p_value, ci95=[0.0, 1.0], p_value=p_value, calibration_set="pooled", n=1000
    )
    report = ScanReport(verdict=verdict, score=score, false_alarm_rate=rate)
    return JudgedKeyframe(frame, frame / 25, (report, {"fused": b"%d" % frame}))


def report(*keyframes: JudgedKeyframe[KeyframeReport], kind: SpanKind | None = None) -> KeyframeReport:
    """The report on a video with these keyframes and one span of this kind."""
    spans = () if kind is None else (Span(kind, 1.0, 2.0, 25, 50, 0.8, None, 3),)
    findings = [VideoFinding("prnu", "NOT_APPLICABLE", "There is no reference.")]
    if kind is not None:
        findings.append(VideoFinding(DETECTOR_OF[kind], "FIRED", None, 0.8, (0,)))
    judged = VideoJudgement(
        width=320,
        height=240,
        format="mov",
        codec="h264",
        rate=25.0,
        frames=100,
        duration_s=4.0,
        timeline=spans,
        findings=tuple(findings),
        temporal_score=0.8 if spans else 0.0,
        keyframes=keyframes,
        limits_hit=("A limit.",),
        dropped=2,
        timings_ms={"reading": 1.0},
    )
    return video_report(judged, None, "model-1")


@pytest.mark.parametrize(
    ("verdict", "p_value", "count", "expected"),
    [
        ("MANIPULATED", 0.001, 10, "MANIPULATED"),
        ("MANIPULATED", 0.002, 10, "SUSPICIOUS"),
        ("SUSPICIOUS", 0.05, 2, "SUSPICIOUS"),
        ("SUSPICIOUS", 0.05, 3, "AUTHENTIC_CONSISTENT"),
        ("AUTHENTIC_CONSISTENT", 0.5, 3, "AUTHENTIC_CONSISTENT"),
        ("INCONCLUSIVE", 0.5, 3, "INCONCLUSIVE"),
        # Evidence that chance does not explain, and no score.
        ("MANIPULATED", 0.4, 10, "MANIPULATED"),
    ],
)
def test_the_highest_of_many_keyframes_is_worth_less(
    verdict: ScanVerdict, p_value: float, count: int, expected: str
) -> None:
    """Its rate is multiplied by their number."""
    frames = [keyframe(0, verdict, 0.9, p_value), *(keyframe(n, verdict, 0.1, p_value) for n in range(1, count))]
    assert report(*frames)[0].verdict == expected


@pytest.mark.parametrize(
    ("count", "verdict", "p_value", "said"),
    [
        (1, "AUTHENTIC_CONSISTENT", 0.5, "So says the only keyframe that was judged."),
        (3, "INCONCLUSIVE", 0.5, "So says the most striking of 3 keyframes."),
        (1, "MANIPULATED", 0.011, "So says the evidence in the only keyframe that was judged."),
        (
            1,
            "MANIPULATED",
            0.01,
            "So high a score has the only keyframe that was judged in at most 1 % of authentic videos by chance.",
        ),
        (
            2,
            "MANIPULATED",
            0.005,
            "So high a score has the most striking of 2 keyframes in at most 1 % of authentic videos by chance.",
        ),
        (
            12,
            "SUSPICIOUS",
            0.1,
            "So high a score has the most striking of 12 keyframes in at most 100 % of authentic videos by chance.",
        ),
    ],
)
def test_the_first_reason_says_what_the_keyframes_are_worth(
    count: int, verdict: ScanVerdict, p_value: float, said: str
) -> None:
    """In numbers that fit the words."""
    frames = [keyframe(0, verdict, 0.9, p_value), *(keyframe(n, verdict, 0.1, p_value) for n in range(1, count))]
    assert report(*frames)[0].confidence_reasons[0] == said


@pytest.mark.parametrize(
    ("kind", "expected"), [("duplicate", "MANIPULATED"), ("splice", "SUSPICIOUS"), ("deletion", "SUSPICIOUS")]
)
def test_what_stands_out_in_time_is_suspicious_at_most(kind: SpanKind, expected: str) -> None:
    """But for frames that come twice."""
    assert report(keyframe(0, "AUTHENTIC_CONSISTENT", 0.1, 0.9), kind=kind)[0].verdict == expected


def test_pictures_are_those_of_the_most_striking_keyframe() -> None:
    """And the score is its own."""
    low, high = keyframe(5, "AUTHENTIC_CONSISTENT", 0.2, 0.5), keyframe(30, "AUTHENTIC_CONSISTENT", 0.6, 0.3)
    found, pictures = report(low, high)
    assert (found.score, pictures) == (0.6, {"fused": b"30"})


def test_places_are_those_of_their_frame() -> None:
    """Of the most striking keyframe, with its number."""
    striking = keyframe(30, "AUTHENTIC_CONSISTENT", 0.6, 0.3)
    corners = [[0, 0], [8, 0], [8, 8]]
    place = ScanRegion(id="r1", kind="anomaly", bbox=[0, 0, 8, 8], polygon=corners, area=64, score=0.9, detectors=[])
    striking.judgement[0].regions = [place]
    found, _ = report(keyframe(5, "AUTHENTIC_CONSISTENT", 0.2, 0.5), striking)
    assert [(one.id, one.frame) for one in found.regions] == [("r1", 30)]


def test_the_timeline_says_where_and_by_which_detector() -> None:
    """In seconds and frames; limits, dropped packets and the model are told."""
    found, _ = report(keyframe(0, "AUTHENTIC_CONSISTENT", 0.1, 0.9), kind="duplicate")
    (entry,) = found.timeline
    assert (entry.t0, entry.frame0, entry.frame1, entry.detector) == (1.0, 25, 50, "frame_duplication")
    assert "from frame 3 on" in (entry.explanation or "")
    assert (found.limits_hit, found.dropped_frames, found.model_version) == (["A limit."], 2, "model-1")
    assert {one.detector: one.status for one in found.findings} == {
        "prnu": "NOT_APPLICABLE",
        "frame_duplication": "FIRED",
    }


def test_a_video_without_a_keyframe_says_nothing_of_pictures() -> None:
    """INCONCLUSIVE, unless its order says more."""
    assert report()[0].verdict == "INCONCLUSIVE"
    assert report(kind="duplicate")[0].verdict == "MANIPULATED"
    assert report()[1] == {}
