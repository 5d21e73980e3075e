"""The shipped network gives what PyTorch gives with the same weights."""

from pathlib import Path

import numpy as np
import pytest

from app.capabilities.voice.speaker.encoder import LAYER_MEANS, VECTOR, WINDOW_FRAMES, SpeakerEncoder
from app.capabilities.voice.speaker.mel import BANDS, mel_of_wave
from tests.unit.capabilities.voice.speaker.test_mel import VECTOR as BY_TORCH
from tests.unit.capabilities.voice.speaker.test_mel import vowel

NETWORK = Path(__file__).parents[5] / "resources" / "voice" / "encoder.onnx"


@pytest.fixture(scope="module")
def encoder() -> SpeakerEncoder:
    return SpeakerEncoder(NETWORK.read_bytes())


def test_the_vector_is_resemblyzer_s(encoder: SpeakerEncoder) -> None:
    """To five digits of the cosine: the weights are kept in half precision."""
    vector, _ = encoder.embed(mel_of_wave(vowel())[None, :WINDOW_FRAMES])
    assert float(vector[0] @ np.array(BY_TORCH["vector"])) > 0.99999


def test_the_layer_means_are_pytorch_s(encoder: SpeakerEncoder) -> None:
    """All 768."""
    _, means = encoder.embed(mel_of_wave(vowel())[None, :WINDOW_FRAMES])
    assert means[0] == pytest.approx(BY_TORCH["layer_means"], abs=2e-3)


def test_vectors_have_length_one_and_windows_do_not_touch_each_other(encoder: SpeakerEncoder) -> None:
    """A window alone has the vector that it has among others."""
    mel = mel_of_wave(vowel())[:WINDOW_FRAMES]
    several = np.stack([mel, mel[::-1], mel * 2])
    vectors, means = encoder.embed(np.ascontiguousarray(several))
    assert vectors.shape == (3, VECTOR)
    assert means.shape == (3, LAYER_MEANS)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(np.ones(3), abs=1e-5)
    alone, _ = encoder.embed(several[2:])
    assert alone[0] == pytest.approx(vectors[2], abs=1e-5)


def test_silence_has_a_finite_vector(encoder: SpeakerEncoder) -> None:
    """No length of zero is divided by."""
    vectors, means = encoder.embed(np.zeros((1, WINDOW_FRAMES, BANDS), np.float32))
    assert np.isfinite(vectors).all()
    assert np.isfinite(means).all()


def test_bytes_that_are_no_network_are_refused() -> None:
    """With a sentence of ours."""
    with pytest.raises(ValueError, match="no network that ONNX Runtime reads"):
        SpeakerEncoder(b"no network")


def test_another_network_is_refused() -> None:
    """By its inputs and outputs."""
    media = NETWORK.parents[1] / "media" / "network.onnx"
    with pytest.raises(ValueError, match="the network has"):
        SpeakerEncoder(media.read_bytes())
