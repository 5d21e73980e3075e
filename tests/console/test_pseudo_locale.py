"""The console in a language that is no language: words in brackets, longer by two fifths. It shows what no translator
will ever see, and what has no room for another language. A language is chosen once a process, so in one of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess

PATIENCE_MS = 300_000
WALKS = {
    "every text is given to tr": "tests/console/pseudo_walk.py",
    "longer words have room": "tests/console/pages/test_window_sizes.py",
}


@pytest.mark.parametrize("what", WALKS)
def test_in_pages_and_dialogs(what: str) -> None:
    """Each walk is a run of tests of its own; what it found is told."""
    process = QProcess()
    process.setWorkingDirectory(os.fspath(Path(__file__).parents[2]))
    process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
    speaks = ["-p", "tests.console.spoken", "--speak", "pseudo", "-p", "no:cacheprovider"]
    process.start(sys.executable, ["-m", "pytest", "-q", "--tb=short", *speaks, WALKS[what]])
    assert process.waitForFinished(PATIENCE_MS)
    said = bytes(process.readAllStandardOutput().data()).decode()
    assert process.exitCode() == 0, said
    assert " passed in " in said
