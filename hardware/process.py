"""What a process that holds keys or biometric values asks of the kernel. Loads nothing heavy."""

from __future__ import annotations

import ctypes
import sys

_PR_SET_DUMPABLE = 4


def no_core() -> None:
    """Have the kernel write no core file of this process, for any setting of the machine.

    A new program does not inherit this: each one asks for itself.
    """
    if sys.platform == "linux":
        # A limit of 0 does not stop a core that is piped to a program; a process that is not dumpable has no core.
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
