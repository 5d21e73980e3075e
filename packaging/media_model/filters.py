"""Fourteen filters as a person lays them over a part of an image. Each takes an image and a generator, and gives an
image of the same shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from media_model.draws import FloatRgb, Rgb, log_uniform
from media_model.lives import JpegStep

Filter = Callable[[Rgb, np.random.Generator], Rgb]


def blur(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Gaussian, deviation 0.6 to 4 px."""
    return np.asarray(cv2.GaussianBlur(rgb, (0, 0), log_uniform(generator, 0.6, 4)), np.uint8)


def box(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Mean over 3, 5 or 7 px."""
    side = int(generator.choice((3, 5, 7)))
    return np.asarray(cv2.blur(rgb, (side, side)), np.uint8)


def median(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Median over 3, 5 or 7 px."""
    return np.asarray(cv2.medianBlur(rgb, int(generator.choice((3, 5, 7)))), np.uint8)


def motion(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Mean along a line of 5 to 15 px in any direction."""
    side = 2 * int(generator.integers(2, 8)) + 1
    angle, centre = generator.uniform(0, math.pi), side // 2
    reach = np.array([math.cos(angle), math.sin(angle)]) * centre
    ends = np.rint([centre - reach, centre + reach]).astype(int)
    kernel = np.zeros((side, side), np.float32)
    cv2.line(kernel, ends[0].tolist(), ends[1].tolist(), 1.0)
    return np.asarray(cv2.filter2D(rgb, -1, kernel / kernel.sum()), np.uint8)


def sharpen(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Unsharp mask, 0.5 to 2.5 of it added."""
    soft, amount = cv2.GaussianBlur(rgb, (0, 0), generator.uniform(0.7, 2)), generator.uniform(0.5, 2.5)
    return np.asarray(cv2.addWeighted(rgb, 1 + amount, soft, -amount, 0), np.uint8)


def white_noise(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Independent noise, deviation 2 to 14; in half of the draws the same in all three channels."""
    return _with_noise(rgb, _noise(rgb, generator), log_uniform(generator, 2, 14))


def correlated_noise(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Grain: noise smoothed over 0.6 to 1.6 px, deviation 2 to 14."""
    grain = cv2.GaussianBlur(_noise(rgb, generator), (0, 0), generator.uniform(0.6, 1.6))
    return _with_noise(rgb, np.asarray(grain / max(float(grain.std()), 1e-6)), log_uniform(generator, 2, 14))


def tone(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Gamma 0.6 to 1.6 and contrast 0.75 to 1.3 about the middle."""
    levels = (np.arange(256) / 255) ** log_uniform(generator, 0.6, 1.6) * 255
    levels = (levels - 127.5) * generator.uniform(0.75, 1.3) + 127.5
    return np.asarray(cv2.LUT(rgb, np.rint(np.clip(levels, 0, 255)).astype(np.uint8)), np.uint8)


def colour(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Each channel by 0.8 to 1.2, and the distance from grey by 0.3 to 1.7."""
    moved = rgb.astype(np.float32) * generator.uniform(0.8, 1.2, 3).astype(np.float32)
    grey = moved.mean(axis=2, keepdims=True)
    return to_bytes(grey + (moved - grey) * np.float32(generator.uniform(0.3, 1.7)))


def own_jpeg(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """JPEG of quality 40 to 92 whose grid does not begin at the image's first pixel."""
    top, left = divmod(int(generator.integers(1, 64)), 8)
    step = JpegStep(int(generator.integers(40, 93)), int(generator.choice((0, 2))))
    padded = np.pad(rgb, ((top, 0), (left, 0), (0, 0)), "edge")
    return step.on(padded)[top:, left:]


def down_up(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Scaled to 0.3 to 0.85 and back."""
    factor = generator.uniform(0.3, 0.85)
    height, width = rgb.shape[:2]
    small = (max(1, round(width * factor)), max(1, round(height * factor)))
    back = int(generator.choice((cv2.INTER_LINEAR, cv2.INTER_CUBIC)))
    coarse = cv2.resize(rgb, small, interpolation=cv2.INTER_AREA)
    return np.asarray(cv2.resize(coarse, (width, height), interpolation=back), np.uint8)


def non_local_means(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Non-local means (Buades, Coll, Morel 2005), 3 px patches in a window of 9 px."""
    strength = generator.uniform(4, 12)
    return np.asarray(cv2.fastNlMeansDenoising(rgb, None, strength, 3, 9), np.uint8)


def posterize(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Only 12 to 48 levels for each channel."""
    width = 255 / (int(generator.integers(12, 49)) - 1)
    levels = np.rint(np.rint(np.arange(256) / width) * width)
    return np.asarray(cv2.LUT(rgb, levels.astype(np.uint8)), np.uint8)


def smooth_skin(rgb: Rgb, generator: np.random.Generator) -> Rgb:
    """Bilateral, which keeps edges: what retouching does to skin."""
    return np.asarray(cv2.bilateralFilter(rgb, 7, generator.uniform(15, 60), generator.uniform(1.5, 4)), np.uint8)


LOCAL: Final[Mapping[str, Filter]] = {
    "blur": blur,
    "box": box,
    "median": median,
    "motion": motion,
    "sharpen": sharpen,
    "white_noise": white_noise,
    "correlated_noise": correlated_noise,
    "tone": tone,
    "colour": colour,
    "own_jpeg": own_jpeg,
    "down_up": down_up,
    "non_local_means": non_local_means,
    "posterize": posterize,
    "smooth_skin": smooth_skin,
}


def to_bytes(values: npt.NDArray[np.floating]) -> Rgb:
    """Rounded and clipped to 0 to 255."""
    return np.asarray(np.clip(np.rint(values), 0, 255), np.uint8)


def _noise(rgb: Rgb, generator: np.random.Generator) -> FloatRgb:
    """Unit noise of the image's shape: of each channel its own, or one for all."""
    if generator.random() < 0.5:
        return generator.standard_normal(rgb.shape, np.float32)
    return np.repeat(generator.standard_normal((*rgb.shape[:2], 1), np.float32), 3, axis=2)


def _with_noise(rgb: Rgb, noise: npt.NDArray[np.floating], deviation: float) -> Rgb:
    return to_bytes(rgb + np.float32(deviation) * noise)
