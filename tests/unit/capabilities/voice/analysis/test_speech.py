"""Where somebody speaks, and what is left without pauses."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from app.capabilities.voice.analysis.speech import (
    FLOOR_DBFS,
    kept_frames,
    levels_of,
    levels_of_magnitudes,
    seconds_of,
    speech_mask,
    speech_of_levels,
    trim_pauses,
)
from app.capabilities.voice.matrix import magnitudes_of


def bursts(*frames: tuple[int, int], length: int = 300, quiet: float = 1e-4) -> npt.NDArray[np.float32]:
    """Loud noise in the given ranges of blocks of 10 ms, a quiet one elsewhere."""
    wave = np.random.default_rng(2).normal(0, 1, length * 160)
    gain = np.full(length, quiet)
    for first, end in frames:
        gain[first:end] = 0.1
    return (wave * np.repeat(gain, 160)).astype(np.float32)


def test_levels_are_decibels_of_full_scale() -> None:
    """A full sine has -3.01 dBFS, a tenth of it 20 dB less, digital zero the floor."""
    sine = np.sin(2 * np.pi * np.arange(480) / 160).astype(np.float32)
    sine[160:320] *= 0.1
    sine[320:] = 0
    assert levels_of(sine) == pytest.approx([-3.0103, -23.0103, FLOOR_DBFS], abs=1e-3)


def test_levels_of_a_begun_block_are_none() -> None:
    """Whole blocks count alone."""
    assert levels_of(np.zeros(319, np.float32)).shape == (1,)


def test_both_profiles_have_one_level() -> None:
    """By Parseval the magnitudes of steady noise have its level, and a constant has its own."""
    noise = np.random.default_rng(1).normal(0, 0.05, 80_000).astype(np.float32)
    assert np.mean(levels_of_magnitudes(magnitudes_of(noise))) == pytest.approx(np.mean(levels_of(noise)), abs=0.1)
    constant = np.full(1600, 0.1, np.float32)
    assert levels_of_magnitudes(magnitudes_of(constant)) == pytest.approx(-20, abs=0.01)


def test_a_burst_is_speech_with_its_edges() -> None:
    """Two loud ones of the five that a level is smoothed over stay below the threshold; three blocks are added."""
    mask = speech_mask(bursts((100, 150)))
    assert np.flatnonzero(mask)[[0, -1]].tolist() == [97, 152]
    assert mask[97:153].all()


def test_steady_noise_is_no_speech() -> None:
    """A level that does not move tells nothing."""
    assert not speech_mask(bursts((0, 300))).any()
    assert not speech_mask(np.zeros(48_000, np.float32)).any()


def test_no_frames_are_no_speech() -> None:
    """An empty recording has an empty mask."""
    assert speech_of_levels(np.zeros(0, np.float32)).shape == (0,)


@pytest.mark.parametrize(("spread", "speech"), [(5.9, False), (6.1, True)])
def test_six_decibels_are_needed(spread: float, speech: bool) -> None:
    """Between the quietest and the loudest frames."""
    levels = np.repeat([-40.0, -40.0 + spread], 100).astype(np.float32)
    assert speech_of_levels(levels).any() == speech


def test_the_threshold_is_a_third_of_the_way() -> None:
    """At 35 % of the way from the quiet to the loud, but not more than 35 dB below the loud."""
    for middle, speech in ((-63.5, False), (-62.0, True)):
        levels = np.repeat([-70.0, middle, -50.0], 100).astype(np.float32)
        assert speech_of_levels(levels)[150] == speech
    for middle, speech in ((-56.0, False), (-54.0, True)):
        levels = np.repeat([-90.0, -90, middle, -20.0], 100).astype(np.float32)
        levels[:200] = -90
        # 35 % of the way is -65.5: the second rule decides.
        assert speech_of_levels(levels)[250] == speech


@pytest.mark.parametrize(("pause", "left"), [(7, 7), (8, 8), (9, 8), (100, 8)])
def test_a_pause_keeps_80_ms(pause: int, left: int) -> None:
    """Four blocks after speech and four before it."""
    speech = np.ones(20 + pause, np.bool_)
    speech[10 : 10 + pause] = False
    kept = kept_frames(speech)
    assert np.count_nonzero(kept[10 : 10 + pause]) == left
    assert kept[:14].all()
    assert kept[-14:].all()


def test_the_ends_keep_40_ms() -> None:
    """Silence before and after is a pause too."""
    speech = np.zeros(100, np.bool_)
    speech[40:60] = True
    assert np.flatnonzero(kept_frames(speech)).tolist() == list(range(36, 64))


def test_trimming_keeps_the_samples() -> None:
    """What is left are the recording's own blocks, in their order."""
    wave = bursts((50, 100), (200, 250))
    left = trim_pauses(wave)
    kept = kept_frames(speech_mask(wave))
    assert left.dtype == np.float32
    assert np.array_equal(left, wave.reshape(-1, 160)[kept].reshape(-1))
    assert 110 * 160 < len(left) < 150 * 160


def test_trimming_again_changes_nothing_much() -> None:
    """A trimmed recording is trimmed."""
    once = trim_pauses(bursts((50, 100), (200, 250)))
    assert len(trim_pauses(once)) == len(once)


def test_seconds_are_those_of_the_mask() -> None:
    """100 blocks are a second."""
    assert seconds_of(np.repeat([True, False], [150, 70])) == 1.5
