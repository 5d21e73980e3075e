"""How near each listed item is to its own speaker, by the shipped speaker score and by Resemblyzer: for the clones that
pass both gates, and for what a speaker score alone tells of clones.

    python -m voice_model.similarity --listed DIR --out FILE [--model DIR]

Each speaker is enrolled with the first three of the human items, which are not scored; a clone is compared with its
victim's enrolment. Writes JSON for ``evaluate --similarity``: by system and by ``item channel``, the log likelihood
ratio or Resemblyzer's cosine. To be run where PyTorch and Resemblyzer are.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from app.capabilities.voice.engine import ENCODER_FILE, VoiceEngine
from app.capabilities.voice.model_files import read_model
from app.capabilities.voice.speaker.encoder import SpeakerEncoder
from voice_model.dataset import heard_wave, listed_jobs
from voice_model.evaluate import COMPARED, Similarity
from voice_model.fetch import read_recording
from voice_model.model_writer import SHIPPED
from voice_model.progress import tell
from voice_model.resemblyzer_peer import peer_embedding
from voice_model.speaker_back_ends import cosines
from voice_model.speaker_training import embed_wave

ENROLLED: Final = 3


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listed", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--model", type=Path, default=SHIPPED)
    chosen = parser.parse_args(arguments)
    engine = VoiceEngine.load(chosen.model)
    encoder = SpeakerEncoder(read_model(chosen.model).files[ENCODER_FILE])
    jobs = list(listed_jobs(chosen.listed))
    human: dict[str, list[str]] = {}
    for job in jobs:
        if job.row.kind == "human" and job.row.channel == "clean":
            human.setdefault(job.row.speaker, []).append(job.row.item)
    enrolled = {speaker: items[:ENROLLED] for speaker, items in human.items() if len(items) > ENROLLED}
    waves = {speaker: [read_recording(chosen.listed / item) for item in items] for speaker, items in enrolled.items()}
    signatures = {speaker: engine.signature(takes).astype(np.float32) for speaker, takes in waves.items()}
    vectors = {speaker: np.mean([peer_embedding(take) for take in takes], axis=0) for speaker, takes in waves.items()}
    tell(len(signatures), "signatures")
    found: Similarity = {"ours": {}, "resemblyzer": {}}
    for job in jobs:
        row = job.row
        if row.channel not in COMPARED or row.speaker not in signatures or row.item in enrolled[row.speaker]:
            continue
        heard = heard_wave(job)[0]
        place = f"{row.item} {row.channel}"
        found["ours"][place] = engine.compare(embed_wave(encoder, heard)[None], signatures[row.speaker])[0].llr
        found["resemblyzer"][place] = float(cosines(peer_embedding(heard)[None], vectors[row.speaker][None])[0, 0])
    chosen.out.write_bytes(msgspec.json.encode(found))


if __name__ == "__main__":
    main()
