"""A sound library in memory, in the form of ``sounddevice``: what is spoken into it is given, and it keeps what is
played."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from app.console.devices.training_voice import drawn_speech

FloatArray = npt.NDArray[np.float32]
BLOCK = 1_024


def speech(seconds: float, seed: int = 11, pitch_hz: float = 112.0) -> FloatArray:
    """Speech-like sound of 48 kHz that nobody spoke."""
    return drawn_speech(seed, pitch_hz, 1.0, seconds)


class _Feed:
    """Calls ``work`` once on a thread of its own, as PortAudio does."""

    def __init__(self, work: Callable[[threading.Event], None]) -> None:
        self.ended = threading.Event()
        self._thread = threading.Thread(target=work, args=(self.ended,), daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def close(self) -> None:
        """End."""
        self.ended.set()
        self._thread.join()


class VirtualSound:
    """``sound``: float32 (n,) of ``rate``, delivered as fast as it is taken; ``channels`` of the device, of which it
    opens none but all if ``stubborn``."""

    def __init__(self, sound: FloatArray, *, rate: int = 48_000, channels: int = 1, stubborn: bool = False) -> None:
        self.sound, self.rate, self.channels, self.stubborn = sound, rate, channels, stubborn
        self.open = 0
        """Streams that are not closed."""
        self.status: object = None
        """What the library says of each block."""
        self.played = np.zeros(0, np.float32)
        self.unplugged = False
        """Whether the device falls silent after its sound; one that is there goes on delivering, be it nothing."""
        self.ready = threading.Event()
        """Whether the sound system opens a stream; it waits for that."""
        self.ready.set()
        self.opened = 0
        self.closed = 0
        """Streams that were opened, and that were closed."""

    def query_devices(self) -> Sequence[Mapping[str, Any]]:
        """A loudspeaker and a microphone."""
        rate = float(self.rate)
        return [
            {"name": "Loudspeaker", "max_input_channels": 0, "max_output_channels": 2, "default_samplerate": rate},
            {"name": "Desk", "max_input_channels": self.channels, "max_output_channels": 0, "default_samplerate": rate},
        ]

    def InputStream(self, *, device: int, channels: int, samplerate: int, dtype: str, callback: Any) -> _Feed:
        """Delivers the sound block by block."""
        if self.stubborn and channels != self.channels:
            raise RuntimeError("Invalid number of channels")
        assert (device, samplerate, dtype) == (1, self.rate, "float32")
        self.ready.wait()
        self.opened += 1

        def deliver(ended: threading.Event) -> None:
            self.open += 1
            for at in range(0, len(self.sound), BLOCK):
                if ended.is_set():
                    break
                block = np.repeat(self.sound[at : at + BLOCK, None], channels, axis=1)
                callback(block, len(block), None, self.status)
            while not ended.wait(0.02):
                if not self.unplugged:
                    callback(np.zeros((0, channels), np.float32), 0, None, None)
            self.open -= 1
            self.closed += 1

        return _Feed(deliver)

    def OutputStream(self, *, channels: int, samplerate: int, dtype: str, callback: Any) -> _Feed:
        """Takes what is played as fast as it comes."""
        assert (channels, dtype) == (1, "float32")

        def take(ended: threading.Event) -> None:
            while not ended.wait(0.001):
                block = np.ones((BLOCK, 1), np.float32)
                callback(block, BLOCK, None, None)
                self.played = np.concatenate([self.played, block[:, 0]])

        return _Feed(take)
