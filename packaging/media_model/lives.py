"""Lives of a file: what happened to an image before it was changed, and after. Drawn as steps, then carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from media_model.draws import Rgb

PRIOR_SHARES: Final[Mapping[str, float]] = {"none": 0.25, "jpeg": 0.45, "twice": 0.20, "rescaled": 0.10}
"""Share of each kind of life before the change."""
RESIZED: Final = 0.40
"""Share of resized images among the lives after the change: the weakest kind of all, so there are more."""
_OTHER_AFTER: Final = {"png": 12, "jpeg": 38, "twice": 15, "filtered": 12}
AFTER_SHARES: Final[Mapping[str, float]] = {
    **{name: (1 - RESIZED) * weight / sum(_OTHER_AFTER.values()) for name, weight in _OTHER_AFTER.items()},
    "resized": RESIZED,
}
"""Share of each kind of life after the change."""
PRIOR_QUALITY: Final = (55, 97)
AFTER_QUALITY: Final = (60, 97)
PRIOR_SCALE: Final = (0.65, 1.4)
AFTER_SCALE: Final = (0.55, 1.4)
MARGIN: Final = 8
"""Rows and columns that a frame has more than its life needs, for crops off the grid take up to seven."""
LOSSLESS_END: Final = 0.2
"""Share of resized and filtered images that are written as PNG, not as JPEG."""

_CHROMA: Final = {0: cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444, 2: cv2.IMWRITE_JPEG_SAMPLING_FACTOR_420}
_KERNELS: Final = {
    "linear": cv2.INTER_LINEAR,
    "cubic": cv2.INTER_CUBIC,
    "area": cv2.INTER_AREA,
    "lanczos": cv2.INTER_LANCZOS4,
}
FILTERS: Final = ("sharpen", "gamma", "smooth")


@dataclass(frozen=True)
class JpegStep:
    """Written once as JPEG: libjpeg's ``quality`` 1 to 100; ``chroma`` 0 for 4:4:4, 2 for 4:2:0."""

    quality: int
    chroma: int

    @property
    def text(self) -> str:
        """As ``j70s2``."""
        return f"j{self.quality}s{self.chroma}"

    def on(self, rgb: Rgb) -> Rgb:
        """The image as it is read back from the file."""
        return decode(self.file(rgb))

    def on_mask(self, mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """No pixel moves."""
        return mask

    def file(self, rgb: Rgb) -> bytes:
        """The file itself."""
        setting = [cv2.IMWRITE_JPEG_QUALITY, self.quality, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, _CHROMA[self.chroma]]
        return _encode(".jpg", rgb, setting)


@dataclass(frozen=True)
class CropStep:
    """The first ``top`` rows and ``left`` columns are cut off: the grid of an earlier JPEG moves."""

    top: int
    left: int

    @property
    def text(self) -> str:
        """As ``crop3,5``."""
        return f"crop{self.top},{self.left}"

    def on(self, rgb: Rgb) -> Rgb:
        """The image without those rows and columns."""
        return rgb[self.top :, self.left :]

    def on_mask(self, mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The mask without the same."""
        return mask[self.top :, self.left :]


@dataclass(frozen=True)
class ScaleStep:
    """Resized by ``factor`` with the interpolation ``kernel``."""

    factor: float
    kernel: str

    @property
    def text(self) -> str:
        """As ``rs0.80cubic``."""
        return f"rs{self.factor:.2f}{self.kernel}"

    def on(self, rgb: Rgb) -> Rgb:
        """The image at its new size."""
        return np.asarray(cv2.resize(rgb, self._size(rgb), interpolation=_KERNELS[self.kernel]), np.uint8)

    def on_mask(self, mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """White where at least half of a new pixel was."""
        kernel = cv2.INTER_AREA if self.factor < 1 else cv2.INTER_LINEAR
        scaled = cv2.resize(mask, self._size(mask), interpolation=kernel)
        return np.where(scaled >= 128, 255, 0).astype(np.uint8)

    def _size(self, pixels: npt.NDArray[np.uint8]) -> tuple[int, int]:
        return round(pixels.shape[1] * self.factor), round(pixels.shape[0] * self.factor)


@dataclass(frozen=True)
class FilterStep:
    """A filter over the whole image: one of ``FILTERS``; ``strength`` from 0 to 1."""

    name: str
    strength: float

    @property
    def text(self) -> str:
        """As ``sharpen0.40``."""
        return f"{self.name}{self.strength:.2f}"

    def on(self, rgb: Rgb) -> Rgb:
        """The filtered image."""
        if self.name == "sharpen":
            soft, amount = cv2.GaussianBlur(rgb, (0, 0), 1.0), 0.3 + 0.9 * self.strength
            return np.asarray(cv2.addWeighted(rgb, 1 + amount, soft, -amount, 0), np.uint8)
        if self.name == "smooth":
            return np.asarray(cv2.GaussianBlur(rgb, (0, 0), 0.5 + 0.6 * self.strength), np.uint8)
        # Half of the strengths darken and half brighten; none leaves the tone alone.
        power = 0.75 + 0.4 * self.strength if self.strength < 0.5 else 1.05 + 0.4 * (self.strength - 0.5)
        levels = (np.arange(256) / 255) ** power * 255
        return np.asarray(cv2.LUT(rgb, np.rint(levels).astype(np.uint8)), np.uint8)

    def on_mask(self, mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """No pixel moves."""
        return mask


Step = JpegStep | CropStep | ScaleStep | FilterStep


@dataclass(frozen=True)
class FileLife:
    """One life: its ``kind`` (a key of ``PRIOR_SHARES`` or ``AFTER_SHARES``) and its steps in order."""

    kind: str
    steps: tuple[Step, ...] = ()

    @property
    def text(self) -> str:
        """The steps as ``j88s0+crop3,5+j70s2``; without steps the kind."""
        return "+".join(step.text for step in self.steps) or self.kind

    def on(self, rgb: Rgb) -> Rgb:
        """The image after all steps."""
        for step in self.steps:
            rgb = step.on(rgb)
        return rgb

    def on_mask(self, mask: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """The mask after what the steps do to the image's geometry."""
        for step in self.steps:
            mask = step.on_mask(mask)
        return mask

    def file(self, rgb: Rgb) -> bytes:
        """The file at the end: where the last step writes a JPEG, the file is that JPEG; else a PNG."""
        last = self.steps[-1] if self.steps else None
        if isinstance(last, JpegStep):
            return last.file(FileLife(self.kind, self.steps[:-1]).on(rgb))
        return _encode(".png", self.on(rgb), [cv2.IMWRITE_PNG_COMPRESSION, 1])

    def frame(self, size: tuple[int, int]) -> tuple[int, int]:
        """Height and width that an image needs at the start to have at least ``size`` at the end."""
        factor = min((step.factor for step in self.steps if isinstance(step, ScaleStep)), default=1.0)
        return round((size[0] + MARGIN) / factor), round((size[1] + MARGIN) / factor)


def decode(file: bytes) -> Rgb:
    """The pixels of a file that this module wrote."""
    pixels = cv2.imdecode(np.frombuffer(file, np.uint8), cv2.IMREAD_COLOR_RGB | cv2.IMREAD_IGNORE_ORIENTATION)
    return np.asarray(pixels, np.uint8)


def draw_prior(generator: np.random.Generator) -> FileLife:
    """A life before the change."""
    kind = _draw_kind(generator, PRIOR_SHARES)
    if kind == "none":
        return FileLife(kind)
    if kind == "jpeg":
        return FileLife(kind, (_draw_jpeg(generator, PRIOR_QUALITY),))
    if kind == "twice":
        return FileLife(kind, _draw_twice(generator, PRIOR_QUALITY))
    return FileLife(kind, (_draw_scale(generator, PRIOR_SCALE), _draw_jpeg(generator, PRIOR_QUALITY)))


def draw_after(generator: np.random.Generator) -> FileLife:
    """A life after the change."""
    kind = _draw_kind(generator, AFTER_SHARES)
    if kind == "png":
        return FileLife(kind)
    if kind == "jpeg":
        return FileLife(kind, (_draw_jpeg(generator, AFTER_QUALITY),))
    if kind == "twice":
        return FileLife(kind, _draw_twice(generator, AFTER_QUALITY))
    first: Step = _draw_scale(generator, AFTER_SCALE) if kind == "resized" else _draw_filter(generator)
    if generator.random() < LOSSLESS_END:
        return FileLife(kind, (first,))
    return FileLife(kind, (first, _draw_jpeg(generator, AFTER_QUALITY)))


def _draw_kind(generator: np.random.Generator, shares: Mapping[str, float]) -> str:
    return str(generator.choice(tuple(shares), p=tuple(shares.values())))


def _draw_jpeg(generator: np.random.Generator, quality: tuple[int, int]) -> JpegStep:
    return JpegStep(int(generator.integers(quality[0], quality[1] + 1)), int(generator.choice(tuple(_CHROMA))))


def _draw_twice(generator: np.random.Generator, quality: tuple[int, int]) -> tuple[Step, ...]:
    """Two JPEGs; in half of the draws the second one's grid is not the first one's."""
    first, second = _draw_jpeg(generator, quality), _draw_jpeg(generator, quality)
    # Of the 64 offsets all but (0, 0).
    top, left = divmod(int(generator.integers(1, 64)), 8)
    return (first, CropStep(top, left), second) if generator.random() < 0.5 else (first, second)


def _draw_scale(generator: np.random.Generator, factors: tuple[float, float]) -> ScaleStep:
    return ScaleStep(round(generator.uniform(*factors), 2), str(generator.choice(tuple(_KERNELS))))


def _draw_filter(generator: np.random.Generator) -> FilterStep:
    return FilterStep(str(generator.choice(FILTERS)), round(generator.random(), 2))


def _encode(suffix: str, rgb: Rgb, setting: list[int]) -> bytes:
    # Inverted channels are a copy as an array of their own: the encoder takes no view with negative strides.
    done, file = cv2.imencode(suffix, cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), setting)
    if not done:
        raise RuntimeError(f"no {suffix} file could be written")
    return bytes(file)
