"""A simulated camera: light, a sensor with its own fixed pattern and noise, a colour filter array, and what the
camera's software does before it writes a file."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from media_model.draws import FloatRgb, Plane, Rgb, generator_of, log_uniform

Kernel = npt.NDArray[np.floating]

PHASES: Final = ("RGGB", "GRBG", "GBRG", "BGGR")
"""The four Bayer patterns: the colours of a tile of 2x2 pixels, row by row."""
SOFTENED: Final = 0.3
"""Share of cameras that denoise or blur."""
LARGEST_SCALE: Final = 0.72
"""Most that a photograph may keep of its size, so that no trace of its own compression is left."""
_SMALLEST_SCALE: Final = 0.25
DEFOCUSED: Final = 0.25
"""Share of scenes of which a part is out of focus."""
_STEPS: Final = 65535

_GREEN: Final[Kernel] = np.array([[0, 1, 0], [1, 4, 1], [0, 1, 0]], np.float32) / 4
_RED_BLUE: Final[Kernel] = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]], np.float32) / 4
# Malvar, He, Cutler: High-quality linear interpolation for demosaicing (ICASSP 2004), figure 2; in eighths.
_MALVAR_GREEN: Final[Kernel] = (
    np.array([[0, 0, -1, 0, 0], [0, 0, 2, 0, 0], [-1, 2, 4, 2, -1], [0, 0, 2, 0, 0], [0, 0, -1, 0, 0]], np.float32) / 8
)
_MALVAR_ROW: Final[Kernel] = (
    np.array(
        [[0, 0, 0.5, 0, 0], [0, -1, 0, -1, 0], [-1, 4, 5, 4, -1], [0, -1, 0, -1, 0], [0, 0, 0.5, 0, 0]], np.float32
    )
    / 8
)
_MALVAR_DIAGONAL: Final[Kernel] = (
    np.array(
        [[0, 0, -1.5, 0, 0], [0, 2, 0, 2, 0], [-1.5, 0, 6, 0, -1.5], [0, 2, 0, 2, 0], [0, 0, -1.5, 0, 0]], np.float32
    )
    / 8
)
_SIDE_PAIR: Final[Kernel] = np.array([[1, 0, 1]], np.float32) / 2
_SIDE_BEND: Final[Kernel] = np.array([[-1, 0, 2, 0, -1]], np.float32)
_SIDE_SLOPE: Final[Kernel] = np.array([[-1, 0, 1]], np.float32)


@dataclass(frozen=True)
class Mosaic:
    """What a sensor read: one colour for each pixel. ``phase``: one of ``PHASES``."""

    values: Plane
    phase: str

    def sites(self, colour: str) -> npt.NDArray[np.bool_]:
        """Where the sensor read ``colour`` (R, G or B), of the shape of ``values``."""
        tile = np.array([self.phase[row * 2 + column] == colour for row in (0, 1) for column in (0, 1)]).reshape(2, 2)
        height, width = self.values.shape
        return np.tile(tile, ((height + 1) // 2, (width + 1) // 2))[:height, :width]


def _filter(values: Plane, kernel: Kernel) -> Plane:
    # This border repeats with period two, as the pattern does.
    return np.asarray(cv2.filter2D(values, cv2.CV_32F, kernel, borderType=cv2.BORDER_REFLECT_101), np.float32)


def _spread(values: Plane, sites: npt.NDArray[np.bool_], kernel: Kernel) -> Plane:
    return _filter(values * sites, kernel)


def bilinear(mosaic: Mosaic) -> FloatRgb:
    """Each missing colour as the mean of its nearest neighbours."""
    kernels = {"R": _RED_BLUE, "G": _GREEN, "B": _RED_BLUE}
    return np.dstack([_spread(mosaic.values, mosaic.sites(colour), kernels[colour]) for colour in "RGB"])


def malvar(mosaic: Mosaic) -> FloatRgb:
    """Linear 5x5 filters that correct by the gradient of the colour that was read (Malvar, He, Cutler 2004)."""
    values = mosaic.values
    red, green, blue = (mosaic.sites(colour) for colour in "RGB")
    in_rows, in_columns = _filter(values, _MALVAR_ROW), _filter(values, _MALVAR_ROW.T)
    diagonal = _filter(values, _MALVAR_DIAGONAL)
    red_rows = np.repeat(red.any(axis=1, keepdims=True), values.shape[1], axis=1)
    return np.dstack(
        [
            np.where(red, values, np.where(blue, diagonal, np.where(red_rows, in_rows, in_columns))),
            np.where(green, values, _filter(values, _MALVAR_GREEN)),
            np.where(blue, values, np.where(red, diagonal, np.where(red_rows, in_columns, in_rows))),
        ]
    )


def _by_difference(mosaic: Mosaic, green: Plane, smoothing: int) -> FloatRgb:
    """Red and blue as green plus their bilinear difference from it; ``smoothing``: side of a median over the
    difference, 1 for none."""
    layers = []
    for colour in "RB":
        difference = _spread(mosaic.values - green, mosaic.sites(colour), _RED_BLUE)
        layers.append(green + (cv2.medianBlur(difference, smoothing) if smoothing > 1 else difference))
    return np.dstack([layers[0], green, layers[1]])


def constant_hue(mosaic: Mosaic) -> FloatRgb:
    """Bilinear green; red and blue by their difference from it."""
    return _by_difference(mosaic, _spread(mosaic.values, mosaic.sites("G"), _GREEN), 1)


def median_hue(mosaic: Mosaic) -> FloatRgb:
    """As ``constant_hue`` with a 3x3 median over the differences (Freeman, US 4724395, 1988)."""
    return _by_difference(mosaic, _spread(mosaic.values, mosaic.sites("G"), _GREEN), 3)


def along_edges(mosaic: Mosaic) -> FloatRgb:
    """Green along the smaller gradient, corrected by the second derivative of the colour that was read (Hamilton and
    Adams, US 5629734, 1997); red and blue by their difference from it."""
    values = mosaic.values
    across, down = _filter(values, _SIDE_BEND), _filter(values, _SIDE_BEND.T)
    slope_across = np.abs(_filter(values, _SIDE_SLOPE)) + np.abs(across)
    slope_down = np.abs(_filter(values, _SIDE_SLOPE.T)) + np.abs(down)
    from_across = _filter(values, _SIDE_PAIR) + across / 4
    from_down = _filter(values, _SIDE_PAIR.T) + down / 4
    green = np.where(slope_across < slope_down, from_across, from_down)
    return _by_difference(mosaic, np.where(mosaic.sites("G"), values, green), 1)


DEMOSAICS: Final[Mapping[str, Callable[[Mosaic], FloatRgb]]] = {
    "bilinear": bilinear,
    "malvar": malvar,
    "constant_hue": constant_hue,
    "median_hue": median_hue,
    "along_edges": along_edges,
}
SOFTENERS: Final[Mapping[str, Callable[[Rgb, float], Rgb]]] = {
    "blur": lambda rgb, strength: np.asarray(cv2.GaussianBlur(rgb, (0, 0), 0.4 + 0.6 * strength), np.uint8),
    "median": lambda rgb, _: np.asarray(cv2.medianBlur(rgb, 3), np.uint8),
    "bilateral": lambda rgb, strength: np.asarray(cv2.bilateralFilter(rgb, 5, 8 + 30 * strength, 1.5), np.uint8),
}
"""What a camera may do against noise; the strength is from 0 to 1."""


@dataclass(frozen=True)
class Camera:
    """One camera. Cameras differ in every field; two with the same ``seed`` have the same fixed pattern.

    ``prnu``: deviation of a pixel's sensitivity, as a share of it. ``well``: electrons of a full pixel, which decides
    the shot noise. ``read``: deviation of the read noise, full scale 1. ``softener``: one of ``SOFTENERS`` or None.
    ``sharpening``: share of the unsharp mask that is added, 0 for none; ``radius``: its deviation, px.
    """

    seed: int
    prnu: float
    well: float
    read: float
    phase: str
    demosaic: str
    gamma: float
    softener: str | None
    softness: float
    sharpening: float
    radius: float

    @classmethod
    def draw(cls, seed: int) -> Camera:
        """The camera of a seed."""
        generator = generator_of(seed, "camera")
        return cls(
            seed=seed,
            prnu=log_uniform(generator, 0.004, 0.02),
            well=log_uniform(generator, 400, 20000),
            read=log_uniform(generator, 0.0003, 0.006),
            phase=str(generator.choice(PHASES)),
            demosaic=str(generator.choice(tuple(DEMOSAICS))),
            gamma=generator.uniform(1.8, 2.4),
            softener=str(generator.choice(tuple(SOFTENERS))) if generator.random() < SOFTENED else None,
            softness=generator.random(),
            sharpening=max(0.0, generator.uniform(-0.3, 1.2)),
            radius=generator.uniform(0.7, 1.5),
        )

    def pattern(self, height: int, width: int) -> Plane:
        """The fixed pattern of the sensor at one size: what each pixel's light is multiplied by, about 1."""
        drawn = generator_of(self.seed, "prnu").standard_normal((height, width), np.float32)
        return 1 + np.float32(self.prnu) * drawn

    def expose(self, scene: Rgb, generator: np.random.Generator) -> Rgb:
        """The scene as this camera's file would hold it before compression; ``generator`` draws the shot and read
        noise of this exposure. The shape stays."""
        levels = (np.arange(256, dtype=np.float32) / 255) ** np.float32(self.gamma)
        light = np.empty(scene.shape[:2], np.float32)
        for place, colour in enumerate(self.phase):
            tile = np.s_[place // 2 :: 2, place % 2 :: 2]
            light[tile] = levels[scene[(*tile, "RGB".index(colour))]]
        light *= self.pattern(*scene.shape[:2])
        np.maximum(light, 0, out=light)
        deviation = np.sqrt(light / np.float32(self.well) + np.float32(self.read**2))
        light += deviation * generator.standard_normal(light.shape, np.float32)
        np.clip(light, 0, 1, out=light)
        return self._develop(DEMOSAICS[self.demosaic](Mosaic(light, self.phase)))

    def _develop(self, seen: FloatRgb) -> Rgb:
        """Gamma, then what the camera does against noise, then sharpening."""
        tone = (np.arange(_STEPS + 1, dtype=np.float32) / _STEPS) ** np.float32(1 / self.gamma) * 255 + np.float32(0.5)
        at = (np.clip(seen, 0, 1) * _STEPS + np.float32(0.5)).astype(np.uint16)
        rgb = tone.astype(np.uint8)[at]
        if self.softener is not None:
            rgb = SOFTENERS[self.softener](rgb, self.softness)
        if self.sharpening > 0:
            soft = cv2.GaussianBlur(rgb, (0, 0), self.radius)
            return np.asarray(cv2.addWeighted(rgb, 1 + self.sharpening, soft, -self.sharpening, 0), np.uint8)
        return rgb


def scene_of(photo: Rgb, size: tuple[int, int], generator: np.random.Generator) -> Rgb:
    """A window of a photograph, drawn and scaled down to ``size`` (height, width): what a camera looks at. ValueError
    where the photograph is too small for a scale of at most ``LARGEST_SCALE``."""
    height, width = size
    fits = max(height / photo.shape[0], width / photo.shape[1])
    if fits > LARGEST_SCALE:
        raise ValueError(f"a photograph of {photo.shape[1]} x {photo.shape[0]} px is too small for {width} x {height}")
    scale = log_uniform(generator, max(fits, _SMALLEST_SCALE), LARGEST_SCALE)
    rows = min(photo.shape[0], math.ceil(height / scale))
    columns = min(photo.shape[1], math.ceil(width / scale))
    top = int(generator.integers(photo.shape[0] - rows + 1))
    left = int(generator.integers(photo.shape[1] - columns + 1))
    window = photo[top : top + rows, left : left + columns]
    return np.asarray(cv2.resize(window, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def defocus(scene: Rgb, generator: np.random.Generator) -> Rgb:
    """A scene of which a part lies out of focus, by 0.7 to 4 px: what is blurred before the sensor is no change of the
    image. In half of the draws the focus ends at an edge, in half it fades."""
    height, width = scene.shape[:2]
    field = cv2.resize(generator.standard_normal((4, 5), np.float32), (width, height), interpolation=cv2.INTER_CUBIC)
    steep = log_uniform(generator, 0.5, 3) if generator.random() < 0.5 else 40.0
    weights = np.clip((field - np.float32(generator.uniform(-0.7, 0.7))) * np.float32(steep) + 0.5, 0, 1)[..., None]
    soft = cv2.GaussianBlur(scene, (0, 0), log_uniform(generator, 0.7, 4))
    return np.asarray(np.rint(scene + weights * (soft.astype(np.float32) - scene)), np.uint8)
