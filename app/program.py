"""This program as a command: in a checkout the interpreter with a module, frozen one executable for all roles.

What starts this program again, or one of the children below, asks here: a frozen program has no ``-m``. The console
loads this before its first paint: it stays without imports of ours.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

CHILDREN: Final = {
    "training-frames": "app.training.frames",
    "training-directory": "app.training.directory.server",
    "extraction": "hardware.terminals.extraction",
    "media-worker": "app.capabilities.media.worker.child",
}
"""The roles of children that are no command of the command line, each with the module whose ``main`` it is."""
_ROOT: Final = Path(__file__).parents[1]
_LIBRARIES: Final = "LD_LIBRARY_PATH"
_OWN: Final = "_PYI_"


def is_frozen() -> bool:
    """Whether this is the package's executable and no checkout."""
    return bool(getattr(sys, "frozen", False))


def own_command(*arguments: str) -> list[str]:
    """The command line of this same program with these arguments."""
    return [sys.executable, *arguments] if is_frozen() else [sys.executable, "-m", "app", *arguments]


def child_command(role: str) -> list[str]:
    """The command line of a child. KeyError for a role that is none of ``CHILDREN``."""
    module = CHILDREN[role]
    return [sys.executable, "child", role] if is_frozen() else [sys.executable, "-m", module]


def isolated_child(role: str, *arguments: str) -> list[str]:
    """The command line of a child that neither the environment nor the working directory can lead astray, with strings
    for its ``main``."""
    if is_frozen():
        return [*child_command(role), *arguments]
    start = f"import sys; sys.path.insert(0, sys.argv[1]); from {CHILDREN[role]} import main; main(*sys.argv[2:])"
    return [sys.executable, "-I", "-c", start, str(_ROOT), *arguments]


def child_place() -> Path | None:
    """The working directory in which a child's module is found: that of the checkout, none where it is frozen."""
    return None if is_frozen() else _ROOT


def outside(environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The environment for a program that is not ours: a frozen one's own libraries would take the place of the system's
    (PyInstaller: LD_LIBRARY_PATH, and before it LD_LIBRARY_PATH_ORIG)."""
    if not is_frozen():
        return dict(environment)
    kept = {name: said for name, said in environment.items() if not name.startswith(_OWN)}
    before = kept.pop(f"{_LIBRARIES}_ORIG", None)
    kept.pop(_LIBRARIES, None)
    return kept if before is None else {**kept, _LIBRARIES: before}
