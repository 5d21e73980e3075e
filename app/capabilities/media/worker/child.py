"""The worker's process: it loads all that it will need, locks itself, and then answers jobs until its pipe ends.

Nothing can be imported or opened once it is locked, so that each decoder, the model and all that judges has worked once
before.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

# Before numpy is loaded: what a lock allows no more is not begun before, and each stack counts as memory.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

import cv2
import msgspec
import numpy as np
from PIL import Image

from app.capabilities.media.analysis.judge import ImageJudge
from app.capabilities.media.analysis.judgement import ImageJudgement
from app.capabilities.media.detectors.faces import FaceFinder
from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.messages import C2paState, ExifState, MediaProvenance, ScanReport
from app.capabilities.media.provenance.reading import FileProvenance, prepare_provenance, read_provenance
from app.capabilities.media.verdict.faces import measure_faces
from app.capabilities.media.verdict.report import scan_report
from app.capabilities.media.verdict.video import KeyframeReport, video_report
from app.capabilities.media.verdict.warm import warm_report
from app.capabilities.media.video.errors import VideoRefused
from app.capabilities.media.video.judge import judge_video, prepare_video
from app.capabilities.media.video.judgement import JudgedKeyframe, VideoJudgement
from app.capabilities.media.video.reading import VIDEO_FORMATS
from app.capabilities.media.worker.decode import FORMATS, DecodedMedia, decode, open_image, preview
from app.capabilities.media.worker.protocol import (
    REASON_MAX,
    VIDEO_TYPES,
    ImageFacts,
    ImageMeasures,
    ScanFound,
    VideoFacts,
    VideoFormat,
    VideoMeasures,
    WorkerMessage,
    WorkerReady,
    WorkerRefusal,
    frame,
    read_job,
)
from app.capabilities.media.worker.refusals import MediaNotSandboxed, MediaRefused, MediaTooLarge, MediaUnjudged
from app.capabilities.media.worker.sandbox import SandboxLimits, lock

Send = Callable[..., None]
"""Writes a message and its parts."""
_WARM: Final = 72
"""Side of the images that warm it, px: the smallest that are measured have 64."""
_NICE: Final = 10
"""Doors and callers come first: a scan takes the processor time that they leave."""


def main(model: str) -> None:
    """Serves the jobs that come on standard input; the answers go to what was standard output. ``model``: directory of
    the model that judges images."""
    answers = os.dup(1)
    # What a library prints is no frame.
    os.dup2(2, 1)
    with open(answers, "wb") as target, open(0, "rb") as source:

        def send(message: WorkerMessage, *parts: bytes) -> None:
            target.writelines(frame(message, *parts))
            target.flush()

        try:
            instruments = prepare(SandboxLimits(), Path(model))
        except (MediaNotSandboxed, MediaUnjudged) as refusal:
            send(WorkerRefusal(refusal.code, str(refusal)))
            return
        send(WorkerReady())
        while (taken := read_job(source.read)) is not None:
            answer(taken[1], instruments, send)


@dataclass(frozen=True)
class Instruments:
    """What judges an image: loaded, warm, and in need of no file."""

    judge: ImageJudge
    faces: FaceFinder


def prepare(limits: SandboxLimits, model: Path) -> Instruments:
    """Loads what judges, warms it and every decoder, and locks this process. Raises ``MediaNotSandboxed`` and
    ``MediaUnjudged``."""
    os.nice(_NICE)
    cv2.setNumThreads(1)
    try:
        instruments = Instruments(ImageJudge.load(model), FaceFinder())
    except (OSError, ValueError) as error:
        raise MediaUnjudged("The model that judges images is missing or damaged: install the program again.") from error
    prepare_provenance()
    warm_report()
    prepare_video()
    small = Image.effect_noise((_WARM, _WARM), 40).convert("RGB")
    exif = Image.Exif()
    exif[0x0131] = "warm"
    for name in FORMATS:
        file = BytesIO()
        small.save(file, name, exif=exif, compression="tiff_lzw" if name == "TIFF" else None)
        answer(file.getvalue(), instruments, lambda *_: None)
    lock(limits)
    return instruments


def answer(media: bytes, instruments: Instruments, send: Send) -> None:
    """Sends the measures of an image, and what was found in it; or why there is nothing."""
    begun = time.process_time()
    facts: ImageFacts | VideoFacts
    try:
        if (video := video_format(media)) is not None:
            send(VideoMeasures())
            facts, report, pictures = _judge_video(media, video, instruments)
        else:
            opened = open_image(media)
            send(ImageMeasures(width=opened.width, height=opened.height))
            facts, report, pictures = _judge_image(media, decode(opened), instruments)
    except (MediaRefused, VideoRefused) as refusal:
        send(WorkerRefusal(code=refusal.code, reason=str(refusal)[:REASON_MAX]))
    except MemoryError:
        send(WorkerRefusal(code=MediaTooLarge.code, reason="The analysis needs more memory than there is."))
    else:
        found = ScanFound(facts=facts, layers=tuple(pictures), cpu_s=time.process_time() - begun)
        send(found, msgspec.json.encode(report), *pictures.values())


def video_format(media: bytes) -> VideoFormat | None:
    """As what a file is read as a video; None for all others, images among them."""
    return next((name for name in VIDEO_TYPES if VIDEO_FORMATS[name].match(media)), None)


def _judge_video(
    media: bytes, video: VideoFormat, instruments: Instruments
) -> tuple[VideoFacts, ScanReport, dict[str, bytes]]:
    """What a video is, its report, and the pictures of a keyframe."""
    judged = judge_video(media, _KeyframeJudge(instruments.judge))
    provenance = _as_message(read_provenance(media, VIDEO_TYPES[video]))
    report, pictures = video_report(_with_one_report(judged, instruments), provenance, instruments.judge.facts.version)
    facts = VideoFacts(
        width=judged.width,
        height=judged.height,
        format=video,
        codec=judged.codec[:40],
        sha256=hashlib.sha256(media).hexdigest(),
        frames=judged.frames,
        duration_s=judged.duration_s,
    )
    return facts, report, pictures


_Keyframe = tuple[DecodedImage, ImageJudgement]


@dataclass(frozen=True)
class _KeyframeJudge:
    """Judges keyframes: an ``ImageJudging``."""

    by: ImageJudge

    def judge(self, image: DecodedImage) -> _Keyframe:
        """What its report will be made of, if it is the one that is told."""
        return image, self.by.judge(image)


def _with_one_report(judged: VideoJudgement[_Keyframe], instruments: Instruments) -> VideoJudgement[KeyframeReport]:
    """The video with the report on its most striking keyframe; of each other one the report has the score alone."""
    best = max(judged.keyframes, key=lambda one: one.judgement[1].score, default=None)
    reports: list[JudgedKeyframe[KeyframeReport]] = []
    for one in judged.keyframes:
        image, judgement = one.judgement
        if one is best:
            report = _report_on(DecodedFrame(image), judgement, None, instruments)
        else:
            report = ScanReport(score=float(np.clip(judgement.score, 0, 1))), {}
        reports.append(JudgedKeyframe(one.frame, one.time_s, report))
    # Not dataclasses.replace: a type checker takes it for a judgement of the same kind.
    return VideoJudgement(**{**vars(judged), "keyframes": tuple(reports)})


@dataclass(frozen=True)
class DecodedFrame:
    """A frame of a video, in place of an image file."""

    image: DecodedImage
    orientation: int | None = None
    conversions: tuple[str, ...] = ()


def _judge_image(
    media: bytes, decoded: DecodedMedia, instruments: Instruments
) -> tuple[ImageFacts, ScanReport, dict[str, bytes]]:
    """What an image file is, its report, and its pictures."""
    provenance = _as_message(read_provenance(media, f"image/{decoded.format.lower()}"))
    judgement = instruments.judge.judge(decoded.image)
    return _facts(media, decoded), *_report_on(decoded, judgement, provenance, instruments)


def _report_on(
    decoded: DecodedMedia | DecodedFrame,
    judgement: ImageJudgement,
    provenance: MediaProvenance | None,
    instruments: Instruments,
) -> KeyframeReport:
    """The report on an image that was judged, and its pictures."""
    judge = instruments.judge
    return scan_report(
        judgement,
        decoded.image,
        provenance,
        judge.calibration,
        faces=measure_faces(instruments.faces.find(decoded.image, decoded.orientation), judgement),
        conversions=decoded.conversions,
        preview=preview(decoded.image),
        model_version=judge.facts.version,
    )


def _as_message(provenance: FileProvenance) -> MediaProvenance:
    """What a file says of its past, as it crosses the wire."""
    credentials, exif = provenance.credentials, provenance.exif
    return MediaProvenance(
        c2pa=C2paState(
            state=credentials.state,
            codes=list(credentials.codes),
            claim_generator=credentials.claim_generator,
            actions=list(credentials.actions),
            digital_source_type=credentials.digital_source_type,
        ),
        exif=ExifState(
            software=exif.software,
            thumbnail_mismatch=exif.thumbnail_mismatch,
            quant_table_origin=exif.quant_table_origin,
        ),
    )


def _facts(media: bytes, decoded: DecodedMedia) -> ImageFacts:
    """What the decoder found, as the service reads it."""
    height, width = decoded.image.rgb.shape[:2]
    past = decoded.image.jpeg
    return ImageFacts(
        width=width,
        height=height,
        format=decoded.format,
        mode=decoded.mode,
        sha256=hashlib.sha256(media).hexdigest(),
        conversions=decoded.conversions,
        orientation=decoded.orientation,
        software=decoded.software,
        luma_quantizers=None if past is None else tuple(past.luma.ravel().tolist()),
    )
