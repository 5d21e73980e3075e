"""The tasks of a desk, an office and a manager by real key events of an X server: each can be done by the keyboard
alone, and none needs more keys than it is allowed. A name or an id that is typed counts as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.e2e.heard_console import Reader, heard_console

CHOOSING = ("write-one", "contain", "burn-one")
DESK, OFFICE = "Training desk", "Training badge office"


@dataclass(frozen=True)
class Task:
    """``keys``: as ``Reader.keys``; ``heard``: what says that it is done; ``most``: keys that it may need."""

    name: str
    operator: str
    keys: tuple[str, ...]
    heard: str
    most: int


TASKS = (
    Task(
        "burn-one", DESK, ("ctrl+3", "type:ARC-T0007", "Return", "alt+1", "ctrl+Return", "hold:space"),
        r"^Every door refuses$", 7,
    ),
    Task("contain", DESK, ("ctrl+3", "type:ARC-T0008", "Return", "ctrl+d"), r"^Operator: contained", 5),
    Task("where-was-she", DESK, ("ctrl+k", "type:@ARC-T0009", "Return"), r"^Doors open now$", 14),
    Task("red-frame-to-cause", DESK, ("ctrl+1", "alt+0", "alt+2", "Right", "ctrl+Return"), r"training-a-02", 5),
    Task("last-week", DESK, ("ctrl+shift+1", "alt+2", "Down", "Down", "Down", "Return"), r"^Last 7 days$", 6),
    Task("burns-fast-enough", DESK, ("ctrl+3", "alt+9"), r"^The worst five burns", 2),
    Task("wall", DESK, ("F11",), r"^Wall display: ", 1),
    Task("leave-the-wall", DESK, ("Escape",), r"^Signed in: Training desk$", 1),
    Task(
        "write-one", OFFICE, ("ctrl+2", "type:ARC-T0010", "Return", "ctrl+Return"),
        r"^Written and proven for Training Person 10$", 5,
    ),
    Task("add-a-person", OFFICE, ("ctrl+shift+3", "ctrl+n", "type:Nora Keys", "Return"), r"^Nora Keys$", 5),
    Task(
        "lost-card", OFFICE,
        ("ctrl+k", "type:@ARC-T0010", "Return", "ctrl+shift+l", "Tab", "Tab", "hold:space"),
        r"card .*is revoked|^Revoked", 7,
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


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
def test_a_task_is_done_by_keys(task: Task, reader: Reader) -> None:
    """Within its number of keys."""
    assert len(task.keys) <= task.most
    if task.name != "leave-the-wall":
        reader.become(task.operator)
    reader.front()
    for key in task.keys:
        if task.name == "burn-one" and key == "ctrl+Return":
            reader.hear(r"^Hold 1\.5 s with")  # the blast radius is there, and the button can be held
        reader.keys(key)
        _, _, text = key.partition(":")
        # The operator looks before the next key: at what was found, and at who was chosen.
        if text.startswith("@"):
            reader.hear(text[1:])
        elif key == "Return" and task.name in CHOOSING:
            reader.hear(r"^ARC-T00")
    assert reader.hear(task.heard)
