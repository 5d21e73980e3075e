"""Microphones and loudspeakers of this machine: blocks of sound come in while one is open, a recording is played back.

Qt's essentials have no audio: PortAudio does it, by ``sounddevice``, each device at its own rate. Its library is
imported with the first list of devices. All calls here may block on the sound system: they belong on a thread. Blocks
arrive on a thread of PortAudio's own and wait here until somebody takes them; what waits is overwritten when the
microphone is closed.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from app.console.language import tr

FloatArray = npt.NDArray[np.float32]

WAITING_S = 10.0
"""Of sound that nobody takes; then the microphone counts as broken: a gap would be taken for speech that was cut."""
GONE_S = 5.0
"""Without a block after which the device counts as gone: the library says nothing of one that was unplugged."""
NO_LIBRARY = tr(
    "The sound library PortAudio is not on this machine. Install the Debian package libportaudio2 and "
    "start the console again. A recording can be opened or dropped all the same."
)
NO_MICROPHONE = tr(
    "This machine has no microphone. Plug one in and start the console again, or open a file of a recording."
)


class SoundTrouble(Exception):
    """Why no sound comes in or goes out, in a sentence for people."""


class SoundStream(Protocol):
    """A stream of ``sounddevice``: its callback is called from ``start`` to ``close``."""

    def start(self) -> None:
        """Begin. Raises what the library raises."""
        ...

    def close(self) -> None:
        """End; the callback is not called any more."""
        ...


class SoundLibrary(Protocol):
    """What is used of ``sounddevice``; the training voice has the same form."""

    def query_devices(self) -> Sequence[Mapping[str, Any]]:
        """Every device: ``name``, ``max_input_channels``, ``max_output_channels``, ``default_samplerate``."""
        ...

    @property
    def InputStream(self) -> Callable[..., SoundStream]:
        """Makes a stream of blocks of a device."""
        ...

    @property
    def OutputStream(self) -> Callable[..., SoundStream]:
        """Makes a stream of blocks to a device."""
        ...


@dataclass(frozen=True)
class Microphone:
    """A device that hears. ``rate``: its own, samples a second; ``training``: nobody speaks into it."""

    id: str
    name: str
    rate: int
    training: bool = False


def portaudio() -> SoundLibrary:
    """The library. Raises SoundTrouble where it is not installed."""
    try:
        import sounddevice
    except (OSError, ImportError) as error:
        raise SoundTrouble(NO_LIBRARY) from error
    library: SoundLibrary = sounddevice
    return library


class OpenMicrophone:
    """Hears until it is closed. ``rate``: samples a second of what ``drain`` gives."""

    def __init__(self, library: SoundLibrary, device: int, form: Mapping[str, Any]) -> None:
        """``form``: the device as the library describes it. Raises SoundTrouble."""
        self.rate = round(form["default_samplerate"])
        self.trouble = ""
        """Why it hears no more, in a sentence; empty while it does."""
        self._lock = threading.Lock()
        self._blocks: deque[FloatArray] = deque()
        self._waiting = 0
        self._heard_at = time.monotonic()
        """When the last block came."""
        self._stream = self._open(library, device, int(form["max_input_channels"]))

    def _open(self, library: SoundLibrary, device: int, channels: int) -> SoundStream:
        """With one channel, or with all where the device does not mix them."""
        last: Exception | None = None
        for count in dict.fromkeys((1, channels)):
            try:
                stream = library.InputStream(
                    device=device, channels=count, samplerate=self.rate, dtype="float32", callback=self._take
                )
                stream.start()
            except Exception as error:  # PortAudioError is an Exception of its own
                last = error
            else:
                return stream
        raise SoundTrouble(
            tr("The microphone cannot be opened: {error}. Another program may use it.", error=last)
        ) from last

    def _take(self, block: FloatArray, _frames: int, _time: object, status: object) -> None:
        """Called on the library's thread with float32 (n, channels), which is the library's memory."""
        mono = block.mean(axis=1, dtype=np.float32)
        with self._lock:
            self._blocks.append(mono)
            self._waiting += len(mono)
            self._heard_at = time.monotonic()
            if status:
                self.trouble = tr("The microphone lost sound: this machine was too busy. Speak again.")
            elif self._waiting > WAITING_S * self.rate:
                self.trouble = tr("Sound was not taken in time. Speak again.")

    def drain(self) -> FloatArray:
        """What was heard since the last call, float32 (n,), full scale 1.0. It belongs to the caller, who wipes it."""
        with self._lock:
            blocks, self._blocks, self._waiting = self._blocks, deque(), 0
            if not self.trouble and time.monotonic() - self._heard_at > GONE_S:
                self.trouble = tr(
                    "The microphone gives no sound any more: see whether it is plugged in, then speak again."
                )
        whole = np.concatenate(list(blocks)) if blocks else np.zeros(0, np.float32)
        for block in blocks:
            block[:] = 0
        return whole

    def close(self) -> None:
        """Hear no more; what waits is overwritten."""
        self._stream.close()
        self.drain()[:] = 0


class Playback:
    """Plays a recording of its own copy, which is overwritten when it ends or is closed."""

    def __init__(self, library: SoundLibrary, wave: FloatArray, rate: int) -> None:
        """``wave``: float32 (n,), full scale 1.0. Raises SoundTrouble."""
        self._wave = wave.copy()
        self._rate = rate
        self._at = 0
        try:
            self._stream = library.OutputStream(channels=1, samplerate=rate, dtype="float32", callback=self._give)
            self._stream.start()
        except Exception as error:  # PortAudioError is an Exception of its own
            self._wave[:] = 0
            raise SoundTrouble(tr("The recording cannot be played: {error}.", error=error)) from error

    def _give(self, block: FloatArray, frames: int, _time: object, _status: object) -> None:
        """Called on the library's thread for the next samples."""
        some = self._wave[self._at : self._at + frames]
        block[: len(some), 0] = some
        block[len(some) :] = 0
        self._at += frames

    @property
    def position_s(self) -> float | None:
        """Where it is, seconds; None once it has ended."""
        return None if self._at >= len(self._wave) else self._at / self._rate

    def close(self) -> None:
        """Play no more."""
        self._stream.close()
        self._at = len(self._wave)
        self._wave[:] = 0


class SoundDevices:
    """The devices of this machine, and on a training site those of ``training`` first."""

    def __init__(
        self, load: Callable[[], SoundLibrary] = portaudio, training: Callable[[], SoundLibrary] | None = None
    ) -> None:
        self._load = load
        self._make_training = training
        self._training: SoundLibrary | None = None
        self._found: dict[str, tuple[SoundLibrary, int, Mapping[str, Any]]] = {}
        self._used: SoundLibrary | None = None

    def microphones(self) -> tuple[list[Microphone], str]:
        """Devices that hear, and why this machine has none; the sentence is empty where it has."""
        self._found = {}
        made = []
        trouble = ""
        if self._make_training is not None:
            self._training = self._training or self._make_training()
            made += self._list(self._training, training=True)
        try:
            own = self._list(self._load(), training=False)
            trouble = "" if own else NO_MICROPHONE
            made += own
        except SoundTrouble as error:
            trouble = str(error)
        return made, trouble

    def _list(self, library: SoundLibrary, *, training: bool) -> list[Microphone]:
        """The devices of one library that hear. Raises SoundTrouble."""
        try:
            devices = library.query_devices()
        except Exception as error:  # PortAudioError is an Exception of its own
            raise SoundTrouble(tr("The sound system does not answer: {error}.", error=error)) from error
        made = []
        for number, form in enumerate(devices):
            if form["max_input_channels"] > 0:
                one = Microphone(
                    f"{'training' if training else 'here'}:{number}",
                    str(form["name"]),
                    round(form["default_samplerate"]),
                    training,
                )
                self._found[one.id] = (library, number, form)
                made.append(one)
        return made

    def open(self, microphone: Microphone) -> OpenMicrophone:
        """Begin to hear by a microphone of the last list. Raises SoundTrouble."""
        if microphone.id not in self._found:
            raise SoundTrouble(tr("This microphone is not there any more. Choose another one."))
        self._used, number, form = self._found[microphone.id]
        return OpenMicrophone(self._used, number, form)

    def play(self, wave: FloatArray, rate: int) -> Playback:
        """Play a recording, by the training's loudspeaker where its microphone was used last. Raises SoundTrouble."""
        library = self._used if self._used is not None and self._used is self._training else self._load()
        return Playback(library, wave, rate)
