"""Which spans a timeline has, what each detector says, and which frames are kept, of series made by hand."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.video import judge as judging
from app.capabilities.media.video.duplication import FoundDuplicate
from app.capabilities.media.video.errors import VideoRefused
from app.capabilities.media.video.judge import judge_video
from app.capabilities.media.video.judgement import VideoFinding, VideoJudgement, VideoSpan
from app.capabilities.media.video.jumps import FoundJump
from app.capabilities.media.video.places import FoundPlace
from app.capabilities.media.video.reading import OpenedVideo, VideoLimits, open_video
from app.capabilities.media.video.signals import FrameSignals
from tests.video_clips import drift, encode

FRAMES = drift(3, 14, 64, 48)
FILE = encode(FRAMES, "-c:v", "mpeg4", "-g", "1")
BOX = (0.1, 0.2, 0.3, 0.4)
QUARTERS: Any = pytest.approx(0.75)


@pytest.fixture
def opened() -> OpenedVideo:
    """Whose limits are written to."""
    return open_video(FILE)


def _signals(count: int = 60, most: int = 600) -> FrameSignals:
    """Of frames of noise, 0.04 s each."""
    drawn = np.random.default_rng(1)
    signals = FrameSignals(most)
    for at in range(count):
        signals.add(at / 25, drawn.integers(0, 256, (24, 32)).astype(np.uint8), None)
    return signals


class Found:
    """What the three searches give."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.places: list[FoundPlace] = []
        self.jumps: list[FoundJump] = []
        self.copies: list[FoundDuplicate] = []
        monkeypatch.setattr(judging, "find_places", lambda _: self.places)
        monkeypatch.setattr(judging, "find_jumps", lambda _: self.jumps)
        monkeypatch.setattr(judging, "find_duplicates", lambda _: self.copies)


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Found:
    """Nothing, at first."""
    return Found(monkeypatch)


def test_each_find_is_a_span_with_its_score(found: Found, opened: OpenedVideo) -> None:
    """At the threshold of its detector a half, in order of time; times are those of its frames."""
    found.places = [FoundPlace("splice", 30, 40, BOX, 6.5), FoundPlace("freeze", 20, 29, BOX, 12.0)]
    found.jumps = [FoundJump("insertion", 5, 9, 3.0), FoundJump("deletion", 50, 50, 9.0)]
    found.copies = [FoundDuplicate(12, 18, 7, 0.45)]
    assert judging._timeline(_signals(), opened) == (
        VideoSpan("insertion", 0.2, 0.36, 5, 9, 0.5, None, None),
        VideoSpan("duplicate", 0.48, 0.72, 12, 18, QUARTERS, None, 5),
        VideoSpan("freeze", 0.8, 1.16, 20, 29, 0.75, BOX, None),
        VideoSpan("splice", 1.2, 1.6, 30, 40, 0.5, BOX, None),
        VideoSpan("deletion", 2.0, 2.0, 50, 50, 0.75, None, None),
    )
    assert opened.limits_hit == []


def _deletions(found: Found, opened: OpenedVideo, signals: FrameSignals | None = None) -> list[int]:
    """Frames at which none is told, of all."""
    signals = signals or _signals()
    found.jumps = [FoundJump("deletion", at, at, 9.0) for at in range(signals.count)]
    told = {one.frame0 for one in judging._timeline(signals, opened) if one.kind == "deletion"}
    return [at for at in range(signals.count) if at not in told]


def test_a_place_explains_the_jumps_at_its_ends(found: Found, opened: OpenedVideo) -> None:
    """Of its first frame and of the one behind its last; insertions are told all the same."""
    found.places = [FoundPlace("splice", 30, 40, BOX, 9.0)]
    assert _deletions(found, opened) == [30, 41]
    found.jumps = [FoundJump("insertion", 30, 31, 9.0)]
    assert len(judging._timeline(_signals(), opened)) == 2


@pytest.mark.parametrize("step", [1, 2, 4])
def test_a_duplicate_explains_the_jumps_around_its_four_ends(found: Found, opened: OpenedVideo, step: int) -> None:
    """Two compared frames to each side, of both runs."""
    signals = _signals(60, -(-60 // step))
    assert signals.step == step
    found.copies = [FoundDuplicate(10, 12, 6, 0.9)]
    wanted = {at for end in (10, 13, 4, 7) for at in range((end - 2) * step, (end + 2) * step + 1)}
    assert _deletions(found, opened, signals) == sorted(wanted - {60})
    (span,) = [one for one in judging._timeline(signals, opened) if one.kind == "duplicate"]
    assert (span.frame0, span.frame1, span.source) == (10 * step, 12 * step, 4 * step)


def test_a_duplicate_ends_with_the_video(found: Found, opened: OpenedVideo) -> None:
    """Where fewer frames than a step follow the last that was compared."""
    signals = _signals(30, 8)
    found.copies = [FoundDuplicate(2, 8, 2, 0.9)]
    (span,) = judging._timeline(signals, opened)
    assert (signals.step, span.frame0, span.frame1, span.t1, span.source) == (4, 8, 29, 1.16, 0)


@pytest.mark.parametrize(("most", "kept"), [(3, [1, 5, 9]), (2, [1, 9]), (1, [9])])
def test_of_too_many_findings_the_strongest_are_told(
    found: Found, opened: OpenedVideo, monkeypatch: pytest.MonkeyPatch, most: int, kept: list[int]
) -> None:
    """In order of time again; as many as there may be are all told."""
    monkeypatch.setattr(judging, "MOST_SPANS", most)
    strengths = {1: 5.0, 5: 4.0, 9: 9.0}
    found.jumps = [FoundJump("insertion", at, at, strength) for at, strength in strengths.items()]
    assert [one.frame0 for one in judging._timeline(_signals(), opened)] == kept
    assert opened.limits_hit == ([] if most == 3 else [f"Of 3 findings the {most} strongest are told."])


@pytest.mark.parametrize(("count", "told"), [(12, False), (13, True)])
def test_thirteen_frames_tell_what_is_usual(found: Found, opened: OpenedVideo, count: int, told: bool) -> None:
    """With fewer nothing is sought, and no detector applies."""
    found.jumps = [FoundJump("insertion", 1, 2, 5.0)]
    signals = _signals(count)
    timeline = judging._timeline(signals, opened)
    assert bool(timeline) == told
    statuses = {one.detector: one.status for one in judging._findings(timeline, signals)}
    assert statuses["temporal_jump"] == ("FIRED" if told else "NOT_APPLICABLE")
    assert statuses["freeze"] == ("QUIET" if told else "NOT_APPLICABLE")


@pytest.mark.parametrize(("most", "applies"), [(10, False), (11, True), (20, True)])
def test_eleven_fingerprints_tell_of_duplicates(most: int, applies: bool) -> None:
    """A duplicate has five frames, four others between, and two diagonals to each side."""
    signals = _signals(20, 20)
    signals.prints = dict(list(signals.prints.items())[:most])
    statuses = {one.detector: one.status for one in judging._findings((), signals)}
    assert statuses == {
        "temporal_jump": "QUIET",
        "frame_duplication": "QUIET" if applies else "NOT_APPLICABLE",
        "local_jump": "QUIET",
        "freeze": "QUIET",
        "prnu": "NOT_APPLICABLE",
    }


def test_a_detector_names_its_spans_and_is_as_strong_as_the_strongest() -> None:
    """Insertions and deletions are one detector's."""
    spans = [("deletion", 0.6), ("freeze", 0.9), ("insertion", 0.8), ("duplicate", 0.7)]
    timeline = tuple(VideoSpan(kind, 0, 0, 0, 0, score, None, None) for kind, score in spans)  # type: ignore[arg-type]
    told = judging._findings(timeline, _signals())
    assert told[:4] == (
        VideoFinding("temporal_jump", "FIRED", None, 0.8, (0, 2)),
        VideoFinding("frame_duplication", "FIRED", None, 0.7, (3,)),
        VideoFinding("local_jump", "QUIET"),
        VideoFinding("freeze", "FIRED", None, 0.9, (1,)),
    )


class Judge:
    """Keeps the pixels that it was given."""

    def __init__(self) -> None:
        self.seen: list[npt.NDArray[np.uint8]] = []

    def judge(self, image: DecodedImage) -> int:
        """Their number."""
        self.seen.append(image.rgb)
        return len(self.seen)


@pytest.mark.parametrize(
    ("most", "frames", "order"),
    [
        (1, [0], [0]),
        (2, [0, 8], [0, 8]),
        (3, [0, 8], [0, 8]),
        (5, [0, 4, 8, 12], [0, 8, 4, 12]),
        (7, [0, 2, 4, 6, 8, 10, 12], [0, 8, 4, 12, 2, 10, 6]),
        (99, list(range(14)), [0, 8, 4, 12, 2, 10, 6, 1, 9, 5, 13, 3, 11, 7]),
    ],
)
def test_keyframes_are_judged_in_an_order_that_spreads(most: int, frames: list[int], order: list[int]) -> None:
    """By their place with its bits reversed; told in order of time, each with its time."""
    judge = Judge()
    judged = judge_video(FILE, judge, VideoLimits(keyframes=most))
    assert [one.frame for one in judged.keyframes] == frames
    assert [one.time_s for one in judged.keyframes] == pytest.approx([at / 25 for at in frames])
    assert [
        next(one.frame for one in judged.keyframes if one.judgement == at + 1) for at in range(len(frames))
    ] == order
    assert judge.seen[0].shape == (48, 64, 3)
    assert judged.limits_hit == ()


def test_without_a_judge_no_pixels_are_kept() -> None:
    """Nor is anything said of keyframes that would not fit."""
    judged: VideoJudgement[None] = judge_video(FILE, None, VideoLimits(keyframe_bytes=1))
    assert (judged.keyframes, judged.limits_hit) == ((), ())


@pytest.mark.parametrize(
    ("room", "frames", "told"),
    [
        (0, [0], ("Keyframes of this size that are judged as images: 1 at most.",)),
        (3 * 64 * 48 - 1, [0], ("Keyframes of this size that are judged as images: 1 at most.",)),
        (2 * 3 * 64 * 48, [0, 8], ("Keyframes of this size that are judged as images: 2 at most.",)),
        (13 * 3 * 64 * 48, [0, 2, 4, 6, 8, 10, 12], ("Keyframes of this size that are judged as images: 13 at most.",)),
        (14 * 3 * 64 * 48, list(range(14)), ()),
    ],
)
def test_as_many_keyframes_are_kept_as_fit(room: int, frames: list[int], told: tuple[str, ...]) -> None:
    """Three bytes a pixel; at least one is."""
    judged = judge_video(FILE, Judge(), VideoLimits(keyframes=20, keyframe_bytes=room))
    assert [one.frame for one in judged.keyframes] == frames
    assert judged.limits_hit == told


def test_a_judgement_tells_the_file() -> None:
    """Its size, format, codec, rate and length; milliseconds of its stages."""
    judged: VideoJudgement[None] = judge_video(FILE)
    assert (judged.width, judged.height, judged.format, judged.codec, judged.rate) == (64, 48, "mov", "mpeg4", 25)
    assert (judged.frames, judged.temporal_score) == (14, 0)
    assert judged.duration_s == pytest.approx(0.56)
    assert judged.timings_ms.keys() == {"reading", "timeline", "keyframes"}
    assert all(0 <= took < 60_000 for took in judged.timings_ms.values())
    one: VideoJudgement[None] = judge_video(encode(FRAMES[:1], "-c:v", "mpeg4"))
    assert one.frames == 1
    assert one.duration_s == pytest.approx(0.04)


@pytest.mark.parametrize(("most", "told"), [(14, ()), (13, ("Duplicates were sought among one in 2 frames.",))])
def test_it_is_told_when_duplicates_were_sought_among_fewer_frames(most: int, told: tuple[str, ...]) -> None:
    """Not when all were compared."""
    assert judge_video(FILE, None, VideoLimits(sampled=most)).limits_hit == told


def test_a_file_without_a_frame_is_refused() -> None:
    """A header alone, and a limit of none."""
    with pytest.raises(VideoRefused, match="no frame that can be decoded"):
        judge_video(FILE, None, VideoLimits(frames=0))


def test_changes_are_those_from_the_frame_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The second frame is the first that has one."""
    seen: list[bool] = []

    def find(changes: npt.NDArray[np.float16]) -> list[FoundPlace]:
        seen.extend(bool(one.any()) for one in changes)
        return []

    monkeypatch.setattr(judging, "find_places", find)
    judge_video(encode(np.stack([FRAMES[at % 2 * 9] for at in range(13)]), "-c:v", "mpeg4", "-q:v", "2"))
    assert seen == [False] + [True] * 12


def test_light_is_seen_as_it_is() -> None:
    """A keyframe's pixels are those of the file, red before blue."""
    red = np.zeros((48, 64, 3), np.uint8)
    red[:, :, 2] = 250
    stream = cv2.imencode(".jpg", red)[1].tobytes() * 13
    judge = Judge()
    judged = judge_video(stream, judge)
    assert judge.seen[0][20, 20, 0] > 200 > 60 > judge.seen[0][20, 20, 2]
    assert judged.format == "mjpeg"


def test_without_room_for_keyframes_none_is_wanted() -> None:
    """So that no pixels of it are made."""
    assert [judging._KeptFrames(most).wants() for most in (0, 1)] == [False, True]


def test_a_worker_that_opens_what_is_no_video_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its warming ends with a file that must be refused: what opens it cannot be trusted with others."""
    opened = judging.open_video
    monkeypatch.setattr(judging, "open_video", lambda media: None if media.startswith(b"\x1a") else opened(media))
    monkeypatch.setattr(judging, "judge_video", lambda *_: None)
    with pytest.raises(AssertionError, match="a file of zeros was opened"):
        judging.prepare_video()
