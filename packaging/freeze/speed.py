"""How fast the built program starts, beside the same program from an environment: in turn, in one run.

xvfb-run -a -s "-noreset" python packaging/freeze/speed.py BUNDLE/arc-console ENVIRONMENT/bin/arc-console [ROUNDS]

Needs xdotool, and an X server that does not begin anew when its last window has gone. "Window": from the start of the
process until an X server shows its window. "Service": from the start of the process until it says that it answers, on a
training site that is there already. CPU is that of the process and its ended children.
"""

from __future__ import annotations

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

GOAL: Final = 1.2
ROUNDS: Final = 7
_POLL_S: Final = 0.01
_LONGEST_S: Final = 120.0


def ended(process: subprocess.Popen[bytes]) -> float:
    """Ends a process; its CPU seconds with those of the children that it waited for."""
    process.send_signal(signal.SIGTERM)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    return used.ru_utime + used.ru_stime


def service(program: str, data_dir: Path) -> tuple[float, float]:
    """Wall seconds to the ready line, and CPU seconds of the whole short life."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [program, "serve", "--no-pcsc", "--data-dir", str(data_dir)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    if process.stdout is None or not process.stdout.readline():
        raise ChildProcessError(f"{program} serve ended")
    wall = time.perf_counter() - begun
    return wall, ended(process)


def window(program: str, data_dir: Path, home: Path) -> tuple[float, float]:
    """The same to the window. Nothing of the person's own settings is read."""
    environment = {**os.environ, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "QT_QPA_PLATFORM": "xcb"}
    begun = time.perf_counter()
    process = subprocess.Popen(
        [program, "--data-dir", str(data_dir)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
    search = ("xdotool", "search", "--onlyvisible", "--pid", str(process.pid), "--name", "ARC Console")
    while subprocess.run(search, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode:
        if process.poll() is not None or time.perf_counter() - begun > _LONGEST_S:
            raise ChildProcessError(f"{program} shows no window")
        time.sleep(_POLL_S)
    wall = time.perf_counter() - begun
    # A console that is ended while its service starts waits for that.
    time.sleep(3.0)
    return wall, ended(process)


def main(arguments: Sequence[str]) -> int:
    """Prints medians and ratios; 1 where the window's is above the goal."""
    bundle, environment = arguments[:2]
    rounds = int(arguments[2]) if len(arguments) > 2 else ROUNDS
    times: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as place:
        data_dir, home = Path(place) / "site", Path(place) / "home"
        home.mkdir()
        for program in (environment, bundle):
            # The first one makes the site; both write what they keep compiled.
            service(program, data_dir)
            window(program, data_dir, home)
        for turn in range(rounds):
            for program in (environment, bundle) if turn % 2 else (bundle, environment):
                times.setdefault(("service", program), []).append(service(program, data_dir))
                times.setdefault(("window", program), []).append(window(program, data_dir, home))
    ratio = 0.0
    for kind in ("service", "window"):
        for index, unit in enumerate(("wall", "CPU")):
            ours, theirs = (
                statistics.median(one[index] for one in times[kind, program]) for program in (bundle, environment)
            )
            ratio = ours / theirs if (kind, unit) == ("window", "wall") else ratio
            print(f"{kind:8} {unit:5} {ours:7.2f} s bundle {theirs:7.2f} s environment  ratio {ours / theirs:5.2f}")
    return 1 if ratio > GOAL else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
