"""From bands to one vector of a speaker: windows of 1.6 s, and their mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.analysis.speech import kept_frames, levels_of_magnitudes, speech_mask, speech_of_levels
from app.capabilities.voice.matrix import HOP, SAMPLE_RATE, Samples, wipe
from app.capabilities.voice.speaker.encoder import LAYER_MEANS, VECTOR, WINDOW_FRAMES, SpeakerEncoder
from app.capabilities.voice.speaker.mel import BANDS, Mel, mel_of_magnitudes, mel_of_wave

EMBEDDING: Final = VECTOR + LAYER_MEANS
"""Numbers of an embedding: the mean d-vector, brought to length 1, and the mean of the layer means."""
Embedding = npt.NDArray[np.float32]
"""Shape (1024,), or (n, 1024) for several."""
HOP_FRAMES: Final = 60
"""Most frames between the beginnings of windows: 0.6 s."""


FEWEST_FRAMES: Final = 50
"""Of speech: where the pauses leave less than half a second, the take is read as it is."""


@dataclass(frozen=True)
class SpeakerWindows:
    """What the network made of a take. ``embeddings``: (n, 1024), one for each window; ``spans``: their first and last
    second in the take as it came, pauses included."""

    embeddings: Embedding
    spans: tuple[tuple[float, float], ...]


def windows_of_wave(encoder: SpeakerEncoder, wave: Samples) -> SpeakerWindows:
    """Of a waveform (n,), n >= 160, without its pauses."""
    blocks = wave[: len(wave) // HOP * HOP].reshape(-1, HOP)
    kept = _frames_to_read(speech_mask(wave))
    spoken = blocks[kept].reshape(-1)
    mel = mel_of_wave(spoken)
    found = SpeakerWindows(embed_windows(encoder, mel), _spans(kept, len(mel)))
    wipe(spoken, mel)
    return found


def windows_of_magnitudes(encoder: SpeakerEncoder, magnitudes: Mel) -> SpeakerWindows:
    """Of magnitudes (T, 257), T >= 1, without the pauses."""
    kept = _frames_to_read(speech_of_levels(levels_of_magnitudes(magnitudes)))
    spoken = magnitudes[kept]
    mel = mel_of_magnitudes(spoken)
    found = SpeakerWindows(embed_windows(encoder, mel), _spans(kept, len(mel)))
    wipe(spoken, mel)
    return found


def _frames_to_read(speech: npt.NDArray[np.bool_]) -> npt.NDArray[np.intp]:
    """The frames that are read: speech and the short ends of pauses, or all where that is too little."""
    kept = np.flatnonzero(kept_frames(speech))
    return kept if len(kept) >= FEWEST_FRAMES else np.arange(len(speech))


def _spans(kept: npt.NDArray[np.intp], frames: int) -> tuple[tuple[float, float], ...]:
    last = len(kept) - 1
    second = HOP / SAMPLE_RATE
    return tuple(
        (float(kept[min(start, last)]) * second, float(kept[min(start + WINDOW_FRAMES - 1, last)] + 1) * second)
        for start in window_starts(frames)
    )


def window_starts(frames: int) -> tuple[int, ...]:
    """Where the windows begin, so that they are evenly spread from the first frame to the last, at most ``HOP_FRAMES``
    apart. One at 0 where there is not more than one window's worth."""
    spare = frames - WINDOW_FRAMES
    if spare <= 0:
        return (0,)
    steps = -(-spare // HOP_FRAMES)
    return tuple(round(step * spare / steps) for step in range(steps + 1))


def embed_windows(encoder: SpeakerEncoder, mel: Mel) -> Embedding:
    """The embedding of each window, shape (len(window_starts(T)), 1024). A take shorter than a window is repeated until
    it fills one: zeros would be read as a sound that stops."""
    starts = window_starts(len(mel))
    if len(mel) < WINDOW_FRAMES:
        windows = np.resize(mel, (1, WINDOW_FRAMES, BANDS))
    else:
        windows = np.stack([mel[start : start + WINDOW_FRAMES] for start in starts])
    embedding = np.concatenate(encoder.embed(windows), axis=1)
    wipe(windows)
    return embedding


def mean_embedding(windows: Embedding) -> Embedding:
    """One embedding (1024,) of all windows (n, 1024), of one take or of several."""
    mean = windows.mean(axis=0)
    mean[:VECTOR] /= np.linalg.norm(mean[:VECTOR])
    return np.asarray(mean, np.float32)
