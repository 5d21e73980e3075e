"""TRAINING: palms drawn as Bezier creases, and a camera that photographs them a little differently each time.

A palm has three principal lines and some fifty wrinkles, each with its own place, bend, width and depth (the
construction of BezierPalm, arXiv 2203.05703). They are drawn once, as a patch of skin larger than the picture. A shot
then shifts, turns, scales and stretches the patch, lights it from one side, defocuses it and adds noise. The same seed
gives the same palm and the same shots: chance comes from SHAKE-256, not from a library's generator.

Synthetic palms serve to try a site and to test. Number, length and depth of the wrinkles were chosen so that two
strangers look as unlike as real ones do (highest score of real strangers: 0.38). That synthetic palms are told apart
proves nothing of hands.
"""

from __future__ import annotations

import hashlib
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from hardware.terminals.crease import SIDE
from hardware.terminals.projection import Floats

Picture: TypeAlias = NDArray[np.uint8]

_MARGIN: Final = 24
_FINE: Final = 4  # pixels of the drawn skin to one of a picture
_SKIN: Final = SIDE + 2 * _MARGIN
_SHADE: Final = 150.0
_BITS_SD: Final = 4.0  # standard deviation of the number of set bits in 8 bytes

_PRINCIPAL: Final = (
    ((1.05, 0.42), (0.75, 0.40), (0.45, 0.32), (0.30, -0.02)),  # heart
    ((-0.05, 0.34), (0.30, 0.40), (0.65, 0.55), (0.95, 0.78)),  # head
    ((-0.05, 0.32), (0.28, 0.42), (0.45, 0.72), (0.38, 1.08)),  # life
)
"""Control points (x, y) of an average hand, in sides of the picture."""


class _Chance:
    """Random numbers of a seed, the same on every machine."""

    def __init__(self, *seed: str | int) -> None:
        self._seed = "/".join(map(str, seed)).encode()
        self._drawn = 0

    def _words(self, count: int) -> NDArray[np.uint64]:
        self._drawn += 1
        stream = hashlib.shake_256(self._seed + self._drawn.to_bytes(4, "big")).digest(count * 8)
        return np.frombuffer(stream, ">u8").astype(np.uint64)

    def uniform(self, low: float, high: float, count: int = 1) -> Floats:
        """(count,) in [low, high)."""
        return low + (high - low) * (self._words(count) >> np.uint64(11)).astype(np.float64) / 2.0**53

    def one(self, low: float, high: float) -> float:
        """One number in [low, high)."""
        return float(self.uniform(low, high)[0])

    def normal(self, deviation: float, *shape: int) -> Floats:
        """Nearly normal around 0 (a binomial of 64), at most 8 deviations away."""
        bits = np.bitwise_count(self._words(int(np.prod(shape)))).astype(np.float64)
        return (bits.reshape(shape) - 32.0) * (deviation / _BITS_SD)


class SyntheticPalm:
    """One hand. `seed` names the world it is in, `person` the hand; equal names make equal hands."""

    def __init__(self, seed: str, person: str) -> None:
        self._name = (seed, person)
        chance = _Chance("palm", seed, person)
        depths = np.zeros((_SKIN * _FINE, _SKIN * _FINE), np.float32)
        for average in _PRINCIPAL:
            points = np.array(average) + chance.normal(0.15, 4, 2)
            _crease(depths, points, width=chance.one(2.0, 3.4), depth=chance.one(40.0, 65.0))
        for _ in range(int(chance.one(40.0, 60.0))):
            _crease(depths, _wrinkle(chance), width=chance.one(1.0, 2.0), depth=chance.one(20.0, 55.0))
        soft = cv2.GaussianBlur(depths, (0, 0), 0.5 * _FINE)
        self._depths = cv2.resize(soft, (_SKIN * 2, _SKIN * 2), interpolation=cv2.INTER_AREA)
        grain = cv2.GaussianBlur(chance.normal(1.0, _SKIN * 2, _SKIN * 2), (0, 0), 3.0)
        self._grain = (grain * (4.0 / grain.std())).astype(np.float32)

    def shot(self, number: int) -> Picture:
        """The `number`-th picture of this hand's middle: uint8 (128, 128), different for each number."""
        chance = _Chance("shot", *self._name, number)
        x, y = self._where(chance)
        light = chance.normal(0.12, 2)
        column, row = np.meshgrid(np.linspace(-1.0, 1.0, SIDE), np.linspace(-1.0, 1.0, SIDE))
        lit = 1.0 + float(chance.normal(0.06, 1)[0]) + light[0] * column + light[1] * row
        creases = cv2.remap(self._depths, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        grain = cv2.remap(self._grain, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        grey = (_SHADE + grain - chance.one(0.7, 1.0) * creases) * lit
        focus = cv2.GaussianBlur(grey, (0, 0), chance.one(0.5, 1.1))
        noisy = focus + chance.normal(chance.one(2.5, 5.0), SIDE, SIDE)
        picture: Picture = np.clip(np.rint(noisy), 0, 255).astype(np.uint8)
        return picture

    @staticmethod
    def _where(chance: _Chance) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The place of the skin that each pixel of a picture sees: (x, y), each float32 (128, 128)."""
        shift = _offset(chance, 2.5, 2)
        turn = float(_offset(chance, np.radians(2.0), 1)[0])
        scale = 1.0 + float(_offset(chance, 0.015, 1)[0])
        column, row = np.meshgrid(np.arange(SIDE) - SIDE / 2, np.arange(SIDE) - SIDE / 2)
        x = scale * (column * np.cos(turn) - row * np.sin(turn)) + shift[0]
        y = scale * (column * np.sin(turn) + row * np.cos(turn)) + shift[1]
        for axis in (x, y):  # an open hand stretches differently each time
            across, down, phase = chance.uniform(0.5, 1.5, 3)
            wave = np.sin(np.pi * ((across * column + down * row) / SIDE + 2 * phase))
            axis += float(_offset(chance, 0.8, 1)[0]) * wave
        return (2 * (x + _SKIN / 2)).astype(np.float32), (2 * (y + _SKIN / 2)).astype(np.float32)


def _offset(chance: _Chance, deviation: float, count: int) -> Floats:
    """How far a hand lies from where the sensor wants it. Beyond two deviations it would have to be laid again."""
    return np.clip(chance.normal(deviation, count), -2 * deviation, 2 * deviation)


def _wrinkle(chance: _Chance) -> Floats:
    """Control points (4, 2) of a short, slightly bent crease at any place."""
    start = chance.uniform(-0.1, 1.1, 2)
    angle = chance.one(0.0, 2 * np.pi)
    along = np.array([np.cos(angle), np.sin(angle)]) * chance.one(0.15, 0.7)
    return start + np.linspace(0.0, 1.0, 4)[:, np.newaxis] * along + chance.normal(0.03, 4, 2)


def _crease(depths: NDArray[np.float32], points: Floats, *, width: float, depth: float) -> None:
    """Press a cubic Bezier curve into `depths`. Where creases cross, the deeper one counts. `width` is in pixels."""
    t = np.linspace(0.0, 1.0, 64)[:, np.newaxis]
    weights = np.hstack([(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3])
    curve = (weights @ points * SIDE + _MARGIN) * _FINE
    mask = np.zeros(depths.shape, np.uint8)
    fixed = np.rint(curve * 16).astype(np.int32).reshape(-1, 1, 2)
    cv2.polylines(mask, [fixed], False, 255, thickness=max(1, round(width * _FINE)), lineType=cv2.LINE_AA, shift=4)
    np.maximum(depths, mask.astype(np.float32) * np.float32(depth / 255.0), out=depths)
