"""What the features of two fixed pictures look like, as numbers that a file can hold.

The shipped network learned from what the detectors say. One that says something else, if only a little, is read wrongly
without any error, so that such a change needs a new training and then a new file:

    python -m tests.unit.capabilities.media.analysis.feature_summary
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import numpy as np

from app.capabilities.media.analysis.features import block_inputs, network_arrays
from app.capabilities.media.analysis.measure import measure
from app.capabilities.media.detectors.image import DecodedImage, FloatMap
from tests.unit.capabilities.media.detectors.jpeg_pictures import as_jpeg, texture_picture

KEPT: Final = Path(__file__).with_name("features-1.json")
_DIGITS: Final = 4

Summary = dict[str, dict[str, list[float]]]


def pictures() -> dict[str, DecodedImage]:
    """One that was never compressed, and one that was put together of two pasts; both with a copied place."""
    raw = texture_picture(11, 272, 320)
    raw[168:248, 200:296] = raw[16:96, 24:120]
    past = as_jpeg(texture_picture(12, 272, 320), 60).rgb
    past[43:139, 59:171] = as_jpeg(texture_picture(13, 272, 320), 92).rgb[40:136, 60:172]
    past[184:264, 216:312] = past[176:256, 16:112]
    return {"raw": DecodedImage(raw), "joined": as_jpeg(past, 88)}


def summary_of(image: DecodedImage) -> dict[str, list[float]]:
    """Mean and deviation of each channel over the blocks, after each other; the image's own numbers as they are."""
    arrays = network_arrays(block_inputs(measure(image)))
    summary: dict[str, list[float]] = {"numbers": _rounded(arrays.pop("numbers"))}
    for name, array in arrays.items():
        pairs = np.stack([array.mean(axis=(0, 1)), array.std(axis=(0, 1))], axis=1)
        summary[name] = _rounded(pairs.ravel())
    return summary


def _rounded(values: FloatMap) -> list[float]:
    return np.round(values.astype(np.float64), _DIGITS).tolist()


def summary() -> Summary:
    """Of all pictures."""
    return {name: summary_of(image) for name, image in pictures().items()}


def main() -> None:
    """Writes the file anew."""
    KEPT.write_text(json.dumps(summary()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
