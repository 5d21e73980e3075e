"""What both classes go through."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from voice_model.waves import DITHER_DBFS, LEVELS_DBFS, PASS_HZ, cut_hard, shared_front, without_pauses, write_take

SECOND = 16_000


def _noise(seconds: float, seed: int = 1) -> np.ndarray:
    return (0.1 * np.random.default_rng(seed).standard_normal(int(seconds * SECOND))).astype(np.float32)


def test_a_pause_is_cut_to_eighty_milliseconds() -> None:
    spoken = np.concatenate([_noise(1), np.zeros(SECOND, np.float32), _noise(1)])
    assert len(without_pauses(spoken)) == pytest.approx(2.08 * SECOND, abs=400)


def test_speech_without_pauses_stays() -> None:
    wave = _noise(2)
    assert without_pauses(wave).tolist() == wave.tolist()


def test_silence_is_nothing() -> None:
    assert len(without_pauses(np.zeros(SECOND, np.float32))) == 0


def test_a_wave_shorter_than_a_block_is_nothing() -> None:
    assert len(without_pauses(np.ones(100, np.float32))) == 0


def test_cuts_only_take_away() -> None:
    wave = np.arange(SECOND * 3, dtype=np.float32)
    cut = cut_hard(wave, np.random.default_rng(2))
    assert SECOND * 3 - 4 * 0.15 * SECOND <= len(cut) < SECOND * 3
    assert (np.diff(cut) > 0).all()


def test_half_of_the_items_are_cut() -> None:
    wave = _noise(2)
    cut = sum(len(shared_front(wave, np.random.default_rng(seed))) < len(wave) for seed in range(60))
    assert 18 <= cut <= 42


def test_nothing_is_left_above_the_edge_but_dither() -> None:
    heard = shared_front(_noise(2), np.random.default_rng(3))
    spectrum = np.abs(np.fft.rfft(heard)) ** 2
    hertz = np.fft.rfftfreq(len(heard), 1 / SECOND)
    above = spectrum[hertz > PASS_HZ + 500].mean() / len(heard)
    assert 10 * np.log10(above) == pytest.approx(DITHER_DBFS, abs=6)


def test_the_level_is_within_what_is_drawn() -> None:
    for seed in range(8):
        heard = shared_front(_noise(2), np.random.default_rng(seed))
        level = 10 * np.log10(np.mean(heard.astype(np.float64) ** 2))
        assert LEVELS_DBFS[0] - 1 <= level <= LEVELS_DBFS[1] + 1


def test_full_scale_is_kept() -> None:
    loud = np.zeros(SECOND, np.float32)
    loud[::4000] = 1.0
    assert np.abs(shared_front(loud, np.random.default_rng(4))).max() < 1.0


def test_the_same_seed_gives_the_same_item() -> None:
    one, other = (shared_front(_noise(1), np.random.default_rng(5)) for _ in range(2))
    assert one.tolist() == other.tolist()


def test_a_take_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    """And nothing else is left beside it."""
    wave = np.array([0.0, 0.5, -1.0, 2.0], np.float32)
    write_take(tmp_path / "one_00.npy", wave)
    assert np.load(tmp_path / "one_00.npy").tolist() == [0, 16384, -32767, 32767]
    assert [file.name for file in tmp_path.iterdir()] == ["one_00.npy"]
