"""One pass over a video: its frames are read, measured, and what they have to do with each other is judged."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from fractions import Fraction
from io import BytesIO
from typing import Final

import av
import numpy as np
import numpy.typing as npt
from av.video.stream import VideoStream

from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.video.duplication import DUPLICATE, NEAREST, SHORTEST_RUN, find_duplicates
from app.capabilities.media.video.errors import VideoRefused
from app.capabilities.media.video.judgement import (
    MOST_SPANS,
    ImageJudging,
    J,
    JudgedKeyframe,
    SpanKind,
    VideoDetector,
    VideoFinding,
    VideoJudgement,
    VideoSpan,
)
from app.capabilities.media.video.jumps import JUMP, find_jumps
from app.capabilities.media.video.places import LOCAL_JUMP, RELEASE, find_places
from app.capabilities.media.video.reading import OpenedVideo, ReadFrame, VideoLimits, open_video, read_frames
from app.capabilities.media.video.signals import FrameSignals

FEWEST_FRAMES: Final = 13
"""Frames that tell what is usual, at least."""
_THRESHOLDS: Final[dict[SpanKind, float]] = {
    "insertion": JUMP,
    "deletion": JUMP,
    "duplicate": DUPLICATE,
    "splice": LOCAL_JUMP,
    "freeze": RELEASE,
}
_DETECTORS: Final[dict[SpanKind, VideoDetector]] = {
    "insertion": "temporal_jump",
    "deletion": "temporal_jump",
    "duplicate": "frame_duplication",
    "splice": "local_jump",
    "freeze": "freeze",
}
_NO_PRNU: Final = "There is no reference of the camera: the pattern of its sensor needs at least 200 of its keyframes."
_TOO_SHORT: Final = "The video has too few frames to tell what is usual in it."
_EDGE: Final = 2
"""Frames by which the ends of a duplicate are not sure."""
_WARM_SIDE: Final = 64


@dataclass
class _KeptFrames:
    """Frames of which pixels are kept: each ``step``-th, and half of them given up when there are too many."""

    most: int
    step: int = 1
    seen: int = 0
    frames: list[tuple[int, int, float, npt.NDArray[np.uint8]]] = field(default_factory=list)

    def wants(self) -> bool:
        """Whether the next frame is kept; counts it."""
        self.seen += 1
        return (self.seen - 1) % self.step == 0 and self.most > 0

    def put(self, frame: ReadFrame, pixels: npt.NDArray[np.uint8]) -> None:
        """Keeps it."""
        self.frames.append((self.seen - 1, frame.index, frame.time_s, pixels))
        if len(self.frames) > self.most:
            self.step *= 2
            self.frames = [one for one in self.frames if one[0] % self.step == 0]


def judge_video(
    media: bytes, image_judge: ImageJudging[J] | None = None, limits: VideoLimits | None = None
) -> VideoJudgement[J]:
    """What the frames of a video have to do with each other, and what ``image_judge`` says of some keyframes (none
    without it). Deterministic but for ``limits.cpu_s``. Raises ``VideoRefused`` for what is no video, or has too large
    frames; of a file that is cut off, what is there is judged."""
    begun = time.process_time()
    limits = limits or VideoLimits()
    opened = open_video(media)
    try:
        signals, keyframes = _measure(opened, limits, judged=image_judge is not None)
    finally:
        opened.container.close()
    if signals.count == 0:
        raise VideoRefused("undecodable", "The file has no frame that can be decoded.")
    measured = time.process_time()
    timeline = _timeline(signals, opened)
    found = time.process_time()
    judged: list[JudgedKeyframe[J]] = []
    for number, (_, index, at, pixels) in enumerate(_spread(keyframes.frames)):
        if image_judge is None:
            break
        if time.process_time() - begun > limits.cpu_s:
            opened.limits_hit.append(f"Keyframes that were judged as images: {number} of {len(keyframes.frames)}.")
            break
        judged.append(JudgedKeyframe(index, at, image_judge.judge(DecodedImage(pixels))))
    return VideoJudgement(
        width=opened.width,
        height=opened.height,
        format=opened.format,
        codec=opened.codec,
        rate=opened.rate,
        frames=signals.count,
        duration_s=signals.times[-1] + 1 / opened.rate,
        timeline=timeline,
        findings=_findings(timeline, signals),
        temporal_score=max((one.score for one in timeline), default=0.0),
        keyframes=tuple(sorted(judged, key=lambda one: one.frame)),
        limits_hit=tuple(opened.limits_hit),
        dropped=opened.broken,
        timings_ms={
            "reading": 1000 * (measured - begun),
            "timeline": 1000 * (found - measured),
            "keyframes": 1000 * (time.process_time() - found),
        },
    )


def prepare_video() -> None:
    """Makes a video in memory and judges it, and fails to open another: afterwards nothing is loaded or opened. About
    0.2 s of a processor."""
    drawn = np.random.default_rng(1)
    for name, container in (("mpeg4", "mp4"), ("mjpeg", "matroska")):
        target = BytesIO()
        with av.open(target, "w", format=container) as made:
            stream = made.add_stream(name, rate=Fraction(25))
            if not isinstance(stream, VideoStream):
                raise TypeError("a video codec makes a stream of video")
            stream.width = stream.height = _WARM_SIDE
            stream.pix_fmt = "yuvj420p" if name == "mjpeg" else "yuv420p"
            stream.codec_context.thread_count = 1
            for _ in range(2 * FEWEST_FRAMES):
                pixels = drawn.integers(0, 256, (_WARM_SIDE, _WARM_SIDE, 3), np.uint8)
                made.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, format="rgb24")))
            made.mux(stream.encode(None))
        judge_video(target.getvalue(), _Idle())
    try:
        open_video(b"\x1a\x45\xdf\xa3" + bytes(_WARM_SIDE))
    except VideoRefused:
        return
    raise AssertionError("a file of zeros was opened")


class _Idle:
    """In place of an image judge, so that a keyframe becomes an image while files can be opened."""

    def judge(self, image: DecodedImage) -> None:
        """Nothing."""


def _measure(opened: OpenedVideo, limits: VideoLimits, *, judged: bool) -> tuple[FrameSignals, _KeptFrames]:
    """Reads all frames: their signals, and pixels of keyframes if they will be judged."""
    signals = FrameSignals(limits.sampled)
    room = limits.keyframe_bytes // max(1, 3 * opened.width * opened.height)
    keyframes = _KeptFrames(min(limits.keyframes, max(1, room)) if judged else 0)
    before: ReadFrame | None = None
    for frame in read_frames(opened, limits):
        signals.add(frame.time_s, frame.luma, None if before is None else before.luma)
        if frame.keyframe and keyframes.wants():
            keyframes.put(frame, frame.rgb())
        before = frame
    if keyframes.most < limits.keyframes and judged and keyframes.seen > keyframes.most:
        opened.limits_hit.append(f"Keyframes of this size that are judged as images: {keyframes.most} at most.")
    if signals.step > 1:
        opened.limits_hit.append(f"Duplicates were sought among one in {signals.step} frames.")
    return signals, keyframes


def _timeline(signals: FrameSignals, opened: OpenedVideo) -> tuple[VideoSpan, ...]:
    """All that was found, the strongest where it is too much."""
    if signals.count < FEWEST_FRAMES:
        return ()
    places = find_places(signals.changes)
    copies = find_duplicates(np.stack([signals.prints[at] for at in sorted(signals.prints)]))
    # The picture as a whole jumps where a large place does, and where duplicates begin and end.
    explained = {at for one in places for at in (one.first, one.last + 1)}
    for one in copies:
        for at in (one.first, one.last + 1, one.first - one.lag, one.last + 1 - one.lag):
            explained |= set(range((at - _EDGE) * signals.step, (at + _EDGE) * signals.step + 1))
    spans = [_span(signals, one.kind, one.first, one.last, one.strength, one.box) for one in places]
    spans += [
        _span(signals, one.kind, one.first, one.last, one.strength)
        for one in find_jumps(signals.thumbs)
        if one.kind == "insertion" or one.first not in explained
    ]
    for one in copies:
        first, last = one.first * signals.step, min(one.last * signals.step, signals.count - 1)
        source = first - one.lag * signals.step
        spans.append(_span(signals, "duplicate", first, last, one.strength, source=source))
    if len(spans) > MOST_SPANS:
        opened.limits_hit.append(f"Of {len(spans)} findings the {MOST_SPANS} strongest are told.")
        spans = sorted(spans, key=lambda one: -one.score)[:MOST_SPANS]
    return tuple(sorted(spans, key=lambda one: (one.frame0, one.frame1)))


def _span(
    signals: FrameSignals,
    kind: SpanKind,
    first: int,
    last: int,
    strength: float,
    box: tuple[float, float, float, float] | None = None,
    *,
    source: int | None = None,
) -> VideoSpan:
    score = strength / (strength + _THRESHOLDS[kind])
    return VideoSpan(kind, signals.times[first], signals.times[last], first, last, score, box, source)


def _findings(timeline: tuple[VideoSpan, ...], signals: FrameSignals) -> tuple[VideoFinding, ...]:
    """One of each detector."""
    found = []
    for detector in dict.fromkeys(_DETECTORS.values()):
        mine = tuple(at for at, span in enumerate(timeline) if _DETECTORS[span.kind] == detector)
        few = len(signals.prints) < NEAREST + SHORTEST_RUN + 2 if detector == "frame_duplication" else False
        if few or signals.count < FEWEST_FRAMES:
            found.append(VideoFinding(detector, "NOT_APPLICABLE", _TOO_SHORT))
        elif mine:
            found.append(VideoFinding(detector, "FIRED", None, max(timeline[at].score for at in mine), mine))
        else:
            found.append(VideoFinding(detector, "QUIET"))
    return (*found, VideoFinding("prnu", "NOT_APPLICABLE", _NO_PRNU))


def _spread(
    frames: list[tuple[int, int, float, npt.NDArray[np.uint8]]],
) -> list[tuple[int, int, float, npt.NDArray[np.uint8]]]:
    """The frames in an order of which each beginning is spread over the video: those of bit-reversed places."""
    width = max(1, (len(frames) - 1).bit_length())
    return [frames[at] for at in sorted(range(len(frames)), key=lambda at: f"{at:0{width}b}"[::-1])]
