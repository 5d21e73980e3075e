"""Resemblyzer 0.1.4 itself, on PyTorch: what the speaker score is measured against. For the training's environment."""

from __future__ import annotations

import functools
import warnings

import numpy as np
import numpy.typing as npt

from app.capabilities.voice.matrix import Samples

with warnings.catch_warnings():
    # It imports from places that its libraries have given up since.
    warnings.simplefilter("ignore")
    from resemblyzer import VoiceEncoder, preprocess_wav


@functools.cache
def _encoder() -> VoiceEncoder:
    return VoiceEncoder("cpu", verbose=False)


def peer_embedding(wave: Samples) -> npt.NDArray[np.float32]:
    """Its d-vector (256,) of a waveform at 16 kHz, by its own way: level raised to -30 dBFS, pauses cut by WebRTC's
    detector, windows of 1.6 s. Where that detector hears no speech at all the waveform is taken as it is."""
    spoken = preprocess_wav(wave)
    vector = _encoder().embed_utterance(spoken if len(spoken) else wave)
    return np.asarray(vector, np.float32)
