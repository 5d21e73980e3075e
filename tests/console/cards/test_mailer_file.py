"""The file of a PIN mailer."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from app.console.cards.mailer_file import MailerFile


def test_the_mailer_s_file_is_its_owner_s_alone(tmp_path: Path) -> None:
    """The PIN stands in it."""
    file = MailerFile(tmp_path / "pin.pdf")
    file.reserve()
    file.fill(b"%PDF-1")
    assert file.path.read_bytes() == b"%PDF-1"
    assert file.path.stat().st_mode & 0o777 == 0o600


def test_a_taken_name_is_not_overwritten(tmp_path: Path) -> None:
    """Another person's mailer may lie there."""
    (tmp_path / "pin.pdf").write_bytes(b"kept")
    with pytest.raises(FileExistsError):
        MailerFile(tmp_path / "pin.pdf").reserve()
    assert (tmp_path / "pin.pdf").read_bytes() == b"kept"


def test_a_full_disk_is_known_before_the_pin_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The room is taken first; nothing is left of it when it cannot be had."""

    def full(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space"):
        MailerFile(tmp_path / "pin.pdf").reserve()
    assert not list(tmp_path.iterdir())
