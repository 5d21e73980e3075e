"""A training console on an X screen and a session bus of its own, heard through AT-SPI and typed at by xdotool.

``xdotool`` stands in for the keyboard, and for the window manager, which alone gives a window the keyboard.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import cast

ROOT = Path(__file__).parents[2]
HAND = Path(__file__).with_name("atspi_hand.py")
RETURN = 0xFF0D
LONG_S = 60.0


class Reader:
    """A screen reader's hands and ears on a running console."""

    def __init__(
        self, console: subprocess.Popen[str], hand: subprocess.Popen[str], environment: dict[str, str]
    ) -> None:
        self._console = console
        self._hand = hand
        self._environment = environment

    def _call(self, *call: object) -> str:
        assert self._hand.stdin is not None
        assert self._hand.stdout is not None
        self._hand.stdin.write(json.dumps(call) + "\n")
        self._hand.stdin.flush()
        answer = json.loads(self._hand.stdout.readline())
        status = self._console.poll()
        assert "error" not in answer, f"{answer['error']}; the console's exit status: {status} (None: it runs)"
        return str(answer["said"])

    def front(self, title: str = "^training") -> None:
        """As a window manager does: the window has the keyboard."""
        self._x("search", "--sync", "--onlyvisible", "--name", title, "windowfocus")

    def press(self, name: str, role: str = "") -> None:
        """A button, by its name."""
        self._call("press", name, role)

    def enter(self, name: str, text: str) -> None:
        """A text into a field, and Return."""
        self.write(name, text)
        self.key()

    def key(self) -> None:
        """Return."""
        self._call("key", RETURN)

    def write(self, name: str, text: str) -> None:
        """A text into a field."""
        self._call("type", name, text)

    def keys(self, *keys: str) -> None:
        """Keys, each by its X name, on the real screen; ``hold:`` before one keeps it down for two seconds, and
        ``type:`` gives the letters of a text."""
        for key in keys:
            kind, _, rest = key.rpartition(":")
            if kind == "type":
                self._x("type", "--delay", "20", rest)
            elif kind == "hold":
                self._x("keydown", rest)
                time.sleep(2.0)  # the time that the operator holds it
                self._x("keyup", rest)
            else:
                self._x("key", rest)

    def _x(self, *command: str) -> None:
        subprocess.run(["xdotool", *command], env=self._environment, check=True, timeout=LONG_S)

    def hear(self, pattern: str, seconds: float = LONG_S) -> str:
        """What is said that has the pattern, as soon as it is."""
        return self._call("hear", pattern, seconds)

    def become(self, operator: str) -> None:
        """The training operator of that name sits at the desk."""
        for _ in range(4):
            now = self.hear(r"^Signed in: ")
            if now == f"Signed in: {operator}":
                return
            self.press(now)
            self.hear(f"^Signed in: (?!{now.removeprefix('Signed in: ')}$)")
        raise AssertionError(f"{operator} never came")


@contextmanager
def heard_console(home: Path) -> Iterator[Reader]:
    """Starts all of it; ``home`` is an empty directory. The console is connected then."""
    with ExitStack() as stack:

        def start(*command: str, **pipes: object) -> subprocess.Popen[str]:
            process = subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes)  # type: ignore[call-overload]
            stack.enter_context(process)
            stack.callback(process.terminate)
            return cast("subprocess.Popen[str]", process)

        environment = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        environment |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "CACHE", "STATE")}
        (home / "run").mkdir(mode=0o700)
        environment |= {
            "XDG_RUNTIME_DIR": str(home / "run"),
            "QT_QPA_PLATFORM": "xcb",
            "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1",
        }
        screen = ("Xvfb", "-displayfd", "1", "-screen", "0", "1480x900x24", "-nolisten", "tcp", "-noreset")
        display = start(*screen, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
        assert display is not None
        environment["DISPLAY"] = f":{display.readline().strip()}"
        bus = start("dbus-daemon", "--session", "--nofork", "--print-address", stdout=subprocess.PIPE).stdout
        assert bus is not None
        environment["DBUS_SESSION_BUS_ADDRESS"] = bus.readline().strip()
        console = start(sys.executable, "-m", "app", "--data-dir", str(home / "site"))
        hand = start("/usr/bin/python3", str(HAND), "arc-console", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        made = Reader(console, hand, environment)
        made.hear(r"^Alarms: No alarm$", 120.0)
        made.front()
        yield made
