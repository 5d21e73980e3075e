"""TRAINING: a microphone that nobody speaks into. Its voices are drawn by numbers and are those of no person.

Vowels are sums of harmonics under moving resonances, consonants are bursts of noise; between the words is a pause, and
under all of it the noise of a quiet room. A check should call it synthetic: it is. The module has the form of
``sounddevice``, as far as ``devices/microphone.py`` uses it, and delivers its blocks in real time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from app.console.language import tr

FloatArray = npt.NDArray[np.float32]
Callback = Callable[[FloatArray, int, object, object], None]

RATE = 48_000
BLOCK = 1_200
"""Samples of a block: 25 ms."""
SPOKEN_S = 12.0
"""What is drawn; after it the voice begins again."""
VOICES: Mapping[str, tuple[int, float, float]] = {
    tr("TRAINING: low"): (11, 112.0, 1.0),
    tr("TRAINING: high"): (23, 205.0, 1.16),
}
"""Seed, middle of the pitch in Hz, and size of the resonances."""
_VOWELS = ((730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240), (530, 1840, 2480), (570, 840, 2410))
"""Resonances in Hz (Peterson and Barney, J. Acoust. Soc. Am. 24, 1952)."""
_WIDTHS = np.array((80.0, 100.0, 130.0))
"""Of the resonances, Hz."""
_HARMONICS = 40


def drawn_speech(seed: int, pitch_hz: float, size: float, seconds: float = SPOKEN_S) -> FloatArray:
    """Speech-like sound of ``RATE``, float32, full scale 1.0, peaks near 0.4."""
    draws = np.random.default_rng(seed)
    steps = round(seconds * 100)
    pitch, gain, hiss = np.zeros(steps), np.zeros(steps), np.zeros(steps)
    tracks = np.zeros((steps, 3))
    at = 20
    before = np.array(_VOWELS[0], float)
    while at < steps - 40:
        for _ in range(int(draws.integers(2, 4))):
            burst, long = int(draws.integers(4, 8)), int(draws.integers(14, 26))
            end = min(at + burst + long, steps)
            hiss[at : at + burst] = 0.05 * np.hanning(burst + 2)[1:-1]
            goal = np.array(_VOWELS[int(draws.integers(len(_VOWELS)))], float) * size
            share = np.linspace(0, 1, end - at)[:, None]
            tracks[at:end] = before + (goal - before) * share
            fall = np.linspace(1.1, 0.88, end - at) * draws.uniform(0.93, 1.07)
            pitch[at:end] = pitch_hz * fall * (1 + 0.006 * draws.standard_normal(end - at))
            gain[at + burst : end] = np.hanning(end - at - burst + 2)[1:-1] ** 0.5
            before = goal
            at = end
            if at > steps - 40:
                break
        at += int(draws.integers(18, 30))
    return _sound(draws, pitch, gain, hiss, tracks)


def _sound(
    draws: np.random.Generator,
    pitch: npt.NDArray[np.float64],
    gain: npt.NDArray[np.float64],
    hiss: npt.NDArray[np.float64],
    tracks: npt.NDArray[np.float64],
) -> FloatArray:
    """The sound of steps of 10 ms: pitch in Hz, gains 0..1, and resonances in Hz (steps, 3)."""
    count = len(pitch) * RATE // 100
    grid, places = np.arange(count) * 100 / RATE, np.arange(len(pitch))
    phase = 2 * np.pi * np.cumsum(np.interp(grid, places, pitch)) / RATE
    voice, wave = np.zeros(count, np.float32), np.ones(count, np.complex64)
    turn = np.exp(1j * phase).astype(np.complex64)
    for number in range(1, _HARMONICS + 1):
        tone, middle = number * pitch[:, None], np.maximum(tracks, 1)
        # Three resonators of the second order, one after the other.
        response = np.prod(1 / np.hypot(1 - (tone / middle) ** 2, tone * _WIDTHS / middle**2), axis=1)
        level = np.where(tone[:, 0] < 7_000, gain * response / number**0.5, 0)
        wave *= turn
        voice += np.interp(grid, places, level).astype(np.float32) * wave.imag
    voice *= 0.4 / max(float(np.abs(voice).max()), 1e-9)
    noise = draws.standard_normal(count).astype(np.float32)
    found: FloatArray = voice + noise * (np.interp(grid, places, hiss) + 0.0006).astype(np.float32)
    return found


class _Stream:
    """Calls ``callback`` once a block, in real time, until it is closed."""

    def __init__(self, step: Callable[[int], None], rate: int) -> None:
        self._step = step
        self._block_s = BLOCK / rate
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._work, name="training voice", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def _work(self) -> None:
        begun = time.monotonic()
        number = 0
        while not self._ended.wait(max(0.0, begun + (number + 1) * self._block_s - time.monotonic())):
            self._step(number)
            number += 1

    def close(self) -> None:
        """End; returns when the last block was delivered."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()


class TrainingVoice:
    """A library of two microphones, and of a loudspeaker that nobody hears."""

    def query_devices(self) -> Sequence[Mapping[str, Any]]:
        """The drawn voices."""
        return [
            {"name": name, "max_input_channels": 1, "max_output_channels": 0, "default_samplerate": float(RATE)}
            for name in VOICES
        ]

    def InputStream(self, *, device: int, callback: Callback, **_how: Any) -> _Stream:
        """The voice of that number, from its begin."""
        speech = drawn_speech(*list(VOICES.values())[device])

        def step(number: int) -> None:
            at = number * BLOCK % (len(speech) - BLOCK)
            callback(speech[at : at + BLOCK, None], BLOCK, None, None)

        return _Stream(step, RATE)

    def OutputStream(self, *, samplerate: int, callback: Callback, **_how: Any) -> _Stream:
        """Takes what is played."""
        block = np.zeros((BLOCK, 1), np.float32)
        return _Stream(lambda _number: callback(block, BLOCK, None, None), samplerate)
