"""What a process that holds keys or biometric values asks of the kernel. Loads nothing heavy."""

from __future__ import annotations

import ctypes
import sys

_PR_SET_DUMPABLE = 4


def no_core() -> None:
    """No core file, whatever the machine does with cores. Not handed down: each new program asks for itself."""
    if sys.platform == "linux":
        # A limit of 0 does not bind a core that is piped to a program; a process that is not dumpable has none.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
