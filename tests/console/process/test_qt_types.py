"""The thread of the window makes Qt's types; the one that imports the pages makes none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from app.console.process.qt_types import MODULES, QtTypes
from tests.console.child_start import said_by

START = """
import sys
from pathlib import Path
from app.console.app import Console
from app.console.application import make_application
from app.console.process.imports import BackgroundImporter
application = make_application()
console = Console(application, profile="training", preferences_path=Path(sys.argv[1]),
                  command=[sys.executable, "-c", "import sys; sys.stdin.read()"])
def types():
    modules = {name: module for name, module in sys.modules.items() if name.startswith("PySide6.Qt")}
    return {(name, one) for name, module in modules.items() for one, it in vars(module).items() if isinstance(it, type)}
before = set()
begin = BackgroundImporter.start
def start(importer):
    before.update(types())
    begin(importer)
BackgroundImporter.start = start
console.start()
console.load()
print(len(before) > 500, sorted(types() - before))
console.supervisor.state_changed.connect(lambda state: application.exit() if state == "stopped" else None)
console.supervisor.stop()
application.exec()
"""


def test_the_import_thread_makes_no_type_of_qt(application: QApplication, tmp_path: Path) -> None:
    """With every page: PySide died where it made some while the window painted itself."""
    said, errors = said_by(START, str(tmp_path / "p.json"))
    assert said == "True []\n", errors


def test_the_end_is_told_once(application: QApplication, qtbot: Any) -> None:
    """Not before the loop has turned: what is drawn first comes first."""
    types, told = QtTypes(), []
    types.made.connect(lambda: told.append(True))
    types.start()
    assert told == []
    qtbot.waitUntil(lambda: bool(told))
    qtbot.wait(20)
    assert told == [True]
    assert all(f"PySide6.{one}" in sys.modules for one in MODULES)
