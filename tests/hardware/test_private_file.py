"""Files with keys in them."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from hardware.private_file import replace_private


def test_a_file_is_replaced_whole_and_for_its_owner(tmp_path: Path) -> None:
    """New bytes, mode 0600 whatever it was before, nothing left beside it."""
    path = tmp_path / "kept"
    path.write_bytes(b"old and longer")
    path.chmod(0o644)
    replace_private(path, b"new", survives_power_loss=True)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize("survives", [True, False])
def test_a_failed_replacement_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survives: bool
) -> None:
    """And nothing beside it."""
    path = tmp_path / "kept"
    path.write_bytes(b"old")

    def fails(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="Input"):
        replace_private(path, b"new", survives_power_loss=survives)
    assert path.read_bytes() == b"old"
    assert [each.name for each in tmp_path.iterdir()] == ["kept"]


@pytest.mark.parametrize(("survives", "directories"), [(True, 1), (False, 0)])
def test_the_directory_is_synced_where_power_may_be_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, survives: bool, directories: int
) -> None:
    """A rename is durable only with its directory; the file itself is synced before it."""
    order = []
    real = os.fsync

    def watched(handle: int) -> None:
        order.append("directory" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file")
        real(handle)

    monkeypatch.setattr(os, "fsync", watched)
    replace_private(tmp_path / "kept", b"new", survives_power_loss=survives)
    assert order == ["file", *["directory"] * directories]
