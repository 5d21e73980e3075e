"""Fits the experts, the router and the calibration of the clone judge to a cache.

    python -m voice_model.train_experts --cache DIR [DIR ...] --networks DIR

``--networks`` holds what ``train_network`` wrote: a network for all languages and one for each fold, which has not
heard the fold's languages. Everything that is calibrated is scored by experts and networks that did not either.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from app.capabilities.voice.analysis.statistics import FEATURES_VERSION
from app.capabilities.voice.clone.experts import (
    EXPERTS,
    STATISTICS,
    CloneExpert,
    RatioCalibration,
    stored_expert,
    weighted_sum,
)
from app.capabilities.voice.clone.judge import ARRAYS_FILE, NETWORK_FILE, CloneFacts, RoomHead
from app.capabilities.voice.clone.machines import QuantileMap, VectorMachine, quantile_map
from app.capabilities.voice.clone.network import CloneNetwork
from app.capabilities.voice.clone.router import ROUTES, ConditionRouter, route_terms
from voice_model.dataset import Cached, Row, read_cache
from voice_model.metrics import weighted_quantile
from voice_model.progress import tell

FOLDS: Final[Mapping[str, int]] = MappingProxyType(
    {
        language: fold
        for fold, languages in enumerate(
            (
                ("en", "es"),
                ("fr", "zh", "ar", "it"),
                ("cs", "de", "nds", "ml", "ga"),
                ("nb", "uk", "ca", "be", "bg", "sr", "fi"),
            )
        )
        for language in languages
    }
)
"""Languages, and so speakers, by the fold that holds them out. English and Spanish share a speaker. Italian and Finnish
are those of two engines' voices: the living ones are in the check part."""
FOLD_COUNT: Final = 4
EXPERT_CHANNELS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "clean": ("clean",),
        "call": ("clean", "phone", "opus"),
        "noise": ("clean", "phone", "opus", "noise", "noise_room", "strong_room", "room", "phone_noise"),
    }
)
CALIBRATED_ON: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "clean": ("clean",),
        "call": ("phone", "opus"),
        "noise": ("noise", "noise_room", "room", "strong_room", "phone_noise"),
    }
)
MOST_ROWS: Final[Mapping[str, int]] = MappingProxyType({"clean": 2600, "call": 4000, "noise": 5400})
"""What an expert is fitted to at most: more vectors make a larger file."""
PENALTY: Final = 3.0
"""C of the machines; the recipe found that it hardly matters."""
BONA_FIDE_LOSS: Final = 0.05
STRONG_ROOM_DB: Final = -4.0
"""Direct voice to reverberation under which a room is strong."""
_CLEAR_DB: Final = 0.0
_LOSS_IN_CLEAR: Final = 0.03
"""Share of recordings without a strong room that its gate may refuse."""
_SEED: Final = 14


def is_synthetic(rows: Sequence[Row]) -> np.ndarray:
    """True for each row of an attack."""
    return np.array([row.kind != "human" for row in rows])


def channels_of(rows: Sequence[Row]) -> np.ndarray:
    """The channels' names."""
    return np.array([row.channel for row in rows])


def folds_of(rows: Sequence[Row]) -> np.ndarray:
    """The fold that holds out each row, -1 for rows of the check part or of an unknown language."""
    return np.array([FOLDS.get(row.language, -1) if row.part == "train" else -1 for row in rows])


def shares_of(rows: Sequence[Row]) -> np.ndarray:
    """A weight for each row: both classes half, in them each kind of attack and each person the same; mean 1."""
    names = np.array([row.person if row.kind == "human" else f"kind {row.kind}" for row in rows])
    _, belongs, counts = np.unique(names, return_inverse=True, return_counts=True)
    synthetic = is_synthetic(rows)
    shares = 1.0 / counts[belongs]
    for flag in (True, False):
        if (synthetic == flag).any():
            shares[synthetic == flag] *= 0.5 / shares[synthetic == flag].sum()
    return shares * len(shares)


def statistics_by_name(cached: Cached) -> dict[str, np.ndarray]:
    """Magnitude, phase and envelope statistics."""
    return {name: getattr(cached, name) for name in STATISTICS}


@dataclass(frozen=True)
class FittedExpert:
    """Maps and machines of one expert, without a calibration."""

    name: str
    maps: Mapping[str, QuantileMap]
    machines: Mapping[str, VectorMachine]

    def calibrated(self, whole: RatioCalibration, without_phase: RatioCalibration) -> CloneExpert:
        """The expert as it is shipped."""
        return CloneExpert(self.name, self.maps, self.machines, whole, without_phase)

    def decisions(self, cached: Cached) -> dict[str, np.ndarray]:
        """Of each machine, (n,)."""
        without = RatioCalibration(1.0, 0.0, 0.0)
        return self.calibrated(without, without).decisions(statistics_by_name(cached))


def fit_machine(scores: np.ndarray, synthetic: np.ndarray, shares: np.ndarray) -> VectorMachine:
    """A machine on normal scores (n, f)."""
    gamma = 1.0 / scores.shape[1]
    fitted = SVC(C=PENALTY, gamma=gamma, cache_size=400).fit(scores, synthetic, sample_weight=shares)
    return VectorMachine(
        fitted.support_vectors_.astype(np.float32),
        fitted.dual_coef_[0].astype(np.float32),
        gamma,
        float(fitted.intercept_[0]),
    )


def _fitted_rows(name: str, rows: Sequence[Row]) -> np.ndarray:
    """The rows (n,) that an expert is fitted to. Living voices are the fewer: they come first, up to half of
    ``MOST_ROWS``, or more clones would push them out."""
    chosen = np.random.default_rng(_SEED).permutation(np.flatnonzero(np.isin(channels_of(rows), EXPERT_CHANNELS[name])))
    synthetic = is_synthetic(rows)[chosen]
    living = chosen[~synthetic][: MOST_ROWS[name] // 2]
    return np.sort(np.concatenate([living, chosen[synthetic][: MOST_ROWS[name] - len(living)]]))


def fit_expert(name: str, cached: Cached) -> FittedExpert:
    """An expert on the rows of its channels."""
    own = cached.chosen(_fitted_rows(name, cached.rows))
    synthetic, shares = is_synthetic(own.rows), shares_of(own.rows)
    maps = {kind: quantile_map(found, shares) for kind, found in statistics_by_name(own).items()}
    machines = {
        kind: fit_machine(maps[kind].normal_scores(found), synthetic, shares)
        for kind, found in statistics_by_name(own).items()
    }
    return FittedExpert(name, maps, machines)


def fit_router(cached: Cached) -> ConditionRouter:
    """The router on all channels; each way counts the same."""
    ways = np.array([row.channel if row.channel in ROUTES else "noise" for row in cached.rows])
    centre, spread = cached.router.mean(axis=0), cached.router.std(axis=0)
    terms = route_terms((cached.router - centre) / spread)
    fitted = LogisticRegression(C=1.0, class_weight="balanced", max_iter=2000).fit(terms, ways)
    order = [list(fitted.classes_).index(way) for way in ROUTES]
    return ConditionRouter(centre, spread, fitted.coef_[order].T, fitted.intercept_[order])


def fit_room(cached: Cached, maps: Mapping[str, QuantileMap]) -> RoomHead:
    """Strong rooms against all else; rooms between the two are in neither class."""
    direct = np.array([row.direct_db for row in cached.rows])
    strong = direct < STRONG_ROOM_DB
    told = strong | np.isnan(direct) | (direct > _CLEAR_DB)
    own = cached.chosen(told)
    scores = np.concatenate(
        [maps[name].normal_scores(found) for name, found in statistics_by_name(own).items()], axis=1
    )
    fitted = LogisticRegression(C=0.02, class_weight="balanced", max_iter=500).fit(scores, strong[told])
    return RoomHead(fitted.coef_[0], float(fitted.intercept_[0]))


def calibrate(machines: np.ndarray, network: np.ndarray, rows: Sequence[Row]) -> RatioCalibration:
    """A logistic regression at even odds on both scores; on the machines' alone where the network's would count
    against what it says."""
    synthetic, shares = is_synthetic(rows), shares_of(rows)
    spreads = np.array([machines.std(), max(float(network.std()), 1e-9)])
    scaled = np.stack([machines, network], axis=1) / spreads
    fitted = LogisticRegression(C=1e4, max_iter=500).fit(scaled, synthetic, sample_weight=shares)
    if fitted.coef_[0, 1] <= 0:
        scaled[:, 1] = 0.0
        fitted = LogisticRegression(C=1e4, max_iter=500).fit(scaled, synthetic, sample_weight=shares)
    slopes = fitted.coef_[0] / spreads * scaled.any(axis=0)
    return RatioCalibration(float(slopes[0]), float(slopes[1]), float(fitted.intercept_[0]))


def network_scores(file: Path, cached: Cached) -> np.ndarray:
    """The network's score of each row."""
    network = CloneNetwork(file.read_bytes())
    return np.array([network.score(bands[:frames]) for bands, frames in zip(cached.bands, cached.frames, strict=True)])


@dataclass(frozen=True)
class HeldOut:
    """Scores of rows by experts that did not hear their languages. ``decisions`` by expert and statistics, ``network``,
    ``ways`` (n, 4) and ``room``: (n,) each."""

    cached: Cached
    decisions: Mapping[str, Mapping[str, np.ndarray]]
    network: np.ndarray
    ways: np.ndarray
    room: np.ndarray


def networks_without(networks: Path, family: str) -> Path:
    """The folder of the networks that were not trained on a family of attacks; of those that were on all where it is
    empty."""
    return networks / f"without_{family}" if family else networks


def fold_scores(networks: Path, fold: int, held: Cached) -> np.ndarray:
    """What the network of a fold says of rows that the fold holds out, (n,). ``FileNotFoundError`` where it was not
    trained: figures without it would be those of another judge."""
    file = networks / f"fold{fold}.onnx"
    if not file.is_file():
        raise FileNotFoundError(f"{file} is missing: run voice_model.train_network --fold {fold} first")
    return network_scores(file, held)


def held_out_scores(cached: Cached, networks: Path) -> HeldOut:
    """Fits every fold's experts and scores what the fold holds out. Rows in no fold are scored by the first one's, who
    did not hear them either. ``FileNotFoundError`` where a fold has no network."""
    folds = folds_of(cached.rows)
    own = np.array([row.source == "own" and row.part == "train" for row in cached.rows])
    count = len(cached.rows)
    decisions = {name: {kind: np.zeros(count) for kind in STATISTICS} for name in EXPERTS}
    network, ways, room = np.zeros(count), np.zeros((count, len(ROUTES))), np.zeros(count)
    for fold in range(FOLD_COUNT):
        scored = (folds == fold) | ((folds == -1) & (fold == 0))
        learned, held = cached.chosen(own & (folds != fold) & (folds >= 0)), cached.chosen(scored)
        if not len(held.rows):
            continue
        experts = {name: fit_expert(name, learned) for name in EXPERTS}
        for name, expert in experts.items():
            for kind, found in expert.decisions(held).items():
                decisions[name][kind][scored] = found
        ways[scored] = fit_router(learned).probabilities(held.router)
        room[scored] = fit_room(learned, experts["noise"].maps).probability(
            experts["noise"].maps, statistics_by_name(held)
        )
        network[scored] = fold_scores(networks, fold, held)
    return HeldOut(cached, decisions, network, ways, room)


def calibrations(held: HeldOut) -> dict[str, tuple[RatioCalibration, RatioCalibration]]:
    """For each expert: of all machines, and of the one on magnitudes alone. Only rows that training may see count."""
    channels = channels_of(held.cached.rows)
    usable = np.array([row.source == "own" and row.part == "train" for row in held.cached.rows])
    found = {}
    for name in EXPERTS:
        chosen = np.flatnonzero(usable & np.isin(channels, CALIBRATED_ON[name]))
        rows = [held.cached.rows[index] for index in chosen]
        decided = {kind: scores[chosen] for kind, scores in held.decisions[name].items()}
        network = held.network[chosen]
        found[name] = (
            calibrate(weighted_sum(name, decided), network, rows),
            calibrate(decided["magnitude"], network, rows),
        )
    return found


def mixed_llr(held: HeldOut, calibrated: Mapping[str, tuple[RatioCalibration, RatioCalibration]]) -> np.ndarray:
    """What the judge would say of each row, (n,)."""
    by_expert = {
        name: calibrated[name][0].llr(weighted_sum(name, held.decisions[name]), held.network) for name in EXPERTS
    }
    clean, phone, opus, noise = held.ways.T
    return clean * by_expert["clean"] + (phone + opus) * by_expert["call"] + noise * by_expert["noise"]


def gates(held: HeldOut, llr: np.ndarray) -> tuple[float, float]:
    """Threshold of the likelihood ratio that loses ``BONA_FIDE_LOSS`` of the living voices over clean recordings and
    calls, each person the same, and threshold of the room's probability."""
    rows = held.cached.rows
    usable = np.array([row.source == "own" and row.part == "train" for row in rows])
    channels = channels_of(rows)
    living = np.flatnonzero(usable & ~is_synthetic(rows) & np.isin(channels, ("clean", "phone", "opus")))
    shares = shares_of([rows[index] for index in living])
    gate = weighted_quantile(llr[living], shares, 1 - BONA_FIDE_LOSS)
    direct = np.array([row.direct_db for row in rows])
    clear = np.flatnonzero(usable & (np.isnan(direct) | (direct > _CLEAR_DB)))
    return gate, weighted_quantile(held.room[clear], np.ones(len(clear)), 1 - _LOSS_IN_CLEAR)


def joined_cache(caches: Sequence[Path]) -> Cached:
    """Several caches as one."""
    read = [read_cache(cache) for cache in caches]
    names = ("magnitude", "phase", "envelope", "router", "bands", "frames")
    arrays = [np.concatenate([getattr(one, name) for one in read]) for name in names]
    return Cached(tuple(row for one in read for row in one.rows), *arrays)


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    from voice_model.model_writer import SHIPPED, write_part

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, nargs="+", required=True)
    parser.add_argument("--networks", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=SHIPPED)
    chosen = parser.parse_args(arguments)
    cached = joined_cache(chosen.cache)
    own = cached.chosen(np.array([row.source == "own" and row.part == "train" for row in cached.rows]))
    held = held_out_scores(own, chosen.networks)
    calibrated = calibrations(held)
    gate, room_gate = gates(held, mixed_llr(held, calibrated))
    arrays: dict[str, np.ndarray] = {}
    for name in EXPERTS:
        expert = fit_expert(name, own).calibrated(*calibrated[name])
        arrays |= stored_expert(expert)
        if name == "noise":
            room = fit_room(own, expert.maps)
    router = fit_router(own)
    arrays |= {f"router.{part}": getattr(router, part) for part in ("centre", "spread", "weights", "intercepts")}
    arrays |= {"room.weights": room.weights, "room.intercept": np.array(room.intercept)}
    packed = io.BytesIO()
    np.savez_compressed(packed, **arrays)
    files = {ARRAYS_FILE: packed.getvalue(), NETWORK_FILE: (chosen.networks / "all.onnx").read_bytes()}
    write_part(chosen.out, "clone", CloneFacts(gate_llr=gate, room_gate=room_gate), files, FEATURES_VERSION)
    tell(
        f"{len(own.rows)} rows, gate {gate:.2f} nats, room gate {room_gate:.2f}, {sum(map(len, files.values()))} bytes"
    )


if __name__ == "__main__":
    main()
