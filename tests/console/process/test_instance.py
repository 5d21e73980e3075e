"""One console a user and site."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.process.instance import SingleInstance, socket_name


def test_the_second_start_raises_the_first(application: QApplication, tmp_path: Path, qtbot: Any) -> None:
    """It is told to end, and the first hears of it."""
    name = str(tmp_path / "socket")
    first = SingleInstance(name)
    assert first.claim()
    first.listen()
    with qtbot.waitSignal(first.raised, timeout=5000):
        assert not SingleInstance(name).claim()
    first.release()


def test_a_killed_console_leaves_no_lock(application: QApplication, tmp_path: Path) -> None:
    """A socket that nobody answers is taken over, and so is the lock of a process that is gone: this process may even
    have its number now, as after the restart of a container."""
    import socket

    path = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(path))
    assert path.exists()
    path.with_name("socket.lock").write_text(f"{os.getpid()}\narc-console\n\n")
    instance = SingleInstance(str(path))
    assert instance.claim()
    instance.listen()
    assert not SingleInstance(str(path)).claim()
    instance.release()


def test_one_that_only_starts_is_the_first_all_the_same(application: QApplication, tmp_path: Path) -> None:
    """Between its claim and its listening a second start ends, too."""
    first = SingleInstance(str(tmp_path / "socket"))
    assert first.claim()
    assert not SingleInstance(str(tmp_path / "socket")).claim()
    first.release()


def test_without_a_place_for_the_lock_it_starts(application: QApplication, tmp_path: Path) -> None:
    """Better two consoles than none."""
    assert SingleInstance(str(tmp_path / "no such directory" / "socket")).claim()


def test_every_site_has_a_console_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Training beside production is two consoles; the name lies in the user's own runtime directory."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    tmp_path.chmod(0o700)
    one, other = socket_name(tmp_path / "site", "training"), socket_name(tmp_path / "site", "production")
    assert one != other
    assert Path(one).parent == tmp_path
