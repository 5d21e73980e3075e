"""The sounds of a batch: what they are made of, and what happens where nothing can be heard."""

from __future__ import annotations

import asyncio
import gc
import queue
import threading
import weakref
from itertools import combinations

import numpy as np
import pytest

from app.console.devices.sounds import EDGE_S, NOTES, PEAK, RATE_HZ, Speaker, Tone, samples
from app.console.preferences import PreferenceStore
from tests.console.conftest import Run, until


@pytest.mark.parametrize("sound", list(Tone))
def test_a_sound_is_what_it_claims(sound: Tone) -> None:
    """Length, no clipping, silence at both ends, and each note at its frequency."""
    made = samples(sound)
    assert made.dtype == np.float32
    assert len(made) == sum(round(seconds * RATE_HZ) for _, seconds in NOTES[sound])
    assert 0.9 * PEAK < np.abs(made).max() <= PEAK
    assert np.abs(made[[0, -1]]).max() < PEAK / (EDGE_S * RATE_HZ)
    at = 0
    for frequency, seconds in NOTES[sound]:
        note = made[at : at + round(seconds * RATE_HZ)]
        at += len(note)
        if not frequency:
            assert not note.any()
            continue
        spectrum = np.abs(np.fft.rfft(note, 8 * RATE_HZ))
        assert abs(spectrum.argmax() / 8 - frequency) < 3.0


def test_three_sounds_are_told_apart() -> None:
    """No two share a melody, a length or a loudest frequency."""
    for one, other in combinations(Tone, 2):
        assert NOTES[one] != NOTES[other]
        assert len(samples(one)) != len(samples(other))
        loudest = {np.abs(np.fft.rfft(samples(sound), RATE_HZ)).argmax() for sound in (one, other)}
        assert len(loudest) == 2


def test_sounds_play_in_turn_off_the_gui_thread(preferences: PreferenceStore, run: Run) -> None:
    """In the order in which they were told."""
    played: queue.Queue[tuple[Tone, bool]] = queue.Queue()
    speaker = Speaker(
        preferences, lambda sound: played.put((sound, threading.current_thread() is threading.main_thread()))
    )

    async def work() -> None:
        for sound in Tone:
            speaker.tell(sound)
        heard = [await asyncio.to_thread(played.get, timeout=10) for _ in Tone]
        assert heard == [(sound, False) for sound in Tone]

    run(work())


@pytest.mark.parametrize("error", [OSError("PortAudio library not found"), RuntimeError("no device")])
def test_without_library_or_device_the_bell_rings(preferences: PreferenceStore, run: Run, error: Exception) -> None:
    """On the GUI thread; the device is not asked for again."""
    asked: list[Tone] = []
    rung: list[bool] = []

    def play(sound: Tone) -> None:
        asked.append(sound)
        raise error

    speaker = Speaker(preferences, play, lambda: rung.append(threading.current_thread() is threading.main_thread()))

    async def work() -> None:
        speaker.tell(Tone.DONE)
        await until(lambda: rung, "the bell")
        speaker.tell(Tone.FAILED)
        assert (asked, rung) == ([Tone.DONE], [True, True])

    run(work())


def test_a_sound_may_outlive_its_window(preferences: PreferenceStore) -> None:
    """The thread that plays keeps nothing of Qt: the speaker ends when its window lets go of it."""
    begun, goes_on, ended = threading.Event(), threading.Event(), threading.Event()

    def play(_sound: Tone) -> None:
        begun.set()
        goes_on.wait(10)
        ended.set()
        raise OSError("no device")

    speaker = Speaker(preferences, play)
    alive = weakref.ref(speaker)
    speaker.tell(Tone.DONE)
    assert begun.wait(10)
    del speaker
    gc.collect()
    assert alive() is None
    goes_on.set()
    assert ended.wait(10)


def test_silence_is_silence(preferences: PreferenceStore) -> None:
    """With the preference off nothing is played and nothing rings."""
    heard: list[object] = []
    speaker = Speaker(preferences, heard.append, lambda: heard.append("bell"))
    preferences.set(sounds=False)
    speaker.tell(Tone.FAILED)
    assert (heard, speaker._player.playing) == ([], False)
