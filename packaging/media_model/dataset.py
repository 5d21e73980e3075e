"""Training images as the network sees them: made from seeds, measured by the product's own pass, kept on disk.

    python -m media_model.dataset --photos DIR --cache DIR --split train --count 3000

A file is written whole or not at all, and one that is there is not made again: the command may be stopped and started
at will, and several may run on parts of the seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import Final

import cv2

from app.capabilities.media.analysis.features import block_inputs
from app.capabilities.media.analysis.measure import LEAST_SIDE, measure
from app.capabilities.media.worker.decode import decode, open_image
from media_model.draws import Rgb, generator_of
from media_model.examples import Example, save
from media_model.fetch import listed
from media_model.generate import BLOCK, SIZE, Plan, Sample, as_it_was, carry_out, draw_plan
from media_model.lives import ScaleStep
from media_model.metrics import block_labels
from media_model.photos import Album, Photo, load

SPLITS: Final[Mapping[str, tuple[int, float]]] = {
    "train": (0, 0.5),
    "check": (1_000_000, 0.5),
    "plain": (3_000_000, 1.0),
    "proof": (4_000_000, 1.0),
}
"""Of each split the first seed and the share of authentic images. ``train`` has its own photographs; the others have
those that the list holds out, ``proof`` one in ``PROOF`` of them and ``check`` and ``plain`` the rest. ``plain`` and
``proof`` are photographs as they were, without a simulated camera."""
PROOF: Final = 3
"""One held-out photograph in so many, by its SHA-256, chooses and calibrates nothing: it proves the stated rates."""
AS_THEY_WERE: Final = frozenset({"plain", "proof"})
_LARGER: Final = (480, 640)
_LARGER_SHARE: Final = 0.25
_PARTS: Final = (1.0, 0.85, 0.7, 0.6)
_LEAST_HEIGHT: Final = 288


Maker = Callable[[Plan, Sequence[Rgb], tuple[int, int]], Sample]


def is_of(split: str, sha256: str, held_out: Collection[str]) -> bool:
    """Is a photograph (SHA-256, hex) of a split. ``held_out``: SHA-256 of those that are in no training."""
    if split == "train":
        return sha256 not in held_out
    return sha256 in held_out and (int(sha256, 16) % PROOF == 0) == (split == "proof")


def photos_of(album: Album, split: str, held_out: Collection[str]) -> tuple[Photo, ...]:
    """The photographs of a split, in the order of their SHA-256. ``held_out``: as for ``is_of``."""
    ordered = sorted(album.photos, key=lambda photo: photo.sha256)
    return tuple(photo for photo in ordered if is_of(split, photo.sha256, held_out))


def sizes_of(plan: Plan) -> tuple[tuple[int, int], ...]:
    """Heights and widths that may be tried for a plan, the wanted one first: an image that is scaled down afterwards
    begins larger, as far as its photographs allow."""
    base = _LARGER if generator_of(plan.seed, "size").random() < _LARGER_SHARE else SIZE
    factor = min([1.0, *(step.factor for step in plan.after.steps if isinstance(step, ScaleStep))])
    wanted = [tuple(round(side * part / factor / BLOCK) * BLOCK for side in base) for part in _PARTS]
    return tuple((height, width) for height, width in wanted if height >= _LEAST_HEIGHT)


def make(plan: Plan, photos: Sequence[Rgb], how: Maker = carry_out) -> Sample | None:
    """The image of a plan at the first size that its photographs allow, None where they allow none."""
    for size in sizes_of(plan):
        try:
            return how(plan, photos, size)
        except ValueError:
            continue
    return None


def example_of(made: Sample, after: str) -> Example:
    """What the product's decoder and detectors see of an image; its kind of life is ``after``."""
    image = decode(open_image(made.file)).image
    return Example(block_inputs(measure(image)), block_labels(made.mask), made.kind, after, made.source)


def keep(cache: Path, split: str, seed: int, photos: Sequence[Rgb]) -> bool:
    """Makes the example of a seed where it is not there yet; False where its photographs are too small."""
    path = cache / split / f"{seed}.npz"
    if path.exists():
        return True
    plan = draw_plan(seed, [0] * len(photos), SPLITS[split][1])
    made = make(plan, photos, as_it_was if split in AS_THEY_WERE else carry_out)
    if made is None or min(made.mask.shape) < LEAST_SIDE:
        return False
    save(example_of(made, plan.after.kind), path)
    return True


def main() -> None:
    """The command line."""
    cv2.setNumThreads(1)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--photos", type=Path, required=True, help="folder of photographs")
    parser.add_argument("--cache", type=Path, required=True, help="where the examples are kept")
    parser.add_argument("--split", choices=tuple(SPLITS), required=True)
    parser.add_argument("--count", type=int, required=True, help="how many seeds, from the first of the split")
    parser.add_argument("--part", default="0/1", help="which of how many equal parts of the seeds, as 0/2")
    chosen = parser.parse_args()
    part, parts = (int(number) for number in chosen.part.split("/"))
    (chosen.cache / chosen.split).mkdir(parents=True, exist_ok=True)
    held_out = {photo.sha256 for photo in listed() if photo.held_out}
    others = {photo.sha256 for photo in listed() if not is_of(chosen.split, photo.sha256, held_out)}
    photos = [photo.rgb for photo in photos_of(load(chosen.photos, others), chosen.split, held_out)]
    first = SPLITS[chosen.split][0]
    for seed in range(first + part, first + chosen.count, parts):
        keep(chosen.cache, chosen.split, seed, photos)


if __name__ == "__main__":
    main()
