"""Measures the shipped model on a folder of images with masks, next to the light methods on the same images.

    python -m media_model.evaluate [--images DIR] [--authentic DIR] [--left-out KIND,KIND=FILE ...] [--as-long FILE]

The folder has a ``manifest.json``: a list of objects with ``file``, ``mask`` (a file, white where changed, or null),
``kind`` and ``final`` (the file's last life). Everything is printed as measured.

``--left-out``: kinds of the manifest, and a network that ``media_model.train --without`` trained without what is like
them; ``--as-long``: one that saw as many steps of all families. Beside the shipped one they tell what a kind costs that
no training knew. ``--authentic``: examples that ``media_model.dataset --split proof`` kept, against which the stated
false-alarm rates are held. ``--jobs``: as many processes judge the images, an equal part each.
"""

from __future__ import annotations

import argparse
import math
import multiprocessing
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Final, TextIO

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.analysis.features import BlockInputs
from app.capabilities.media.analysis.judge import ImageJudge, scale_heatmap
from app.capabilities.media.analysis.judgement import THRESHOLD
from app.capabilities.media.analysis.model import NETWORK_FILE, read_facts
from app.capabilities.media.analysis.network import BlockNetwork, NetworkAnswer
from app.capabilities.media.calibration import Calibration, clopper_pearson
from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.worker.decode import decode, open_image
from media_model.calibrate import score_of
from media_model.collection import ListedImage, listed_in
from media_model.examples import read
from media_model.generate import AUTHENTIC
from media_model.light_methods import LIGHT, image_score, standing_out
from media_model.metrics import auc, block_labels, f1_at, oracle_f1

SHIPPED: Final = Path(__file__).parents[2] / "resources" / "media"
POINTS: Final = (0.01, 0.05, 0.10)
"""Stated false-alarm rates at which the measured one is told."""
LIVES: Final = ("png", "jpeg >= 85", "jpeg < 85", "twice", "filtered", "resized")
AS_LONG: Final = "all, as long"
_STRONG: Final = 85
_DRAWS: Final = 1000
_JPEG: Final = re.compile(r"j+(\d+)s?\d?")


@dataclass(frozen=True)
class Judged:
    """One heatmap of one image. ``labels``: as ``metrics.block_labels``; ``stated``: the false-alarm rate that was
    stated for its score, NaN where none was; ``cpu_s``: of decoding and judging; ``megapixels``: of the image."""

    heatmap: FloatMap
    labels: npt.NDArray[np.int8]
    score: float
    edited: bool
    kind: str
    life: str
    stated: float
    cpu_s: float
    megapixels: float


@dataclass(frozen=True)
class LeftOut:
    """A network that knows none of some kinds, ``kinds``: of the manifest; of all kinds where there is none. ``file``:
    as it was exported."""

    kinds: frozenset[str]
    file: Path

    @classmethod
    def of(cls, told: str) -> LeftOut:
        """From ``KIND,KIND=FILE``, or ``=FILE``."""
        kinds, _, file = told.partition("=")
        return cls(frozenset(kinds.split(",")) - {""}, Path(file))

    @property
    def name(self) -> str:
        """Its kinds, as the report calls them."""
        return ", ".join(sorted(self.kinds)) or AS_LONG


class RememberingNetwork(BlockNetwork):
    """Keeps what it read of the last image, for others to read: measuring costs most."""

    def __init__(self, model: bytes) -> None:
        super().__init__(model)
        self.read: list[BlockInputs] = []

    def answer(self, inputs: BlockInputs) -> NetworkAnswer:
        """As any other."""
        self.read.append(inputs)
        return super().answer(inputs)


def life_of(final: str) -> str:
    """One of ``LIVES`` for a last life in the manifest's words, as ``rs0.80+j76s2``."""
    steps = final.split("+")
    qualities = [int(found[1]) for step in steps if (found := _JPEG.fullmatch(step))]
    if any(step.startswith("rs") for step in steps):
        return "resized"
    if any(not _JPEG.fullmatch(step) and step != "png" and not step.startswith("crop") for step in steps):
        return "filtered"
    if len(qualities) > 1:
        return "twice"
    if not qualities:
        return "png"
    return "jpeg >= 85" if qualities[0] >= _STRONG else "jpeg < 85"


def judge_all(
    folder: Path, listed: Sequence[ListedImage], model: Path, beside: Sequence[LeftOut] = ()
) -> dict[str, list[Judged]]:
    """All images by the model of a directory (``model``), by each light method, and by each network ``beside`` it under
    its name: the edited ones of its kinds, where they are of one tile."""
    network = RememberingNetwork((model / NETWORK_FILE).read_bytes())
    judge = ImageJudge(network, read_facts(model))
    others = {one.name: BlockNetwork(one.file.read_bytes()) for one in beside}
    found: dict[str, list[Judged]] = {name: [] for name in ("model", *LIGHT, *(one.name for one in beside))}
    for one in listed:
        network.read.clear()
        begun = time.process_time()
        image = decode(open_image((folder / one.file).read_bytes())).image
        judgement = judge.judge(image)
        cpu_s = time.process_time() - begun
        stated = judge.calibration.false_alarm_rate(judgement.score, judgement.after_life).rate
        mask = np.zeros(image.rgb.shape[:2], np.uint8)
        if one.mask is not None:
            mask = np.asarray(cv2.imread(str(folder / one.mask), cv2.IMREAD_GRAYSCALE), np.uint8)
        labels, megapixels = block_labels(mask), mask.size / 1e6
        told = (one.mask is not None, one.kind, life_of(one.final))
        found["model"].append(Judged(judgement.heatmap, labels, judgement.score, *told, stated, cpu_s, megapixels))
        for name, method in LIGHT.items():
            begun = time.process_time()
            heatmap = standing_out(method(image.rgb))
            cpu_s = time.process_time() - begun
            found[name].append(Judged(heatmap, labels, image_score(heatmap), *told, math.nan, cpu_s, megapixels))
        for other in beside:
            if len(network.read) == 1 and one.mask is not None and (not other.kinds or one.kind in other.kinds):
                answer = others[other.name].answer(network.read[0])
                heatmap = scale_heatmap(answer.heatmap, judge.facts.floor, judge.facts.share)
                found[other.name].append(Judged(heatmap, labels, answer.score, *told, math.nan, math.nan, megapixels))
    return found


def judge_by(
    jobs: int, folder: Path, listed: Sequence[ListedImage], model: Path, beside: Sequence[LeftOut] = ()
) -> dict[str, list[Judged]]:
    """As ``judge_all``, by so many processes at a time (at least one), each with an equal part of the images."""
    parts = [listed[number::jobs] for number in range(jobs)]
    # A fork would copy the threads that ONNX Runtime and OpenCV believe to have.
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), cv2.setNumThreads, (1,)) as pool:
        told = pool.map(judge_all, repeat(folder), parts, repeat(model), repeat(beside))
        found: dict[str, list[Judged]] = {}
        for part in told:
            for name, judged in part.items():
                found.setdefault(name, []).extend(judged)
    return found


def figures(judged: Sequence[Judged], threshold: float, against: Sequence[Judged]) -> tuple[float, ...]:
    """Mean pixel AUC, mean best F1 and mean F1 at the threshold over the edited images, and the image AUC of the
    edited ones ``against`` the authentic ones of another selection."""
    with_both = [one for one in judged if (one.labels == 1).any() and (one.labels == 0).any()]
    edited = [one for one in judged if one.edited]
    authentic = [one for one in against if not one.edited]
    scores = np.array([one.score for one in (*edited, *authentic)])
    return (
        _mean(auc(one.heatmap.ravel(), one.labels.ravel()) for one in with_both),
        _mean(oracle_f1(one.heatmap.ravel(), one.labels.ravel()) for one in with_both),
        _mean(f1_at(one.heatmap, one.labels, threshold) for one in with_both),
        auc(scores, np.array([1] * len(edited) + [0] * len(authentic))),
    )


def report(found: dict[str, list[Judged]], threshold: float, out: TextIO) -> None:
    """Prints all figures of the model and of the light methods."""
    judged = found["model"]

    def line(name: str, chosen: Sequence[Judged], against: Sequence[Judged]) -> None:
        values = "  ".join(f"{value:6.3f}" for value in figures(chosen, threshold, against))
        print(f"{name:24}{values}  {sum(one.edited for one in chosen):4} / {len(chosen)}", file=out)

    print(f"{'':24}pixel   best F1  at {threshold:.3f} image    edited / all", file=out)
    line("all", judged, judged)
    for kind in sorted({one.kind for one in judged if one.edited}):
        line(kind, _chosen(judged, lambda one, kind=kind: one.kind == kind), judged)
    for life in LIVES:
        of_life = _chosen(judged, lambda one, life=life: one.life == life)
        if of_life:
            line(life, of_life, of_life)
    cpu = sum(one.cpu_s for one in judged) / sum(one.megapixels for one in judged)
    print(f"CPU {cpu:.2f} s/MP with decoding", file=out)
    authentic = _chosen(judged, lambda one: not one.edited)
    edited = _chosen(judged, lambda one: one.edited)
    for point in POINTS:
        alarms = sum(one.stated <= point for one in authentic)
        low, high = clopper_pearson(alarms, len(authentic)) if authentic else (0.0, 1.0)
        hits = sum(one.stated <= point for one in edited)
        print(
            f"stated {point:.0%}: {alarms} of {len(authentic)} authentic ({low:.3f} to {high:.3f}), "
            f"{hits} of {len(edited)} edited",
            file=out,
        )
    print("light methods: pixel AUC, best F1, image AUC, CPU s/MP", file=out)
    highest = 0.0
    for name in LIGHT:
        pixel, best, _, image = figures(found[name], threshold, found[name])
        highest = max(highest, best)
        cpu = sum(one.cpu_s for one in found[name]) / sum(one.megapixels for one in found[name])
        print(f"{name:24}{pixel:6.3f}  {best:6.3f}  {image:6.3f}  {cpu:6.3f}", file=out)
    if highest > 0:
        ratio = figures(judged, threshold, judged)[1] / highest
        print(f"best F1 is {ratio:.2f} times that of the best light method", file=out)


def report_left_out(found: dict[str, list[Judged]], beside: Sequence[LeftOut], threshold: float, out: TextIO) -> None:
    """Prints for each network ``beside`` the model what it finds of the kinds that it does not know, what the one that
    was trained as long with all finds of them, and what the model does."""
    print(f"leave one kind out: pixel AUC, best F1, F1 at {threshold:.3f}, edited images", file=out)
    for one in beside:
        if not one.kinds:
            continue
        for who, judged in (("without it", one.name), (AS_LONG, AS_LONG), ("shipped", "model")):
            if judged not in found:
                continue
            chosen = _chosen(found[judged], lambda seen, one=one: seen.edited and seen.kind in one.kinds)
            values = "  ".join(f"{value:6.3f}" for value in figures(chosen, threshold, chosen)[:3])
            print(f"{one.name:32}{who:16}{values}  {len(chosen):4}", file=out)


def report_authentic(folder: Path, model: Path, out: TextIO) -> None:
    """Prints for each stated false-alarm rate how many of the kept authentic examples of a folder were taken for
    edited, with the exact 95 % interval as if each image was drawn by itself, and the one over drawn photographs."""
    network, calibration = BlockNetwork((model / NETWORK_FILE).read_bytes()), Calibration(read_facts(model).scores)
    stated, photographs = [], []
    for path in sorted(folder.glob("*.npz")):
        example = read(path)
        if example.kind != AUTHENTIC:
            raise ValueError(f"{path} is no authentic image")
        after, score = score_of(network, example.inputs)
        stated.append(calibration.false_alarm_rate(score, after).rate)
        photographs.append(example.source)
    rates, sources = np.array(stated), np.array(photographs)
    print(f"{len(rates)} authentic images of {len(set(photographs))} photographs that nothing was chosen by:", file=out)
    for point in POINTS:
        alarms = rates <= point
        low, high = clopper_pearson(int(alarms.sum()), len(alarms))
        lowest, largest = interval_over(alarms, sources)
        print(
            f"stated {point:.0%}: {alarms.sum()} of {len(alarms)} = {alarms.mean():.2%} ({low:.2%} to {high:.2%}; over "
            f"photographs {lowest:.2%} to {largest:.2%}), {len(set(sources[alarms]))} photographs",
            file=out,
        )


def interval_over(alarms: npt.NDArray[np.bool_], photographs: npt.NDArray[np.integer]) -> tuple[float, float]:
    """The 95 % interval of the share of alarms where photographs are drawn anew, each with all of its images: images
    of one photograph alarm together. By a thousand seeded draws."""
    _, numbers = np.unique(photographs, return_inverse=True)
    counts = np.bincount(numbers)
    hits = np.bincount(numbers, weights=alarms)
    drawn = np.random.default_rng(0).integers(len(counts), size=(_DRAWS, len(counts)))
    low, high = np.quantile(hits[drawn].sum(axis=1) / counts[drawn].sum(axis=1), (0.025, 0.975))
    return float(low), float(high)


def _chosen(judged: Iterable[Judged], wanted: Callable[[Judged], bool]) -> list[Judged]:
    return [one for one in judged if wanted(one)]


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return float(np.mean(known)) if known else float("nan")


def main() -> None:
    """The command line."""
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, help="folder with manifest.json")
    parser.add_argument("--model", type=Path, default=SHIPPED, help="the model's directory")
    parser.add_argument("--every", type=int, default=1, help="judge each n-th image only")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time")
    parser.add_argument("--authentic", type=Path, help="folder of kept examples of the split proof")
    parser.add_argument("--left-out", type=LeftOut.of, nargs="*", default=[], help="as KIND,KIND=FILE")
    parser.add_argument("--as-long", type=Path, help="network of as many steps with all kinds")
    chosen = parser.parse_args()
    if chosen.images:
        listed = listed_in(chosen.images)
        beside = [*chosen.left_out, *([LeftOut.of(f"={chosen.as_long}")] if chosen.as_long else [])]
        found = judge_by(chosen.jobs, chosen.images, listed[:: chosen.every], chosen.model, beside)
        report(found, THRESHOLD, sys.stdout)
        if beside:
            report_left_out(found, beside, THRESHOLD, sys.stdout)
    if chosen.authentic:
        report_authentic(chosen.authentic, chosen.model, sys.stdout)


if __name__ == "__main__":
    main()
