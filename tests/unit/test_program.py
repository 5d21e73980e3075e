"""How the program starts itself and what is not its own, from a checkout and frozen."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

from app.program import CHILDREN, child_command, child_place, isolated_child, outside, own_command

ROOT = Path(__file__).parents[2]
SHOWN_OR_BUILT = {"app/commands/doctor.py", "app/api/client_writer.py"}
"""Where the interpreter is named to a person, or a file of the checkout is written."""


@pytest.fixture
def frozen(monkeypatch: pytest.MonkeyPatch) -> str:
    """The path of the executable of a frozen program."""
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(sys, "executable", "/opt/arc-console/arc-console")
    return sys.executable


def test_a_checkout_starts_modules() -> None:
    """Of the interpreter that runs it, in the directory where they are found."""
    assert own_command("fsck") == [sys.executable, "-m", "app", "fsck"]
    assert child_command("extraction") == [sys.executable, "-m", "hardware.terminals.extraction"]
    assert child_place() == ROOT


def test_a_frozen_program_starts_itself(frozen: str) -> None:
    """It has no interpreter and no modules by path."""
    assert own_command("fsck") == [frozen, "fsck"]
    assert child_command("extraction") == [frozen, "child", "extraction"]
    assert isolated_child("media-worker", "/model") == [frozen, "child", "media-worker", "/model"]
    assert child_place() is None


def test_every_child_has_a_main() -> None:
    """The frozen program calls it by this name."""
    assert all(callable(importlib.import_module(module).main) for module in CHILDREN.values())


def test_a_role_that_is_none_starts_nothing() -> None:
    """No module of a caller's choice."""
    with pytest.raises(KeyError):
        child_command("os")


def test_nothing_else_starts_the_interpreter() -> None:
    """A frozen program's executable is no interpreter."""
    files = [path for room in ("app", "hardware") for path in (ROOT / room).rglob("*.py")]
    named = {
        path.relative_to(ROOT).as_posix()
        for path in files
        if re.search(r"\bsys\.executable\b", path.read_text("utf-8"))
    }
    assert named - SHOWN_OR_BUILT == {"app/program.py"}


def test_others_get_the_environment_of_the_caller(frozen: str) -> None:
    """Without the libraries of a frozen program, with those that were set before it."""
    own = {"LD_LIBRARY_PATH": "/opt/arc-console/_internal", "_PYI_ARCHIVE_FILE": "x", "LANG": "C"}
    assert outside(own) == {"LANG": "C"}
    assert outside(own | {"LD_LIBRARY_PATH_ORIG": "/lib/x"}) == {"LANG": "C", "LD_LIBRARY_PATH": "/lib/x"}


def test_a_checkout_changes_no_environment() -> None:
    """What the caller has set is the caller's."""
    assert outside({"LD_LIBRARY_PATH": "/x", "_PYI_Y": "z"}) == {"LD_LIBRARY_PATH": "/x", "_PYI_Y": "z"}
