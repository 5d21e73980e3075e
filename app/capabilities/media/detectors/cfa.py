"""Traces of a camera's colour filter array and of resampling: both are lost under JPEG."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from app.capabilities.media.detectors.blocks import block_mean
from app.capabilities.media.detectors.image import BLOCK, DecodedImage, FloatMap, TraceMaps

WINDOW: Final = 64
"""Side of the window of the spectra, px."""
_FLOOR: Final = 0.05
_CROSS: Final = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], np.float32) / 4


def cfa_maps(image: DecodedImage) -> TraceMaps:
    """``cfa``: log ratio of green's interpolation errors on the lattice that the camera measured and on the one it
    interpolated; near 0 where the trace of the filter array is missing (Ferrara, Bianchi, De Rosa, Piva, "Image forgery
    localization via fine-grained analysis of CFA artifacts", IEEE TIFS 2012). ``resampling``: log of the strongest line
    in the spectra of the second derivative's size, off multiples of 1/8, against their median (Gallagher, "Detection of
    linear and cubic interpolation in JPEG compressed images", CRV 2005).

    The numbers ``cfa_ratio`` and ``resampling_line`` are those of the whole image.
    """
    if image.jpeg is not None:
        return TraceMaps.none("JPEG destroys the traces of filter array and resampling")
    if min(image.rgb.shape[:2]) < WINDOW:
        return TraceMaps.none(f"a side is shorter than {WINDOW} px")
    ratio = _green_ratio(image)
    middle = float(np.median(ratio))
    rows, columns = image.grid
    luma = image.luma[: rows * BLOCK, : columns * BLOCK]
    across, down = _spectra(luma), _spectra(luma.T).swapaxes(0, 1)
    lines = np.maximum(_line(across), _line(down))
    whole = max(float(_line(spectra.mean(axis=(0, 1)))) for spectra in (across, down))
    return TraceMaps(
        {"cfa": ratio if middle >= 0 else -ratio, "resampling": lines},
        {"cfa_ratio": abs(middle), "resampling_line": whole},
    )


def _green_ratio(image: DecodedImage) -> FloatMap:
    """Per block the mean of ``log(even / odd)``: variances of green's errors where row + column is even and odd, each
    in a Gaussian of 7 px."""
    green = image.rgb[:, :, 1].astype(np.float32)
    squares = (green - cv2.filter2D(green, cv2.CV_32F, _CROSS)) ** 2
    even = (np.add.outer(np.arange(green.shape[0]), np.arange(green.shape[1])) % 2 == 0).astype(np.float32)
    logs = [
        np.log(cv2.GaussianBlur(squares * lattice, (7, 7), 1) / cv2.GaussianBlur(lattice, (7, 7), 1) + _FLOOR)
        for lattice in (even, 1 - even)
    ]
    return block_mean(np.asarray(logs[0] - logs[1], np.float32))


def _spectra(luma: FloatMap) -> FloatMap:
    """Along the second axis, the power spectrum of the second derivative's size, averaged down a window of 64 px around
    each block, moved inside at the edges: shape (rows, columns, 33)."""
    size = np.abs(np.diff(luma, n=2, axis=1, prepend=luma[:, :1], append=luma[:, -1:]))
    rows = size.reshape(-1, BLOCK, size.shape[1]).mean(axis=1)
    down = cv2.blur(rows, (1, WINDOW // BLOCK), borderType=cv2.BORDER_REFLECT_101)
    middles = np.arange(BLOCK // 2, size.shape[1], BLOCK)
    starts = np.clip(middles - WINDOW // 2, 0, size.shape[1] - WINDOW)
    pieces = np.lib.stride_tricks.sliding_window_view(down, WINDOW, axis=1)[:, starts]
    centred = (pieces - pieces.mean(axis=2, keepdims=True)) * np.hanning(WINDOW).astype(np.float32)
    return np.asarray(np.abs(np.fft.rfft(centred, axis=2)) ** 2, np.float32)


def _line(spectra: FloatMap) -> FloatMap:
    """Log of the strongest line against the median of the frequencies more than 1/64 off k/8, the last axis."""
    off = [line for line in range(WINDOW // 2 + 1) if 1 < line % BLOCK < BLOCK - 1]
    kept = spectra[..., off]
    return np.asarray(np.log((kept.max(axis=-1) + 1) / (np.median(kept, axis=-1) + 1)), np.float32)
