"""Fits, calibrates and writes the speaker's part of the voice model: ``encoder.onnx``, ``speaker.npz``, its facts.

    python -m voice_model.speaker_training --takes DIR --encoder encoder.onnx --cache DIR

``--takes`` is what ``voice_model.fetch`` has filled. Embeddings are kept in the cache, so that the command may be
stopped and called again. Calibration and the table of errors come from trials whose languages the back ends did not
see.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np

from app.capabilities.voice.analysis.statistics import FEATURES_VERSION
from app.capabilities.voice.conditions import CONDITIONS, Condition, in_room, with_noise
from app.capabilities.voice.matrix import Samples
from app.capabilities.voice.speaker.embedding import Embedding, mean_embedding, windows_of_wave
from app.capabilities.voice.speaker.encoder import SpeakerEncoder
from app.capabilities.voice.speaker.scoring import PARTS, BackEnd, SpeakerFacts
from voice_model.fetch import read_recording
from voice_model.model_writer import SHIPPED, write_part
from voice_model.recordings import read_recordings
from voice_model.speaker_back_ends import SpeakerTakes, Trials, fit_back_ends, held_out_trials, moments_of
from voice_model.speaker_figures import error_curve, logistic_fit

POOLED: Final = ("clean", "telephone", "opus", "noise")
"""The channels of the pooled figures: noise is 10 to 20 dB in an ordinary room."""
CHANNELS: Final[Mapping[str, Condition]] = MappingProxyType(
    {
        "clean": CONDITIONS["clean"],
        "telephone": CONDITIONS["telephone"],
        "opus": CONDITIONS["opus"],
        "noise": CONDITIONS["noise_room"],
        "noise without room": lambda wave, rng: with_noise(wave, rng, rng.uniform(10.0, 20.0)),
        "strong room": lambda wave, rng: in_room(wave, rng, rng.uniform(-11.0, -6.0)),
    }
)
"""What a take is tested under."""
GROUPS: Final = 6
"""Of languages, of which two are left out for the trials that calibrate."""
WEIGHTS: Final[Mapping[str, float]] = {"vector": 0.5, "layer_means": 1.0}
"""Of the back ends in the sum: chosen in development, where even weights were up to 0.2 points worse pooled."""
MOST_TAKES: Final = 12
"""Of a speaker: more of the same voice taught nothing."""
TABLE_POINTS: Final = 101
TABLE_ENDS: Final = (-10.0, 10.0)
"""Likelihood ratios, nats: beyond what a tolerance can ask for."""
ENROLLED_SEED: Final = 1
TESTED_SEED: Final = 2


@dataclass(frozen=True)
class SpeakerRecording:
    """One take of a person. ``file``: int16 samples as NPY, or any audio that FFmpeg reads; ``person``: as in the list
    of recordings."""

    file: Path
    speaker: str
    person: str
    language: str
    package: str


def fetched_takes(folder: Path) -> list[SpeakerRecording]:
    """What ``voice_model.fetch`` has put into a folder, up to ``MOST_TAKES`` of each speaker."""
    return [
        SpeakerRecording(file, speaker.name, speaker.person, speaker.language, speaker.package)
        for speaker in read_recordings().speakers
        for file in sorted(folder.glob(f"{speaker.name}_[0-9][0-9].npy"))[:MOST_TAKES]
    ]


def read_wave(file: Path) -> Samples:
    """The samples of a take: mono, 16 kHz, full scale 1.0."""
    if file.suffix == ".npy":
        return np.load(file, allow_pickle=False).astype(np.float32) / 32768
    return read_recording(file)


def embed_wave(encoder: SpeakerEncoder, wave: Samples) -> Embedding:
    """The embedding (1024,) of a whole take."""
    return mean_embedding(windows_of_wave(encoder, wave).embeddings)


def heard_under(file: Path, conditions: Mapping[str, Condition], seed: int) -> Iterator[tuple[str, Samples]]:
    """A take under each condition. The draws are seeded by the file's name, each condition's apart from the others'."""
    wave = read_wave(file)
    name = int.from_bytes(sha256(file.name.encode()).digest()[:4])
    for place, (condition_name, condition) in enumerate(conditions.items()):
        yield condition_name, condition(wave, np.random.default_rng([seed, name, place]))


def embed_recording(encoder: SpeakerEncoder, file: Path) -> Embedding:
    """A take under the eight conditions and then under ``CHANNELS``, (14, 1024)."""
    heard = chain(heard_under(file, CONDITIONS, ENROLLED_SEED), heard_under(file, CHANNELS, TESTED_SEED))
    return np.stack([embed_wave(encoder, wave) for _, wave in heard])


def kept_array(path: Path, make: Callable[[], Embedding]) -> Embedding:
    """The array in a file of the cache, made and written whole where it is missing."""
    if not path.exists():
        whole = path.with_suffix(".part.npy")
        np.save(whole, make())
        whole.rename(path)
    return np.asarray(np.load(path, allow_pickle=False), np.float32)


def embed_all(network: bytes, recordings: Sequence[SpeakerRecording], cache: Path) -> SpeakerTakes:
    """All takes' embeddings by a network (an ONNX file's content); each is kept in ``cache`` as it is made. What
    another version of the analysis made is not read."""
    folder = cache / f"{sha256(network).hexdigest()[:16]}_{FEATURES_VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    encoder = SpeakerEncoder(network)
    several = np.stack(
        [
            kept_array(folder / f"{digest_of(one.file)}.npy", partial(embed_recording, encoder, one.file))
            for one in recordings
        ]
    )
    return SpeakerTakes(
        several[:, : len(CONDITIONS)],
        {name: several[:, len(CONDITIONS) + place] for place, name in enumerate(CHANNELS)},
        *(
            np.array([getattr(one, field) for one in recordings])
            for field in ("speaker", "person", "language", "package")
        ),
    )


def digest_of(file: Path) -> str:
    """What a take's embeddings are kept under."""
    return sha256(file.read_bytes()).hexdigest()[:24]


def scales_of(trials: Trials) -> dict[str, float]:
    """Of each back end what its scores are divided by: the deviation of impostors', over its weight."""
    return {name: float(trials.scores[name][~trials.genuine].std() / WEIGHTS[name]) for name in PARTS}


def sum_of(trials: Trials, scales: Mapping[str, float]) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The shipped score of each trial, before calibration."""
    return np.sum([trials.scores[name] / scales[name] for name in PARTS], axis=0)


def facts_of(trials: Trials) -> SpeakerFacts:
    """Calibration and table of errors of trials of the pooled channels."""
    pooled = trials.chosen(np.isin(trials.channel, POOLED))
    scales = scales_of(pooled)
    slope, offset = logistic_fit(sum_of(pooled, scales), pooled.genuine)
    ratios = slope * sum_of(pooled, scales) + offset
    thresholds, far, frr = error_curve(ratios, pooled.genuine)
    table = np.linspace(*TABLE_ENDS, TABLE_POINTS)
    places = np.searchsorted(thresholds, table, "left")
    return SpeakerFacts(
        slope,
        offset,
        scales,
        tuple(np.round(table, 6).tolist()),
        tuple(np.round(far[places], 6).tolist()),
        tuple(np.round(frr[places], 6).tolist()),
        int(pooled.genuine.sum()),
        int((~pooled.genuine).sum()),
    )


def arrays_of(back_ends: Mapping[str, BackEnd]) -> bytes:
    """``speaker.npz``, float16."""
    file = io.BytesIO()
    fields = {
        f"{name}_{field}": getattr(end, field).astype(np.float16)
        for name, end in back_ends.items()
        for field in ("centre", "projection", "cohort")
    }
    np.savez(file, **fields)
    return file.getvalue()


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--takes", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    chosen = parser.parse_args()
    network = chosen.encoder.read_bytes()
    takes = embed_all(network, fetched_takes(chosen.takes), chosen.cache)
    facts = facts_of(held_out_trials(takes, GROUPS))
    moments = moments_of(takes)
    back_ends = fit_back_ends(moments, np.ones(len(moments.person), bool), facts.scales)
    files = {"encoder.onnx": network, "speaker.npz": arrays_of(back_ends)}
    write_part(chosen.out, "speaker", facts, files, FEATURES_VERSION)


if __name__ == "__main__":
    main()
