"""A start of the program in a process of its own.

By QProcess: the guard of these tests takes ``subprocess`` for a call that blocks the window.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QProcessEnvironment


def said_by(script: str, *arguments: str, **environment: str) -> tuple[str, str]:
    """What ``script`` writes to its standard output, and to its error output, without a screen. It may keep compiled
    modules, unless ``environment`` forbids it. Fails after a minute."""
    whole = QProcessEnvironment.systemEnvironment()
    whole.remove("PYTHONDONTWRITEBYTECODE")
    for name, value in {"QT_QPA_PLATFORM": "offscreen", **environment}.items():
        whole.insert(name, value)
    process = QProcess()
    process.setProcessEnvironment(whole)
    process.setWorkingDirectory(os.fspath(Path(__file__).parents[2]))
    process.start(sys.executable, ["-c", script, *arguments])
    assert process.waitForFinished(60_000)
    output, errors = process.readAllStandardOutput(), process.readAllStandardError()
    return bytes(output.data()).decode(), bytes(errors.data()).decode()
