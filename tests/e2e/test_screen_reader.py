"""The three main flows as a person does them who hears the console: by AT-SPI, from another program, without a mouse.

The console runs on an X screen and a session bus of its own. ``xdotool`` stands in for the window manager, which alone
gives a window the keyboard.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import cast

import pytest

ROOT = Path(__file__).parents[2]
HAND = Path(__file__).with_name("atspi_hand.py")
RETURN = 0xFF0D
LONG_S = 60.0


class Reader:
    """A screen reader's hands and ears on a running console."""

    def __init__(self, hand: subprocess.Popen[str], environment: dict[str, str]) -> None:
        self._hand = hand
        self._environment = environment

    def _call(self, *call: object) -> str:
        assert self._hand.stdin is not None
        assert self._hand.stdout is not None
        self._hand.stdin.write(json.dumps(call) + "\n")
        self._hand.stdin.flush()
        answer = json.loads(self._hand.stdout.readline())
        assert "error" not in answer, answer["error"]
        return str(answer["said"])

    def front(self, title: str = "ARC Console") -> None:
        """As a window manager does: the window has the keyboard."""
        command = ["xdotool", "search", "--sync", "--onlyvisible", "--name", title, "windowfocus"]
        subprocess.run(command, env=self._environment, check=True, timeout=LONG_S)

    def press(self, name: str, role: str = "") -> None:
        """A button, by its name."""
        self._call("press", name, role)

    def enter(self, name: str, text: str) -> None:
        """A text into a field, and Return."""
        self._call("type", name, text)
        self.key()

    def key(self) -> None:
        """Return."""
        self._call("key", RETURN)

    def write(self, name: str, text: str) -> None:
        """A text into a field."""
        self._call("type", name, text)

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


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """On a training console, when it is connected."""
    home = tmp_path_factory.mktemp("reader")
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
        start(sys.executable, "-m", "app", "--data-dir", str(home / "site"))
        hand = start("/usr/bin/python3", str(HAND), "arc-console", stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        made = Reader(hand, environment)
        made.hear(r"^Alarms: No alarm$", 120.0)
        made.front()
        yield made


def burn(reader: Reader, node_id: str) -> None:
    """By the desk: the subject, a reason, and the id typed once more in the place of a hold."""
    reader.become("Training desk")
    reader.front()
    reader.press("Burn", "check box")
    reader.enter("Whom to burn", node_id)
    reader.hear(f"^{node_id}$")
    reader.press("Token leak")
    reader.enter("Type the node id and press Enter instead of holding", node_id)
    reader.hear(r"^Every door refuses$")


def test_a_person_is_burned(reader: Reader) -> None:
    """And the time to the last door is heard."""
    burn(reader, "ARC-T0003")
    assert reader.hear(r"^Time to last door: \d")
    assert reader.hear(r"^Revoked$")


def test_an_alarm_is_taken(reader: Reader) -> None:
    """A burned badge at a door calls; the desk takes the alarm with a note, and hears who has it."""
    burn(reader, "ARC-T0004")
    reader.enter("Door that the badge is presented at", "data-hall-01")
    reader.press("Present the badge")
    reader.press(reader.hear(r"^Alarms: \d+ alarm"))
    reader.hear(r"burned badge of node ARC-T0004")
    reader.front("Alarms")
    reader.write("Note of the owner", "A guard is on the way")
    reader.press("Take")
    reader.hear(r"^0 wait for an owner, 1 taken")
    reader.press("Back")


def test_a_card_is_written(reader: Reader) -> None:
    """By the badge office, on the blank card in the first reader, proven by what is read back."""
    reader.become("Training badge office")
    reader.front()
    reader.press("Write card", "check box")
    reader.hear(r"^Training Reader 1, Blank, ")
    reader.write("Person who holds the card", "ARC-T0005")
    reader.hear(r"^1 found: Training Person 05 ARC-T0005")
    reader.key()
    reader.press("Write card", "push button")
    assert reader.hear(r"^Written and proven for Training Person 05$")
    assert reader.hear(r"^Training Reader 1, Written, \S+, Holder Training Person 05$")
