"""The guards themselves: a test that cannot fail guards nothing."""

from __future__ import annotations

import socket
import sqlite3
import subprocess
import sys
import threading
import time

import pytest
from PySide6.QtWidgets import QApplication, QLabel

from tests.console.conftest import BlockedGui


def test_a_database_is_refused_on_the_gui_thread() -> None:
    """SQLite blocks on its file."""
    with pytest.raises(BlockedGui):
        sqlite3.connect(":memory:")


def test_a_process_is_refused_on_the_gui_thread() -> None:
    """Popen waits for the child's exec; the console uses QProcess."""
    with pytest.raises(BlockedGui):
        subprocess.Popen([sys.executable, "-c", ""])


def test_a_blocking_connect_is_refused_on_the_gui_thread() -> None:
    """A non-blocking one, as the loop makes it, passes."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket() as peer:
        with pytest.raises(BlockedGui):
            peer.connect(server.getsockname())
        peer.setblocking(False)
        with pytest.raises(BlockingIOError):
            peer.connect(server.getsockname())


def test_sleeping_is_refused_on_the_gui_thread() -> None:
    """On another thread it is allowed."""
    with pytest.raises(BlockedGui):
        time.sleep(0)
    failed: list[BaseException] = []

    def elsewhere() -> None:
        try:
            time.sleep(0)
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert failed == []


def test_qt_calls_keep_the_references_of_none(application: QApplication) -> None:
    """PySide6 6.12.0 lost one a call on this Python and then aborted."""
    widget = QLabel("x")
    before = sys.getrefcount(None)
    for _ in range(100):
        widget.setText("y")
    assert abs(sys.getrefcount(None) - before) < 50
