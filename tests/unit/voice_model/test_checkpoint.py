"""The reader of the checkpoint: tensors come out, and nothing that it names is run."""

import io
import pickle
import struct
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest

from voice_model import checkpoint
from voice_model.checkpoint import CheckpointReader, read_checkpoint


class Opened:
    """What a hostile checkpoint would have called."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (open, ("/dev/null",))


def read(content: bytes) -> object:
    return CheckpointReader(io.BytesIO(content)).load()


@pytest.mark.parametrize("named", [Opened(), pickle.Unpickler, eval])
def test_a_name_that_is_no_tensor_s_is_refused(named: object) -> None:
    with pytest.raises(pickle.UnpicklingError, match="the checkpoint names"):
        read(pickle.dumps(named))


def test_an_ordered_dictionary_is_read() -> None:
    assert read(pickle.dumps(OrderedDict(a=1), 2)) == {"a": 1}


@pytest.mark.parametrize("pid", ["storage", ("module", 1), ("storage", np.dtype("<f4"), "0", "cpu", 4, ("view", 0, 4))])
def test_what_lies_elsewhere_and_is_no_storage_is_refused(pid: object) -> None:
    with pytest.raises(pickle.UnpicklingError, match="no storage"):
        CheckpointReader(io.BytesIO(b"")).persistent_load(pid)


def written(tensors: dict[str, tuple[int, tuple[int, ...], tuple[int, ...]]], numbers: np.ndarray) -> bytes:
    """A checkpoint in PyTorch's older format, opcode by opcode: tensors by offset, shape and strides in one storage."""

    def text(value: str) -> bytes:
        return b"X" + struct.pack("<I", len(value)) + value.encode()

    def number(value: int) -> bytes:
        return b"J" + struct.pack("<i", value)

    def several(values: tuple[int, ...]) -> bytes:
        return b"(" + b"".join(map(number, values)) + b"t"

    storage = (
        b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + number(len(numbers)) + b"NtQ"
    )
    state = b"".join(
        text(name)
        + b"ctorch._utils\n_rebuild_tensor_v2\n("
        + storage
        + number(offset)
        + several(shape)
        + several(strides)
        + b"\x89}tR"
        + b"s"
        for name, (offset, shape, strides) in tensors.items()
    )
    content = b"\x80\x02}" + text("model_state") + b"}" + state + b"s."
    return (
        pickle.dumps(0x1950A86A20F9469CFC6C, 2)
        + pickle.dumps(1001, 2)
        + pickle.dumps({}, 2)
        + content
        + pickle.dumps(["0"], 2)
        + struct.pack("<q", len(numbers))
        + numbers.astype("<f4").tobytes()
    )


def file_of(content: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    from hashlib import sha256

    monkeypatch.setattr(checkpoint, "CHECKPOINT_SHA256", sha256(content).hexdigest())
    path = folder / "checkpoint.pt"
    path.write_bytes(content)
    return path


def test_tensors_are_views_of_their_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = written({"flat": (1, (3,), (1,)), "turned": (0, (2, 3), (1, 2))}, np.arange(6.0))
    weights = read_checkpoint(file_of(content, tmp_path, monkeypatch))
    assert weights["flat"].tolist() == [1.0, 2.0, 3.0]
    assert weights["turned"].tolist() == [[0.0, 2.0, 4.0], [1.0, 3.0, 5.0]]


@pytest.mark.parametrize("tensor", [(4, (3,), (1,)), (0, (2, 4), (4, 1)), (-1, (2,), (1,)), (5, (2,), (-1,))])
def test_a_tensor_outside_its_storage_is_refused(
    tensor: tuple[int, tuple[int, ...], tuple[int, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(written({"outside": tensor}, np.arange(6.0)), tmp_path, monkeypatch)
    with pytest.raises(ValueError, match="outside its storage"):
        read_checkpoint(path)


def test_another_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "other.pt"
    path.write_bytes(pickle.dumps(Opened()))
    with pytest.raises(ValueError, match="is not the checkpoint of Resemblyzer"):
        read_checkpoint(path)
