"""Memory for secrets: locked by the kernel's own count, and honest where it is not."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from hardware import memory
from hardware.terminals.projection import Projection

KEY = bytes(range(32))
CHILD = """
import logging, os, resource, sys
from hardware.memory import allocate_locked, lock_state
logging.basicConfig(stream=sys.stdout)
resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
if os.getuid() == 0:
    os.setuid(65534)  # no limit binds who may lock as much as he likes
for _ in range(2):
    found = allocate_locked(8192)
    found.fill(7)
print(found.sum(), lock_state())
"""


def of_kernel() -> int:
    """Bytes of this process that are locked, and so never swapped."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmLck:")).split()[1]) * 1024


def test_a_projection_is_locked_until_it_is_freed() -> None:
    """2.5 MiB more while it is there; the count that we keep is the kernel's."""
    if resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] < 8 << 20:
        pytest.skip("this machine lets no process lock 8 MiB")
    before, counted = of_kernel(), memory.lock_state().locked
    projection = Projection(KEY, "default", 1)
    assert of_kernel() - before == 5 << 19
    assert memory.lock_state().locked - counted == 5 << 19
    del projection
    assert (of_kernel(), memory.lock_state().locked) == (before, counted)


def test_what_cannot_be_locked_is_told() -> None:
    """Without any right to lock the memory serves all the same, and both the count and one warning say what it is."""
    child = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True, check=True)
    told, last = child.stdout.splitlines()
    assert last == "57344 LockState(locked=0, refused=2)"
    assert "RLIMIT_MEMLOCK" in told


def test_wiped_bytes_are_zeros() -> None:
    """In place; a single byte, which the interpreter shares, is left alone."""
    data, single = bytes(bytearray(b"secret of a person")), bytes(bytearray(b"x"))
    memory.wipe(data)
    memory.wipe(single)
    assert data == bytes(18)
    assert single == b"x"
