"""The console in other languages than English. The pseudo-language is none: words in brackets, longer by two fifths. It
shows what no translator will ever see, and what has no room for a longer word. A language is chosen once a process, so
each walk is a run of tests in one of its own."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QProcess

PATIENCE_MS = 300_000
ROOM = "tests/console/pages/test_window_sizes.py"
WALKS = {
    "every text is given to tr": ("pseudo", "tests/console/pseudo_walk.py"),
    "longer words have room": ("pseudo", ROOM),
    "German has room at every size": ("de", ROOM),
    "German words are counted": ("de", "tests/console/pages/german_walk.py"),
}


@pytest.mark.parametrize("what", WALKS)
def test_in_pages_and_dialogs(what: str) -> None:
    """What the walk found is told."""
    language, walk = WALKS[what]
    process = QProcess()
    process.setWorkingDirectory(os.fspath(Path(__file__).parents[2]))
    process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
    speaks = ["-p", "tests.console.spoken", "--speak", language, "-p", "no:cacheprovider"]
    process.start(sys.executable, ["-m", "pytest", "-q", "--tb=short", *speaks, walk])
    assert process.waitForFinished(PATIENCE_MS)
    said = bytes(process.readAllStandardOutput().data()).decode()
    assert process.exitCode() == 0, said
    assert " passed" in said
