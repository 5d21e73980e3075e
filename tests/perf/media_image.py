"""Image scan: how well it finds what was changed, next to the five light methods of image forensics on the same images.

The images are drawn scenes under the simulated cameras, lives and edits of the training's generator, by seeds. Drawn
scenes are no photographs: their noise is the same everywhere, so a median filter alone finds most edits, and 1.85 times
its best F1 would be more than 1. The figures are told there, and judged by no goal. With ``MEDIA_IMAGES=DIR`` the
images of a folder are taken instead, as ``media_model.evaluate`` reads it, ``MEDIA_EVERY=N`` each N-th of them, and
held to the goals for photographs of the design's page. The peer is the best light method of each figure, chosen on
these images, which favours it. ``PYTHONPATH=packaging python -m tests.perf.media_image`` prints them.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import cv2

from app.capabilities.media.analysis.judgement import THRESHOLD
from app.capabilities.media.worker.decode import decode, open_image
from media_model.collection import ListedImage, listed_in
from media_model.evaluate import SHIPPED, figures, judge_all
from media_model.generate import AUTHENTIC, sample
from media_model.light_methods import LIGHT
from tests.perf.report import Row, run
from tests.unit.media_model.scenes import photo

COUNT = 48
SCENES, SCENE = 12, (1600, 1200)
FIRST_SEED = 9_000_000
CPU_GOAL_S, BEST_F1_GOAL, PIXEL_GOAL, IMAGE_GOAL = 3.0, 1.85, 0.20, 0.18


def draw(folder: Path) -> list[ListedImage]:
    """Images with and without an edit, half of each, written into the folder."""
    scenes = [photo(seed, *SCENE) for seed in range(SCENES)]
    listed = []
    for number in range(COUNT):
        made = sample(FIRST_SEED + number, scenes, authentic=number % 2)
        file = folder / f"{number}.img"
        file.write_bytes(made.file)
        mask = None if made.kind == AUTHENTIC else f"{number}.mask.png"
        if mask is not None:
            cv2.imwrite(str(folder / mask), made.mask)
        listed.append(ListedImage(file.name, mask, made.kind, made.after))
    return listed


def compared() -> Iterator[Row]:
    """Best F1, pixel and image AUC against the best light method, and processor time for 10^6 pixels."""
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as made:
        given = os.environ.get("MEDIA_IMAGES")
        folder = Path(given or made)
        if not given:
            listed = draw(folder)
        else:
            listed = listed_in(folder)[:: int(os.environ.get("MEDIA_EVERY", "1"))]
        found = judge_all(folder, listed, SHIPPED)
        decoding_s = 0.0
        for one in listed:
            media = (folder / one.file).read_bytes()
            begun = time.process_time()
            decode(open_image(media))
            decoding_s += time.process_time() - begun
    ours = figures(found["model"], THRESHOLD, found["model"])
    light = {name: figures(found[name], THRESHOLD, found[name]) for name in LIGHT}
    megapixels = sum(one.megapixels for one in found["model"])
    what = f"{len(listed)} {'given' if given else 'drawn'} images"
    for at, name, goal in ((1, "best F1", BEST_F1_GOAL), (0, "pixel AUC", PIXEL_GOAL), (3, "image AUC", IMAGE_GOAL)):
        best = max(light, key=lambda method, at=at: light[method][at])
        mine, theirs = ours[at], light[best][at]
        ratio = mine / theirs
        told, met = "told", None
        if given:
            told = f">= {goal:g}x" if at == 1 else f">= +{goal:g}"
            met = ratio >= goal if at == 1 else mine - theirs >= goal
        yield Row(f"image scan: {name}", "", mine, theirs, ratio, told, f"{best}, best of five on {what}", met)
    cpu = sum(one.cpu_s for one in found["model"]) / megapixels
    bare = decoding_s / megapixels
    yield Row(
        "image scan, CPU for 1 MP",
        "s",
        cpu,
        bare,
        cpu / bare,
        f"<= {CPU_GOAL_S:g} s",
        "bare decoding",
        cpu <= CPU_GOAL_S,
    )
    for name in LIGHT:
        spent = sum(one.cpu_s for one in found[name]) / megapixels
        yield Row(
            f"image scan, CPU for 1 MP: {name}", "s", cpu, spent, cpu / spent, "told", "the method alone, decoded"
        )


ROWS = (compared,)

if __name__ == "__main__":
    run(ROWS)
