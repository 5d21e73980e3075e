"""The pictures beside an image, as PNG: one pixel for each block, its palette the legend."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from io import BytesIO
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from app.capabilities.media.detectors.image import FloatMap
from app.capabilities.media.messages import GRID_PX, LegendEntry, ReliabilityLayer, ScanLayer
from app.capabilities.media.verdict.reliability import Reliability, Worth

TOP: Final = 250
"""Index of the value 1; that of 0 is 0."""
UNREADABLE: Final = 255
"""Index of a block that says nothing."""
FUSED: Final = "fused"
RELIABILITY: Final = "reliability"
PREVIEW: Final = "preview"
_GREY: Final = (128, 128, 128)
_STEPS: Final = (0, 50, 100, 150, 200, TOP)
_SIZE: Final = struct.Struct("!2I")
_SIZE_AT: Final = 16
_WORTHS: Final = {
    Worth.RELIABLE: ((38, 110, 80), "can be read"),
    Worth.FLAT: ((128, 128, 128), "flat: there is nothing to read"),
    Worth.SATURATED: ((200, 200, 200), "black or white to the limit"),
    Worth.TOO_SMALL: ((150, 90, 160), "the image is too small"),
    Worth.COMPRESSED: ((170, 110, 50), "the image is heavily compressed"),
    Worth.RESIZED: ((60, 100, 170), "the image is strongly enlarged"),
}

Palette = Sequence[tuple[int, int, int]]


def _value_palette() -> Palette:
    """Dark to light (the map "inferno" of matplotlib) for 0 to ``TOP``, grey behind."""
    levels = np.rint(np.arange(TOP + 1) * (255 / TOP)).astype(np.uint8)
    colors = cv2.applyColorMap(levels[:, None], cv2.COLORMAP_INFERNO)[:, 0, ::-1].tolist()
    return [(red, green, blue) for red, green, blue in colors] + [_GREY] * (UNREADABLE - TOP)


_VALUES: Final = _value_palette()


def value_layer(name: str, values: FloatMap, readable: npt.NDArray[np.bool_]) -> tuple[ScanLayer, bytes]:
    """A map of 0 to 1 as a picture: the index is ``round(250 value)``, 255 where it cannot be read."""
    indices = np.rint(np.clip(values, 0, 1) * np.float32(TOP)).astype(np.uint8)
    png = palette_png(np.where(readable, indices, np.uint8(UNREADABLE)), _VALUES)
    what = "how far a block differs" if name != FUSED else "how surely a block was changed, all detectors together"
    legend = [LegendEntry(index=step, color=_hex(_VALUES[step]), value=step / TOP, meaning=what) for step in _STEPS]
    legend.append(LegendEntry(index=UNREADABLE, color=_hex(_GREY), value=None, meaning="cannot be read"))
    height, width = values.shape
    return (
        ScanLayer(name=name, png_url=_place(name), grid_px=GRID_PX, width=width, height=height, legend=legend),
        png,
    )


def reliability_layer(reliability: Reliability) -> tuple[ReliabilityLayer, bytes]:
    """What may be read of each block; the indices are those of ``Worth``."""
    height, width = reliability.blocks.shape
    layer = ReliabilityLayer(
        name=RELIABILITY,
        png_url=_place(RELIABILITY),
        grid_px=GRID_PX,
        width=width,
        height=height,
        legend=[
            LegendEntry(index=int(worth), color=_hex(color), value=None, meaning=meaning)
            for worth, (color, meaning) in _WORTHS.items()
        ],
        share=reliability.share,
    )
    return layer, palette_png(reliability.blocks, [color for color, _ in _WORTHS.values()])


def preview_layer(png: bytes) -> ScanLayer:
    """What is said of a preview, a PNG of the image made smaller."""
    width, height = _SIZE.unpack_from(png, _SIZE_AT)
    return ScanLayer(name=PREVIEW, png_url=_place(PREVIEW), grid_px=None, width=width, height=height)


def palette_png(indices: npt.NDArray[np.uint8], palette: Palette) -> bytes:
    """An 8-bit palette PNG (ISO/IEC 15948, colour type 3)."""
    picture = Image.fromarray(np.ascontiguousarray(indices))
    picture.putpalette([level for color in palette for level in color])
    file = BytesIO()
    # The number of bits is stated: Pillow takes fewer for a short palette.
    picture.save(file, "PNG", bits=8)
    return file.getvalue()


def _place(name: str) -> str:
    """Where a layer is, below its scan."""
    return f"heatmap.png?layer={name}"


def _hex(color: tuple[int, int, int]) -> str:
    return "#{:02x}{:02x}{:02x}".format(*color)
