"""Textures with the spectrum of photographs, and what libjpeg makes of them."""

from __future__ import annotations

import io

import cv2
import numpy as np
import numpy.typing as npt
from PIL import Image

from app.capabilities.media.detectors.image import DecodedImage, JpegPast

Rgb = npt.NDArray[np.uint8]


def texture_picture(seed: int, height: int, width: int) -> Rgb:
    """Noise of several scales, finer ones weaker, with a little of a sensor's: never compressed."""
    drawn = np.random.default_rng(seed)
    picture = np.full((height, width), 128.0)
    for scale, strength in ((1, 3), (2, 8), (4, 12), (8, 16), (32, 25)):
        coarse = drawn.normal(0, strength, (height // scale + 2, width // scale + 2))
        picture += cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    colours = picture[:, :, None] * (1.0, 0.9, 0.8) + drawn.normal(0, 1, (height, width, 3))
    return np.clip(np.rint(colours), 0, 255).astype(np.uint8)


def as_jpeg(rgb: Rgb, *qualities: int) -> DecodedImage:
    """The picture compressed once with each quality in turn (4:4:4), decoded, with the last quantizers."""
    luma = np.ones((8, 8), np.uint16)
    for quality in qualities:
        file = io.BytesIO()
        Image.fromarray(rgb).save(file, "JPEG", quality=quality, subsampling=0)
        with Image.open(file) as opened:
            luma = np.array(opened.quantization[0], np.uint16).reshape(8, 8)
            rgb = np.array(opened.convert("RGB"))
    return DecodedImage(rgb, JpegPast(luma))
