"""The same recording and nearly the same one are recognized; another one of the same speaker is not."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest

from app.capabilities.voice.matrix import BINS, VoiceMatrix, magnitudes_of, matrix_of, npy_bytes, read_matrix
from app.capabilities.voice.replay import LEAST_MARKS, SAME_SHARE, ReplayMemory, VoicePrint, any_same, share_of
from tests.voice_site import ALICE, BOB, RATE, Speaker, Wave

MEMORY = ReplayMemory(bytes(range(32)))
WAVE = ALICE.says(1)


def printed(wave: Wave, memory: ReplayMemory = MEMORY) -> VoicePrint:
    return memory.print_of(read_matrix(npy_bytes(matrix_of(wave.astype(np.float32)))))


def noisy(wave: Wave, snr_db: float) -> Wave:
    random = np.random.default_rng(3)
    noise = random.standard_normal(len(wave)) * np.sqrt(np.mean(wave**2)) * 10 ** (-snr_db / 20)
    return (wave + noise).astype(np.float32)


@pytest.mark.parametrize(
    "edit",
    [
        pytest.param(lambda wave: wave * 0.1, id="quieter"),
        pytest.param(lambda wave: np.concatenate([np.zeros(80, np.float32), wave]), id="half a frame later"),
        pytest.param(lambda wave: wave[53:], id="shifted by less than a frame"),
        pytest.param(lambda wave: wave[RATE : RATE * 7 // 2], id="cut to a half"),
        pytest.param(lambda wave: np.concatenate([wave[RATE:], wave[:RATE]]), id="in another order"),
        pytest.param(lambda wave: np.round(wave * 128) / 128, id="8 bits"),
        pytest.param(lambda wave: noisy(wave, 30), id="with noise"),
        pytest.param(lambda wave: np.concatenate([wave[: RATE * 5 // 2], BOB.says(5, 2.5)]), id="half of it"),
    ],
)
def test_nearly_the_same_recording_is_recognized(edit: Callable[[Wave], Wave]) -> None:
    """As an attacker may change it without a model."""
    assert share_of(printed(WAVE).marks, printed(edit(WAVE)).marks) >= 1.5 * SAME_SHARE


def test_another_recording_of_the_speaker_is_another() -> None:
    """And of another speaker too."""
    others = [printed(speaker.says(number)).marks for speaker in (ALICE, BOB) for number in (2, 3, 4)]
    assert max(share_of(printed(WAVE).marks, other) for other in others) < SAME_SHARE / 2


def test_magnitudes_of_the_same_recording_are_recognized() -> None:
    """The profile does not matter."""
    magnitudes = read_matrix(npy_bytes(magnitudes_of(WAVE)))
    assert share_of(printed(WAVE).marks, MEMORY.print_of(magnitudes).marks) > 0.5


def test_the_digest_is_of_the_values_alone() -> None:
    """Not of their item size; another level has another."""
    half = matrix_of(WAVE)
    single = MEMORY.print_of(read_matrix(npy_bytes(half.astype(np.float32))))
    assert single.digest == printed(WAVE).digest
    assert printed(WAVE * 0.5).digest != single.digest


def test_nothing_is_recognized_with_another_key() -> None:
    """What is kept is keyed: neither digest nor marks tell anything to a reader of the rows."""
    other = printed(WAVE, ReplayMemory(bytes(32)))
    assert other.digest != printed(WAVE).digest
    assert share_of(other.marks, printed(WAVE).marks) < 0.01


def test_marks_are_distinct_and_in_no_order_of_time() -> None:
    """Ascending: the recording cannot be put together from them."""
    marks = printed(WAVE).marks
    assert (np.diff(marks.astype(np.int64)) > 0).all()


def test_silence_is_like_nothing() -> None:
    """Too few marks are no evidence."""
    silent = printed(np.zeros(RATE * 2, np.float32)).marks
    assert len(silent) < LEAST_MARKS
    assert share_of(silent, silent) == 0.0
    short = printed(Speaker().says(1, 1.0)).marks
    assert not any_same(silent, [short, printed(WAVE).marks])


def test_the_shorter_one_counts() -> None:
    """A share of its marks, from ``LEAST_MARKS`` on."""
    few = np.arange(LEAST_MARKS, dtype=np.uint32)
    many = np.arange(LEAST_MARKS // 2, 1000, dtype=np.uint32)
    assert share_of(few, many) == share_of(many, few) == 0.5
    assert share_of(few[1:], many) == 0.0
    assert any_same(few, [many]) is True
    assert any_same(few, []) is False


def words_by_definition(magnitudes: np.ndarray) -> set[int]:
    """The words of ``app/capabilities/voice/README.md``, section 4, bit by bit, in double precision."""
    edges = [round(300 * (3400 / 300) ** (band / 25) / 31.25) for band in range(26)]
    window = [0.5 - 0.5 * np.cos(2 * np.pi * step / 33) for step in range(1, 33)]
    energy = np.array(
        [[(row[low:high].astype(float) ** 2).sum() for low, high in pairwise(edges)] for row in magnitudes]
    )
    moments = range(len(magnitudes) - 31)
    smooth = np.array([sum(weight * energy[at + step] for step, weight in enumerate(window)) for at in moments])
    loud = smooth.sum(axis=1)
    least = 0.02 * np.quantile(loud, 0.9)
    found = set()
    for at in range(8, len(smooth)):
        if min(loud[at], loud[at - 8]) > least:
            steps = [smooth[moment][1:] - smooth[moment][:-1] for moment in (at, at - 8)]
            found.add(sum(1 << bit for bit in range(24) if steps[0][bit] > steps[1][bit]))
    return found


def test_words_are_those_of_the_definition() -> None:
    """And a mark is four bytes of their keyed BLAKE2b: another program finds the same marks in the same recording."""
    magnitudes = magnitudes_of(ALICE.says(1, 2.0))
    expected = {
        int.from_bytes(
            hashlib.blake2b(
                word.to_bytes(4, "big"), key=bytes(range(32)), digest_size=4, person=b"voice-mark/1"
            ).digest(),
            "big",
        )
        for word in words_by_definition(magnitudes)
    }
    assert len(expected) > 50
    found = MEMORY.print_of(VoiceMatrix("magnitude", magnitudes))
    assert set(found.marks.tolist()) == expected


@pytest.mark.parametrize(("frames", "words"), [(39, 0), (40, 1)])
def test_the_shortest_sound_that_has_a_word(frames: int, words: int) -> None:
    """32 frames that are smoothed, and 8 more that are compared."""
    magnitudes = np.abs(np.random.default_rng(1).standard_normal((frames, BINS))).astype(np.float32)
    assert len(MEMORY.print_of(VoiceMatrix("magnitude", magnitudes)).marks) == words


def test_a_print_wipes_what_it_made_and_not_what_it_was_given() -> None:
    """The matrix is the caller's."""
    matrix = read_matrix(npy_bytes(magnitudes_of(WAVE)))
    before = matrix.values.copy()
    MEMORY.print_of(matrix)
    assert np.array_equal(matrix.values, before)
