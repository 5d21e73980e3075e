"""What takes the worth of an image away: its size, its compression, and that it was enlarged, against plain sums."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.media.detectors.image import DecodedImage, JpegPast
from app.capabilities.media.verdict.reliability import Reliability, Worth, enlargement, reliability_of
from tests.unit.capabilities.media.verdict.judgements import judgement, picture

HEARD = (6, 10, 11, 12, 13, 14, 18, 19, 20, 21, 22, 26, 27, 28, 29, 30)
"""Frequencies of 6 to 31 of a window of 64 px that are more than one off a multiple of 8."""


def _spectrum(luma: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Of windows side by side, each row by itself, of each so-many-th row that leaves 512 at most."""
    kept = [row for at, row in enumerate(luma) if at % int(np.ceil(len(luma) / 512)) == 0]
    fade = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(64) / 63)
    found = [
        np.abs(np.fft.fft((row[start : start + 64] - row[start : start + 64].mean()) * fade)[:33]) ** 2
        for row in kept
        for start in range(0, luma.shape[1] - 63, 64)
    ]
    return np.mean(found, axis=0) if found else np.zeros(33)


def _enlarged(grey: npt.NDArray[np.float64]) -> float:
    """30 over the highest frequency with more than 10^-1.5 of what 4 to 8 let expect, if power falls as 1/f^2."""
    power = _spectrum(grey) + _spectrum(grey.T)
    expected = np.median([power[line] * line**2 for line in (4, 5, 6, 7, 8)])
    finest = [line for line in HEARD if power[line] * line**2 > expected * 10**-1.5]
    return 30 / max(finest, default=6)


def _grey(values: npt.NDArray[np.float64]) -> DecodedImage:
    """Of these levels, rounded."""
    return DecodedImage(np.repeat(np.rint(values).astype(np.uint8)[:, :, None], 3, axis=2))


def _waves(height: int, width: int, strengths: dict[int, float], seed: int = 1) -> npt.NDArray[np.float64]:
    """Waves along both axes with a whole number of periods in 64 px."""
    drawn = np.random.default_rng(seed)
    levels = np.full((height, width), 128.0)
    for frequency, strength in strengths.items():
        for axis in (np.arange(height)[:, None], np.arange(width)[None]):
            levels += strength * np.cos(2 * np.pi * frequency * axis / 64 + drawn.uniform(0, 6))
    return levels


@pytest.mark.parametrize("finest", range(4, 32))
def test_an_enlargement_is_told_by_the_finest_detail(finest: int) -> None:
    """Waves up to each frequency, with the power of photographs."""
    levels = _waves(130, 64, {line: 14 / line for line in range(1, finest + 1)})
    assert enlargement(_grey(levels)) == pytest.approx(_enlarged(np.rint(levels)), rel=1e-12)


@pytest.mark.parametrize("line", [10, 14, 18, 30])
def test_detail_counts_from_a_share_of_what_is_usual(line: int) -> None:
    """One wave grows above waves of 1 to 8 until it counts: at the same strength as in plain sums."""
    told = []
    for strength in np.geomspace(0.2, 2.5, 50) * 10 / line:
        levels = _waves(64, 64, {3: 5, 4: 16, 5: 4, 6: 9, 7: 2, 8: 1} | {line: float(strength)})
        told.append(enlargement(_grey(levels)))
        assert told[-1] == pytest.approx(_enlarged(np.rint(levels)), rel=1e-12)
    assert told[0] > told[-1]


@pytest.mark.parametrize(("height", "each"), [(512, 1), (513, 2), (1024, 2), (1025, 3)])
def test_of_many_rows_512_at_most_are_read(height: int, each: int) -> None:
    """Evenly spread: detail in each so-many-th row alone counts as if all had it."""
    for strength in np.geomspace(0.5, 8, 14):
        levels = _waves(height, 64, {line: 14 / line for line in range(1, 9)})
        levels[::each] += strength * np.cos(2 * np.pi * 28 * np.arange(64) / 64)
        assert enlargement(_grey(levels)) == pytest.approx(_enlarged(np.rint(levels)), rel=1e-12)


@pytest.mark.parametrize(("height", "width"), [(40, 200), (200, 40), (63, 63), (64, 63), (100, 129)])
def test_an_axis_shorter_than_a_window_says_nothing(height: int, width: int) -> None:
    """The other one alone is read; without any the finest detail is the coarsest that is sought."""
    levels = np.random.default_rng(2).normal(128, 9, (height, width))
    assert enlargement(_grey(levels)) == pytest.approx(_enlarged(np.rint(levels)), rel=1e-12)
    assert enlargement(_grey(np.full((height, width), 90.0))) == 5


def _judged(image: DecodedImage, after_life: str = "jpeg") -> Reliability:
    return reliability_of(judgement(np.zeros(image.grid, np.float32), after_life=after_life), image)


def test_an_image_is_too_small_below_256_px() -> None:
    """By its shorter side, whichever that is."""
    noise = np.random.default_rng(3).integers(20, 200, (300, 300, 3)).astype(np.uint8)
    for rgb in (noise[:255], noise[:, :255]):
        told = _judged(DecodedImage(rgb))
        assert told.whole == ("Its short side is 255 px; 256 px are needed.",)
        assert (told.blocks == Worth.TOO_SMALL).all()
        assert (told.share, told.readable) == (0, 1)
    assert _judged(DecodedImage(noise[:256])).whole == ()
    assert _judged(DecodedImage(noise[:, :256])).share == 1


def test_an_image_is_heavily_compressed_above_a_mean_quantizer_of_45() -> None:
    """One quantizer more in 64 is too much; without a JPEG there is none."""
    past = JpegPast(np.full((8, 8), 45, np.uint16))
    past.luma[0, 0] = 46
    noise = picture(quantizer=45)
    assert _judged(noise).whole == ()
    told = _judged(DecodedImage(noise.rgb, past))
    assert told.whole == ("It is heavily compressed: its luma quantizers have a mean of 45, above 45.",)
    assert (told.blocks == Worth.COMPRESSED).all()


@pytest.mark.parametrize(("finest", "told"), [(20, "about 1.4-fold"), (21, None), (30, None), (9, "about 3.0-fold")])
def test_an_image_is_strongly_enlarged_from_30_to_21_on(finest: int, told: str | None) -> None:
    """Windows spread each wave to the next frequency. It holds only where the traces are those of resizing."""
    image = _grey(_waves(320, 320, {line: 14 / line for line in range(1, finest + 1)}))
    assert _judged(image, "twice").whole == ()
    found = _judged(image, "resized")
    if told is None:
        assert found.whole == ()
    else:
        assert found.whole[0].startswith(f"It seems to be enlarged {told}: ")
        assert (found.blocks == Worth.RESIZED).all()


def test_what_cannot_be_read_is_flat_or_saturated() -> None:
    """More than half of the pixels at an end; what is black or white and can be read counts as readable."""
    rgb = np.random.default_rng(4).integers(20, 200, (256, 256, 3)).astype(np.uint8)
    rgb[:8, :8].reshape(64, 3)[:] = 90
    rgb[:8, 8:16, :] = 90
    rgb[:4, 8:16], rgb[:5, 16:24] = 0, 255
    image = DecodedImage(rgb)
    can = np.ones(image.grid, np.bool_)
    can[0, :3] = False
    told = reliability_of(judgement(np.zeros(image.grid, np.float32), reliable=can), image)
    assert told.blocks[0, :4].tolist() == [Worth.FLAT, Worth.FLAT, Worth.SATURATED, Worth.RELIABLE]
    assert told.share == told.readable == (1024 - 3) / 1024
    assert [int(one) for one in Worth] == [0, 1, 2, 3, 4, 5]


def test_what_holds_for_the_whole_leaves_flat_blocks_flat() -> None:
    """The first reason is the one that the map shows, and all are told."""
    image = DecodedImage(np.full((80, 80, 3), 100, np.uint8), JpegPast(np.full((8, 8), 90, np.uint16)))
    can = np.zeros(image.grid, np.bool_)
    can[2:] = True
    told = reliability_of(judgement(np.zeros(image.grid, np.float32), reliable=can, after_life="resized"), image)
    assert (told.blocks[:2] == Worth.FLAT).all()
    assert (told.blocks[2:] == Worth.TOO_SMALL).all()
    assert [sentence.split(":")[0] for sentence in told.whole[1:]] == [
        "It is heavily compressed",
        "It seems to be enlarged about 5.0-fold",
    ]
    assert (told.share, told.readable) == (0, 0.8)


def test_an_image_without_blocks_has_nothing_to_read() -> None:
    """Seven pixels a side."""
    told = _judged(DecodedImage(np.zeros((7, 7, 3), np.uint8)))
    assert (told.share, told.readable, told.blocks.size) == (0, 0, 0)
