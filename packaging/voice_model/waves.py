"""What all items of both classes go through, so that nothing but the voice tells them apart."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

import numpy as np
from numpy.random import Generator

from app.capabilities.voice.matrix import SAMPLE_RATE, Samples

PASS_HZ: Final = 6800.0
"""Edge of the low-pass filter: recordings end at many frequencies above it."""
DITHER_DBFS: Final = -72.0
LEVELS_DBFS: Final = (-32.0, -14.0)
"""What the level is drawn from."""
PAUSE_S: Final = 0.08
"""No pause is longer: digital zero would be the best feature of all."""
_BLOCK: Final = 160
_BELOW_PEAK_DB: Final = -38.0


def write_take(file: Path, wave: Samples) -> None:
    """Writes a wave as int16, whole or not at all: the commands go on by what is there."""
    part = file.with_name(f".{file.name}.part")
    with part.open("wb") as opened:
        np.save(opened, np.rint(np.clip(wave, -1, 1) * 32767).astype(np.int16))
    part.replace(file)


def without_pauses(wave: Samples) -> Samples:
    """The wave with each pause cut to ``PAUSE_S``. A pause: blocks of 10 ms under the loudest ones by 38 dB."""
    blocks = wave[: len(wave) // _BLOCK * _BLOCK].reshape(-1, _BLOCK)
    if not len(blocks):
        return wave[:0]
    powers = np.mean(np.square(blocks, dtype=np.float64), axis=1)
    speaking = powers > max(float(np.percentile(powers, 95)) * 10 ** (_BELOW_PEAK_DB / 10), 1e-8)
    kept = np.zeros(len(blocks), bool)
    margin = round(PAUSE_S * SAMPLE_RATE / _BLOCK / 2)
    for index in np.flatnonzero(speaking):
        kept[max(0, index - margin) : index + margin + 1] = True
    return blocks[kept].reshape(-1)


def cut_hard(wave: Samples, rng: Generator) -> Samples:
    """The wave without one to four pieces of 20 to 150 ms: splices, as pasted speech has them."""
    kept = np.ones(len(wave), bool)
    for _ in range(int(rng.integers(1, 5))):
        begin = int(rng.integers(0, len(wave)))
        kept[begin : begin + int(rng.uniform(0.02, 0.15) * SAMPLE_RATE)] = False
    return wave[kept]


def shared_front(wave: Samples, rng: Generator) -> Samples:
    """Low-pass, cuts in half of the items, a drawn level, dither. The result is new."""
    spectrum = np.fft.rfft(wave)
    hertz = np.fft.rfftfreq(len(wave), 1 / SAMPLE_RATE)
    ramp = np.clip((PASS_HZ + 400 - hertz) / 400, 0.0, 1.0)
    passed = np.fft.irfft(spectrum * (0.5 - 0.5 * np.cos(math.pi * ramp)), len(wave)).astype(np.float32)
    if rng.random() < 0.5:
        passed = cut_hard(passed, rng)
    level = 10 ** (rng.uniform(*LEVELS_DBFS) / 20)
    loudness = float(np.sqrt(np.mean(np.square(passed, dtype=np.float64))))
    passed = passed * np.float32(level / max(loudness, 1e-9))
    peak = float(np.abs(passed).max())
    if peak > 0.95:
        passed *= np.float32(0.95 / peak)
    dither = rng.standard_normal(len(passed)).astype(np.float32) * np.float32(10 ** (DITHER_DBFS / 20))
    return passed + dither
