"""How the program starts itself in another role, and what it hands to programs of others."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from app.program import ChildRole, child, outside, program, started_in
from app.training.directory.accounts import first_accounts
from app.training.directory.server import DirectorySetup, DirectoryStarted
from hardware.terminals.extraction import ExtractionOrder, ExtractionResult

ROOT = Path(__file__).parents[2]


def test_nothing_else_names_the_interpreter() -> None:
    """Built, Python is not there: each command line comes from one file."""
    named = {
        str(path.relative_to(ROOT))
        for folder in ("app", "hardware")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"sys\.executable|getattr\(sys, .frozen", path.read_text("utf-8"))
    }
    assert named == {"app/program.py"}


def test_built_it_is_one_executable(monkeypatch: pytest.MonkeyPatch) -> None:
    """From a checkout Python runs the module; built, the program itself has each role."""
    assert program() == [sys.executable, "-m", "app"]
    assert started_in() == ROOT
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert program() == [sys.executable]
    assert started_in() is None
    assert child(ChildRole.MEDIA, "models") == [sys.executable, "child", "media", "models"]


def test_no_other_word_starts_a_child() -> None:
    """What is no role ends with an error, before anything is imported by its name."""
    command = [*child(ChildRole.EXTRACTION)[:-1], "os.system"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 1
    assert "'os.system' is not a valid ChildRole" in ended.stderr


def test_the_extraction_answers_and_ends(tmp_path: Path) -> None:
    """It runs in any directory, without an environment."""
    order = msgspec.json.encode(ExtractionOrder(samples=[("i8x512", 512)], together=False, rotated=False))
    zeros = order + b"\n" + bytes(512)
    ended = _run(ChildRole.EXTRACTION, zeros, tmp_path)
    assert msgspec.json.decode(ended.split(b"\n")[0], type=ExtractionResult).fault == "a template is not all zero"


def test_the_training_directory_answers_and_ends(tmp_path: Path) -> None:
    """With its input."""
    (tmp_path / "accounts").write_bytes(first_accounts([]))
    setup = msgspec.json.encode(DirectorySetup(path=str(tmp_path / "accounts"), port=0))
    ended = _run(ChildRole.TRAINING_DIRECTORY, setup + b"\n", tmp_path)
    assert msgspec.json.decode(ended, type=DirectoryStarted).port > 0


def test_the_training_frames_answer_and_end(tmp_path: Path) -> None:
    """With its input; here there is none to be started."""
    assert _run(ChildRole.TRAINING_FRAMES, b'{"client_roots":"","frames":[]}\n', tmp_path) == b'{"ports":{}}\n'


def test_the_media_worker_answers_and_ends(tmp_path: Path) -> None:
    """Without a model it says so in a frame of the worker's protocol."""
    assert b"no_model" in _run(ChildRole.MEDIA, b"", tmp_path, str(tmp_path / "none"))


def _run(role: ChildRole, given: bytes, place: Path, *arguments: str) -> bytes:
    """What a child writes until it ends."""
    command = child(role, *arguments)
    return subprocess.run(command, input=given, cwd=place, env={}, stdout=-1, check=True, timeout=120).stdout


def test_another_program_gets_the_environment_of_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the built program has put before the system's libraries is for itself alone."""
    inside = {"_PYI_ARCHIVE_FILE": "/x", "_PYI_APPLICATION_HOME_DIR": "/x", "LD_LIBRARY_PATH": "/x", "HOME": "/home/a"}
    assert outside({"LD_LIBRARY_PATH": "/mine"}) == {"LD_LIBRARY_PATH": "/mine"}
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert outside(inside) == {"HOME": "/home/a"}
    before = {**inside, "LD_LIBRARY_PATH_ORIG": "/mine"}
    assert outside(before) == {"HOME": "/home/a", "LD_LIBRARY_PATH": "/mine"}
