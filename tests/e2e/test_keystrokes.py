"""The tasks of a desk, an office and a manager by real key events of an X server: each can be done by the keyboard
alone, and none needs more keys than it is allowed. A name or an id that is typed counts as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.e2e.heard_console import Reader, heard_console

CHOOSING = ("write-one", "contain", "burn-one")
LOOKS = {
    ("add-a-person", "alt+1"): r"^\d+ people$",
    ("lost-card", "Return"): r"^Doors open now$",
    ("lost-card", "Tab"): r"^Hold to revoke the card",
    ("ask-pin-reset", "Return"): r"^Complete$",
    ("ask-re-issue", "Return"): r"^Complete$",
    ("batch-of-39", "ctrl+shift+4"): r"^Choose a CSV$",
    ("batch-of-39", "Return"): r"^39 lines, all good$",
}
"""What the operator waits to see after a key: a page that is opened for the first time, a person, a list."""
DESK, OFFICE = "Training desk", "Training badge office"


@dataclass(frozen=True)
class Task:
    """``keys``: as ``Reader.keys``; ``heard``: what says that it is done; ``most``: keys that it may need. ``opens`` is
    the key that opens the dialog whose title begins with ``dialog``; ``LIST`` in a key is the file of a batch."""

    name: str
    operator: str
    keys: tuple[str, ...]
    heard: str
    most: int
    opens: str = ""
    dialog: str = ""


TASKS = (
    Task(
        "burn-one", DESK, ("ctrl+3", "type:ARC-T0007", "Return", "alt+1", "ctrl+Return", "hold:space"),
        r"^Every door refuses$", 7,
    ),
    Task("contain", DESK, ("ctrl+3", "type:ARC-T0008", "Return", "ctrl+d"), r"^Operator: contained", 5),
    Task("where-was-she", DESK, ("ctrl+k", "type:@ARC-T0009", "Return"), r"^Doors open now$", 14),
    Task("red-frame-to-cause", DESK, ("ctrl+1", "alt+0", "alt+2", "Right", "ctrl+Return"),
         r"^Handshake p99 of training-a-01", 5),
    Task("last-week", DESK, ("ctrl+shift+1", "alt+2", "Down", "Down", "Down", "Return"), r"^Last 7 days$", 6),
    Task("burns-fast-enough", DESK, ("ctrl+3", "alt+9"), r"^The worst five burns", 2),
    Task("wall", DESK, ("F11",), r"^Wall display: ", 1),
    Task("leave-the-wall", DESK, ("Escape",), r"^Signed in: Training desk$", 1),
    Task(
        "write-one", OFFICE, ("ctrl+2", "type:ARC-T0010", "Return", "ctrl+Return"),
        r"^Written and proven$", 5,
    ),
    Task(
        "add-a-person", OFFICE, ("ctrl+shift+3", "alt+1", "ctrl+n", "type:Nora Keys", "Return"),
        r"^Nora Keys is registered\.$", 5,
        "ctrl+n", "^Add a person",
    ),
    Task(
        "lost-card", OFFICE,
        ("ctrl+k", "type:@ARC-T0010", "Return", "ctrl+shift+l", "Tab", "Tab", "hold:space"),
        r"^Card [0-9a-f-]+ of Training Person 10 is revoked", 7,
        "ctrl+shift+l", "^A card of",
    ),
    Task(
        "ask-pin-reset", OFFICE, ("ctrl+2", "alt+1", "Down", "Return", "ctrl+shift+m", "type:Forgot it", "ctrl+Return"),
        r"^PIN reset$", 7, "ctrl+shift+m", "^Ask for a PIN reset",
    ),
    Task(
        "ask-re-issue", OFFICE, ("ctrl+2", "alt+1", "Down", "Return", "ctrl+shift+r", "type:Moves on", "ctrl+Return"),
        r"^Re-issue$", 7, "ctrl+shift+r", "^Ask for re-issue",
    ),
    Task(
        "batch-of-39", OFFICE, ("ctrl+shift+4", "ctrl+o", "type:LIST", "Return", "ctrl+Return"),
        r"^\d+ (wait|in work)$", 6,
        "ctrl+o", "^Choose a list",
    ),
    Task("report", OFFICE, ("alt+r",), r"^Report . ARC Console$", 1),
)  # fmt: skip
"""In turn, on one console. The review of the console counted 6 and a name to burn, 4 and a name to contain and to
write, some 14 keys on three pages to know where somebody was, 4 to a red frame, 6 to the last week; the others could
not be done."""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    """On a training console."""
    with heard_console(tmp_path_factory.mktemp("keys")) as made:
        yield made


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A list of 39 people who have no card, as HR would send it."""
    path = tmp_path_factory.mktemp("list") / "newcomers.csv"
    path.write_text("\n".join(["node_id", *(f"ARC-T{number:04}" for number in range(18, 57))]))
    return path


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_is_done_by_keys(task: Task, reader: Reader, listed: Path) -> None:
    """Within its number of keys."""
    assert len(task.keys) <= task.most
    if task.name != "leave-the-wall":
        reader.become(task.operator)
    reader.front()
    for key in task.keys:
        if task.name == "burn-one" and key == "ctrl+Return":
            reader.hear(r"^Hold 1\.5 s with")  # the blast radius is there, and the button can be held
        reader.keys(key.replace("LIST", str(listed)))
        if key == task.opens:
            reader.front(task.dialog)  # as a window manager gives a new dialog the keyboard
        _, _, text = key.partition(":")
        # The operator looks before the next key: at what was found, and at who was chosen.
        if text.startswith("@"):
            reader.hear(text[1:])
        elif key == "Return" and task.name in CHOOSING:
            reader.hear(r"^ARC-T00")
        elif (pattern := LOOKS.get((task.name, key))) is not None:
            if key != "Tab":
                reader.front()
            reader.hear(pattern)
    assert reader.hear(task.heard)
