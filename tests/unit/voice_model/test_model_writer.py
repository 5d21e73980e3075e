"""Each judge's part of the model is written without touching the other's."""

from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from voice_model.model_writer import write_part


def facts_of(folder: Path) -> dict[str, object]:
    return msgspec.json.decode((folder / "model.json").read_bytes(), type=dict[str, object])


def test_a_part_replaces_its_own_files_alone(tmp_path: Path) -> None:
    write_part(tmp_path, "clone", {"gate_llr": 1.5}, {"clone.npz": b"c"}, 1)
    write_part(tmp_path, "speaker", {"slope": 1.0}, {"encoder.onnx": b"a", "speaker.npz": b"b"}, 1)
    write_part(tmp_path, "speaker", {"slope": 2.0}, {"encoder.onnx": b"d"}, 2)
    facts = facts_of(tmp_path)
    assert facts["files"] == {"clone.npz": sha256(b"c").hexdigest(), "encoder.onnx": sha256(b"d").hexdigest()}
    assert (facts["speaker"], facts["clone"]) == ({"slope": 2.0}, {"gate_llr": 1.5})
    assert facts["features_version"] == 2
    assert (tmp_path / "encoder.onnx").read_bytes() == b"d"


def test_norms_of_resonance_bring_no_files(tmp_path: Path) -> None:
    write_part(tmp_path, "speaker", {}, {"speaker.npz": b"b"}, 1)
    write_part(tmp_path, "resonance", {"f0_hz": (160.0, 50.0)}, {}, 1)
    assert facts_of(tmp_path)["resonance"] == {"f0_hz": [160.0, 50.0]}
    assert list(facts_of(tmp_path)["files"]) == ["speaker.npz"]


def test_a_file_of_another_part_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not all of the part speaker"):
        write_part(tmp_path, "speaker", {}, {"clone.npz": b"c"}, 1)
    assert not list(tmp_path.iterdir())
