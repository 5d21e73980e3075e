"""Child processes that are killed in the middle of their work, and what they had answered until then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def killed_after(script: str, *arguments: str, lines: int) -> list[list[str]]:
    """The words of each whole line that the child had printed when it was killed, at least ``lines`` lines after its
    start. A line that is read whole was answered."""
    child = subprocess.Popen(
        [sys.executable, str(HERE / script), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
    )
    assert child.stdout is not None
    answered = [child.stdout.readline() for _ in range(lines)]
    child.send_signal(signal.SIGKILL)
    answered += child.stdout.readlines()
    child.stdout.close()
    child.wait(10)
    whole = [line for line in answered if line.endswith(b"\n")]
    assert len(whole) >= lines
    return [line.decode().split() for line in whole]
