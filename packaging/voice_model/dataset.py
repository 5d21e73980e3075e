"""The statistics of takes and clones under many conditions, kept in a folder.

    python -m voice_model.dataset --takes DIR --clones DIR --cache DIR [--part 0/2] [--seconds N]
    python -m voice_model.dataset --listed DIR --cache DIR

The second form reads a folder of recordings with ``manifest.tsv`` (path, split, label, attack, speaker, lang, source):
those are scored, and never trained on. Rows come in a shuffled order and are written every so often: a stopped run is
a balanced sample, and is taken up where it stopped.
"""

from __future__ import annotations

import argparse
import csv
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import msgspec
import numpy as np
from numpy.random import Generator

from app.capabilities.voice.analysis.spectra import TooLittleSpeech
from app.capabilities.voice.analysis.statistics import FEATURES_VERSION, statistics_of
from app.capabilities.voice.conditions import in_room, opus, telephone, with_noise
from app.capabilities.voice.matrix import SAMPLE_RATE, Samples
from voice_model.attacks import FAMILIES
from voice_model.fetch import read_recording
from voice_model.generate import read_take, seeded
from voice_model.progress import tell
from voice_model.recordings import read_recordings
from voice_model.waves import shared_front

SHARD: Final = 60
"""Rows of a file."""
FRAMES: Final = 400
"""Most frames of bands that a row keeps: the network sees less at a time."""
LENGTHS_S: Final = (2.8, 4.2)
SHARES: Final = MappingProxyType({True: 0.75, False: 0.8})
"""Probability that an item is taken in a channel other than clean: human, synthetic."""
LISTED_SHARE: Final = 0.5

Channel = Callable[[Samples, Generator], tuple[Samples, float, float]]


class Row(msgspec.Struct, frozen=True):
    """Where a row of statistics comes from. ``kind``: of the attack, or ``human``; ``source``: ``own`` or ``listed``;
    ``part``: as ``recordings.PARTS``; ``snr_db``, ``direct_db``: NaN where the channel has none."""

    item: str
    source: str
    kind: str
    speaker: str
    person: str
    language: str
    part: str
    channel: str
    snr_db: float
    direct_db: float


@dataclass(frozen=True)
class Job:
    """One row to be made. ``recording``: the file; ``row``: without levels."""

    recording: Path
    row: Row


def _drawn_noise(wave: Samples, rng: Generator, low: float, high: float) -> tuple[Samples, float]:
    snr_db = float(rng.uniform(low, high))
    return with_noise(wave, rng, snr_db), snr_db


def _noise(wave: Samples, rng: Generator) -> tuple[Samples, float, float]:
    heard, snr_db = _drawn_noise(wave, rng, 10, 20)
    return heard, snr_db, np.nan


def _telephone_noise(wave: Samples, rng: Generator) -> tuple[Samples, float, float]:
    heard, snr_db = _drawn_noise(wave, rng, 8, 20)
    return telephone(heard, rng), snr_db, np.nan


def _room(low: float, high: float) -> Channel:
    def heard(wave: Samples, rng: Generator) -> tuple[Samples, float, float]:
        direct_db = float(rng.uniform(low, high))
        return in_room(wave, rng, direct_db), np.nan, direct_db

    return heard


def _noise_in_room(low: float, high: float, snr: tuple[float, float]) -> Channel:
    def heard(wave: Samples, rng: Generator) -> tuple[Samples, float, float]:
        direct_db = float(rng.uniform(low, high))
        noisy, snr_db = _drawn_noise(in_room(wave, rng, direct_db), rng, *snr)
        return noisy, snr_db, direct_db

    return heard


CHANNELS: Final[Mapping[str, Channel]] = MappingProxyType(
    {
        "clean": lambda wave, _rng: (wave, np.nan, np.nan),
        "phone": lambda wave, rng: (telephone(wave, rng), np.nan, np.nan),
        "opus": lambda wave, rng: (opus(wave, rng), np.nan, np.nan),
        "noise": _noise,
        "noise_room": _noise_in_room(-3, 8, (10, 20)),
        "strong_room": _noise_in_room(-11, -4, (12, 22)),
        "room": _room(-10, 3),
        "phone_noise": _telephone_noise,
    }
)
"""Ways that an item is heard, each with its level of signal to noise and of direct voice to reverberation, dB."""
_ROOMS: Final = ("noise_room", "strong_room", "room", "phone_noise")


def own_jobs(takes: Path, clones: Path) -> Iterator[Job]:
    """Of takes and clones, in a fixed order."""
    speakers = {speaker.name: speaker for speaker in read_recordings().speakers}
    for file in sorted([*takes.glob("*.npy"), *clones.glob("*.npy")]):
        kind, _, name = file.stem.rpartition("__")
        speaker = name.rpartition("_")[0]
        if speaker.startswith("tts-"):
            told = (speaker, speaker, speaker.split("-")[1], "train")
        else:
            told = (speaker, speakers[speaker].person, speakers[speaker].language, speakers[speaker].part)
        rng = seeded("channels", file.stem)
        share = SHARES[not kind]
        for channel in ("clean", *(name for name in ("phone", "opus", "noise") if rng.random() < share)):
            yield Job(file, Row(file.stem, "own", kind or "human", *told, channel, np.nan, np.nan))
        if rng.random() < share:
            room = str(rng.choice(_ROOMS))
            yield Job(file, Row(file.stem, "own", kind or "human", *told, room, np.nan, np.nan))


def listed_jobs(folder: Path) -> Iterator[Job]:
    """Of a folder with a manifest."""
    people = {speaker.name: speaker.person for speaker in read_recordings().speakers}
    with (folder / "manifest.tsv").open() as opened:
        for line in csv.DictReader(opened, delimiter="\t"):
            rng = seeded("listed", line["path"])
            told = (line["speaker"], people.get(line["speaker"], line["speaker"]), line["lang"], "train")
            others = [
                name for name in ("phone", "opus", "noise", "noise_room", "strong_room") if rng.random() < LISTED_SHARE
            ]
            for channel in ("clean", *others):
                yield Job(
                    folder / line["path"], Row(line["path"], "listed", line["attack"], *told, channel, np.nan, np.nan)
                )


def heard_wave(job: Job) -> tuple[Samples, Row]:
    """What the judge would hear, and its row with the levels."""
    rng = seeded(job.row.channel, job.row.item)
    if job.row.source == "listed":
        wave = read_recording(job.recording)
    else:
        wave = read_take(job.recording)
        wanted = int(rng.uniform(*LENGTHS_S) * SAMPLE_RATE)
        begin = int(rng.integers(0, max(1, len(wave) - wanted)))
        wave = shared_front(wave[begin : begin + wanted], rng)
    heard, snr_db, direct_db = CHANNELS[job.row.channel](wave, rng)
    return heard, msgspec.structs.replace(job.row, snr_db=snr_db, direct_db=direct_db)


@dataclass(frozen=True)
class Cached:
    """All rows of a cache: statistics (n, 133), (n, 94), (n, 156), (n, 5); bands (n, 400, 128) float16, and the number
    of frames of each."""

    rows: tuple[Row, ...]
    magnitude: np.ndarray
    phase: np.ndarray
    envelope: np.ndarray
    router: np.ndarray
    bands: np.ndarray
    frames: np.ndarray

    def chosen(self, wanted: np.ndarray) -> Cached:
        """The rows of a mask or of indexes."""
        indexes = np.flatnonzero(wanted) if wanted.dtype == bool else wanted
        arrays = (self.magnitude, self.phase, self.envelope, self.router, self.bands, self.frames)
        return Cached(tuple(self.rows[index] for index in indexes), *(array[indexes] for array in arrays))


def read_cache(cache: Path, *, bands: bool = True) -> Cached:
    """The rows of all shards; ``ValueError`` where they are of another version of the statistics."""
    rows: list[Row] = []
    parts: dict[str, list[np.ndarray]] = {
        name: [] for name in ("magnitude", "phase", "envelope", "router", "bands", "frames")
    }
    for shard in sorted(cache.glob("*.npz")):
        with np.load(shard) as stored:
            if int(stored["version"]) != FEATURES_VERSION:
                raise ValueError(f"{shard.name} is of version {int(stored['version'])}")
            rows += msgspec.msgpack.decode(stored["rows"].tobytes(), type=list[Row])
            for name, found in parts.items():
                found.append(
                    stored[name] if bands or name != "bands" else np.zeros((len(stored["frames"]), 0, 0), np.float16)
                )
    # Two processes with the same share would make a row twice.
    first = {(row.item, row.channel): index for index, row in reversed(list(enumerate(rows)))}
    kept = np.sort(np.array(list(first.values())))
    arrays = [np.concatenate(found)[kept] for found in parts.values()]
    return Cached(tuple(rows[index] for index in kept), *arrays)


def make_rows(jobs: Iterable[Job], cache: Path, name: str, until: float) -> None:
    """Writes the rows that are not in the cache yet, until this moment of ``time.monotonic``."""
    done = set()
    for shard in cache.glob("*.npz"):
        with np.load(shard) as stored:
            done |= {
                (row.item, row.channel) for row in msgspec.msgpack.decode(stored["rows"].tobytes(), type=list[Row])
            }
    made: list[tuple[Row, tuple[np.ndarray, ...]]] = []
    for job in jobs:
        if (job.row.item, job.row.channel) in done:
            continue
        if time.monotonic() > until:
            break
        wave, row = heard_wave(job)
        try:
            found = statistics_of(wave)
        except TooLittleSpeech:
            continue
        made.append((row, (found.magnitude, found.phase, found.envelope, found.router, found.bands)))
        if len(made) == SHARD:
            _write(made, cache, name)
            made = []
    if made:
        _write(made, cache, name)


def _write(made: Sequence[tuple[Row, tuple[np.ndarray, ...]]], cache: Path, name: str) -> None:
    number = len(list(cache.glob(f"{name}_*.npz")))
    bands = np.zeros((len(made), FRAMES, 128), np.float16)
    frames = np.zeros(len(made), np.int32)
    for index, (_, arrays) in enumerate(made):
        frames[index] = min(FRAMES, len(arrays[4]))
        bands[index, : frames[index]] = arrays[4][:FRAMES]
    stacked = [np.stack([arrays[place] for _, arrays in made]) for place in range(4)]
    file = cache / f"{name}_{number:05}.npz"
    unfinished = cache / f"{name}_{number:05}.new"
    with unfinished.open("wb") as opened:
        np.savez(
            opened,
            version=FEATURES_VERSION,
            rows=np.frombuffer(msgspec.msgpack.encode([row for row, _ in made]), np.uint8),
            magnitude=stacked[0],
            phase=stacked[1],
            envelope=stacked[2],
            router=stacked[3],
            bands=bands,
            frames=frames,
        )
    unfinished.rename(file)


def family_of(kind: str) -> str:
    """The family of a kind of attack; a listed kind's is that of our own one that works alike."""
    for family, kinds in FAMILIES.items():
        if kind in kinds:
            return family
    if kind.startswith(("neural", "clone-nv")):
        return "neural"
    if kind.startswith("tts"):
        return "speech_engines"
    return {"clone-gl80": "griffin_lim", "clone-world": "world", "clone-lpc": "linear_prediction"}.get(kind, kind)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=Path)
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--listed", type=Path)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--part", default="0/1", help="which share of the rows this process makes")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after these")
    chosen = parser.parse_args(arguments)
    chosen.cache.mkdir(parents=True, exist_ok=True)
    jobs = list(listed_jobs(chosen.listed) if chosen.listed else own_jobs(chosen.takes, chosen.clones))
    which, _, parts = chosen.part.partition("/")
    mine = [jobs[index] for index in seeded("rows").permutation(len(jobs))[int(which) :: int(parts)]]
    name = f"{'listed' if chosen.listed else 'own'}{which}"
    tell(len(mine), "rows")
    make_rows(mine, chosen.cache, name, time.monotonic() + chosen.seconds)


if __name__ == "__main__":
    main()
