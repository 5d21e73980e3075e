"""Video of the media scan: processor time against bare decoding, and how well changes are found in drawn clips.

The clips are those of ``tests/video_clips.py`` by seeds that set no threshold, encoded by ffmpeg with H.264 at CRF 17
to 29. A frame's score is its detector's strength; a clip's is the largest. AUC is against all other frames, and against
honest clips; of the jump those without cuts and flashes, as a cut is no finding. Drawn scenes say how the detectors
compare, and no rate of real videos. Goal: at most 6 times bare gray decoding. ``python -m tests.perf.media_video``
prints them.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from io import BytesIO

import av
import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.video.duplication import duplication
from app.capabilities.media.video.judge import judge_video
from app.capabilities.media.video.jumps import jump_strengths
from app.capabilities.media.video.places import freeze_strengths, local_jumps
from app.capabilities.media.video.reading import VideoLimits, open_video, read_frames
from app.capabilities.media.video.signals import FrameSignals
from tests.perf.error_rates import bounded
from tests.perf.report import Row, run
from tests.video_clips import EDITS, HONEST, drift, encode, make_clip

SEEDS = range(300, 312)
SCENES = ("cut", "cutaway", "flash")
"""Honest kinds that jump as a whole."""
GOAL, ROUNDS = 6.0, 5
Floats = npt.NDArray[np.float32]
SERIES: dict[str, tuple[str, Callable[[FrameSignals], Floats]]] = {
    "insertion": ("jump", lambda signals: jump_strengths(signals.thumbs)),
    "deletion": ("jump", lambda signals: jump_strengths(signals.thumbs)),
    "duplication": ("duplication", lambda signals: duplication(np.stack(list(signals.prints.values())))[0]),
    "frozen": ("freeze", lambda signals: freeze_strengths(signals.changes)),
    "splice": ("local jump", lambda signals: local_jumps(signals.changes)),
}
SPANS = {"duplication": "duplicate", "frozen": "freeze"}


def area(changed: Floats, honest: Floats) -> float:
    """Area under the curve of two sets of scores; ties count half."""
    order = np.sort(honest)
    below = np.searchsorted(order, changed, "left") + np.searchsorted(order, changed, "right")
    return float(below.mean() / (2 * len(order)))


def signals_of(file: bytes) -> FrameSignals:
    """What is measured of a file's frames."""
    signals, before = FrameSignals(600), None
    for frame in read_frames(open_video(file), VideoLimits()):
        signals.add(frame.time_s, frame.luma, before)
        before = frame.luma
    return signals


def accuracy() -> Iterator[Row]:
    """For each kind of change: AUC of frames and clips, and how often it is found; how often honest clips have one."""
    marks: dict[str, list[npt.NDArray[np.bool_]]] = defaultdict(list)
    scores: dict[str, dict[str, list[Floats]]] = defaultdict(lambda: defaultdict(list))
    hits: dict[str, int] = defaultdict(int)
    for kind in (*EDITS, *HONEST):
        for seed in SEEDS:
            clip = make_clip(kind, seed)
            quality = str(np.random.default_rng(seed).integers(17, 30))
            chosen = ("-c:v", "libx264", "-crf", quality, "-preset", "veryfast", "-threads", "1", "-pix_fmt", "yuv420p")
            file = encode(clip.frames, *chosen)
            signals = signals_of(file)
            marks[kind].append(clip.changed)
            for edit, (_, series) in SERIES.items():
                scores[kind][edit].append(series(signals))
            spans = {one.kind for one in judge_video(file).timeline}
            hits[kind] += bool(spans) if kind in HONEST else SPANS.get(kind, kind) in spans
    for edit, (name, _) in SERIES.items():
        without = [kind for kind in HONEST if name != "jump" or kind not in SCENES]
        honest = [one for kind in without for one in scores[kind][edit]]
        mine = list(zip(scores[edit][edit], marks[edit], strict=True))
        inside = np.concatenate([one[changed] for one, changed in mine])
        outside = np.concatenate([*(one[~changed] for one, changed in mine), *honest])
        frames = area(inside, outside)
        clips = area(np.array([one.max() for one, _ in mine]), np.array([one.max() for one in honest]))
        yield Row(f"video {edit} by {name}: AUC of frames", "", frames, 0.5, None, "told", "chance")
        yield Row(f"video {edit} by {name}: AUC of clips", "", clips, 0.5, None, "told", "chance")
        against = f"clips {bounded(hits[edit], len(SEEDS))}"
        yield Row(f"video {edit}: found", "", hits[edit], len(SEEDS), hits[edit] / len(SEEDS), "told", against)
    total = sum(hits[kind] for kind in HONEST)
    count = len(SEEDS) * len(HONEST)
    worst = ", ".join(f"{kind} {hits[kind]}" for kind in HONEST if hits[kind])
    against = f"clips {bounded(total, count)} {worst}"
    yield Row("video honest clips: with a finding", "", total, count, total / count, "told", against)


def cost() -> Row:
    """Processor milliseconds for 10^6 pixels of a frame at 1280 x 720: all but the judging of keyframes."""
    cv2.setNumThreads(1)
    small = drift(9, 60, 320, 180)
    file = encode(np.stack([cv2.resize(one, (1280, 720), interpolation=cv2.INTER_CUBIC) for one in small]))
    megapixels = len(small) * 1.28 * 0.72
    ours, peer = [], []
    for _ in range(ROUNDS):
        begun = time.process_time()
        judge_video(file)
        ours.append(time.process_time() - begun)
        begun = time.process_time()
        with av.open(BytesIO(file)) as container:
            container.streams.video[0].thread_type = "NONE"
            for frame in container.decode(video=0):
                frame.reformat(format="gray", threads=1).to_ndarray()
        peer.append(time.process_time() - begun)
    mine, bare = (1000 * min(each) / megapixels for each in (ours, peer))
    ratio = mine / bare
    return Row(
        "video, CPU for 1 MP of a frame", "ms", mine, bare, ratio, f"<= {GOAL:g}x", "bare gray decoding", ratio <= GOAL
    )


ROWS = (cost, accuracy)

if __name__ == "__main__":
    run(ROWS)
