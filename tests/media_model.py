"""A model for media scans that nobody trained: the shapes of the real one, and a heatmap that the maps' mean makes.

It is written as an ONNX file by hand, since no library that the program has writes one.
"""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from pathlib import Path
from typing import Final

import msgspec

from app.capabilities.media.analysis.features import CHANNELS, KEPT
from app.capabilities.media.analysis.model import FACTS_FILE, NETWORK_FILE, ModelFacts

VERSION: Final = "untrained-1"
_FLOAT: Final = 1
_INTS, _INT = 7, 2


@functools.cache
def shared_model() -> Path:
    """One for all tests of this process."""
    place = Path(tempfile.mkdtemp(prefix="arc-media-model-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    return untrained_model(place / "model")


def untrained_model(directory: Path) -> Path:
    """Writes the model's files into the directory, which is made; gives it back."""
    directory.mkdir(parents=True)
    (directory / NETWORK_FILE).write_bytes(_network())
    facts = ModelFacts(
        version=VERSION,
        floor=0.6,
        share=0.5,
        after_lives=("png",),
        scores={"png": tuple(number / 300 for number in range(300))},
        strengths={},
    )
    (directory / FACTS_FILE).write_bytes(msgspec.json.encode(facts))
    return directory


def _network() -> bytes:
    """``ModelProto`` of onnx.proto3: ir_version 8, opset 17."""
    nodes = [
        _node("ReduceMean", "maps", "mean", axes=[3], keepdims=0),
        _node("Sigmoid", "mean", "heatmap"),
        _node("ReduceMax", "heatmap", "score", axes=[1, 2], keepdims=0),
        _node("ReduceMean", "numbers", "number", axes=[1], keepdims=1),
        _node("Softmax", "number", "after"),
    ]
    inputs = [_value(name, ["b", *([] if name == "numbers" else ["r", "c"]), last]) for name, last in CHANNELS.items()]
    inputs.append(_value(KEPT, ["b", len(CHANNELS)]))
    outputs = [_value("heatmap", ["b", "r", "c"]), _value("score", ["b"]), _value("after", ["b", 1])]
    graph = b"".join(_bytes(1, node) for node in nodes) + _bytes(2, b"untrained")
    graph += b"".join(_bytes(11, one) for one in inputs) + b"".join(_bytes(12, one) for one in outputs)
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 17))


def _node(kind: str, source: str, target: str, **attributes: list[int] | int) -> bytes:
    """``NodeProto``."""
    parts = _bytes(1, source.encode()) + _bytes(2, target.encode()) + _bytes(4, kind.encode())
    for name, value in attributes.items():
        said = _bytes(1, name.encode())
        if isinstance(value, int):
            said += _number(3, value) + _number(20, _INT)
        else:
            said += b"".join(_number(8, one) for one in value) + _number(20, _INTS)
        parts += _bytes(5, said)
    return parts


def _value(name: str, shape: list[str | int]) -> bytes:
    """``ValueInfoProto`` of a tensor of floats."""
    dims = b"".join(_bytes(1, _number(1, one) if isinstance(one, int) else _bytes(2, one.encode())) for one in shape)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, _number(1, _FLOAT) + _bytes(2, dims)))


def _bytes(field: int, data: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(data)) + data


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
