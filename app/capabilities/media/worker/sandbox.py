"""What a worker takes from itself before it reads a file: memory, processor time, and the system calls that reach
anything but its two pipes.

Linux on x86_64 and aarch64 alone. The filter is classic BPF (seccomp(2), ``SECCOMP_SET_MODE_FILTER``): one comparison a
call, EPERM for the calls of ``syscalls``, all others allowed. It is for ever: no later call lifts it.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from dataclasses import dataclass
from typing import Final

from app.capabilities.media.worker.refusals import MediaNotSandboxed
from app.capabilities.media.worker.syscalls import denied_calls
from hardware.process import no_core

_PR_SET_NO_NEW_PRIVS: Final = 38
_SET_MODE_FILTER: Final = 1
_TSYNC: Final = 1
# Per machine: AUDIT_ARCH (linux/audit.h), and the number of seccomp(2) itself.
_MACHINES: Final = {"x86_64": (0xC000003E, 317), "aarch64": (0xC00000B7, 277)}
_X32: Final = 0x40000000
"""Set in the numbers of x86_64's second table of calls."""
# struct seccomp_data: the number of the call is at 0, the architecture at 4.
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW: Final = 0x7FFF0000
_ERRNO: Final = 0x00050000


@dataclass(frozen=True)
class SandboxLimits:
    """Limits of one worker. ``memory``: its address space, bytes. ``cpu_s``, ``cpu_hard_s``: processor seconds of its
    whole life, until the service raises the first within the second. ``files``: open files."""

    memory: int = 1536 << 20
    cpu_s: int = 15
    cpu_hard_s: int = 120
    files: int = 64


def lock(limits: SandboxLimits) -> None:
    """Locks this process for ever. Raises ``MediaNotSandboxed``; the process must decode nothing then."""
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        raise MediaNotSandboxed(f"Nothing confines a decoder on {sys.platform}, {platform.machine()}.")
    import resource

    no_core()
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory, limits.memory))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (limits.files, limits.files))
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_hard_s))
    _install(filter_program(platform.machine()), _MACHINES[platform.machine()][1])


def filter_program(machine: str) -> bytes:
    """The BPF program for ``x86_64`` or ``aarch64``: ``struct sock_filter[]``, native byte order."""
    numbers = sorted(denied_calls(machine).values())
    # A jump counts the instructions that it skips; allowing is the one before the last, denying the last.
    code = [
        (_LOAD, 0, 0, 4),
        # A call of another architecture has other numbers: none is allowed.
        (_EQUAL, 0, len(numbers) + 3, _MACHINES[machine][0]),
        (_LOAD, 0, 0, 0),
        (_AT_LEAST, len(numbers) + 1, 0, _X32),
        *((_EQUAL, len(numbers) - place, 0, number) for place, number in enumerate(numbers)),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _ERRNO + errno.EPERM),
    ]
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _install(program: bytes, seccomp: int) -> None:
    """Has the kernel judge each call of every thread of this process by the program."""
    libc = ctypes.CDLL(None, use_errno=True)
    buffer = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("@HP", len(program) // 8, ctypes.addressof(buffer))
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.syscall(seccomp, _SET_MODE_FILTER, _TSYNC, header):
        raise MediaNotSandboxed(f"The kernel takes no filter of system calls: {os.strerror(ctypes.get_errno())}.")
