"""Reads the checkpoint inside the wheel of Resemblyzer 0.1.4 without PyTorch and without running what it says.

It is a pickle of PyTorch's older format (before 1.6). The unpickler knows five names, which stand for tensors, and
refuses all others.
"""

from __future__ import annotations

import pickle
import struct
from collections import OrderedDict
from hashlib import sha256
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import numpy.typing as npt

CHECKPOINT_SHA256: Final = "39373b86598fa3da9fcddee6142382efe09777e8d37dc9c0561f41f0070f134e"
"""Of ``resemblyzer/pretrained.pt`` in Resemblyzer-0.1.4-py3-none-any.whl."""
_MAGIC: Final = 0x1950A86A20F9469CFC6C
_PROTOCOL: Final = 1001
_STORAGES: Final = {
    "FloatStorage": np.dtype("<f4"),
    "DoubleStorage": np.dtype("<f8"),
    "LongStorage": np.dtype("<i8"),
}

Weights = dict[str, npt.NDArray[np.float32]]


class _Storage:
    """One run of numbers of the checkpoint; its bytes come after the pickles."""

    def __init__(self, dtype: np.dtype[Any]) -> None:
        self.dtype = dtype
        self.numbers: npt.NDArray[Any] = np.zeros(0, dtype)


class _Slice:
    """A tensor as the checkpoint tells it: a view into a storage."""

    def __init__(self, storage: _Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.storage, self.offset, self.shape, self.strides = storage, offset, shape, strides

    def array(self) -> npt.NDArray[np.float32]:
        """The numbers. Raises ``ValueError`` where the view leaves its storage."""
        numbers, size = self.storage.numbers, self.storage.dtype.itemsize
        last = self.offset + sum((length - 1) * step for length, step in zip(self.shape, self.strides, strict=True))
        if self.offset < 0 or min((0, *self.strides)) < 0 or last >= len(numbers):
            raise ValueError("a tensor of the checkpoint lies outside its storage")
        view = np.lib.stride_tricks.as_strided(
            numbers[self.offset :], self.shape, tuple(step * size for step in self.strides)
        )
        return np.array(view, np.float32)


def _rebuild(storage: object, offset: int, shape: tuple[int, ...], strides: tuple[int, ...], *_: object) -> _Slice:
    if not isinstance(storage, _Storage):
        raise pickle.UnpicklingError("a tensor without a storage")
    return _Slice(storage, offset, tuple(shape), tuple(strides))


class CheckpointReader(pickle.Unpickler):
    """Refuses every name but those of tensors."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__(file, encoding="utf-8")
        self.storages: dict[str, _Storage] = {}

    def find_class(self, module: str, name: str) -> Any:
        """The five names; ``UnpicklingError`` for all others."""
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) == ("torch._utils", "_rebuild_tensor_v2"):
            return _rebuild
        if module == "torch" and name in _STORAGES:
            return _STORAGES[name]
        raise pickle.UnpicklingError(f"the checkpoint names {module}.{name}")

    def persistent_load(self, pid: Any) -> _Storage:
        """A storage that a tensor lies in: ("storage", type, key, device, count, view)."""
        if not isinstance(pid, tuple) or len(pid) != 6 or pid[0] != "storage" or pid[5] is not None:
            raise pickle.UnpicklingError("the checkpoint holds something that is no storage")
        return self.storages.setdefault(pid[2], _Storage(pid[1]))


def read_checkpoint(path: Path) -> Weights:
    """The network's weights by their names. Raises ``ValueError`` or ``pickle.UnpicklingError`` for another file."""
    if sha256(path.read_bytes()).hexdigest() != CHECKPOINT_SHA256:
        raise ValueError(f"{path} is not the checkpoint of Resemblyzer 0.1.4")
    with path.open("rb") as file:
        if CheckpointReader(file).load() != _MAGIC or CheckpointReader(file).load() != _PROTOCOL:
            raise ValueError("no checkpoint of PyTorch's older format")
        CheckpointReader(file).load()
        reader = CheckpointReader(file)
        content = reader.load()
        for key in CheckpointReader(file).load():
            storage = reader.storages[key]
            (count,) = struct.unpack("<q", file.read(8))
            storage.numbers = np.frombuffer(file.read(count * storage.dtype.itemsize), storage.dtype)
    return {name: tensor.array() for name, tensor in content["model_state"].items()}
