"""What is said of a whole video, for those who put it into words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Generic, Literal, Protocol, TypeVar

from app.capabilities.media.detectors.image import DecodedImage

MOST_SPANS: Final = 100

SpanKind = Literal["insertion", "deletion", "duplicate", "splice", "freeze"]
VideoDetector = Literal["temporal_jump", "local_jump", "freeze", "frame_duplication", "prnu"]

J = TypeVar("J")
Told_co = TypeVar("Told_co", covariant=True)


class ImageJudging(Protocol[Told_co]):
    """Judges one image: ``app.capabilities.media.analysis``."""

    def judge(self, image: DecodedImage) -> Told_co:
        """What was changed in it, and where."""


@dataclass(frozen=True)
class VideoSpan:
    """A stretch with a finding. ``t0``, ``t1``: seconds from the first frame, when ``frame0`` and ``frame1`` (both
    inclusive, counted from 0) are shown. ``score``: 0 to 1, 0.5 at the detector's threshold. ``box``: x, y, width,
    height as shares of the picture, of a place. ``source``: of a duplicate the first of the frames that it equals."""

    kind: SpanKind
    t0: float
    t1: float
    frame0: int
    frame1: int
    score: float
    box: tuple[float, float, float, float] | None = None
    source: int | None = None


@dataclass(frozen=True)
class VideoFinding:
    """What one detector says of the whole video. ``status`` QUIET: it was looked for and not found. ``reason``: in one
    sentence why it is NOT_APPLICABLE. ``score``: the largest of its spans, which are ``spans`` of the timeline, by
    place."""

    detector: VideoDetector
    status: Literal["FIRED", "QUIET", "NOT_APPLICABLE"]
    reason: str | None = None
    score: float = 0.0
    spans: tuple[int, ...] = ()


@dataclass(frozen=True)
class JudgedKeyframe(Generic[J]):
    """A frame that was decoded without any other, and what the image judge says of it."""

    frame: int
    time_s: float
    judgement: J


@dataclass(frozen=True)
class VideoJudgement(Generic[J]):
    """``width``, ``height``: px, by the header. ``format``, ``codec``: FFmpeg's names. ``frames`` were decoded, over
    ``duration_s`` seconds, ``rate`` a second by the header; ``dropped``: packets that could not be decoded.
    ``timeline``: at most 100 spans in order of time. ``temporal_score``: the largest of them, 0 without any.
    ``limits_hit``: in sentences what was left out. ``timings_ms``: processor time by step."""

    width: int
    height: int
    format: str
    codec: str
    rate: float
    frames: int
    duration_s: float
    timeline: tuple[VideoSpan, ...]
    findings: tuple[VideoFinding, ...]
    temporal_score: float
    keyframes: tuple[JudgedKeyframe[J], ...]
    limits_hit: tuple[str, ...]
    dropped: int
    timings_ms: dict[str, float]
