"""One training image from one seed: a plan is drawn first, then carried out on photographs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from media_model import edits
from media_model.camera import DEFOCUSED, Camera, defocus, scene_of
from media_model.draws import Rgb, generator_of
from media_model.lives import FileLife, draw_after, draw_prior

AUTHENTIC: Final = "authentic"
"""The kind of an image without any edit."""
SIZE: Final = (384, 512)
"""Height and width before the life after the edit, px."""
BLOCK: Final = 8
"""Side of a JPEG block, px."""
AS_THEY_WERE: Final = 0.4
"""Share of photographs that no simulated camera takes: their own real one did."""
_LEAST_SIDE: Final = 64


@dataclass(frozen=True)
class Plan:
    """Everything that is decided before a pixel is touched. ``kind``: ``AUTHENTIC`` or a family of edits; ``source``
    and ``donor``: numbers of photographs; ``area``: share of the image that an edit would change."""

    seed: int
    kind: str
    source: int
    donor: int
    prior: FileLife
    donor_prior: FileLife
    after: FileLife
    area: float


@dataclass(frozen=True)
class Sample:
    """One training image: the file's bytes (JPEG or PNG), and the mask at the file's height and width, 255 where the
    image was changed and 0 elsewhere. ``prior`` and ``after`` are the lives as text."""

    file: bytes
    mask: npt.NDArray[np.uint8]
    kind: str
    prior: str
    after: str
    source: int


def draw_plan(seed: int, folds: Sequence[int], authentic: float = 0.5) -> Plan:
    """The plan of a seed (>= 0). ``folds``: the fold of each photograph (at least one); host and donor are of one fold,
    and two photographs where the fold has two. ``authentic``: probability of an image without an edit, 0 to 1.
    What is drawn of the lives does not depend on it."""
    chosen = generator_of(seed, "photos")
    source = int(chosen.integers(len(folds)))
    others = [number for number, fold in enumerate(folds) if fold == folds[source] and number != source]
    kind = generator_of(seed, "kind")
    untouched = kind.random() < authentic
    family = str(kind.choice(tuple(edits.SHARES), p=tuple(edits.SHARES.values())))
    return Plan(
        seed=seed,
        kind=AUTHENTIC if untouched else family,
        source=source,
        donor=int(chosen.choice(others)) if others else source,
        prior=draw_prior(generator_of(seed, "prior")),
        donor_prior=draw_prior(generator_of(seed, "donor prior")),
        after=draw_after(generator_of(seed, "after")),
        area=edits.draw_area(generator_of(seed, "area")),
    )


def carry_out(plan: Plan, photos: Sequence[Rgb], size: tuple[int, int] = SIZE) -> Sample:
    """The image of a plan. ``size``: height and width before the life after the edit, multiples of 8 px, at least 64.
    ValueError for another size, and where a photograph is too small for the plan."""
    if any(side < _LEAST_SIDE or side % BLOCK for side in size):
        raise ValueError(f"{size[1]} x {size[0]} px: sides are multiples of {BLOCK} px, at least {_LEAST_SIDE}")
    image = _shot(plan.seed, "host", photos[plan.source], plan.prior, size)
    mask = np.zeros(size, np.uint8)
    if plan.kind != AUTHENTIC:
        donor = image
        if plan.kind in edits.DONORS:
            donor = _shot(plan.seed, "donor", photos[plan.donor], plan.donor_prior, size)
        image, mask = edits.change(plan.kind, image, donor, plan.area, plan.seed)
    return Sample(
        file=plan.after.file(image),
        mask=plan.after.on_mask(mask),
        kind=plan.kind,
        prior=plan.prior.text,
        after=plan.after.text,
        source=plan.source,
    )


def as_it_was(plan: Plan, photos: Sequence[Rgb], size: tuple[int, int] = SIZE) -> Sample:
    """An authentic image of a plan's photograph and lives without a simulated camera. ValueError as in
    ``carry_out``."""
    scene = _view(photos[plan.source], plan.prior.frame(size), generator_of(plan.seed, "as it was"))
    image = np.ascontiguousarray(plan.prior.on(scene)[: size[0], : size[1]])
    mask = plan.after.on_mask(np.zeros(size, np.uint8))
    return Sample(plan.after.file(image), mask, AUTHENTIC, plan.prior.text, plan.after.text, plan.source)


def sample(
    seed: int,
    photos: Sequence[Rgb],
    size: tuple[int, int] = SIZE,
    authentic: float = 0.5,
    folds: Sequence[int] | None = None,
) -> Sample:
    """The training image of a seed (>= 0) from photographs, as ``draw_plan`` and ``carry_out`` make it. ``folds``: the
    fold of each photograph; None for one fold of all."""
    return carry_out(draw_plan(seed, folds if folds is not None else [0] * len(photos), authentic), photos, size)


def _view(photo: Rgb, frame: tuple[int, int], generator: np.random.Generator) -> Rgb:
    """A window of a photograph as it was, or in half of the draws scaled down, as most pictures are that go around.
    ValueError where the photograph is too small."""
    if generator.random() < 0.5:
        return scene_of(photo, frame, generator)
    spare = [have - wanted for have, wanted in zip(photo.shape[:2], frame, strict=True)]
    if min(spare) < 0:
        raise ValueError(f"a photograph of {photo.shape[1]} x {photo.shape[0]} px is too small for {frame}")
    top, left = (int(generator.integers(room + 1)) for room in spare)
    return np.ascontiguousarray(photo[top : top + frame[0], left : left + frame[1]])


def _shot(seed: int, role: str, photo: Rgb, prior: FileLife, size: tuple[int, int]) -> Rgb:
    """A photograph as it was, or as a simulated camera of its own takes it, after its life so far, cut to ``size``."""
    generator = generator_of(seed, role)
    frame = prior.frame(size)
    if generator_of(seed, f"{role} as it was").random() < AS_THEY_WERE:
        taken = _view(photo, frame, generator)
    else:
        camera = Camera.draw(int(generator.integers(2**32)))
        scene = scene_of(photo, frame, generator)
        if generator.random() < DEFOCUSED:
            scene = defocus(scene, generator)
        taken = camera.expose(scene, generator)
    return np.ascontiguousarray(prior.on(taken)[: size[0], : size[1]])
