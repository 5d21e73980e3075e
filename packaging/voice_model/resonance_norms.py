"""Measures mean and standard deviation of the shown numbers of resonance over living voices, for ``model.json``.

    python -m voice_model.resonance_norms --takes DIR

``--takes`` is what ``voice_model.fetch`` has filled. Clean takes of the training's speakers, each speaker counting the
same.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from app.capabilities.voice.analysis.resonance import Resonance, resonance_of
from app.capabilities.voice.analysis.spectra import TooLittleSpeech
from app.capabilities.voice.analysis.statistics import FEATURES_VERSION, statistics_of
from voice_model.model_writer import SHIPPED, write_part
from voice_model.progress import tell
from voice_model.recordings import read_recordings
from voice_model.speaker_training import fetched_takes, read_wave

NUMBERS: Final = ("f0_hz", "f0_jitter", "residual_kurtosis", "group_delay_spread", "coherence")
"""Of ``Resonance``, those that have a norm."""


def norms_of(by_speaker: Mapping[str, Sequence[Resonance]]) -> dict[str, tuple[float, float]]:
    """Mean and standard deviation of each of ``NUMBERS`` where it was measured, every speaker weighing the same."""
    found = {}
    for name in NUMBERS:
        values = [np.array([getattr(one, name) for one in takes]) for takes in by_speaker.values()]
        known = [own[np.isfinite(own)] for own in values]
        known = [own for own in known if len(own)]
        middle = float(np.mean([own.mean() for own in known]))
        spread = float(np.sqrt(np.mean([np.mean((own - middle) ** 2) for own in known])))
        found[name] = (round(middle, 6), round(spread, 6))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    chosen = parser.parse_args(arguments)
    trained = {speaker.name for speaker in read_recordings().speakers if speaker.part == "train"}
    by_speaker: dict[str, list[Resonance]] = {}
    for one in fetched_takes(chosen.takes):
        if one.speaker not in trained:
            continue
        wave = read_wave(one.file)
        try:
            phase = statistics_of(wave).phase
        except TooLittleSpeech:
            continue
        by_speaker.setdefault(one.speaker, []).append(resonance_of(wave, phase))
    norms = norms_of(by_speaker)
    write_part(chosen.out, "resonance", norms, {}, FEATURES_VERSION)
    tell(len(by_speaker), "speakers", norms)


if __name__ == "__main__":
    main()
