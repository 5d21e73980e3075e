"""One recording while it is made and shown: at most half a minute at 16 kHz in one buffer, overwritten when it goes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.analysis.quality import VoiceQuality, quality_of
from app.capabilities.voice.analysis.resonance import formant_tracks, pitch_track
from app.capabilities.voice.analysis.speech import seconds_of, speech_mask
from app.capabilities.voice.matrix import BINS, HOP, MAX_SAMPLES, SAMPLE_RATE, WINDOW, magnitudes_of
from app.client.voice_recording import SHORTEST_S, FloatArray, Resampler

SILENT_DB = -96.0
"""Level of silence, dB of full scale: 16 bits know none lower."""
CLIPPED = 0.999
"""Of full scale: a sample that high was cut off."""


def level_db(wave: FloatArray) -> float:
    """Root mean square of ``wave`` (n,), dB of full scale, ``SILENT_DB`` at least."""
    power = float(np.mean(np.square(wave, dtype=np.float64))) if len(wave) else 0.0
    return max(SILENT_DB, 10 * math.log10(power)) if power > 0 else SILENT_DB


@dataclass(frozen=True)
class HeardSpeech:
    """What a recording holds, by the functions that the service judges with. ``pitch`` (T,) and ``formants`` (T, 3) in
    Hz each 10 ms, NaN where there are none."""

    quality: VoiceQuality
    speech_s: float
    pitch: FloatArray
    formants: FloatArray


def hear(wave: FloatArray) -> HeardSpeech:
    """Work it out for a copy of a recording, which is overwritten after that. Blocks for some 10 ms a second of it; any
    thread."""
    try:
        speech_s = seconds_of(speech_mask(wave))
        return HeardSpeech(quality_of(wave), speech_s, pitch_track(wave), formant_tracks(wave))
    finally:
        wave[:] = 0


class VoiceCapture:
    """Takes samples until it is full or wiped."""

    def __init__(self) -> None:
        self._buffer = np.zeros(MAX_SAMPLES, np.float32)
        self._count = 0
        self._resampler: Resampler | None = None
        self._shown = 0
        self.level = SILENT_DB
        """Of what was taken last, dB of full scale."""
        self.clipped = False
        """Whether a sample of what was taken last is cut off."""

    @property
    def seconds(self) -> float:
        """Length of what is there."""
        return self._count / SAMPLE_RATE

    @property
    def full(self) -> bool:
        """Whether nothing more is taken."""
        return self._count == MAX_SAMPLES

    @property
    def usable(self) -> bool:
        """Whether it is long enough to be judged at all."""
        return self.seconds >= SHORTEST_S

    @property
    def wave(self) -> FloatArray:
        """A copy of what is there, 16 kHz. It belongs to the caller, who wipes it."""
        return self._buffer[: self._count].copy()

    def begin(self, rate: int) -> None:
        """Begin anew with blocks of ``rate`` samples a second."""
        self.wipe()
        self._resampler = Resampler(rate) if rate != SAMPLE_RATE else None

    def push(self, block: FloatArray) -> None:
        """Take the next block, which is overwritten."""
        if len(block):
            self.level = level_db(block)
            self.clipped = bool(np.abs(block).max() >= CLIPPED)
        self._append(block if self._resampler is None else self._resampler.push(block))
        block[:] = 0

    def end(self) -> None:
        """No more blocks come."""
        if self._resampler is not None:
            self._append(self._resampler.finish())
            self._resampler = None

    def take(self, wave: FloatArray) -> None:
        """Begin anew with a whole recording of 16 kHz, which is overwritten."""
        self.begin(SAMPLE_RATE)
        self.push(wave)

    def _append(self, wave: FloatArray) -> None:
        room = wave[: MAX_SAMPLES - self._count]
        self._buffer[self._count : self._count + len(room)] = room
        self._count += len(room)
        wave[:] = 0

    def new_magnitudes(self) -> npt.NDArray[np.float32]:
        """Magnitudes (frames, bins) of the 10 ms that came since the last call; none while less than a window came."""
        begin = self._shown * HOP
        frames = (self._count - begin - WINDOW) // HOP + 1
        if frames <= 0:
            return np.zeros((0, BINS), np.float32)
        self._shown += frames
        return magnitudes_of(self._buffer[begin : begin + WINDOW + (frames - 1) * HOP])

    def wipe(self) -> None:
        """Overwrite everything."""
        if self._resampler is not None:
            self._resampler.wipe()
            self._resampler = None
        self._buffer[: self._count] = 0
        self._count = self._shown = 0
        self.level, self.clipped = SILENT_DB, False
