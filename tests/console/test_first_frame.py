"""What the first frame of the console may cost, told by what it must not have loaded."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from tests.console.child_start import said_by

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
    said, errors = said_by(START, str(tmp_path / "p.json"))
    assert said.split("\n")[:3] == ["[]", "False", "True"], errors
