"""The models' files are those that their list names, or the engine does not start."""

from pathlib import Path

import msgspec
import pytest

from app.capabilities.voice.model_files import read_model
from tests.unit.capabilities.voice.speaker.test_scoring import FACTS
from voice_model.model_writer import write_part


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_part(tmp_path, "speaker", FACTS, {"encoder.onnx": b"network", "speaker.npz": b"arrays"}, 1)
    return tmp_path


def test_a_model_is_its_facts_and_files(folder: Path) -> None:
    """With the digest of the list, which has that of every file."""
    model = read_model(folder)
    assert model.facts.speaker == FACTS
    assert model.files == {"encoder.onnx": b"network", "speaker.npz": b"arrays"}
    assert model.facts.features_version == 1
    assert len(model.sha256) == 64


def test_the_model_s_digest_changes_with_any_of_its_files(folder: Path) -> None:
    """By one letter of one of them."""
    before = read_model(folder).sha256
    write_part(folder, "speaker", FACTS, {"encoder.onnx": b"network", "speaker.npz": b"arraye"}, 1)
    assert read_model(folder).sha256 != before


def test_an_altered_file_is_refused(folder: Path) -> None:
    """Named, so that it can be checked out again."""
    (folder / "speaker.npz").write_bytes(b"arrayz")
    with pytest.raises(ValueError, match=r"speaker\.npz is another file than the one that model\.json lists"):
        read_model(folder)


def test_a_missing_file_is_an_error_of_the_system(folder: Path) -> None:
    """As the system says it."""
    (folder / "encoder.onnx").unlink()
    with pytest.raises(FileNotFoundError):
        read_model(folder)


@pytest.mark.parametrize("name", ["../encoder.onnx", "/etc/hostname", "a/b", ".."])
def test_a_file_elsewhere_is_refused(folder: Path, name: str) -> None:
    """No list of files leads out of its folder."""
    facts = msgspec.json.decode((folder / "model.json").read_bytes())
    facts["files"] = {name: "0" * 64}
    (folder / "model.json").write_bytes(msgspec.json.encode(facts))
    with pytest.raises(ValueError, match="is no file of the model's folder"):
        read_model(folder)


def test_an_unknown_fact_is_refused(folder: Path) -> None:
    """A model of a later program is not half understood."""
    facts = msgspec.json.decode((folder / "model.json").read_bytes())
    (folder / "model.json").write_bytes(msgspec.json.encode({**facts, "more": 1}))
    with pytest.raises(ValueError, match="unknown field `more`"):
        read_model(folder)
