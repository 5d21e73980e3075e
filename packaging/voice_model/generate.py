"""Makes the clones of the recordings, family by family, and the speech of text-to-speech engines.

    python -m voice_model.generate --takes DIR --out DIR [--neural FILE ...] [--each 60]

An item is ``OUT/KIND__SPEAKER_NN.npy``, int16, 16 kHz. Jobs run in a shuffled order, so that what a stopped run has
made is a balanced sample; what is there is not made again.
"""

from __future__ import annotations

import argparse
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator

from app.capabilities.voice.matrix import SAMPLE_RATE, Samples
from voice_model.attacks import FAMILIES, Maker
from voice_model.attacks.synthesizers import SYNTHESIZERS, spoken_takes
from voice_model.recordings import read_recordings
from voice_model.waves import write_take

SEED: Final = 20_26
SPOKEN_EACH: Final = 8
"""Takes of each voice of an engine."""


def seeded(*names: str) -> Generator:
    """A generator that depends on the names alone: items do not change with the order of the jobs."""
    return np.random.default_rng([SEED, *(zlib.crc32(name.encode()) for name in names)])


def read_take(file: Path) -> Samples:
    """A take or an item, full scale 1.0."""
    return np.load(file).astype(np.float32) / 32768


def write_item(file: Path, wave: Samples) -> None:
    """Writes a wave; ``ValueError`` where it is none: a family that fails must not go unnoticed."""
    if len(wave) < SAMPLE_RATE or not np.isfinite(wave).all() or float(np.abs(wave).max()) < 1e-3:
        raise ValueError(f"{file.stem} came to nothing")
    write_take(file, wave)


def makers_of(neural: Sequence[Path]) -> Mapping[str, Maker]:
    """All kinds of clone by name; a trained vocoder is named after its file."""
    makers = {kind: maker for family in FAMILIES.values() for kind, maker in family.items()}
    if neural:
        from voice_model.attacks.neural import read_vocoder, vocoded

        for file in neural:
            vocoder = read_vocoder(file)
            makers[file.stem] = lambda wave, _rng, vocoder=vocoder: vocoded(vocoder, wave)
    return makers


def jobs(takes: Sequence[Path], kinds: Sequence[str], each: int) -> Iterator[tuple[str, Path]]:
    """Kind and take of each clone: a speaker's turn comes as often as any other's, a take's once in a kind."""
    by_speaker: dict[str, list[Path]] = {}
    for take in takes:
        by_speaker.setdefault(take.stem.rpartition("_")[0], []).append(take)
    listed = []
    for kind in kinds:
        rng = seeded("jobs", kind)
        waiting = {speaker: list(rng.permutation(len(own))) for speaker, own in by_speaker.items()}
        chosen: list[Path] = []
        while len(chosen) < each and any(waiting.values()):
            for speaker in rng.permutation(sorted(waiting)):
                if waiting[speaker] and len(chosen) < each:
                    chosen.append(by_speaker[speaker][waiting[speaker].pop()])
        listed += [(kind, take) for take in chosen]
    yield from (listed[index] for index in seeded("order").permutation(len(listed)))


def make_clones(takes: Sequence[Path], out: Path, makers: Mapping[str, Maker], each: int) -> None:
    """All clones that are not there yet."""
    for kind, take in jobs(takes, sorted(makers), each):
        file = out / f"{kind}__{take.stem}.npy"
        if not file.exists():
            write_item(file, makers[kind](read_take(take), seeded(kind, take.stem)))


def speak(out: Path) -> None:
    """The engines' speech. A voice's first take is written last: where it is, all are."""
    for voice in SYNTHESIZERS:
        name = f"{voice.kind}__tts-{voice.language}-{voice.voice.replace('_', '-')}"
        if (out / f"{name}_00.npy").exists():
            continue
        takes = list(spoken_takes(voice, SPOKEN_EACH, seeded(name)))
        for number, wave in reversed(list(enumerate(takes))):
            write_item(out / f"{name}_{number:02}.npy", wave)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--neural", type=Path, nargs="*", default=[])
    parser.add_argument("--each", type=int, default=60, help="clones of each kind")
    chosen = parser.parse_args(arguments)
    chosen.out.mkdir(parents=True, exist_ok=True)
    known = {speaker.name for speaker in read_recordings().speakers}
    takes = sorted(take for take in chosen.takes.glob("*.npy") if take.stem.rpartition("_")[0] in known)
    make_clones(takes, chosen.out, makers_of(chosen.neural), chosen.each)
    speak(chosen.out)


if __name__ == "__main__":
    main()
