"""Microphones and loudspeakers: blocks come in mono and are wiped, and what is missing is said in words."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from app.console.devices import microphone
from app.console.devices.microphone import Microphone, OpenMicrophone, SoundDevices, SoundTrouble, portaudio
from app.console.devices.training_voice import VOICES, TrainingVoice
from tests.console.virtual_sound import VirtualSound, speech

PATIENCE_S = 60.0


def heard(opened: OpenMicrophone, count: int) -> np.ndarray[Any, Any]:
    """What it hears until there are so many samples."""
    found = np.zeros(0, np.float32)
    end = time.monotonic() + PATIENCE_S
    while len(found) < count:
        found = np.concatenate([found, opened.drain()])
        assert time.monotonic() < end, "nothing more is heard"
    return found


def chosen(devices: SoundDevices) -> Microphone:
    """Its first microphone."""
    return devices.microphones()[0][0]


def test_only_devices_that_hear_are_listed_with_their_own_rate() -> None:
    """A loudspeaker is no microphone."""
    found, trouble = SoundDevices(lambda: VirtualSound(speech(1), rate=44_100)).microphones()
    assert [(one.name, one.rate, one.training) for one in found] == [("Desk", 44_100, False)]
    assert trouble == ""


def test_every_sample_comes_in_its_order() -> None:
    """Whatever the blocks are."""
    sound = speech(1.5)
    devices = SoundDevices(lambda: VirtualSound(sound))
    opened = devices.open(chosen(devices))
    try:
        assert np.array_equal(heard(opened, len(sound)), sound)
    finally:
        opened.close()


@pytest.mark.parametrize("stubborn", [False, True])
def test_channels_are_mixed(stubborn: bool) -> None:
    """By the device, or here where it opens with all of its channels alone."""
    sound = speech(1)
    devices = SoundDevices(lambda: VirtualSound(sound, channels=2, stubborn=stubborn))
    opened = devices.open(chosen(devices))
    try:
        assert np.allclose(heard(opened, len(sound)), sound, atol=1e-7)
    finally:
        opened.close()


def test_a_closed_microphone_hears_no_more() -> None:
    """Its stream is closed, and what waited is gone."""
    library = VirtualSound(speech(2))
    devices = SoundDevices(lambda: library)
    opened = devices.open(chosen(devices))
    opened.close()
    assert library.open == 0
    assert len(opened.drain()) == 0


def test_blocks_are_overwritten_when_they_were_taken() -> None:
    """What waited for the page holds no sound afterwards."""
    opened = OpenMicrophone(VirtualSound(np.zeros(0, np.float32)), 1, VirtualSound(speech(1)).query_devices()[1])
    opened._take(np.ones((64, 1), np.float32), 64, None, None)
    waiting = opened._blocks[0]
    assert opened.drain().all()
    assert not waiting.any()
    opened.close()


def test_sound_that_was_lost_is_told() -> None:
    """A gap would be judged as if it had been spoken so."""
    library = VirtualSound(speech(1))
    library.status = "input overflow"
    devices = SoundDevices(lambda: library)
    opened = devices.open(chosen(devices))
    heard(opened, 2_048)
    opened.close()
    assert "too busy" in opened.trouble


def test_sound_that_nobody_takes_is_told() -> None:
    """It waits for ten seconds, and no longer."""
    opened = OpenMicrophone(VirtualSound(np.zeros(0, np.float32)), 1, VirtualSound(speech(1)).query_devices()[1])
    opened._take(np.zeros((480_000, 1), np.float32), 480_000, None, None)
    assert opened.trouble == ""
    opened._take(np.zeros((1, 1), np.float32), 1, None, None)
    assert "in time" in opened.trouble
    opened.close()


def test_a_microphone_that_is_unplugged_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library says nothing of it: what tells is that no block comes, however short."""
    library = VirtualSound(speech(1))
    devices = SoundDevices(lambda: library)
    opened = devices.open(chosen(devices))
    heard(opened, 48_000)
    assert opened.trouble == ""
    monkeypatch.setattr(microphone, "GONE_S", 0.1)
    library.unplugged = True
    end = time.monotonic() + PATIENCE_S
    while not opened.trouble:
        opened.drain()
        assert time.monotonic() < end, "nothing is said of it"
    opened.close()
    assert "plugged in" in opened.trouble


def test_without_portaudio_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The import says OSError where the library is not installed."""

    def missing(name: str, *rest: Any) -> Any:
        if name == "sounddevice":
            raise OSError("PortAudio library not found")
        return real(name, *rest)

    import builtins

    real = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", missing)
    found, trouble = SoundDevices(portaudio).microphones()
    assert found == []
    assert "libportaudio2" in trouble
    assert "dropped" in trouble


def test_without_a_microphone_it_is_said() -> None:
    """And that a file does as well."""

    class Deaf(VirtualSound):
        def query_devices(self) -> Any:
            return super().query_devices()[:1]

    found, trouble = SoundDevices(lambda: Deaf(speech(1))).microphones()
    assert (found, trouble) == ([], microphone.NO_MICROPHONE)


def test_a_microphone_that_cannot_be_opened_says_why() -> None:
    """In the library's words, within a sentence."""

    class Busy(VirtualSound):
        def InputStream(self, **how: Any) -> Any:
            raise RuntimeError("Device unavailable")

    devices = SoundDevices(lambda: Busy(speech(1)))
    with pytest.raises(SoundTrouble, match="Device unavailable"):
        devices.open(chosen(devices))


def test_a_microphone_that_was_unplugged_is_not_opened() -> None:
    """It is not of the last list."""
    with pytest.raises(SoundTrouble, match="not there any more"):
        SoundDevices(lambda: VirtualSound(speech(1))).open(Microphone("here:9", "Old", 48_000))


def test_a_recording_is_played_to_its_end_and_overwritten() -> None:
    """Silence follows it, and the copy that was played is zero."""
    library = VirtualSound(speech(1))
    playing = SoundDevices(lambda: library).play(np.full(5_000, 0.5, np.float32), 16_000)
    end = time.monotonic() + PATIENCE_S
    while playing.position_s is not None:
        assert time.monotonic() < end
    playing.close()
    assert np.array_equal(library.played[:5_000], np.full(5_000, 0.5, np.float32))
    assert not library.played[5_000:].any()
    assert not playing._wave.any()


def test_a_training_site_has_drawn_voices_that_say_so() -> None:
    """Before the microphones of the machine; without PortAudio, too."""

    def none() -> Any:
        raise SoundTrouble(microphone.NO_LIBRARY)

    found, trouble = SoundDevices(none, training=TrainingVoice).microphones()
    assert [one.name for one in found] == list(VOICES)
    assert all(one.training and one.name.startswith("TRAINING") for one in found)
    assert "libportaudio2" in trouble


def test_the_drawn_voice_is_heard_as_it_was_drawn() -> None:
    """Block by block, from its begin."""
    devices = SoundDevices(lambda: VirtualSound(speech(1)), training=TrainingVoice)
    opened = devices.open(chosen(devices))
    found = heard(opened, 4_800)
    opened.close()
    assert np.array_equal(found[:4_800], speech(12.0)[:4_800])
