"""The tensors of a network that was exported as ONNX, read without its library."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

Weights = Mapping[str, npt.NDArray[np.float32]]

_GRAPH: Final = 7
_INITIALIZER: Final = 5
_DIMS, _NAME, _RAW = 1, 8, 9
_VARINT, _LONG, _BYTES, _SHORT = 0, 1, 2, 5


def weights_of(model: bytes) -> Weights:
    """The float tensors of an ONNX file by name, in the file's order (``ModelProto`` of onnx.proto3). Tensors whose
    bytes are not 32 bits for each number are of another type and left out. ValueError where there is no graph."""
    graph = next((value for field, value in _fields(model) if field == _GRAPH), None)
    if graph is None:
        raise ValueError("no graph")
    found: dict[str, npt.NDArray[np.float32]] = {}
    for field, tensor in _fields(graph):
        if field != _INITIALIZER or not isinstance(tensor, bytes):
            continue
        parts = list(_fields(tensor))
        name, raw = (
            [value for key, value in parts if key == wanted and isinstance(value, bytes)] for wanted in (_NAME, _RAW)
        )
        dims = [value for key, value in parts if key == _DIMS and isinstance(value, int)]
        if raw and len(raw[0]) == 4 * math.prod(dims):
            found[name[0].decode()] = np.frombuffer(raw[0], "<f4").reshape(dims)
    return found


def _fields(message: bytes | int) -> Iterator[tuple[int, bytes | int]]:
    """Number and value of each field of a protobuf message; ValueError for what is none."""
    if isinstance(message, int):
        raise ValueError("a number is no message")
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            number, at = _varint(message, at)
            yield key >> 3, number
            continue
        if kind == _BYTES:
            size, at = _varint(message, at)
        elif kind in (_LONG, _SHORT):
            size = 8 if kind == _LONG else 4
        else:
            raise ValueError(f"field of kind {kind}")
        yield key >> 3, message[at : at + size]
        at += size


def _varint(message: bytes, at: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = message[at]
        at += 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, at
