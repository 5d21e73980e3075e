"""Windows of a take, and the one vector that they give."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.voice.matrix import SAMPLE_RATE, magnitudes_of
from app.capabilities.voice.speaker.embedding import (
    EMBEDDING,
    HOP_FRAMES,
    embed_windows,
    mean_embedding,
    window_starts,
    windows_of_magnitudes,
    windows_of_wave,
)
from app.capabilities.voice.speaker.encoder import VECTOR, WINDOW_FRAMES, SpeakerEncoder
from app.capabilities.voice.speaker.mel import mel_of_wave
from tests.unit.capabilities.voice.speaker.test_mel import vowel

NETWORK = Path(__file__).parents[5] / "resources" / "voice" / "encoder.onnx"


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return SpeakerEncoder(NETWORK.read_bytes())


@pytest.mark.parametrize(
    ("frames", "starts"),
    [(1, (0,)), (160, (0,)), (161, (0, 1)), (220, (0, 60)), (221, (0, 30, 61)), (400, (0, 60, 120, 180, 240))],
)
def test_windows_are_spread_from_end_to_end(frames: int, starts: tuple[int, ...]) -> None:
    """Evenly, at most 0.6 s apart."""
    assert window_starts(frames) == starts


@given(st.integers(1, 3001))
def test_windows_leave_out_nothing_and_are_never_far_apart(frames: int) -> None:
    """Whatever the length."""
    starts = window_starts(frames)
    assert starts[0] == 0
    assert starts[-1] == max(0, frames - WINDOW_FRAMES)
    assert all(0 < after - before <= HOP_FRAMES for before, after in pairwise(starts))


def test_a_mean_has_a_vector_of_length_one_and_plain_means() -> None:
    """Only the d-vector is brought to length 1."""
    windows = np.zeros((2, EMBEDDING), np.float32)
    windows[0, 0], windows[1, 1] = 1.0, 1.0
    windows[0, VECTOR], windows[1, VECTOR] = 0.5, 0.1
    mean = mean_embedding(windows)
    assert mean[:2] == pytest.approx([0.5**0.5, 0.5**0.5])
    assert mean[VECTOR] == pytest.approx(0.3)


def test_a_short_take_is_repeated_until_it_fills_a_window(encoder: SpeakerEncoder) -> None:
    """Silence behind it would be read as a sound that stops."""
    mel = mel_of_wave(vowel())[:80]
    twice = np.concatenate([mel, mel])
    assert embed_windows(encoder, mel) == pytest.approx(embed_windows(encoder, twice), abs=1e-5)


def test_spans_count_the_pauses(encoder: SpeakerEncoder) -> None:
    """Seconds of the take as it came, not of what was read."""
    wave = np.concatenate([vowel(), np.zeros(SAMPLE_RATE, np.float32), vowel()])
    rng = np.random.default_rng(0)
    wave += np.asarray(1e-4 * rng.standard_normal(len(wave)), np.float32)
    spans = windows_of_wave(encoder, wave).spans
    assert spans[0][0] == pytest.approx(0.0, abs=0.05)
    assert spans[-1][1] == pytest.approx(4.2, abs=0.05)
    # A window that holds the pause is longer than 1.6 s of the take.
    assert max(t1 - t0 for t0, t1 in spans) == pytest.approx(2.6, abs=0.2)


def test_pauses_do_not_change_the_speaker(encoder: SpeakerEncoder) -> None:
    """A pause of 2 s and one of 0.1 s give nearly one vector."""
    rng = np.random.default_rng(0)
    spoken = np.concatenate([vowel(), np.zeros(1600, np.float32), vowel()])
    paused = np.concatenate([vowel(), np.zeros(2 * SAMPLE_RATE, np.float32), vowel()])
    vectors = [
        mean_embedding(
            windows_of_wave(encoder, wave + np.asarray(1e-4 * rng.standard_normal(len(wave)), np.float32)).embeddings
        )[:VECTOR]
        for wave in (spoken, paused)
    ]
    assert float(vectors[0] @ vectors[1]) > 0.98


def test_magnitudes_give_nearly_the_vector_of_their_wave(encoder: SpeakerEncoder) -> None:
    """A phase is not needed to tell who speaks."""
    wave = np.concatenate([vowel(), vowel()[::-1]])
    one = mean_embedding(windows_of_wave(encoder, wave).embeddings)
    other = mean_embedding(windows_of_magnitudes(encoder, magnitudes_of(wave)).embeddings)
    assert float(one[:VECTOR] @ other[:VECTOR]) > 0.95


def test_silence_is_read_whole(encoder: SpeakerEncoder) -> None:
    """It has finite numbers, which nobody takes for a voice."""
    found = windows_of_wave(encoder, np.zeros(16000, np.float32))
    assert found.spans == ((0.0, 1.0),)
    assert np.isfinite(found.embeddings).all()
