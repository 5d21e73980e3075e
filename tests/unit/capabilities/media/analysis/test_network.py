"""The network in memory."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from app.capabilities.media.analysis.features import (
    CHANNELS,
    BlockInputs,
    block_inputs,
    mirrored_inputs,
    network_arrays,
)
from app.capabilities.media.analysis.measure import measure
from app.capabilities.media.analysis.model import NETWORK_FILE
from app.capabilities.media.analysis.network import BlockNetwork
from app.capabilities.media.detectors.quantization import BINS, MODES
from tests.media_model import shared_model
from tests.unit.capabilities.media.detectors.jpeg_pictures import as_jpeg, texture_picture

SHIPPED = Path(__file__).parents[5] / "resources" / "media" / "network.onnx"


def _drawn(rows: int, columns: int) -> BlockInputs:
    drawn = np.random.default_rng(1)
    return BlockInputs(
        drawn.normal(0, 1, (rows, columns, CHANNELS["maps"])).astype(np.float32),
        drawn.integers(0, 64, (rows, columns, CHANNELS["phases"]), np.uint8),
        drawn.normal(0, 1, (rows, columns, CHANNELS["histograms"])).astype(np.float32),
        drawn.integers(0, BINS, (rows, columns, len(MODES)), np.uint8),
        drawn.normal(0, 1, CHANNELS["numbers"]).astype(np.float32),
    )


@pytest.mark.parametrize("shape", [(8, 8), (9, 31), (40, 12), (8, 1)])
def test_any_number_of_blocks_is_read(shape: tuple[int, int]) -> None:
    """One probability for each, one for the image, and after-lives that sum to one."""
    answer = BlockNetwork(SHIPPED.read_bytes()).answer(_drawn(*shape))
    assert answer.heatmap.shape == shape
    assert answer.heatmap.min() >= 0
    assert answer.heatmap.max() <= 1
    assert 0 <= answer.score <= 1
    assert sum(answer.after) == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize("shape", [(8, 8), (9, 31), (1, 5)])
def test_the_answer_is_the_mean_of_all_mirrorings_and_of_nine_blocks(shape: tuple[int, int]) -> None:
    """Of a network that knows neither left nor right: the mean logit of a block and its neighbours, those beyond the
    border mirrored. Its score is that of the image before, since the mean of four equal ones is each of them."""
    inputs = _drawn(*shape)
    logits = network_arrays(inputs)["maps"].mean(axis=2)
    padded = np.pad(logits, 1, mode="symmetric")
    answer = BlockNetwork((shared_model() / NETWORK_FILE).read_bytes()).answer(inputs)
    for row in range(shape[0]):
        for column in range(shape[1]):
            around = padded[row : row + 3, column : column + 3].mean()
            assert answer.heatmap[row, column] == pytest.approx(1 / (1 + np.exp(-around)), abs=1e-5)
    assert answer.score == pytest.approx(1 / (1 + np.exp(-logits.max())), abs=1e-5)
    assert answer.after == (1.0,)


def test_each_mirroring_but_the_first_is_read_without_one_group() -> None:
    """Numbers, histograms and modes are missing once each; the arrays themselves are handed over whole."""
    network, inputs = BlockNetwork((shared_model() / NETWORK_FILE).read_bytes()), _drawn(8, 9)
    session, given = network._session, []

    def run(outputs: list[str], arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
        given.append(arrays)
        return session.run(outputs, arrays)

    network._session = SimpleNamespace(run=run)
    network.answer(inputs)
    missing = [[name for name, kept in zip(CHANNELS, one["kept"][0], strict=True) if not kept] for one in given]
    assert missing == [[], ["numbers"], ["histograms"], ["modes"]]
    for axes, one in zip(((), (1,), (2,), (1, 2)), given, strict=True):
        np.testing.assert_array_equal(np.flip(one["maps"], axes)[0], inputs.maps)
        np.testing.assert_array_equal(one["numbers"][0], inputs.numbers)


def test_the_score_is_of_the_readings_with_the_numbers_of_the_image() -> None:
    """The mean of their logits."""
    network, told = BlockNetwork((shared_model() / NETWORK_FILE).read_bytes()), iter([0.5, 0.9, 0.5, 0.8])

    def run(outputs: list[str], arrays: dict[str, np.ndarray]) -> list[np.ndarray]:
        shape = arrays["maps"].shape[:3]
        return [np.full(shape, 0.5, np.float32), np.array([next(told)], np.float32), np.array([[1.0]], np.float32)]

    network._session = SimpleNamespace(run=run)
    assert network.answer(_drawn(8, 9)).score == pytest.approx(1 / (1 + 4 ** (-1 / 3)), abs=1e-5)


def test_a_network_with_other_inputs_is_refused() -> None:
    """Such as one that knows of no missing groups."""
    model = (shared_model() / NETWORK_FILE).read_bytes()
    with pytest.raises(ValueError, match="the network takes"):
        BlockNetwork(model.replace(b"kept", b"held"))


@pytest.mark.parametrize("axis", [0, 1])
def test_a_mirrored_image_is_answered_alike(axis: int) -> None:
    """Its heatmap is the mirrored one, but for what its border does not tell; score and life stay."""
    network = BlockNetwork(SHIPPED.read_bytes())
    inputs = block_inputs(measure(as_jpeg(texture_picture(4, 200, 248), 80), ()))
    seen, turned = network.answer(inputs), network.answer(mirrored_inputs(inputs, axis))
    assert np.abs(np.flip(turned.heatmap, axis) - seen.heatmap).mean() < 0.005
    assert turned.score == pytest.approx(seen.score, abs=0.02)
    assert turned.after == pytest.approx(seen.after, abs=0.02)


@pytest.mark.parametrize("model", [b"", b"no network", bytes(1000)])
def test_other_bytes_are_refused(model: bytes) -> None:
    """With the reason."""
    with pytest.raises(ValueError, match="no network that ONNX Runtime reads"):
        BlockNetwork(model)
