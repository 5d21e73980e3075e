"""The filter of system calls: its numbers against the kernel's headers, its program by an interpreter of BPF."""

from __future__ import annotations

import errno
import platform
import re
import struct
import sys
from pathlib import Path

import pytest

from app.capabilities.media.worker.refusals import MediaNotSandboxed
from app.capabilities.media.worker.sandbox import SandboxLimits, filter_program, lock
from app.capabilities.media.worker.syscalls import denied_calls

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
YOUNGER = {"fchmodat2": 452}
"""Calls that the headers of Debian 12 do not have."""
ALLOWED = 0x7FFF0000
DENIED = 0x00050000 | errno.EPERM


def judged(program: bytes, architecture: int, number: int) -> int:
    """What the kernel would return: loads, two jumps and a return of classic BPF, on ``struct seccomp_data``."""
    code = list(struct.iter_unpack("=HBBI", program))
    data = struct.pack("=II", number, architecture) + bytes(56)
    place, taken = 0, 0
    while True:
        operation, yes, no, constant = code[place]
        place += 1
        if operation == 0x20:
            taken = struct.unpack_from("=I", data, constant)[0]
        elif operation == 0x06:
            return int(constant)
        else:
            place += yes if (taken == constant if operation == 0x15 else taken >= constant) else no


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_kernel(machine: str) -> None:
    """Each name has the number that the headers give it."""
    if not HEADERS[machine].exists():
        pytest.skip("no kernel headers for this machine's compiler here")
    text = HEADERS[machine].read_text()
    there = {name: int(number) for name, number in re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\s", text)}
    denied = denied_calls(machine)
    assert denied == {name: there.get(name, YOUNGER.get(name)) for name in denied}


def test_a_machine_lacks_only_calls_that_it_does_not_have() -> None:
    """aarch64 has no number for the calls that newer ones replaced there, and x86_64 has all."""
    without = denied_calls("x86_64").keys() - denied_calls("aarch64").keys()
    assert without == {
        *("open", "creat", "fork", "vfork", "unlink", "rmdir", "mkdir", "mknod", "rename", "link", "symlink"),
        *("chmod", "chown", "lchown", "utime", "utimes", "futimesat"),
    }
    assert not denied_calls("aarch64").keys() - denied_calls("x86_64").keys()


@pytest.mark.parametrize("machine", MACHINES)
def test_every_call_is_judged_by_its_number(machine: str) -> None:
    """EPERM for the denied numbers, and for no other."""
    program, denied = filter_program(machine), set(denied_calls(machine).values())
    for number in range(600):
        wanted = DENIED if number in denied else ALLOWED
        assert judged(program, MACHINES[machine], number) == wanted, number


@pytest.mark.parametrize("machine", MACHINES)
def test_no_call_of_another_architecture_is_allowed(machine: str) -> None:
    """Where numbers mean something else, reading is denied, too: i386, and x86_64's second table."""
    program = filter_program(machine)
    assert {judged(program, 0x40000003, number) for number in range(600)} == {DENIED}
    second = (0x3FFFFFFF, 0x40000000, 0x40000001, 0xFFFFFFFF)
    assert [judged(program, MACHINES[machine], number) for number in second] == [ALLOWED, DENIED, DENIED, DENIED]


@pytest.mark.parametrize(("system", "machine"), [("win32", "x86_64"), ("darwin", "aarch64"), ("linux", "riscv64")])
def test_nothing_is_locked_elsewhere(system: str, machine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On other systems and processors a worker refuses, in a sentence."""
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(platform, "machine", lambda: machine)
    with pytest.raises(MediaNotSandboxed, match=rf"^Nothing confines a decoder on {system}, {machine}\.$"):
        lock(SandboxLimits())
