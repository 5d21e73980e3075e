"""Space held on a real X server, whose repeats are releases and presses: every hold burns, no release does."""

from __future__ import annotations

import json
import os
import random
import select
import subprocess
import sys
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from app.console.widgets.hold import HOLD_MS, JOIN_MS

CHILD = Path(__file__).with_name("hold_child.py")
ROOT = Path(__file__).parents[2]
LIMIT_S = 60.0
HOLDS = 50
SHORT_MS = 150
REPEATED = 20


class Desk:
    """An X screen, a window with a hold button on it, and a keyboard that another process presses."""

    def __init__(self, hold_ms: int, *server: str) -> None:
        told, tell = os.pipe()
        self._screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(tell), "-screen", "0", "640x480x24", "-nolisten", "tcp", *server],
            pass_fds=(tell,),
            stderr=subprocess.DEVNULL,
        )
        os.close(tell)
        with open(told) as number:
            display = f":{number.readline().strip()}"
        self._environment = os.environ | {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
        self._window = subprocess.Popen(
            [sys.executable, CHILD, str(hold_ms)], cwd=ROOT, env=self._environment, stdout=subprocess.PIPE, bufsize=0
        )
        self.ready()

    def keys(self, *command: str) -> None:
        """Run xdotool to its end."""
        subprocess.run(["xdotool", *command], env=self._environment, check=True)

    def said(self) -> str:
        """The next word of the button: ``held`` or ``aborted``."""
        return str(self._told()["said"])

    def ready(self) -> tuple[int | None, int | None]:
        """Wait until the next hold may begin; the server's times of the press and of the release before, in ms."""
        told = self._told()
        assert told["said"] == "ready"
        return told["pressed"], told["released"]

    def told_of(self, presses: int) -> tuple[list[str], int]:
        """What the button said until it had seen so many presses and was ready again; and how long, by the server's
        clock, the key was up at most between two of them, in ms."""
        words: list[str] = []
        keys: list[tuple[str, int]] = []
        while sum(kind == "press" for kind, _ in keys) < presses:
            told = self._told()
            if told["said"] == "ready":
                keys += [(kind, at) for kind, at in told["keys"]]
            else:
                words.append(told["said"])
        gaps = [after - at for (kind, at), (_, after) in pairwise(keys) if kind == "release"]
        return words, max(gaps)

    def _told(self) -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.line(self._window))
        return told

    @staticmethod
    def line(process: subprocess.Popen[bytes]) -> bytes:
        """The next line that a process writes."""
        assert process.stdout is not None
        assert select.select([process.stdout], [], [], LIMIT_S)[0], "nothing was told"
        return process.stdout.readline()

    def grab(self) -> subprocess.Popen[bytes]:
        """A program that takes the keyboard for itself, as a screen lock does; it tells when it has it."""
        code = (
            "from PySide6.QtCore import Qt, QTimer; from PySide6.QtWidgets import QApplication, QWidget;"
            "a = QApplication([]); w = QWidget(); w.setWindowFlag(Qt.WindowType.WindowDoesNotAcceptFocus);"
            "w.setGeometry(500, 400, 50, 50); w.show();"
            "QTimer.singleShot(0, lambda: (w.grabKeyboard(), print('taken', flush=True))); a.exec()"
        )
        made = subprocess.Popen([sys.executable, "-c", code], env=self._environment, stdout=subprocess.PIPE, bufsize=0)
        self.line(made)
        return made

    def close(self) -> None:
        """End the window, then the screen."""
        for process in (self._window, self._screen):
            process.kill()
            process.wait()
        assert self._window.stdout is not None
        self._window.stdout.close()


@pytest.fixture
def desk() -> Iterator[Callable[..., Desk]]:
    """Makes desks that end with the test."""
    made: list[Desk] = []

    def make(*arguments: Any) -> Desk:
        made.append(Desk(*arguments))
        return made[-1]

    yield make
    for one in made:
        one.close()


REPEATS = ("-ardelay", "50", "-arinterval", "10")
"""Of the X server: a held key repeats itself after 50 ms, each 10 ms."""


def test_every_held_space_burns(desk: Callable[..., Desk]) -> None:
    """The server's own repeats, some of which Qt cannot tell from a hand's: fifty of fifty holds come to their end."""
    at = desk(SHORT_MS, *REPEATS)
    ends = []
    for _ in range(HOLDS):
        at.keys("keydown", "space")
        ends.append(at.said())
        at.keys("keyup", "space")
        at.ready()
    assert ends == ["held"] * HOLDS


def test_no_released_space_burns(desk: Callable[..., Desk]) -> None:
    """By the server's clock the key was up before the time was over, often just before: fifty of fifty are taken
    back."""
    at, drawn = desk(SHORT_MS, *REPEATS), random.Random(7)
    released_early = 0
    for _ in range(8 * HOLDS):
        seconds = drawn.uniform(0.02, SHORT_MS / 1000 - 0.01)
        at.keys("keydown", "--delay", "0", "space", "sleep", f"{seconds:.3f}", "keyup", "--delay", "0", "space")
        said = at.said()
        pressed, released = at.ready()
        assert pressed is not None
        assert released is not None
        # A busy machine may have let go too late; such a hold proves nothing.
        if released - pressed < SHORT_MS:
            assert said == "aborted", f"let go after {released - pressed} ms"
            released_early += 1
        if released_early == HOLDS:
            return
    pytest.fail("the machine is too busy to let a key go in time")


def test_a_hold_of_the_real_length_burns(desk: Callable[..., Desk]) -> None:
    """A second and a half, with the repeats that a desktop has."""
    at = desk(HOLD_MS, "-ardelay", "500", "-arinterval", "33")
    at.keys("keydown", "space")
    assert at.said() == "held"


def test_repeats_that_say_nothing_of_themselves_burn(desk: Callable[..., Desk]) -> None:
    """A remote desktop sends each repeat as a release and a press of its own, which carry no mark."""
    at = desk(SHORT_MS, "-r")
    pair = ("sleep", "0.025", "keyup", "--delay", "4", "space", "keydown", "--delay", "4", "space")
    proven = 0
    for _ in range(30):
        at.keys("keydown", "space", *pair * REPEATED, "keyup", "space")
        words, gap = at.told_of(1 + REPEATED)
        # A busy machine may have sent a press too late to be a repeat; such a hold proves nothing.
        if gap < JOIN_MS / 2:
            assert words == ["held"], f"the key was up for {gap} ms at most"
            proven += 1
        if proven == 3:
            return
    pytest.fail("the machine is too busy to repeat a key in time")


def test_a_grab_of_the_keyboard_takes_the_hold_back(desk: Callable[..., Desk]) -> None:
    """A screen lock takes the keyboard: where the key is let go is unknown then, and nothing burns."""
    at = desk(60_000, *REPEATS)
    at.keys("keydown", "space")
    other = at.grab()
    try:
        at.keys("keyup", "space")
        assert at.said() == "aborted"
    finally:
        other.kill()
        other.communicate()
