"""Ten families of changes to a part of an image. What lies outside the part stays as it was, to the bit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from media_model.draws import FloatRgb, Plane, Rgb, generator_of, log_uniform
from media_model.filters import LOCAL, to_bytes

AREA: Final = (0.01, 0.16)
"""Smallest and largest share of the image that an edit changes."""
SHAPES: Final = ("ellipse", "rectangle", "polygon", "blob", "cloud")
DONORS: Final = frozenset({"splice", "swap", "poisson"})
"""The families that need pixels of another image."""
SEEN: Final = 0.5
"""Share of a part's pixels that an edit must change; a flat sky that is blurred is no edit."""
_TRIES: Final = 12
_NOISY: Final = 0.4
"""Share of fills that get noise."""
_NEAREST_COPY: Final = 24
"""Least distance of a copy from its source, px."""
_MARGIN: Final = 8
_COARSE: Final = 4
_PATCH: Final = 8

AnyPlane = npt.NDArray[np.floating]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Canvas:
    """What an edit works on: ``host`` and ``donor`` of one shape (the donor is the host where the family needs none),
    and the part to change, a mask of their height and width with at least one pixel."""

    host: Rgb
    donor: Rgb
    part: Mask

    @property
    def box(self) -> tuple[int, int, int, int]:
        """Top, bottom, left, right of the part, the ends excluded."""
        rows, columns = np.flatnonzero(self.part.any(axis=1)), np.flatnonzero(self.part.any(axis=0))
        return int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1

    @property
    def centre(self) -> tuple[float, float]:
        """x and y of the middle of the box, px."""
        top, bottom, left, right = self.box
        return (left + right - 1) / 2, (top + bottom - 1) / 2

    def around(self, margin: int) -> tuple[slice, slice]:
        """The box with a margin on each side, cut at the image's border."""
        top, bottom, left, right = self.box
        return slice(max(0, top - margin), bottom + margin), slice(max(0, left - margin), right + margin)

    def feather(self, width: float) -> FloatRgb:
        """Weights from 0 to 1, shape (height, width, 1): 0 outside the part and 1 from ``width`` px inside it."""
        depth = cv2.distanceTransform(self.part.astype(np.uint8), cv2.DIST_L2, cv2.DIST_MASK_PRECISE)
        return np.asarray(np.clip(depth / (width + 1), 0, 1)[..., None], np.float32)

    def blend(self, other: FloatRgb, weights: FloatRgb) -> Rgb:
        """``other`` over the host by weights."""
        done, window = self.host.copy(), self.around(0)
        host = self.host[window].astype(np.float32)
        done[window] = to_bytes(host + weights[window] * (other[window] - host))
        return done


Edit = Callable[[Canvas, np.random.Generator], Rgb]


def draw_area(generator: np.random.Generator) -> float:
    """Share of the image, log-uniform in ``AREA``."""
    return log_uniform(generator, *AREA)


def draw_part(size: tuple[int, int], area: float, generator: np.random.Generator) -> Mask:
    """A part of an image of ``size`` (height, width) with exactly ``round(area * height * width)`` pixels."""
    height, width = size
    field = cv2.resize(_shape_field(size, area, generator), (width, height), interpolation=cv2.INTER_LINEAR)
    count = round(area * height * width)
    part = np.zeros(height * width, np.bool_)
    part[np.argpartition(field.ravel(), height * width - count)[height * width - count :]] = True
    return part.reshape(height, width)


def _shape_field(size: tuple[int, int], area: float, generator: np.random.Generator) -> Plane:
    """A field at a quarter of the size, largest inside the drawn shape: its highest values are the part."""
    height, width = size
    reach = math.sqrt(area * height * width / math.pi)
    x = np.arange(2, width + 2, 4, dtype=np.float32) - np.float32(generator.uniform(0.1, 0.9) * width)
    y = np.arange(2, height + 2, 4, dtype=np.float32) - np.float32(generator.uniform(0.1, 0.9) * height)
    angle, stretch = generator.uniform(0, math.pi), math.sqrt(log_uniform(generator, 0.4, 2.5))
    shape = str(generator.choice(SHAPES))
    if shape == "rectangle" and generator.random() < 0.5:
        angle = 0.0
    across = (x * math.cos(angle) + y[:, None] * math.sin(angle)) / np.float32(stretch)
    down = (y[:, None] * math.cos(angle) - x * math.sin(angle)) * np.float32(stretch)
    if shape == "rectangle":
        return np.asarray(-np.maximum(np.abs(across), np.abs(down)), np.float32)
    distance = np.hypot(across, down)
    if shape == "polygon":
        return _polygon_field(across, down, generator)
    if shape == "blob":
        turn = np.arctan2(down, across)
        for wave in range(2, 7):
            strength = generator.uniform(0, 0.5) / wave
            distance = distance / (1 + strength * np.cos(wave * turn + generator.uniform(0, 2 * math.pi)))
    if shape == "cloud":
        coarse = generator.standard_normal((6, 8), np.float32)
        distance = distance + 0.6 * reach * cv2.resize(coarse, distance.shape[::-1], interpolation=cv2.INTER_CUBIC)
    return np.asarray(-distance, np.float32)


def _polygon_field(across: AnyPlane, down: AnyPlane, generator: np.random.Generator) -> Plane:
    """Minus the largest distance beyond the sides of a convex polygon of 3 to 7 sides."""
    sides = int(generator.integers(3, 8))
    turns = (np.arange(sides) + generator.uniform(-0.25, 0.25, sides)) * (2 * math.pi / sides)
    beyond = [
        (across * math.cos(turn) + down * math.sin(turn)) / generator.uniform(0.7, 1.3) for turn in turns.tolist()
    ]
    return np.asarray(-np.max(beyond, axis=0), np.float32)


def _move(canvas: Canvas, rgb: Rgb, source: tuple[float, float], shape: npt.NDArray[np.float64]) -> Rgb:
    """The image with ``source`` (x, y) brought to the part's centre under the 2x2 matrix ``shape``, in the part's box
    and some px around it; elsewhere it is as it was. A whole shift without any turn or scale copies pixels as they
    are."""
    rows, columns = canvas.around(_MARGIN)
    origin = np.array([columns.start, rows.start])
    moved = np.hstack([shape, (np.asarray(canvas.centre) - origin - shape @ np.asarray(source))[:, None]])
    whole = np.array_equal(moved, np.rint(moved))
    kernel = cv2.INTER_NEAREST if whole else cv2.INTER_CUBIC
    done = rgb.copy()
    window = done[rows, columns]
    size = window.shape[1], window.shape[0]
    window[...] = cv2.warpAffine(rgb, moved, size, flags=kernel, borderMode=cv2.BORDER_REFLECT_101)
    return done


def _draw_turn(generator: np.random.Generator, scale: tuple[float, float], degrees: float) -> npt.NDArray[np.float64]:
    """A matrix of a scale and a turn, mirrored in half of the draws; in half of the draws without scale and turn."""
    factor, angle = log_uniform(generator, *scale), math.radians(generator.uniform(-degrees, degrees))
    plain, mirrored = generator.random() < 0.5, generator.random() < 0.5
    matrix = np.eye(2) if plain else _similarity(factor, angle)
    return matrix @ np.diag([-1.0, 1.0]) if mirrored else matrix


def _similarity(factor: float, angle: float) -> npt.NDArray[np.float64]:
    return factor * np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _draw_source(canvas: Canvas, generator: np.random.Generator) -> tuple[float, float]:
    """A centre (x, y), whole pixels from the part's own, whose box lies in the image, at least ``_NEAREST_COPY`` px
    away where there is such a place."""
    top, bottom, left, right = canvas.box
    height, width = canvas.part.shape
    x, y = canvas.centre
    best = (0, 0)
    for _ in range(8):
        shift = int(generator.integers(-left, width - right + 1)), int(generator.integers(-top, height - bottom + 1))
        if math.hypot(*shift) > math.hypot(*best):
            best = shift
        if math.hypot(*best) >= _NEAREST_COPY:
            break
    return x + best[0], y + best[1]


def splice(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """Pixels of the donor: scaled, turned, mirrored, matched in colour, feathered over 0 to 5 px."""
    shape = _draw_turn(generator, (0.6, 1.6), 30)
    put = _move(canvas, canvas.donor, _draw_source(canvas, generator), shape).astype(np.float32)
    if generator.random() < 0.5:
        put = _match_colour(put, canvas)
    return canvas.blend(put, canvas.feather(generator.uniform(0, 5)))


def _match_colour(put: FloatRgb, canvas: Canvas) -> FloatRgb:
    """Mean and deviation of each channel in the part as the host's are there (Reinhard et al. 2001, in RGB)."""
    here, there = canvas.host[canvas.part].astype(np.float32), put[canvas.part]
    ratio = np.clip(here.std(axis=0) / np.maximum(there.std(axis=0), 1), 0.5, 2)
    return np.asarray((put - there.mean(axis=0)) * ratio + here.mean(axis=0), np.float32)


def swap(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """As a face is swapped: pixels of the donor, scaled by 0.6 to 1.6, turned by up to 15 degrees, matched in colour,
    and laid over the host by 80 to 100 %, feathered over 3 to 14 px."""
    shape = _similarity(log_uniform(generator, 0.6, 1.6), math.radians(generator.uniform(-15, 15)))
    put = _match_colour(_move(canvas, canvas.donor, _draw_source(canvas, generator), shape).astype(np.float32), canvas)
    return canvas.blend(put, canvas.feather(generator.uniform(3, 14)) * np.float32(generator.uniform(0.8, 1)))


def copy_move(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """Pixels from another place of the same image: in half of the draws scaled and turned, in half mirrored."""
    shape = _draw_turn(generator, (0.8, 1.25), 20)
    put = _move(canvas, canvas.host, _draw_source(canvas, generator), shape).astype(np.float32)
    return canvas.blend(put, canvas.feather(generator.uniform(0, 3)))


def inpaint(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """The part is filled from around it; 40 % of the fills get the noise of the rest."""
    fill: Edit = (telea, pyramid_fill, exemplar_fill)[int(generator.integers(3))]
    done = fill(canvas, generator)
    if generator.random() >= _NOISY:
        return done
    rest = canvas.host.astype(np.float32) - cv2.medianBlur(canvas.host, 3)
    deviation = max(1.0, 1.4826 * float(np.median(np.abs(rest[~canvas.part]))))
    return to_bytes(done + np.float32(deviation) * generator.standard_normal(done.shape, np.float32))


def telea(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """Fast marching (Telea 2004), radius 2 to 5 px."""
    rows, columns = canvas.around(_MARGIN)
    done = canvas.host.copy()
    hole = canvas.part[rows, columns].astype(np.uint8)
    done[rows, columns] = cv2.inpaint(
        np.ascontiguousarray(canvas.host[rows, columns]), hole, int(generator.integers(2, 6)), cv2.INPAINT_TELEA
    )
    return done


def pyramid_fill(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """Weighted means at halved sizes, from coarse to fine (push-pull, Gortler et al. 1996), blurred by up to 1 px."""
    known = (~canvas.part).astype(np.float32)[..., None]
    level = np.concatenate([canvas.host * known, known], axis=2)
    levels = [level]
    while min(levels[-1].shape[:2]) > 2:
        levels.append(cv2.pyrDown(levels[-1]))
    filled = levels[-1]
    for finer in reversed(levels[:-1]):
        risen = cv2.pyrUp(filled, dstsize=(finer.shape[1], finer.shape[0]))
        risen = risen / np.maximum(risen[..., 3:], 1e-6)
        filled = finer + risen * (1 - np.minimum(finer[..., 3:], 1))
    soft = cv2.GaussianBlur(filled[..., :3], (0, 0), generator.uniform(0.3, 1))
    return to_bytes(np.asarray(soft, np.float32))


def exemplar_fill(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """Patches of 32 px in steps of 16 px, from the border inwards: each is copied from the place whose known pixels
    are most alike (after Criminisi, Perez, Toyama 2004), found at a quarter of the size among places outside the
    part."""
    height, width = (side // _COARSE for side in canvas.part.shape)
    small = cv2.resize(canvas.host, (width, height), interpolation=cv2.INTER_AREA).astype(np.float32)
    hole = cv2.resize(canvas.part.astype(np.float32), (width, height), interpolation=cv2.INTER_AREA) > 0
    open_places = cv2.filter2D(
        hole.astype(np.float32), -1, np.ones((_PATCH, _PATCH), np.float32), anchor=(0, 0), borderType=cv2.BORDER_REFLECT
    )[: height - _PATCH + 1, : width - _PATCH + 1]
    places = np.where(open_places > 0.5, np.float32(np.inf), np.float32(0))
    done, left = canvas.host.astype(np.float32), canvas.part.copy()
    if not (places == 0).any():
        return pyramid_fill(canvas, generator)
    while hole.any():
        depth = cv2.distanceTransform(hole.astype(np.uint8), cv2.DIST_L2, 3)
        y, x = divmod(int(np.argmin(np.where(hole, depth, np.inf))), width)
        top, column = min(max(0, y - _PATCH // 2), height - _PATCH), min(max(0, x - _PATCH // 2), width - _PATCH)
        here = np.s_[top : top + _PATCH, column : column + _PATCH]
        known = np.repeat((~hole[here]).astype(np.float32)[..., None], 3, axis=2)
        unlike = cv2.matchTemplate(small, small[here], cv2.TM_SQDIFF, mask=known) + places
        from_top, from_column = divmod(int(np.argmin(unlike)), unlike.shape[1])
        there = np.s_[from_top : from_top + _PATCH, from_column : from_column + _PATCH]
        small[here] = np.where(hole[here][..., None], small[there], small[here])
        hole[here] = False
        fine, source = _fine(here), _fine(there)
        done[fine] = np.where(left[fine][..., None], done[source], done[fine])
        left[fine] = False
    return to_bytes(done)


def _fine(patch: tuple[slice, slice]) -> tuple[slice, slice]:
    """A patch of the coarse image in pixels of the fine one."""
    rows, columns = patch
    return (
        slice(rows.start * _COARSE, rows.stop * _COARSE),
        slice(columns.start * _COARSE, columns.stop * _COARSE),
    )


def filters(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """One or two of the local filters after each other."""
    return _filtered(canvas, generator.choice(tuple(LOCAL), int(generator.integers(1, 3)), replace=False), generator)


def noise(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """Noise alone: white, or grain."""
    return _filtered(canvas, [generator.choice(("white_noise", "correlated_noise"))], generator)


def _filtered(canvas: Canvas, names: Iterable[str], generator: np.random.Generator) -> Rgb:
    """The host after local filters, with some px around the part."""
    rows, columns = canvas.around(16)
    part = np.ascontiguousarray(canvas.host[rows, columns])
    for name in names:
        part = LOCAL[str(name)](part, generator)
    done = canvas.host.copy()
    done[rows, columns] = part
    return done


def poisson(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """Gradients of the donor (or in a third of the draws the stronger of both) solved into the host (Perez, Gangnet,
    Blake 2003)."""
    put = _move(canvas, canvas.donor, _draw_source(canvas, generator), _draw_turn(generator, (0.6, 1.6), 30))
    # The solver wants a host that goes on beyond the part on each side.
    host, donor = (
        cv2.copyMakeBorder(image, _MARGIN, _MARGIN, _MARGIN, _MARGIN, cv2.BORDER_REFLECT_101)
        for image in (canvas.host, put)
    )
    # One pixel wider, for the solver takes one off.
    wider = cv2.dilate(np.pad(canvas.part.astype(np.uint8) * 255, _MARGIN), np.ones((3, 3), np.uint8))
    x, y, width, height = cv2.boundingRect(wider)
    how = cv2.MIXED_CLONE if generator.random() < 1 / 3 else cv2.NORMAL_CLONE
    solved = cv2.seamlessClone(donor, host, wider, (x + width // 2, y + height // 2), how)
    return np.asarray(solved[_MARGIN:-_MARGIN, _MARGIN:-_MARGIN], np.uint8)


def self_blend(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """A slightly moved, scaled, turned and toned copy of the image over itself (after Shiohara and Yamasaki, CVPR
    2022): the seam of a swapped face, without any other content."""
    shape = _similarity(generator.uniform(0.95, 1.05), math.radians(generator.uniform(-3, 3)))
    x, y = canvas.centre
    step = generator.uniform(1, 6)
    angle = generator.uniform(0, 2 * math.pi)
    put = _move(canvas, canvas.host, (x + step * math.cos(angle), y + step * math.sin(angle)), shape)
    if generator.random() < 0.5:
        put = LOCAL[str(generator.choice(("blur", "sharpen", "down_up", "own_jpeg")))](put, generator)
    toned = put * generator.uniform(0.92, 1.08, 3).astype(np.float32) + np.float32(generator.uniform(-8, 8))
    return canvas.blend(toned, canvas.feather(generator.uniform(2, 12)) * np.float32(generator.uniform(0.6, 1)))


def drawn_object(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """A thing that no camera saw: a shaded surface, in half of the draws with stripes, in half with faint noise."""
    height, width = canvas.part.shape
    x, y = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    angle, wave = generator.uniform(0, math.pi), generator.uniform(4, 40)
    along = x * math.cos(angle) + y * math.sin(angle)
    top, bottom, left, right = canvas.box
    shade = (along - along[canvas.part].mean()) / max(bottom - top, right - left)
    base, slope = generator.uniform(20, 235, 3), generator.uniform(-90, 90, 3)
    surface = base.astype(np.float32) + shade[..., None] * slope.astype(np.float32)
    if generator.random() < 0.5:
        other = generator.uniform(20, 235, 3).astype(np.float32)
        surface = np.where((np.sin(along * (2 * math.pi / wave)) > 0)[..., None], surface, other)
    if generator.random() < 0.5:
        surface = surface + np.float32(generator.uniform(0.5, 4)) * generator.standard_normal(surface.shape, np.float32)
    return canvas.blend(np.asarray(surface, np.float32), canvas.feather(generator.uniform(0, 1.5)))


def warp(canvas: Canvas, generator: np.random.Generator) -> Rgb:
    """Pixels pushed about by 2 to 9 px, less towards the border: what retouching tools call liquify."""
    height, width = canvas.part.shape
    coarse = generator.standard_normal((5, 6, 2), np.float32)
    push = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC) * canvas.feather(12)
    largest = float(np.abs(push[canvas.part]).max())
    push *= np.float32(generator.uniform(2, 9) / max(largest, 1e-6))
    x, y = np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32)[:, None]
    return np.asarray(
        cv2.remap(canvas.host, x + push[..., 0], y + push[..., 1], cv2.INTER_CUBIC, borderMode=cv2.BORDER_REFLECT_101),
        np.uint8,
    )


FAMILIES: Final[Mapping[str, Edit]] = {
    "splice": splice,
    "swap": swap,
    "copy_move": copy_move,
    "inpaint": inpaint,
    "filters": filters,
    "noise": noise,
    "poisson": poisson,
    "self_blend": self_blend,
    "drawn_object": drawn_object,
    "warp": warp,
}
SHARES: Final[Mapping[str, float]] = {
    "splice": 0.13,
    "swap": 0.10,
    "copy_move": 0.10,
    "inpaint": 0.12,
    "filters": 0.15,
    "noise": 0.10,
    "poisson": 0.14,
    "self_blend": 0.10,
    "drawn_object": 0.03,
    "warp": 0.03,
}
"""Share of each family among the edits: of those that are found least there are more."""


def change(family: str, host: Rgb, donor: Rgb, area: float, seed: int) -> tuple[Rgb, npt.NDArray[np.uint8]]:
    """The host with one edit of a family (a key of ``FAMILIES``), and its mask: 255 in the part, which covers ``area``
    of the image, 0 elsewhere. Where an edit leaves most of its part as it was, another part is drawn; of some such
    tries the most visible one counts."""
    best, part, most = host, np.zeros(host.shape[:2], np.bool_), -1.0
    for attempt in range(_TRIES):
        generator = generator_of(seed, f"edit {attempt}")
        canvas = Canvas(host, donor, draw_part(host.shape[:2], area, generator))
        done = np.where(canvas.part[..., None], FAMILIES[family](canvas, generator), host)
        share = float((done[canvas.part] != host[canvas.part]).any(axis=1).mean())
        if share > most:
            best, part, most = done, canvas.part, share
        if most >= SEEN:
            break
    return best, np.where(part, 255, 0).astype(np.uint8)
