"""Where a video does not go on as it went: frames were taken out, or put in.

Each frame is compared with the one before in a small picture and in the same light, against the median of the
13 frames around it: fast motion, fades and noise raise both. A cut to another scene is no finding.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.video.signals import running_median

JUMP: Final = 3.0
"""Difference of two frames over its median around, from which on it is a jump."""
SAME_SCENE: Final = 0.55
"""Correlation of the pictures before and after a jump, from which on they are of one scene."""
_REACH: Final = 6
_FLOOR: Final = 0.6
"""Grey levels: thumbnails are rounded, and a keyframe in a still scene is coded anew."""
_FLASH: Final = 4
"""Frames that a flash lights, at most."""
_LAGS: Final = range(2, 6)
"""Between frames that are compared across a jump: as many as a flash lights lie between them."""
_EARLIER: Final = 12
"""Frames that tell how far frames are apart."""
_FEWEST: Final = 3
_ON: Final = 1.4
"""How much farther apart than usual frames of a video that goes on are, at most."""
_FLAT: Final = 6.0
"""Deviation of a picture that shows nothing, grey levels: black, white, or a cap."""
_LONGEST: Final = 500
"""Frames of an insertion, at most."""
_LEAST_GAIN: Final = 0.4
"""Contrast of the same scene in other light, at least."""
_RETURN: Final = 2.0
"""Difference of the frames before and behind an insertion, over that of two frames that follow each other."""


@dataclass(frozen=True)
class FoundJump:
    """``insertion``: frames ``first`` to ``last`` lie between two that follow each other. ``deletion``: between frame
    ``first`` - 1 and ``first`` = ``last`` some of the same scene are missing. ``strength``: of the jump, or of the
    weaker of both, over the median around it."""

    kind: Literal["insertion", "deletion"]
    first: int
    last: int
    strength: float


def jump_strengths(thumbs: npt.NDArray[np.uint8]) -> FloatMap:
    """Of each frame how far it is from the one before, over the median of the 13 around: shape (frames,), 0 for the
    first. ``thumbs``: (frames, height, width)."""
    return _strengths(_apart(thumbs))


def find_jumps(thumbs: npt.NDArray[np.uint8]) -> list[FoundJump]:
    """Insertions and deletions in order of time."""
    apart = _apart(thumbs)
    strengths, usual = _strengths(apart), running_median(apart, _REACH)
    jumps = [int(at) for at in np.flatnonzero(strengths >= JUMP)]
    found, taken = [], set()
    for number, first in enumerate(jumps):
        if first in taken:
            continue
        for behind in jumps[number + 1 :]:
            if behind - first > _LONGEST:
                break
            if not _returns(thumbs, first, behind, float(max(usual[first], usual[behind]))):
                continue
            # The picture comes back as it was: a flash, a cap before the lens, or foreign frames.
            taken |= {at for at in jumps if first <= at <= behind}
            inside = thumbs[first]
            flash = behind - first <= _FLASH and _likeness(thumbs[first - 1], inside) > SAME_SCENE
            if not flash and inside.std() >= _FLAT:
                strength = float(min(strengths[first], strengths[behind]))
                found.append(FoundJump("insertion", first, behind - 1, strength))
            break
        else:
            if not _goes_on(thumbs, first) and _likeness(thumbs[first - 1], thumbs[first]) > SAME_SCENE:
                found.append(FoundJump("deletion", first, first, float(strengths[first])))
    return found


def _apart(thumbs: npt.NDArray[np.uint8]) -> FloatMap:
    """Of each frame the distance from the one before, grey levels."""
    apart = np.zeros(len(thumbs), np.float32)
    for at in range(1, len(thumbs)):
        apart[at] = _distance(thumbs[at - 1], thumbs[at])
    if len(apart) > 1:
        apart[0] = apart[1]
    return apart


def _returns(thumbs: npt.NDArray[np.uint8], first: int, behind: int, usual: float) -> bool:
    """Whether frame ``behind`` goes on where the one before ``first`` ended."""
    return _distance(thumbs[first - 1], thumbs[behind]) <= _RETURN * (usual + _FLOOR)


def _goes_on(thumbs: npt.NDArray[np.uint8], first: int) -> bool:
    """Whether the video goes on across a jump as before, but for a few frames: a flash, or a broken frame."""
    return any(
        _is_usual(thumbs, behind - lag, lag)
        for lag in _LAGS
        for behind in range(max(first, lag), min(first + lag, len(thumbs)))
    )


def _is_usual(thumbs: npt.NDArray[np.uint8], before: int, lag: int) -> bool:
    """Whether a frame and the one ``lag`` behind it are as far apart as frames with that lag were until then."""
    earlier = range(max(0, before - _EARLIER), before - lag + 1)
    apart = [_distance(thumbs[at], thumbs[at + lag]) for at in earlier]
    usual = float(np.median(apart)) if len(apart) >= _FEWEST else 0.0
    return _distance(thumbs[before], thumbs[before + lag]) <= _ON * usual + _FLOOR


def _strengths(apart: FloatMap) -> FloatMap:
    strengths = apart / (running_median(apart, _REACH) + _FLOOR)
    strengths[:1] = 0
    return np.asarray(strengths, np.float32)


def _distance(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> float:
    """Mean absolute difference of two pictures in the same light: the second's mean and contrast are made those of the
    first, grey levels."""
    first, second = one - one.mean(), other - other.mean()
    spread = float((second * second).mean())
    gain = float((first * second).mean()) / spread if spread > 1 else 1.0
    return float(np.abs(first - min(max(gain, _LEAST_GAIN), 1 / _LEAST_GAIN) * second).mean())


def _likeness(one: npt.NDArray[np.uint8], other: npt.NDArray[np.uint8]) -> float:
    """Correlation of two pictures, -1 to 1; 0 where one of them shows nothing."""
    first, second = one.astype(np.float32) - one.mean(), other.astype(np.float32) - other.mean()
    scale = float(np.sqrt((first * first).sum() * (second * second).sum()))
    return float((first * second).sum()) / scale if scale > 1 else 0.0
