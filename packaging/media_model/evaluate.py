"""Measures the shipped model on a folder of images with masks, next to the light methods on the same images.

    python -m media_model.evaluate --images DIR

The folder has a ``manifest.json``: a list of objects with ``file``, ``mask`` (a file, white where changed, or null),
``kind`` and ``final`` (the file's last life). Everything is printed as measured.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

import cv2
import msgspec
import numpy as np
import numpy.typing as npt

from app.capabilities.media.analysis.judge import ImageJudge
from app.capabilities.media.analysis.judgement import THRESHOLD
from app.capabilities.media.calibration import clopper_pearson
from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.worker.decode import decode, open_image
from media_model.light_methods import LIGHT, image_score, standing_out
from media_model.metrics import auc, block_labels, f1_at, oracle_f1

SHIPPED: Final = Path(__file__).parents[2] / "resources" / "media"
POINTS: Final = (0.01, 0.05, 0.10)
"""Stated false-alarm rates at which the measured one is told."""
LIVES: Final = ("png", "jpeg >= 85", "jpeg < 85", "twice", "filtered", "resized")
_STRONG: Final = 85
_JPEG: Final = re.compile(r"j+(\d+)s?\d?")


class ListedImage(msgspec.Struct, frozen=True):
    """One image of the folder."""

    file: str
    mask: str | None
    kind: str
    final: str


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


def judge_all(folder: Path, listed: Sequence[ListedImage], judge: ImageJudge) -> dict[str, list[Judged]]:
    """All images by the model (``model``) and by each light method."""
    found: dict[str, list[Judged]] = {name: [] for name in ("model", *LIGHT)}
    for one in listed:
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
            found[name].append(Judged(heatmap, labels, image_score(heatmap), *told, float("nan"), cpu_s, megapixels))
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
    """Prints all figures."""
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
    for name in LIGHT:
        pixel, best, _, image = figures(found[name], threshold, found[name])
        cpu = sum(one.cpu_s for one in found[name]) / sum(one.megapixels for one in found[name])
        print(f"{name:24}{pixel:6.3f}  {best:6.3f}  {image:6.3f}  {cpu:6.3f}", file=out)


def _chosen(judged: Iterable[Judged], wanted: Callable[[Judged], bool]) -> list[Judged]:
    return [one for one in judged if wanted(one)]


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return float(np.mean(known)) if known else float("nan")


def main() -> None:
    """The command line."""
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--images", type=Path, required=True, help="folder with manifest.json")
    parser.add_argument("--model", type=Path, default=SHIPPED, help="the model's directory")
    parser.add_argument("--every", type=int, default=1, help="judge each n-th image only")
    parser.add_argument("--without", default="", help="a kind whose figures alone are wanted, for a model without it")
    chosen = parser.parse_args()
    listed = msgspec.json.decode((chosen.images / "manifest.json").read_bytes(), type=list[ListedImage])
    if chosen.without:
        listed = [one for one in listed if one.mask is None or one.kind == chosen.without]
    judge = ImageJudge.load(chosen.model)
    report(judge_all(chosen.images, listed[:: chosen.every], judge), THRESHOLD, sys.stdout)


if __name__ == "__main__":
    main()
