"""How this program starts itself in another role, from a checkout or as it was built, and what it hands to others.

Built, there is one executable and no Python: ``arc-console child ROLE`` is a child of the service. In a checkout a
child is Python, isolated from the environment and the working directory: it finds the program by its argument alone.
"""

from __future__ import annotations

import enum
import importlib
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[1]
_START: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); from app.program import run_child; run_child(sys.argv[2:])"
)
_LIBRARIES: Final = "LD_LIBRARY_PATH"
_ITS_OWN: Final = "_PYI_"


class ChildRole(enum.StrEnum):
    """What a child of the service may be; no other word starts one."""

    EXTRACTION = "extraction"
    MEDIA = "media"
    TRAINING_DIRECTORY = "training-directory"
    TRAINING_FRAMES = "training-frames"


_ENTRIES: Final[Mapping[ChildRole, tuple[str, str]]] = {
    ChildRole.EXTRACTION: ("hardware.terminals.extraction", "main"),
    ChildRole.MEDIA: ("app.capabilities.media.worker.child", "main"),
    ChildRole.TRAINING_DIRECTORY: ("app.training.directory.server", "run_child"),
    ChildRole.TRAINING_FRAMES: ("app.training.frames", "run_child"),
}
"""Module and function of each role, by name: a child imports what its own role needs."""


def is_built() -> bool:
    """Whether this is the built program, which has no Python beside it."""
    return bool(getattr(sys, "frozen", False))


def executable() -> str:
    """The file that runs: the program as it was built, or Python."""
    return sys.executable


def program() -> list[str]:
    """How every command line of this program begins."""
    return [sys.executable] if is_built() else [sys.executable, "-m", "app"]


def started_in() -> Path | None:
    """Where ``program`` is to be started: from a checkout in its root, built anywhere."""
    return None if is_built() else _ROOT


def child(role: ChildRole, *arguments: str) -> list[str]:
    """The command line of a child, for any working directory."""
    if is_built():
        return [sys.executable, "child", role, *arguments]
    return [sys.executable, "-I", "-c", _START, str(_ROOT), role, *arguments]


def run_child(arguments: Sequence[str]) -> None:
    """What a child does: its role, then that role's own arguments. Ends the process with what the role returns;
    ``ValueError`` for a word that is no role."""
    role, *rest = arguments
    module, function = _ENTRIES[ChildRole(role)]
    sys.exit(getattr(importlib.import_module(module), function)(*rest))


def outside(environment: Mapping[str, str]) -> dict[str, str]:
    """``environment`` for a program that is not ours: built, this one runs with libraries of its own before those of
    the system, which another program must not load."""
    handed = {name: value for name, value in environment.items() if not name.startswith(_ITS_OWN)}
    before = handed.pop(f"{_LIBRARIES}_ORIG", None)
    if is_built():
        handed.pop(_LIBRARIES, None)
        if before is not None:
            handed[_LIBRARIES] = before
    return handed
