"""Places of the picture that do not go on as the rest does: something was put in there, or made to stand still.

All is measured in the 32 x 24 cells of ``signals``: a *local jump* is a compact place that changes in one frame far
more than around that time while the rest goes on, and that neither comes from beside it nor goes there, as fast things
do. Where the place stood still before it, it was frozen and let go; otherwise something was put in or taken out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import cv2
import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.video.signals import CELL_GRID, running_median

LOCAL_JUMP: Final = 6.5
"""Excess of a place's change, from which on something was put in there (see ``local_jumps``)."""
UNPAIRED: Final = 8.5
"""The same where the place does not jump back."""
RELEASE: Final = 4.0
"""The same for a place that stood still until then."""
SHORTEST_FREEZE: Final = 6
"""Frames that a place stands still, at least."""
_REACH: Final = 6
_NOISE: Final = 1.5
"""Grey levels: what coding changes anyhow."""
_MOST: Final = 12.0
"""Excess of one cell that counts, at most."""
_EVERYWHERE: Final = 1.0
"""Excess of the median cell, from which on the whole picture jumps."""
_SHORTEST: Final = 4
"""Frames between a place's two jumps, at least."""
_SHARPENED: Final = 4
"""Frames in which an encoder sharpens a new scene."""
_PLACE: Final = 1.5
"""Excess of a cell that belongs to a place."""
_COMPACT: Final = 0.7
"""Share of all excess that lies in the place, at least: where frames are missing, many places jump."""
_ALIVE: Final = 0.6
"""Mean change of a place that is not standing still by itself, grey levels."""
_STILL: Final = 0.35
"""Share of its usual change below which a place stands still."""
_AFTER: Final = 24
"""Frames behind a jump that tell what is usual."""
_NEAR: Final = 6
"""Cells between the middles of a place's two jumps, at most."""
_COMMON: Final = 0.5
"""Or the share of the smaller one that lies in the other, at least."""


@dataclass(frozen=True)
class FoundPlace:
    """``splice``: the place jumps at ``first``, and back behind ``last``; where the other end was not found, both are
    the frame of the jump. ``freeze``: it stands still from ``first`` to ``last`` and jumps behind that. ``box``: x, y,
    width, height as shares of the picture, 0 to 1. ``strength``: see ``local_jumps``."""

    kind: Literal["splice", "freeze"]
    first: int
    last: int
    box: tuple[float, float, float, float]
    strength: float


@dataclass(frozen=True)
class _Jump:
    """One place that jumps in frame ``at``; ``still``: the frame from which on it stood still before, else ``at``."""

    at: int
    still: int
    mask: npt.NDArray[np.bool_]
    strength: float

    @property
    def middle(self) -> tuple[float, float]:
        rows, columns = np.nonzero(self.mask)
        return float(rows.mean()), float(columns.mean())


def local_jumps(changes: npt.NDArray[np.float16]) -> FloatMap:
    """Of each frame how far its most jumping place exceeds what it usually does, in units of that, and what its
    surroundings do in the two frames before and behind: shape (frames,), 0 to 12. ``changes``: (frames, 24, 32)."""
    alone = _alone(_excess(changes.astype(np.float32)))
    return np.asarray(alone.max(axis=(1, 2)), np.float32)


def freeze_strengths(changes: npt.NDArray[np.float16]) -> FloatMap:
    """Of each frame the strength of the jump that ends a freeze with it in it, and of that jump itself; else 0."""
    values = changes.astype(np.float32)
    strengths = np.zeros(len(values), np.float32)
    for jump in _jumps(values, least=1.0):
        if jump.still < jump.at:
            part = strengths[jump.still : jump.at + 1]
            np.maximum(part, jump.strength, out=part)
    return strengths


def find_places(changes: npt.NDArray[np.float16]) -> list[FoundPlace]:
    """Splices and freezes in order of time."""
    found, taken = [], set()
    jumps = _jumps(changes.astype(np.float32), least=RELEASE)
    jumps = [one for one in jumps if one.still < one.at or one.strength >= LOCAL_JUMP]
    for number, jump in enumerate(jumps):
        if jump.still < jump.at:
            found.append(FoundPlace("freeze", jump.still, jump.at - 1, _box(jump.mask), jump.strength))
        elif jump.at not in taken:
            later = (one for one in jumps[number + 1 :] if one.at - jump.at >= _SHORTEST and one.still == one.at)
            others = (one for one in later if _is_near(one, jump))
            behind = next(others, None)
            taken |= {jump.at} if behind is None else {jump.at, behind.at}
            if behind is None and jump.strength < UNPAIRED:
                continue
            last = jump.at if behind is None else behind.at - 1
            both = jump.mask if behind is None else jump.mask | behind.mask
            strength = jump.strength if behind is None else max(jump.strength, behind.strength)
            found.append(FoundPlace("splice", jump.at, last, _box(both), strength))
    return sorted(found, key=lambda one: one.first)


def _jumps(values: FloatMap, least: float) -> list[_Jump]:
    """Compact places that jump at least so much."""
    excess = _excess(values)
    alone = _alone(excess)
    strengths = alone.max(axis=(1, 2))
    found = []
    for at in np.flatnonzero(strengths >= least).tolist():
        row, column = np.unravel_index(int(alone[at].argmax()), alone[at].shape)
        joined = cv2.morphologyEx((excess[at] >= _PLACE).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
        labels = cv2.connectedComponents(joined, connectivity=8)[1]
        mask = labels == labels[row, column]
        if labels[row, column] == 0 or excess[at][mask].sum() < _COMPACT * excess[at].sum():
            continue
        found.append(_Jump(at, _still_since(values[:, mask].mean(axis=1), at), mask, float(strengths[at])))
    return found


def _still_since(changes: FloatMap, at: int) -> int:
    """The frame from which on a place that jumps ``at`` stood still while it moved before and behind; else ``at``."""
    behind = _usual(changes[at + 1 : at + 1 + _AFTER])
    moving = np.flatnonzero(changes[:at] > _STILL * behind)
    if not len(moving):
        return at
    first = int(moving[-1]) + 1
    before = _usual(changes[max(1, first - _AFTER) : first])
    # What moves behind the jump alone was put in there.
    if at - first < SHORTEST_FREEZE or behind < _ALIVE or before < _ALIVE:
        return at
    # The frame before the first that equals its predecessor begins the freeze.
    return first - 1


def _usual(changes: FloatMap) -> float:
    """What a place does in these frames; 0 where they are too few."""
    return float(np.median(changes)) if len(changes) >= SHORTEST_FREEZE else 0.0


def _excess(values: FloatMap) -> FloatMap:
    """By how much each cell changes more than usual, in units of that; 0 in frames that jump as a whole, and in the few
    behind them, in which an encoder sharpens place by place."""
    if not len(values):
        return values
    usual = running_median(values, _REACH)
    excess = np.clip(values / (usual + _NOISE) - 2, 0, _MOST).astype(np.float32)
    for at in np.flatnonzero(np.median(excess, axis=(1, 2)) > _EVERYWHERE):
        excess[at : at + 1 + _SHARPENED] = 0
    return np.asarray(excess, np.float32)


def _alone(excess: FloatMap) -> FloatMap:
    """Mean excess of each 3 x 3 cells, less the largest one in the 9 x 9 around in the two frames before and behind."""
    compact, others = np.zeros_like(excess), np.zeros_like(excess)
    for at, one in enumerate(excess):
        compact[at] = cv2.blur(one, (3, 3), borderType=cv2.BORDER_REFLECT)
    for at, one in enumerate(compact):
        around = cv2.dilate(one, np.ones((9, 9), np.uint8))
        for place in (at - 2, at - 1, at + 1, at + 2):
            if 0 <= place < len(others):
                np.maximum(others[place], around, out=others[place])
    return np.asarray(np.maximum(compact - others, 0), np.float32)


def _is_near(one: _Jump, other: _Jump) -> bool:
    """Whether two jumps may be those of one place."""
    apart = max(abs(a - b) for a, b in zip(one.middle, other.middle, strict=True))
    common = int((one.mask & other.mask).sum()) / min(int(one.mask.sum()), int(other.mask.sum()))
    return apart <= _NEAR or common >= _COMMON


def _box(mask: npt.NDArray[np.bool_]) -> tuple[float, float, float, float]:
    """Around a place, as shares of the picture."""
    rows, columns = np.nonzero(mask)
    width, height = CELL_GRID
    left, top = columns.min(), rows.min()
    return (
        float(left / width),
        float(top / height),
        float((columns.max() + 1 - left) / width),
        float((rows.max() + 1 - top) / height),
    )
