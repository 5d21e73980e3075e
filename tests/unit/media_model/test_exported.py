"""Tensors of an exported network, read from its file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from app.capabilities.media.analysis.features import CHANNELS
from media_model.exported import weights_of
from tests.media_model import shared_model

SHIPPED = Path(__file__).parents[3] / "resources" / "media" / "network.onnx"


def test_the_tensors_of_the_shipped_network_are_read() -> None:
    """In the order of the layers, with the shapes that they have to have."""
    weights = weights_of(SHIPPED.read_bytes())
    groups = [values.shape[0] for name, values in weights.items() if name.startswith("onnx::MatMul")]
    assert groups == list(CHANNELS.values())
    kernels = [values.shape for name, values in weights.items() if name.startswith("onnx::Conv") and values.ndim == 4]
    width = weights["inner.logit.weight"].shape[1]
    assert [shape[2:] for shape in kernels] == [(1, 1)] + [(3, 3)] * (len(kernels) - 1)
    assert {shape[0] for shape in kernels} == {width}
    assert all(np.isfinite(values).all() for values in weights.values())


def test_tensors_are_those_of_the_file() -> None:
    """Each one's bytes stand in it, and together they are nearly all of it."""
    model = SHIPPED.read_bytes()
    weights = weights_of(model)
    assert all(values.astype("<f4").tobytes() in model for values in weights.values())
    assert 0.9 * len(model) < sum(values.nbytes for values in weights.values()) < len(model)


def test_a_network_without_tensors_has_none() -> None:
    """It is no error."""
    assert weights_of((shared_model() / "network.onnx").read_bytes()) == {}


@pytest.mark.parametrize("model", [b"", bytes([0x0B, 1])])
def test_what_is_no_network_is_refused(model: bytes) -> None:
    """Without a graph, or with a field of a kind that there is not."""
    with pytest.raises(ValueError, match=r"no graph|field of kind"):
        weights_of(model)
