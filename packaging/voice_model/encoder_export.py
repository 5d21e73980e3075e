"""Writes the speaker network as ONNX, from the checkpoint inside the wheel of Resemblyzer 0.1.4 (Apache-2.0).

    python -m voice_model.encoder_export --checkpoint .../resemblyzer/pretrained.pt --out encoder.onnx

The graph is written node by node: three LSTM layers, their means over time, and the linear layer. Weights are float16
and cast at the start, which halves the file. PyTorch is not needed.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from app.capabilities.voice.speaker.encoder import LAYER_MEANS, VECTOR, WINDOW_FRAMES
from app.capabilities.voice.speaker.mel import BANDS
from voice_model.checkpoint import Weights, read_checkpoint

LAYERS: Final = 3
HIDDEN: Final = 256
_OPSET: Final = 17


def gates(weights: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Rows of an LSTM's four gates from PyTorch's order (input, forget, cell, output) to ONNX's (input, output, forget,
    cell)."""
    into, forget, cell, out = np.split(weights, 4)
    return np.concatenate([into, out, forget, cell])


def encoder_model(weights: Weights) -> onnx.ModelProto:
    """The graph: ``mel`` (n, 160, 40) to ``vector`` (n, 256) and ``layer_means`` (n, 768)."""
    nodes: list[onnx.NodeProto] = []
    stored: list[onnx.TensorProto] = []

    def half(name: str, values: npt.NDArray[np.float32]) -> str:
        stored.append(numpy_helper.from_array(values.astype(np.float16), f"{name}_half"))
        nodes.append(helper.make_node("Cast", [f"{name}_half"], [name], to=TensorProto.FLOAT))
        return name

    def indices(name: str, *values: int) -> str:
        stored.append(numpy_helper.from_array(np.array(values, np.int64), name))
        return name

    directions = indices("directions", 1)
    nodes.append(helper.make_node("Transpose", ["mel"], ["sequence_0"], perm=[1, 0, 2]))
    for layer in range(LAYERS):
        named = f"layer_{layer}"
        given = {part: weights[f"lstm.{part}_l{layer}"] for part in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
        bias = np.concatenate([gates(given["bias_ih"]), gates(given["bias_hh"])])
        inputs = [
            f"sequence_{layer}",
            half(f"{named}_w", gates(given["weight_ih"])[None]),
            half(f"{named}_r", gates(given["weight_hh"])[None]),
            half(f"{named}_b", bias[None]),
        ]
        outputs = [f"{named}_all", f"{named}_last"]
        nodes.append(helper.make_node("LSTM", inputs, outputs, hidden_size=HIDDEN))
        nodes.append(helper.make_node("Squeeze", [f"{named}_all", directions], [f"sequence_{layer + 1}"]))
        nodes.append(helper.make_node("ReduceMean", [f"sequence_{layer + 1}"], [f"{named}_mean"], axes=[0], keepdims=0))
    means = [f"layer_{layer}_mean" for layer in range(LAYERS)]
    nodes.append(helper.make_node("Concat", means, ["layer_means"], axis=1))
    nodes.append(helper.make_node("Squeeze", [f"layer_{LAYERS - 1}_last", indices("first", 0)], ["hidden"]))
    linear = [half("linear_w", weights["linear.weight"]), half("linear_b", weights["linear.bias"])]
    nodes.append(helper.make_node("Gemm", ["hidden", *linear], ["raw"], transB=1))
    nodes.append(helper.make_node("Relu", ["raw"], ["positive"]))
    nodes.append(helper.make_node("LpNormalization", ["positive"], ["vector"], axis=1, p=2))
    graph = helper.make_graph(
        nodes,
        "speaker",
        [helper.make_tensor_value_info("mel", TensorProto.FLOAT, ["n", WINDOW_FRAMES, BANDS])],
        [
            helper.make_tensor_value_info("vector", TensorProto.FLOAT, ["n", VECTOR]),
            helper.make_tensor_value_info("layer_means", TensorProto.FLOAT, ["n", LAYER_MEANS]),
        ],
        stored,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return model


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    chosen = parser.parse_args()
    chosen.out.write_bytes(encoder_model(read_checkpoint(chosen.checkpoint)).SerializeToString())


if __name__ == "__main__":
    main()
