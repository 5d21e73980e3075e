"""From the first line of Python to the first frame on the screen: the console against a bare PySide6 window.

Each start is a process of its own, both kinds in turn in the same run; the console starts its child service (here a
process that only waits) and builds its whole shell before the frame. The bare window is PySide6's as it is installed;
the console keeps compiled what PySide6 compiles at each start, and leaves its writer of stub files out
(``app.console.qt_start``). Goal: at most 1.5 times.
``python -m tests.perf.first_paint [rounds]`` prints the ratio.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.perf.report import Row, run

GOAL = 1.5
ROUNDS = 9

BARE = """
import time; began = time.perf_counter(); cpu = time.process_time()
import sys
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow
class Window(QMainWindow):
    def event(self, event):
        done = super().event(event)
        if event.type() == QEvent.Type.UpdateRequest:
            print(time.perf_counter() - began, time.process_time() - cpu, flush=True)
            QApplication.quit()
        return done
application = QApplication(sys.argv[:1])
window = Window()
window.setCentralWidget(QLabel("bare"))
window.resize(1480, 900)
window.show()
application.exec()
"""

OURS = """
import time; began = time.perf_counter(); cpu = time.process_time()
import gc, sys
gc.disable()  # as the command line does
from pathlib import Path
from app.console.app import Console
from app.console.application import make_application
application = make_application()
console = Console(application, profile="training", preferences_path=Path(sys.argv[1]),
                  command=[sys.executable, "-c", "import sys; sys.stdin.read()"])
def painted():
    print(time.perf_counter() - began, time.process_time() - cpu, flush=True)
    console.supervisor.state_changed.connect(lambda state: application.exit() if state == "stopped" else None)
    console.supervisor.stop()
console.window.painted.connect(painted)
console.start()
application.exec()
"""


def _start(script: str, directory: str) -> tuple[float, float]:
    """Wall and CPU seconds of one start. Compiled modules are kept for both, as they are in an installed program."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(Path(directory) / "compiled")
    environment.setdefault("QT_QPA_PLATFORM", "offscreen")
    done = subprocess.run(
        [sys.executable, "-c", script, str(Path(directory) / "preferences.json")],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        env=environment,
        cwd=Path(__file__).resolve().parents[2],
    )
    wall, cpu = done.stdout.split()
    return float(wall), float(cpu)


def measure(rounds: int = ROUNDS) -> Row:
    """Milliseconds to the first frame of both (medians over interleaved starts) and their ratio."""
    ours, bare = [], []
    with tempfile.TemporaryDirectory() as directory:
        for turn in range(rounds + 1):
            for script, found in ((BARE, bare), (OURS, ours)):
                reading = _start(script, directory)
                if turn:  # the first start warms the file cache
                    found.append(reading)
    ratio = statistics.median(o[0] / b[0] for o, b in zip(ours, bare, strict=True))
    return Row(
        "first paint",
        "ms",
        statistics.median(reading[0] for reading in ours) * 1000,
        statistics.median(reading[0] for reading in bare) * 1000,
        ratio,
        f"<= {GOAL}x",
        "bare PySide6 window",
        ratio <= GOAL,
    )


ROWS = (measure,)

if __name__ == "__main__":
    run(ROWS)
