"""What PySide6 carries as source is compiled once, not at each start."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.console.child_start import said_by

START = """
import builtins
compiled = []
own = builtins.compile
def watched(source, filename, *rest, **options):
    if source and str(filename).startswith("shibokensupport/"):
        compiled.append(filename)
    return own(source, filename, *rest, **options)
builtins.compile = watched
imports = builtins.__import__
import app.console
from PySide6.QtCore import QObject
print(len(compiled), builtins.compile is watched, builtins.__import__ is imports)
try:
    QObject().setParent("wrong")
except TypeError as refused:
    print("PySide6.QtCore.QObject.setParent(parent" in str(refused))
from PySide6.support.signature.lib import pyi_generator
print(*(name for name in vars(pyi_generator) if not name.startswith("__")))
"""
KEPT = "*shibokensupport.signature.parser.pyc"


def started(folder: Path, **more: str) -> str:
    """What a start says whose compiled files lie in ``folder``."""
    said, errors = said_by(START, PYTHONPYCACHEPREFIX=str(folder), **more)
    assert errors == ""
    return said.replace("\n", " ").strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiled files of a first start."""
    made = tmp_path_factory.mktemp("compiled")
    assert int(started(made).removesuffix(" True True True")) > 5
    return made


def test_the_second_start_compiles_nothing_of_it(folder: Path) -> None:
    """It behaves as the first did: what PySide6 says of a wrong call comes from there. No function of ours is left, and
    what writes stub files is empty: of another version it would be whole, and a start take 10 ms more."""
    assert started(folder) == "0 True True True"


@pytest.mark.parametrize("damage", ["cut", "torn header", "noise", "another source"])
def test_a_file_that_cannot_be_used_is_made_anew(folder: Path, damage: str) -> None:
    """Half of it, none of it, bytes that are no code, and what was made of another source."""
    (kept,) = folder.rglob(KEPT)
    whole = kept.read_bytes()
    kept.write_bytes(
        {
            "cut": whole[: len(whole) // 2],
            "torn header": whole[:7],
            "noise": whole[:16] + bytes(64),
            "another source": whole[:8] + bytes(8) + whole[16:],
        }[damage]
    )
    assert started(folder).startswith("1 True")
    assert kept.read_bytes() == whole


def test_nothing_is_kept_where_python_keeps_nothing(tmp_path: Path) -> None:
    """As of its own files."""
    assert not started(tmp_path, PYTHONDONTWRITEBYTECODE="1").startswith("0 ")
    assert list(tmp_path.rglob(KEPT)) == []


def test_a_folder_that_cannot_be_written_delays_a_start_and_no_more(tmp_path: Path) -> None:
    """An installed program may not belong to its user. A file stands where the folder should be."""
    (tmp_path / "file").write_bytes(b"")
    assert started(tmp_path / "file").endswith(" True True True")
