"""Other processes of this machine."""

from __future__ import annotations

import os


def alive(pid: int) -> bool:
    """Whether a process with that number runs now, of any user."""
    if pid <= 0:
        return False
    if os.name != "posix":
        # On Windows os.kill(pid, 0) ends the process instead of asking for it.
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
