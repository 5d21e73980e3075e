"""Measures the speaker score beside Resemblyzer and LFCC-GMM on the same trials in the same run.

    python -m voice_model.speaker_evaluation --recordings DIR --takes DIR --cache DIR

``--recordings``: a folder with a ``manifest.tsv`` (path, label, speaker, lang, source; ``bonafide`` are people),
4 s a take; ``--takes``: what ``voice_model.fetch`` has filled, which the back ends are fitted to, each time without
both languages of a trial and without the persons who speak them. An enrolment is three takes (12 s). To be run where
PyTorch and Resemblyzer are. Everything is printed as measured, error rates in percent.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final, TextIO

import numpy as np
import numpy.typing as npt
import torch

from app.capabilities.voice.engine import VoiceEngine
from app.capabilities.voice.matrix import SAMPLE_RATE, Samples, matrix_of, npy_bytes, read_matrix
from voice_model.metrics import eer_interval, equal_error_rate
from voice_model.model_writer import SHIPPED
from voice_model.recordings import read_recordings
from voice_model.resemblyzer_peer import peer_embedding
from voice_model.speaker_back_ends import PeerScores, SpeakerTakes, Trials, cosines, enrolments_of, held_out_trials
from voice_model.speaker_figures import log_likelihood_cost
from voice_model.speaker_mixtures import BackgroundMixture, frames_of, mixture_scores
from voice_model.speaker_training import (
    CHANNELS,
    GROUPS,
    POOLED,
    TESTED_SEED,
    SpeakerRecording,
    digest_of,
    embed_all,
    facts_of,
    fetched_takes,
    heard_under,
    kept_array,
    read_wave,
    sum_of,
)

SYSTEMS: Final = ("ours", "plain", "resemblyzer", "lfcc_gmm")
"""``plain``: the cosine of the same network's d-vectors, by our own front end."""
TURNS: Final = 15
BACKGROUND_TAKES: Final = 4
"""Of each speaker of the training, in the background mixture of LFCC-GMM."""


def read_manifest(folder: Path) -> list[SpeakerRecording]:
    """People's takes of a folder. Whose voice it is comes from the list of recordings where that has the speaker."""
    persons = {speaker.name: speaker.person for speaker in read_recordings().speakers}
    with (folder / "manifest.tsv").open(newline="") as file:
        return [
            SpeakerRecording(
                folder / row["path"],
                row["speaker"],
                persons.get(row["speaker"], row["speaker"]),
                row["lang"],
                row["source"].split()[0],
            )
            for row in csv.DictReader(file, delimiter="\t")
            if row["label"] == "bonafide"
        ]


def peer_scores(
    takes: SpeakerTakes, listed: Sequence[SpeakerRecording], fetched: Sequence[SpeakerRecording], cache: Path
) -> PeerScores:
    """What Resemblyzer and LFCC-GMM make of the same waveforms under the same channels, enrolled clean with the same
    takes. ``fetched``: what the background mixture is fitted to, some of each speaker under the pooled channels."""
    enrolments = [enrolment.takes for enrolment in enrolments_of(takes)]
    folder = cache / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    vectors = np.stack(
        [kept_array(folder / f"{digest_of(one.file)}.npy", partial(_resemblyzer_vectors, one.file)) for one in listed]
    )
    clean = np.stack([vectors[list(chosen), list(CHANNELS).index("clean")].mean(axis=0) for chosen in enrolments])
    resemblyzer = {name: cosines(vectors[:, place], clean) for place, name in enumerate(CHANNELS)}
    heard = [{name: frames_of(wave) for name, wave in heard_under(one.file, CHANNELS, TESTED_SEED)} for one in listed]
    first = [
        one
        for speaker in dict.fromkeys(one.speaker for one in fetched)
        for one in [one for one in fetched if one.speaker == speaker][:BACKGROUND_TAKES]
    ]
    pooled = {name: CHANNELS[name] for name in POOLED}
    background = BackgroundMixture.fit(
        [frames_of(wave) for one in first for _, wave in heard_under(one.file, pooled, TESTED_SEED)]
    )
    by_channel = {name: [frames[name] for frames in heard] for name in CHANNELS}
    return {
        "resemblyzer": resemblyzer,
        "lfcc_gmm": mixture_scores(background, enrolments, by_channel["clean"], by_channel),
    }


def _resemblyzer_vectors(file: Path) -> npt.NDArray[np.float32]:
    return np.stack([peer_embedding(wave) for _, wave in heard_under(file, CHANNELS, TESTED_SEED)])


def report(trials: Trials, out: TextIO) -> None:
    """Prints all figures of trials that have the scores of ``SYSTEMS``."""
    pooled = np.isin(trials.channel, POOLED)

    def line(name: str, which: npt.NDArray[np.bool_]) -> None:
        chosen = trials.chosen(which)
        if not chosen.genuine.any() or chosen.genuine.all():
            return
        cells = []
        for system in SYSTEMS:
            scores = chosen.scores[system]

            low, high = eer_interval(scores, chosen.genuine, chosen.enrolled)
            rate = equal_error_rate(scores, chosen.genuine)
            cells.append(f"{100 * rate:5.2f} ({100 * low:4.1f}-{100 * high:4.1f})")
        print(f"{name:32}{'  '.join(cells)}  {chosen.genuine.sum():5} / {(~chosen.genuine).sum()}", file=out)

    print(f"{'EER % (95 %)':32}{'  '.join(f'{name:17}' for name in SYSTEMS)}  genuine / impostor trials", file=out)
    for channel in CHANNELS:
        line(channel, trials.channel == channel)
    line("pooled: " + ", ".join(POOLED), pooled)
    line("pooled, same-package impostors", pooled & (trials.genuine | trials.same_package))
    for language in sorted(set(trials.language.tolist())):
        line(f"pooled, enrolled in {language}", pooled & (trials.language == language))
    ratios, genuine = trials.scores["ratio"][pooled], trials.genuine[pooled]
    print(f"calibration on the pooled trials: Cllr {log_likelihood_cost(ratios, genuine):.4f} bits", file=out)


def time_of_five_seconds(wave: Samples) -> tuple[float, float]:
    """Milliseconds of processor time of the whole check, from the matrix's bytes to both scores, and of Resemblyzer's
    vector alone, medians of ``TURNS`` in turns, on one thread."""
    torch.set_num_threads(1)
    five = np.resize(wave, 5 * SAMPLE_RATE)
    raw, engine = npy_bytes(matrix_of(five)), VoiceEngine.load(SHIPPED)
    signature = engine.signature([five])

    def cost(work: Callable[[], object]) -> float:
        began = time.process_time()
        work()
        return (time.process_time() - began) * 1e3

    def check() -> None:
        engine.compare(engine.analyse(read_matrix(raw)).speaker[None], signature)

    check()
    peer_embedding(five)
    turns = [(cost(check), cost(lambda: peer_embedding(five))) for _ in range(TURNS)]
    ours, theirs = np.median(turns, axis=0)
    return float(ours), float(theirs)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--recordings", type=Path, required=True)
    parser.add_argument("--takes", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, default=SHIPPED / "encoder.onnx")
    parser.add_argument("--groups", type=int, help="of languages left out together; each by itself where not given")
    chosen = parser.parse_args()
    network, listed = chosen.encoder.read_bytes(), read_manifest(chosen.recordings)
    fetched = fetched_takes(chosen.takes)
    trained_on = embed_all(network, fetched, chosen.cache)
    takes = embed_all(network, listed, chosen.cache)
    # Scales and calibration are those of the training's own trials: nothing is fitted to what is measured.
    facts = facts_of(held_out_trials(trained_on, GROUPS))
    peers = peer_scores(takes, listed, fetched, chosen.cache)
    trials = held_out_trials(takes, chosen.groups, trained_on, peers)
    ours = sum_of(trials, facts.scales)
    scores = {**trials.scores, "ours": ours, "ratio": facts.slope * ours + facts.offset}
    report(replace(trials, scores=scores), sys.stdout)
    check_ms, peer_ms = time_of_five_seconds(read_wave(listed[0].file))
    sys.stdout.write(f"5 s on one thread: whole check {check_ms:.0f} ms, Resemblyzer's vector alone {peer_ms:.0f} ms\n")


if __name__ == "__main__":
    main()
