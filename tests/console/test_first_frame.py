"""What the first frame of the console may cost, told by what it must not have loaded."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from PySide6.QtCore import QProcess, QProcessEnvironment
from PySide6.QtWidgets import QApplication

HEAVY = (
    *("numpy", "httpx", "qasync", "pyqtgraph", "keyring", "asyncio", "ssl", "app.client"),
    *("dataclasses", "datetime", "logging", "PySide6.QtSvg"),
)

START = f"""
import sys
from pathlib import Path
from app.console.app import Console
from app.console.application import make_application
import PySide6.QtCore
application = make_application()
console = Console(application, profile="training", preferences_path=Path(sys.argv[1]),
                  command=[sys.executable, "-c", "import sys; sys.stdin.read()"])
def painted():
    print([name for name in {HEAVY!r} if name in sys.modules])
    print("Qt" in vars(PySide6.QtCore))
    console.supervisor.state_changed.connect(lambda state: application.exit() if state == "stopped" else None)
    console.supervisor.stop()
console.window.painted.connect(painted)
console.start()
application.exec()
print("Qt" in vars(PySide6.QtCore))
"""


def test_the_first_frame_loads_nothing_heavy(application: QApplication, tmp_path: Path) -> None:
    """No heavy module, and none of the enumerations of QtCore.Qt, which the beat after it makes."""
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("QT_QPA_PLATFORM", "offscreen")
    process = QProcess()
    process.setProcessEnvironment(environment)
    process.setWorkingDirectory(os.fspath(Path(__file__).parents[2]))
    process.start(sys.executable, ["-c", START, str(tmp_path / "p.json")])
    assert process.waitForFinished(60_000)
    said = bytes(process.readAllStandardOutput().data()).decode().split("\n")
    assert said[:3] == ["[]", "False", "True"], bytes(process.readAllStandardError().data()).decode()
