"""What is found in clips of ffmpeg with one change each, and in honest ones."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.video import judge as judging
from app.capabilities.media.video.duplication import duplication, find_duplicates
from app.capabilities.media.video.errors import VideoRefused
from app.capabilities.media.video.judge import judge_video, prepare_video
from app.capabilities.media.video.judgement import VideoJudgement
from app.capabilities.media.video.jumps import find_jumps, jump_strengths
from app.capabilities.media.video.places import find_places, freeze_strengths, local_jumps
from app.capabilities.media.video.reading import VideoLimits
from app.capabilities.media.video.signals import FrameSignals, running_median
from tests.video_clips import HONEST, RATE, drift, encode, make_clip

SEED = 7
"""Of clips that show what they are to show; how many of all clips do is measured in ``tests/perf/media_video.py``."""
SIZE = {"length": 60, "width": 240, "height": 176}


class CountingJudge:
    """An image judge that keeps what it was given."""

    def __init__(self) -> None:
        self.images: list[DecodedImage] = []

    def judge(self, image: DecodedImage) -> int:
        """How many came before."""
        self.images.append(image)
        return len(self.images) - 1


def judged(kind: str) -> tuple[npt.NDArray[np.int64], VideoJudgement[None]]:
    """Where a clip of this kind was changed, and what is said of it."""
    clip = make_clip(kind, SEED, **SIZE)
    return np.flatnonzero(clip.changed), judge_video(encode(clip.frames))


CHANGED = [
    ("insertion", "insertion", "temporal_jump"),
    ("deletion", "deletion", "temporal_jump"),
    ("duplication", "duplicate", "frame_duplication"),
    ("frozen", "freeze", "freeze"),
    ("splice", "splice", "local_jump"),
]


@pytest.mark.parametrize(("kind", "span", "detector"), CHANGED, ids=[row[0] for row in CHANGED])
def test_a_change_is_found_where_it_is(kind: str, span: str, detector: str) -> None:
    """By its own detector and at its own frames; the same file says the same again."""
    places, judgement = judged(kind)
    (found,) = [one for one in judgement.timeline if one.kind == span]
    assert kind == "duplication" or abs(found.frame0 - places[0]) <= 2
    if kind == "duplication":
        assert found.source is not None
        assert abs(found.source - places[0]) <= 3
    if kind in ("insertion", "splice"):
        assert abs(found.frame1 + 1 - places[-1]) <= 1
    assert (found.t0, found.t1) == pytest.approx((found.frame0 / RATE, found.frame1 / RATE), abs=0.001)
    assert 0.5 <= found.score <= 1
    assert (found.box is not None) == (kind in ("frozen", "splice"))
    fired = {one.detector: one for one in judgement.findings}
    assert fired[detector].status == "FIRED"
    assert [judgement.timeline[at] for at in fired[detector].spans] == [found]
    assert judgement.temporal_score >= found.score


@pytest.mark.parametrize("kind", HONEST)
def test_an_honest_clip_has_no_finding(kind: str) -> None:
    """Cuts, a fade, a flash, a fast thing, one that stops, and a camera that stands still."""
    _, judgement = judged(kind)
    assert judgement.timeline == ()
    assert (judgement.temporal_score, judgement.frames, judgement.dropped) == (0, 60, 0)
    assert {one.detector: one.status for one in judgement.findings} == {
        "temporal_jump": "QUIET",
        "frame_duplication": "QUIET",
        "local_jump": "QUIET",
        "freeze": "QUIET",
        "prnu": "NOT_APPLICABLE",
    }


FRAMES = drift(3, 14, 64, 48)
KEYS = encode(FRAMES, "-c:v", "mpeg4", "-g", "1")


def test_keyframes_are_judged_as_images() -> None:
    """Their pixels as decoded, at most as many as the limit says, spread over the clip and told in order."""
    judge = CountingJudge()
    limits = VideoLimits(keyframes=4)
    judgement = judge_video(KEYS, judge, limits)
    assert [one.frame for one in judgement.keyframes] == [0, 4, 8, 12]
    assert sorted(one.judgement for one in judgement.keyframes) == [0, 1, 2, 3]
    first = judge.images[judgement.keyframes[0].judgement]
    assert np.corrcoef(first.luma.ravel(), FRAMES[0].ravel())[0, 1] > 0.97
    # If time ends early, those that were judged are far apart.
    assert [one.judgement for one in judgement.keyframes] == [0, 2, 1, 3]


def test_without_time_no_keyframe_is_judged() -> None:
    """And that is told; without a judge nothing is said of it."""
    judgement = judge_video(KEYS, CountingJudge(), VideoLimits(cpu_s=-1))
    assert judgement.keyframes == ()
    assert judgement.limits_hit == ("Keyframes that were judged as images: 0 of 7.",)
    assert judge_video(KEYS).limits_hit == ()


def test_keyframes_that_do_not_fit_are_fewer() -> None:
    """Their pixels are kept until all frames were read."""
    judgement = judge_video(KEYS, CountingJudge(), VideoLimits(keyframe_bytes=3 * 64 * 48 * 2))
    assert len(judgement.keyframes) == 2
    assert judgement.limits_hit == ("Keyframes of this size that are judged as images: 2 at most.",)


def test_keyframes_of_a_long_video_are_thinned_out_evenly() -> None:
    """Each time there are too many, half of them go; those that stay are told with their own times and pixels."""
    judge = CountingJudge()
    judgement = judge_video(KEYS, judge, VideoLimits(keyframes=2))
    assert [(one.frame, round(25 * one.time_s)) for one in judgement.keyframes] == [(0, 0), (8, 8)]
    for one in judgement.keyframes:
        shown = judge.images[one.judgement].luma.ravel()
        assert np.corrcoef(shown, FRAMES[one.frame].ravel())[0, 1] > 0.97


def test_fingerprints_of_a_long_video_are_thinned_out() -> None:
    """And the result tells it."""
    judgement = judge_video(KEYS, None, VideoLimits(sampled=6))
    assert judgement.limits_hit == ("Duplicates were sought among one in 4 frames.",)


def test_a_few_frames_tell_nothing() -> None:
    """No detector applies, and none fires."""
    judgement = judge_video(encode(FRAMES[:5], "-c:v", "mpeg4"))
    assert {one.status for one in judgement.findings} == {"NOT_APPLICABLE"}
    assert (judgement.frames, judgement.timeline, judgement.duration_s) == (5, (), pytest.approx(0.2))


def test_many_findings_are_cut_to_the_strongest(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is told."""
    monkeypatch.setattr(judging, "MOST_SPANS", 0)
    clip = make_clip("insertion", SEED, **SIZE)
    judgement = judge_video(encode(clip.frames))
    assert judgement.timeline == ()
    assert judgement.limits_hit == ("Of 1 findings the 0 strongest are told.",)


def test_everything_is_loaded_before_a_lock() -> None:
    """What prepares a worker ends without an error, as often as it is called."""
    prepare_video()
    with pytest.raises(VideoRefused):
        judge_video(b"")


@given(st.integers(0, 2**32), st.integers(0, 26))
def test_signals_of_any_kind_are_judged(seed: int, count: int) -> None:
    """Noise, black, and no frames at all: finite strengths, and findings within the video."""
    drawn = np.random.default_rng(seed)
    signals = FrameSignals(600)
    before = None
    for at in range(count):
        luma = (drawn.random((24, 32)) * drawn.integers(0, 256)).astype(np.uint8)
        if before is not None and drawn.random() < 0.4:
            luma = before
        signals.add(at / 25, luma, before)
        before = luma
    prints = np.stack(list(signals.prints.values())) if count else np.zeros((0, 4), np.float16)
    series = [jump_strengths(signals.thumbs), local_jumps(signals.changes), freeze_strengths(signals.changes)]
    series.append(duplication(prints)[0])
    for strengths in series:
        assert strengths.shape == (count,)
        assert np.isfinite(strengths).all()
    for one in [*find_jumps(signals.thumbs), *find_places(signals.changes), *find_duplicates(prints)]:
        assert 0 <= one.first <= one.last < count


@pytest.mark.parametrize("count", [1, 5, 13, 300])
def test_a_running_median_is_that_of_each_window(count: int) -> None:
    """Against numpy, frame by frame; at the ends the nearest whole window."""
    values = np.random.default_rng(count).random((count, 3)).astype(np.float32)
    found = running_median(values, 6)
    width = min(13, count)
    for at in range(count):
        begin = min(max(at - width // 2, 0), count - width)
        assert found[at] == pytest.approx(np.median(values[begin : begin + width], axis=0))


def test_duplicates_are_found_at_any_lag() -> None:
    """A run of six that equals one 20 frames earlier, in both directions; a still scene has none."""
    drawn = np.random.default_rng(1)
    prints = drawn.normal(0, 20, (50, 400)).astype(np.float16)
    prints[30:36] = prints[10:16]
    scores, lags = duplication(prints)
    assert set(lags[30:36]) == {20}
    assert set(lags[10:16]) == {-20}
    assert scores[30:36].min() > 0.9
    (found,) = find_duplicates(prints)
    assert found.lag == 20
    assert abs(found.first - 30) <= 4
    still = np.repeat(drawn.normal(0, 20, (1, 400)), 50, axis=0) + drawn.normal(0, 9, (50, 400))
    assert find_duplicates(still.astype(np.float16)) == []


def test_groups_of_pictures_of_a_still_scene_are_no_duplicates() -> None:
    """A picture without noise, as a screen's, is coded in the same steps again and again."""
    frames = np.repeat(drift(5, 1, 240, 176), 40, axis=0)
    judgement = judge_video(encode(frames, "-c:v", "mpeg4", "-g", "12", "-q:v", "6"))
    assert judgement.timeline == ()
