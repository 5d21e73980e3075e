"""The speaker's score of each listed item against its own speaker: for the clones that pass both gates.

    python -m voice_model.similarity --listed DIR --out FILE [--model DIR]

Each speaker is enrolled with the first three of the human items, which are not scored; a clone is compared with its
victim's signature. Writes JSON: log likelihood ratio by ``item channel``, for ``evaluate --similarity``.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from app.capabilities.voice.engine import VoiceEngine
from app.capabilities.voice.matrix import matrix_of, npy_bytes, read_matrix
from voice_model.dataset import heard_wave, listed_jobs
from voice_model.fetch import read_recording
from voice_model.model_writer import SHIPPED
from voice_model.progress import tell

ENROLLED: Final = 3
CHANNELS: Final = ("clean", "phone", "opus", "noise")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listed", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    chosen = parser.parse_args(arguments)
    engine = VoiceEngine.load(chosen.model)
    jobs = list(listed_jobs(chosen.listed))
    human: dict[str, list[str]] = {}
    for job in jobs:
        if job.row.kind == "human" and job.row.channel == "clean":
            human.setdefault(job.row.speaker, []).append(job.row.item)
    enrolled = {speaker: items[:ENROLLED] for speaker, items in human.items() if len(items) > ENROLLED}
    signatures = {
        speaker: engine.signature([read_recording(chosen.listed / item) for item in items])
        for speaker, items in enrolled.items()
    }
    tell(len(signatures), "signatures")
    found: dict[str, float] = {}
    for job in jobs:
        row = job.row
        if row.channel not in CHANNELS or row.speaker not in signatures or row.item in enrolled[row.speaker]:
            continue
        take = engine.analyse(read_matrix(npy_bytes(matrix_of(heard_wave(job)[0]))))
        found[f"{row.item} {row.channel}"] = float(
            engine.compare(take.speaker, np.asarray(signatures[row.speaker], np.float32)).llr
        )
    chosen.out.write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
