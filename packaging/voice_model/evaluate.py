"""Measures the clone judge on languages, speakers and families of attack that it was not trained on.

    python -m voice_model.evaluate --cache DIR [DIR ...] --networks DIR [--leave-families] [--similarity FILE]
        [--takes DIR --clones DIR]

Rows with the source ``listed`` (of a folder with a manifest, as the development recordings) are scored, never trained
on; the experts that score a row have not heard its language, its speaker, nor the listed recordings. LFCC-GMM 64 is
fitted to the same rows and scored on the same trials. Error rates in per cent, with intervals of 95 % over people.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TextIO

import msgspec
import numpy as np
from sklearn.linear_model import LogisticRegression

from app.capabilities.voice.analysis.spectra import TooLittleSpeech, condition
from app.capabilities.voice.clone.experts import weighted_sum
from app.capabilities.voice.matrix import magnitudes_of
from voice_model.attacks import FAMILIES
from voice_model.baseline import baseline_scores
from voice_model.dataset import Cached, Job, family_of, heard_wave, own_jobs
from voice_model.metrics import eer_interval, equal_error_rate, weighted_quantile
from voice_model.train_experts import (
    BONA_FIDE_LOSS,
    FOLD_COUNT,
    HeldOut,
    calibrate,
    calibrations,
    channels_of,
    fit_expert,
    fold_scores,
    folds_of,
    gates,
    held_out_scores,
    is_synthetic,
    joined_cache,
    mixed_llr,
    networks_without,
    shares_of,
)

CHANNELS: Final = ("clean", "phone", "opus", "noise", "phone_noise", "noise_room", "room", "strong_room")
LEVELS: Final[Mapping[str, tuple[tuple[float, float], ...]]] = {
    "snr_db": ((10, 15), (15, 20)),
    "direct_db": ((-11, -7), (-7, -4), (-4, 0), (0, 8)),
}
"""Signal to noise, and direct voice to reverberation, dB: noise and rooms are told apart, each with its level."""
COMPARED: Final = ("clean", "phone", "opus", "noise")
"""Channels in which ``similarity`` compares items with speakers."""
PROBED: Final = 900
"""Items of the probe of the mean spectrum."""
LEAST: Final = 5
"""Items of a class under which no rate is printed."""


Similarity = dict[str, dict[str, float]]
"""By system (``ours``, ``resemblyzer``) and ``item channel``."""


class Trials:
    """Scores of one set of rows by one method."""

    def __init__(self, cached: Cached, scores: np.ndarray) -> None:
        self.scores = scores
        self.synthetic = is_synthetic(cached.rows)
        self.channels = channels_of(cached.rows)
        self.people = np.array([row.person for row in cached.rows])
        self.kinds = np.array([row.kind for row in cached.rows])
        self.languages = np.array([row.language for row in cached.rows])
        self.families = np.array([family_of(row.kind) for row in cached.rows])
        self.sources = np.array([row.source for row in cached.rows])
        self.parts = np.array([row.part for row in cached.rows])
        self.levels = {name: np.array([getattr(row, name) for row in cached.rows]) for name in LEVELS}

    def line(self, chosen: np.ndarray) -> str:
        """Rate, interval and counts."""
        living, made = int((chosen & ~self.synthetic).sum()), int((chosen & self.synthetic).sum())
        if min(living, made) < LEAST:
            return f"   too few ({living} living, {made} synthetic)"
        given = self.scores[chosen], self.synthetic[chosen]
        low, high = eer_interval(*given, self.people[chosen])
        rate = 100 * equal_error_rate(*given)
        return f"{rate:6.1f} ({100 * low:4.1f} to {100 * high:4.1f})  {living} living, {made} synthetic"


def by_channel(title: str, trials: Trials, chosen: np.ndarray, out: TextIO) -> None:
    """One line for each channel, and for each level of its noise or room."""
    print(f"\n{title}", file=out)
    for channel in CHANNELS:
        own = chosen & (trials.channels == channel)
        if not own.any():
            continue
        print(f"  {channel:22}{trials.line(own)}", file=out)
        for name, levels in LEVELS.items():
            for low, high in levels:
                told = own & (trials.levels[name] >= low) & (trials.levels[name] < high)
                if told.any() and channel in ("noise", "noise_room", "strong_room", "room"):
                    print(f"    {name} {low:3} to {high:3}     {trials.line(told)}", file=out)


def by_attack(title: str, trials: Trials, chosen: np.ndarray, out: TextIO) -> None:
    """One line for each kind of attack against all living voices of the same selection."""
    print(f"\n{title}", file=out)
    for kind in sorted(set(trials.kinds[chosen & trials.synthetic])):
        own = chosen & (~trials.synthetic | (trials.kinds == kind))
        print(f"  {kind:22}{trials.line(own)}", file=out)


def baseline_of(cached: Cached, without_family: str = "") -> np.ndarray:
    """LFCC-GMM by the same folds, trained without a family of attacks where one is named."""
    folds = folds_of(cached.rows)
    own = _learned(cached, without_family)
    channels = channels_of(cached.rows)
    scores = np.zeros(len(cached.rows))
    for fold in range(FOLD_COUNT):
        learned = cached.chosen(
            own & (folds != fold) & (folds >= 0) & np.isin(channels, ("clean", "phone", "opus", "noise"))
        )
        scored = (folds == fold) | ((folds == -1) & (fold == 0))
        if scored.any():
            scores[scored] = baseline_scores(learned, cached.chosen(scored))
    return scores


def spectrum_probe(jobs: Sequence[Job], seed: int = 1) -> float:
    """The equal error rate of the long-term mean spectrum alone, clean items, by the same folds: what a channel would
    betray. It must stay above 40 %: voices are to be told apart by their voices."""
    clean = [job for job in jobs if job.row.channel == "clean" and job.row.part == "train"]
    rows, spectra = [], []
    for index in np.random.default_rng(seed).permutation(len(clean))[:PROBED]:
        try:
            power = magnitudes_of(condition(heard_wave(clean[index])[0])) ** 2
        except TooLittleSpeech:
            continue
        rows.append(clean[index].row)
        spectra.append(np.log(power[:, 1:].mean(axis=0).reshape(64, 4).sum(axis=1) + 1e-9))
    numbers = np.array(spectra)
    numbers = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    folds, synthetic, shares = folds_of(rows), is_synthetic(rows), shares_of(rows)
    scores = np.zeros(len(rows))
    for fold in range(FOLD_COUNT):
        learned = (folds != fold) & (folds >= 0)
        fitted = LogisticRegression(C=0.1, max_iter=500).fit(
            numbers[learned], synthetic[learned], sample_weight=shares[learned]
        )
        scores[folds == fold] = fitted.decision_function(numbers[folds == fold])
    counted = folds >= 0
    return equal_error_rate(scores[counted], synthetic[counted], shares[counted])


def clean_llr(cached: Cached, networks: Path | None, without_family: str) -> np.ndarray:
    """Of clean rows, (n,), by the expert and the networks of folds that saw neither their languages nor the family
    (empty: all families); by the expert's machines alone where ``networks`` is None. ``FileNotFoundError`` where
    ``networks`` has none that was trained so."""
    folds = folds_of(cached.rows)
    own = _learned(cached, without_family)
    machines, network = np.zeros(len(cached.rows)), np.zeros(len(cached.rows))
    for fold in range(FOLD_COUNT):
        scored = (folds == fold) | ((folds == -1) & (fold == 0))
        held = cached.chosen(scored)
        if not len(held.rows):
            continue
        decided = fit_expert("clean", cached.chosen(own & (folds != fold) & (folds >= 0))).decisions(held)
        machines[scored] = weighted_sum("clean", decided)
        if networks is not None:
            network[scored] = fold_scores(networks_without(networks, without_family), fold, held)
    told = np.flatnonzero(own)
    calibrated = calibrate(machines[told], network[told], [cached.rows[index] for index in told])
    return np.asarray(calibrated.llr(machines, network))


def _learned(cached: Cached, without_family: str) -> np.ndarray:
    return np.array(
        [row.source == "own" and row.part == "train" and family_of(row.kind) != without_family for row in cached.rows]
    )


def leave_families(cached: Cached, networks: Path, out: TextIO) -> None:
    """Each family by the machines of a clean expert and a baseline that never saw it, beside the machines that did; by
    the whole judge, too, where networks were trained without the family."""
    clean = cached.chosen(channels_of(cached.rows) == "clean")
    print(
        "\nleave one family of attacks out (and its languages), clean: machines without the network, LFCC-GMM 64, "
        "machines that saw it; and the judge with its network, where one was trained without the family",
        file=out,
    )
    seen = clean_llr(clean, None, "")
    for family in (*FAMILIES, "neural", "speech_engines"):
        scored = [clean_llr(clean, None, family), baseline_of(clean, family), seen]
        if (networks_without(networks, family) / f"fold{FOLD_COUNT - 1}.onnx").is_file():
            scored.append(clean_llr(clean, networks, family))
        for source in ("own", "listed"):
            lines = []
            for scores in scored:
                trials = Trials(clean, scores)
                chosen = (trials.parts == "train") & (trials.sources == source)
                lines.append(trials.line(chosen & (~trials.synthetic | (trials.families == family))))
            print(f"  {family:18}{source:7}{'   |'.join(lines)}", file=out)


def beside_speaker_scores(
    cached: Cached, llr: np.ndarray, baseline: np.ndarray, similarity: Similarity, out: TextIO
) -> None:
    """Clones of a speaker against the same speaker's own recordings, on the trials that have both: the judge, LFCC-GMM,
    and how unlike the enrolled speaker Resemblyzer and the shipped speaker score find them."""
    ours = Trials(cached, llr)
    unlike = {
        name: -np.array([found.get(f"{row.item} {row.channel}", np.nan) for row in cached.rows])
        for name, found in similarity.items()
    }
    told = (ours.sources == "listed") & np.isfinite(unlike["resemblyzer"])
    print("\nclones of an enrolled speaker, equal error rate on the same trials", file=out)
    for channel in (*COMPARED, "pooled"):
        chosen = told & ((ours.channels == channel) | (channel == "pooled"))
        systems = {
            "judge": llr,
            "LFCC-GMM 64": baseline,
            "Resemblyzer": unlike["resemblyzer"],
            "our speaker score": unlike["ours"],
        }
        for name, scores in systems.items():
            print(f"  {channel:8}{name:18}{Trials(cached, np.nan_to_num(scores)).line(chosen)}", file=out)


def both_gates(cached: Cached, llr: np.ndarray, gate: float, similarity: Mapping[str, float], out: TextIO) -> None:
    """Same-speaker clones that pass the speaker's threshold, where 5 % of that speaker's own takes fail, and the clone
    gate, by channel. The speaker's back ends know these speakers: what passes it alone is the worst case."""
    trials = Trials(cached, llr)
    scores = np.array([similarity.get(f"{row.item} {row.channel}", np.nan) for row in cached.rows])
    scores[trials.sources != "listed"] = np.nan
    known = np.isfinite(scores)
    print("\nclones past the speaker's score alone, past both gates; living lost by both", file=out)
    for channel in COMPARED:
        victims = known & (trials.channels == channel) & trials.synthetic
        living = known & (trials.channels == channel) & ~trials.synthetic
        if min(victims.sum(), living.sum()) < LEAST:
            continue
        threshold = float(np.quantile(scores[living], BONA_FIDE_LOSS))
        own_gate = float(np.quantile(llr[living], 1 - BONA_FIDE_LOSS))
        speaker = scores[victims] >= threshold
        lost = (scores[living] < threshold) | (llr[living] >= gate)
        print(
            f"  {channel:12}{100 * speaker.mean():6.1f}{100 * (speaker & (llr[victims] < gate)).mean():6.1f} at the "
            f"model's gate, {100 * (speaker & (llr[victims] < own_gate)).mean():5.1f} at 5 % of these living; lost "
            f"{100 * lost.mean():5.1f}   {victims.sum()} clones, {living.sum()} living",
            file=out,
        )


def report(held: HeldOut, baseline: np.ndarray, out: TextIO) -> tuple[np.ndarray, float]:
    """Prints all but the leaving out of families; the mixed likelihood ratio and the gate."""
    cached = held.cached
    llr = mixed_llr(held, calibrations(held))
    gate, room_gate = gates(held, llr)
    ours, theirs = Trials(cached, llr), Trials(cached, baseline)
    listed = ours.sources == "listed"
    own = (ours.sources == "own") & (ours.parts == "train")
    check = (ours.sources == "own") & (ours.parts == "check")
    for title, chosen in (("listed recordings", listed), ("own items", own), ("check part: other languages", check)):
        if not chosen.any():
            continue
        by_channel(f"clone judge, {title}: equal error rate", ours, chosen, out)
        by_channel(f"LFCC-GMM 64, {title}", theirs, chosen, out)
        for channel in ("clean", "phone", "opus", "noise"):
            by_attack(f"{title}, {channel}, by attack", ours, chosen & (ours.channels == channel), out)
    print("\nby language that was left out, clean, own and listed", file=out)
    for language in sorted(set(ours.languages[own])):
        chosen = (own | listed) & (ours.channels == "clean") & (ours.languages == language)
        print(f"  {language:22}{ours.line(chosen)}", file=out)
    print(
        f"\ngate {gate:.2f} nats ({100 * BONA_FIDE_LOSS:.0f} % of the living lost on own items), room {room_gate:.2f}",
        file=out,
    )
    for channel in CHANNELS:
        for title, chosen in (("listed", listed), ("own", own)):
            told = chosen & (ours.channels == channel)
            if not told.any():
                continue
            living, made = llr[told & ~ours.synthetic], llr[told & ours.synthetic]
            refused = held.room[told] >= room_gate
            passed = (llr < gate) & (held.room < room_gate)
            print(
                f"  {channel:12}{title:8} living lost {100 * (living >= gate).mean():5.1f}  synthetic passed "
                f"{100 * (made < gate).mean():5.1f}  INCONCLUSIVE for the room {100 * refused.mean():5.1f}  "
                f"synthetic passed both {100 * passed[told & ours.synthetic].mean():5.1f}",
                file=out,
            )
    for name, loss in (("clean", 0.05), ("phone", 0.05), ("opus", 0.05), ("noise", 0.05)):
        told = listed & (ours.channels == name)
        if told.any() and (told & ~ours.synthetic).any():
            living = llr[told & ~ours.synthetic]
            at = weighted_quantile(living, np.ones(len(living)), 1 - loss)
            print(
                f"  {name}: at 5 % loss of the listed, {100 * (llr[told & ours.synthetic] < at).mean():.1f} passed",
                file=out,
            )
    return llr, gate


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, nargs="+", required=True)
    parser.add_argument("--networks", type=Path, required=True)
    parser.add_argument("--takes", type=Path, help="with --clones: for the probe of the mean spectrum")
    parser.add_argument("--clones", type=Path)
    parser.add_argument("--leave-families", action="store_true")
    parser.add_argument("--similarity", type=Path, help="what the command of that name wrote")
    chosen = parser.parse_args(arguments)
    cached = joined_cache(chosen.cache)
    held = held_out_scores(cached, chosen.networks)
    baseline = baseline_of(cached)
    llr, gate = report(held, baseline, sys.stdout)
    if chosen.similarity:
        told = msgspec.json.decode(chosen.similarity.read_bytes(), type=Similarity)
        both_gates(cached, llr, gate, told["ours"], sys.stdout)
        beside_speaker_scores(cached, llr, baseline, told, sys.stdout)
    if chosen.takes:
        probed = 100 * spectrum_probe(list(own_jobs(chosen.takes, chosen.clones)))
        sys.stdout.write(f"\nlong-term mean spectrum alone, clean: {probed:.1f} (must stay above 40)\n")
    if chosen.leave_families:
        leave_families(cached, chosen.networks, sys.stdout)


if __name__ == "__main__":
    main()
