"""The end of a whole console process: asked by a signal, at any moment."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from app.console.diagnostics.process import alive

ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0
SCRIPT = """
import sys
from pathlib import Path
from app.console import app
app.service_command = lambda _data_dir, _profile: [sys.executable, sys.argv[1], sys.argv[2], sys.argv[3]]
run = app.Console.run
async def told(self):
    print("running", flush=True)
    await run(self)
app.Console.run = told
start = app.Console.start
def shown(self):
    start(self)
    self.supervisor.line.connect(lambda _line: print("started", flush=True))
app.Console.start = shown
sys.exit(app.run_console("training", Path(sys.argv[4])))
"""


def end_at(moment: str, mode: str, place: Path) -> tuple[int, list[str]]:
    """Start a console whose service is the fake one in ``mode``, send SIGTERM when it says ``moment``: its exit code
    and what it said on standard error."""
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "HOME": str(place)}
    environment |= {f"XDG_{name}_HOME": str(place / name) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
    environment |= {"XDG_RUNTIME_DIR": str(place), "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    fake = str(Path(__file__).with_name("fake_service.py"))
    with subprocess.Popen(
        [sys.executable, "-c", SCRIPT, fake, mode, str(place / "record"), str(place / "site")],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=ROOT,
    ) as console:
        watchdog = threading.Timer(LIMIT_S, console.kill)
        watchdog.start()
        assert console.stdout is not None
        for line in console.stdout:
            if line.strip() == moment:
                break
        console.send_signal(signal.SIGTERM)
        _, errors = console.communicate()
        watchdog.cancel()
    return console.returncode, [line for line in errors.splitlines() if "propagateSizeHints" not in line]


@pytest.mark.parametrize(("moment", "mode"), [("started", "serve"), ("running", "serve"), ("running", "silent")])
def test_a_signal_ends_it_silently(tmp_path: Path, moment: str, mode: str) -> None:
    """SIGTERM while it still imports and when it runs: exit code 0, not a word, and the child is gone."""
    tmp_path.chmod(0o700)
    with ThreadPoolExecutor(1) as thread:  # the guard of the GUI thread lets it start no process
        assert thread.submit(end_at, moment, mode, tmp_path).result() == (0, [])
    assert not alive(json.loads((tmp_path / "record").read_text())["pid"])
