"""A worker that locks itself as every worker does and then judges videos and reads what files say of their past:
``python -m tests.security.media_video_probe DIR``. Writes JSON: for each file of ``DIR``, read before the lock, what
was found, by name; the threads of the process and its largest address space in bytes."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"

from app.capabilities.media.detectors.image import DecodedImage
from app.capabilities.media.provenance.reading import prepare_provenance, read_provenance
from app.capabilities.media.video.errors import VideoRefused
from app.capabilities.media.video.judge import judge_video, prepare_video
from app.capabilities.media.worker.child import prepare
from app.capabilities.media.worker.sandbox import SandboxLimits
from app.capabilities.media.worker.workers import MODEL

MIMES = {".jpg": "image/jpeg", ".mp4": "video/mp4"}


class ShapeJudge:
    """Says how large an image is."""

    def judge(self, image: DecodedImage) -> tuple[int, ...]:
        """Height and width of its luma."""
        return image.luma.shape


def found(name: str, media: bytes) -> dict[str, object]:
    """What is told of one file."""
    told: dict[str, object] = {
        "credentials": read_provenance(media, MIMES.get(Path(name).suffix, "")).credentials.state
    }
    if Path(name).suffix != ".jpg":
        try:
            judged = judge_video(media, ShapeJudge())
        except VideoRefused as refused:
            return told | {"refused": refused.code}
        told |= {
            "frames": judged.frames,
            "spans": [(one.kind, one.frame0, one.frame1) for one in judged.timeline],
            "keyframes": [one.judgement for one in judged.keyframes],
            "dropped": judged.dropped,
        }
    return told


def main() -> None:
    """Reads, locks, judges, tells."""
    files = {path.name: path.read_bytes() for path in Path(sys.argv[1]).iterdir()}
    prepare_provenance()
    prepare_video()
    with open("/proc/self/status") as status:
        prepare(SandboxLimits(), MODEL)
        told = {name: found(name, media) for name, media in files.items()}
        facts = dict(line.split(":\t", 1) for line in status.read().splitlines())
    peak = int(facts["VmPeak"].split()[0]) << 10
    sys.stdout.write(
        json.dumps({"found": told, "threads": int(facts["Threads"]), "peak": peak, "lock": facts["Seccomp"]})
    )


if __name__ == "__main__":
    main()
