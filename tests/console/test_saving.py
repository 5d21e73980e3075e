"""Files that a person keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.console.saving import save_private


def test_a_file_is_there_whole_and_for_its_owner_alone(tmp_path: Path) -> None:
    """It takes the place of the one before; nothing else is left beside it."""
    path = tmp_path / "list.csv"
    path.write_bytes(b"before")
    save_private(path, b"after")
    assert path.read_bytes() == b"after"
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [path]


def test_a_file_that_cannot_take_its_place_leaves_nothing(tmp_path: Path) -> None:
    """A folder of that name stays, and no part of the file remains."""
    path = tmp_path / "list.csv"
    path.mkdir()
    with pytest.raises(OSError, match=r"."):
        save_private(path, b"after")
    assert list(tmp_path.iterdir()) == [path]
