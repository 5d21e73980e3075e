"""Recordings become takes."""

from __future__ import annotations

import wave
from pathlib import Path

import numpy as np
import pytest

from voice_model.fetch import MOST_TAKES, TAKE_S, read_recording, takes_of, write_takes
from voice_model.recordings import RecordedSpeaker
from voice_model.waves import write_take

SECOND = 16_000


def _noise(seconds: float, seed: int, loudness: float = 0.1) -> np.ndarray:
    return (loudness * np.random.default_rng(seed).standard_normal(int(seconds * SECOND))).astype(np.float32)


def _write(file: Path, samples: np.ndarray, rate: int = SECOND) -> None:
    with wave.open(str(file), "wb") as opened:
        opened.setnchannels(1)
        opened.setsampwidth(2)
        opened.setframerate(rate)
        opened.writeframes(np.rint(samples * 32767).astype("<i2").tobytes())


def test_a_recording_is_read_at_full_scale(tmp_path: Path) -> None:
    _write(tmp_path / "one.wav", _noise(1, 1))
    assert read_recording(tmp_path / "one.wav") == pytest.approx(_noise(1, 1), abs=2e-4)


def test_another_rate_is_brought_to_sixteen_kilohertz(tmp_path: Path) -> None:
    _write(tmp_path / "slow.wav", _noise(1, 2), rate=8000)
    assert len(read_recording(tmp_path / "slow.wav")) == pytest.approx(2 * SECOND, abs=100)


def test_short_recordings_are_put_together() -> None:
    takes = list(takes_of(iter([_noise(1, seed) for seed in range(10)])))
    assert [len(take) >= TAKE_S * SECOND for take in takes] == [True, True]


def test_a_rest_that_is_too_short_is_left_out() -> None:
    assert list(takes_of(iter([_noise(2, 1)]))) == []


def test_a_rest_that_is_long_enough_is_a_take() -> None:
    assert [len(take) for take in takes_of(iter([_noise(3, 1)]))] == [3 * SECOND]


def test_a_long_recording_is_several_takes() -> None:
    lengths = [len(take) / SECOND for take in takes_of(iter([_noise(30, 1)]))]
    assert lengths == [pytest.approx(1.5 * TAKE_S)] * 4


def test_recordings_are_brought_to_one_level() -> None:
    (take,) = takes_of(iter([_noise(3, 1, 0.3), _noise(3, 2, 0.01)]))
    first, second = (float(np.std(part)) for part in (take[: 3 * SECOND], take[3 * SECOND :]))
    assert first == pytest.approx(second, rel=0.05)


def test_silence_is_in_no_take() -> None:
    assert list(takes_of(iter([np.zeros(10 * SECOND, np.float32)]))) == []


def test_a_speaker_has_so_many_takes_at_most(tmp_path: Path) -> None:
    _write(tmp_path / "long.wav", _noise(150, 1))
    speaker = RecordedSpeaker("one", "one", "en", "some", "train", "", ("long.wav",))
    (tmp_path / "out").mkdir()
    assert write_takes(tmp_path, speaker, tmp_path / "out") == MOST_TAKES
    assert sorted(file.name for file in (tmp_path / "out").iterdir())[0] == "one_00.npy"


def test_a_speaker_that_was_broken_off_is_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the first take the command knows that all are there: it is written last."""
    _write(tmp_path / "long.wav", _noise(150, 1))
    speaker = RecordedSpeaker("one", "one", "en", "some", "train", "", ("long.wav",))
    written = []

    def full(file: Path, take: np.ndarray) -> None:
        if len(written) == 3:
            raise OSError("no room")
        written.append(file.name)
        write_take(file, take)

    monkeypatch.setattr("voice_model.fetch.write_take", full)
    with pytest.raises(OSError, match="no room"):
        write_takes(tmp_path, speaker, tmp_path)
    assert len(written) == 3
    assert not (tmp_path / "one_00.npy").exists()
