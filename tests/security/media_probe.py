"""A worker that locks itself as every worker does and then tries what it may not:
``python -m tests.security.media_probe DIR PORT``. ``DIR`` has a file ``kept``; at ``PORT`` somebody listens. Writes
JSON: the error of each attempt, and the answer to a file of each format."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import resource
import socket
import sys
import threading
from collections.abc import Callable
from pathlib import Path

from app.capabilities.media.worker.child import answer, prepare
from app.capabilities.media.worker.sandbox import SandboxLimits
from app.capabilities.media.worker.syscalls import denied_calls
from tests.media_files import FORMATS, encoded, photo
from tests.media_model import shared_model

Attempt = Callable[[], object]


def attempts(place: Path, port: int) -> dict[str, Attempt]:
    """What is tried, by name; all that it needs is open already."""
    libc = ctypes.CDLL(None, use_errno=True)
    stream, datagram = socket.socket(), socket.socket(type=socket.SOCK_DGRAM)
    parent = os.getppid()
    kept, fresh = str(place / "kept"), str(place / "new")

    def called(*arguments: object) -> None:
        if libc.syscall(*arguments) == -1:
            raise OSError(ctypes.get_errno(), "")

    def write() -> None:
        with open(fresh, "w") as file:
            file.write("x")

    def read() -> str:
        with open(kept) as file:
            return file.read()

    tried: dict[str, Attempt] = {
        "socket": socket.socket,
        "connect": lambda: stream.connect(("127.0.0.1", port)),
        "send": lambda: datagram.sendto(b"x", ("127.0.0.1", port)),
        "read a file": read,
        "write a file": write,
        "list a folder": lambda: os.listdir(place),
        "exec": lambda: os.execv("/bin/true", ["true"]),
        "fork": os.fork,
        "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
        "signal another": lambda: os.kill(parent, 0),
        "limit another": lambda: resource.prlimit(parent, resource.RLIMIT_CORE),
        "unlink": lambda: os.unlink(kept),
        "rename": lambda: os.rename(kept, fresh),
        "mkdir": lambda: os.mkdir(fresh),
        "chmod": lambda: os.chmod(kept, 0o777),
        "truncate": lambda: os.truncate(kept, 0),
        "symlink": lambda: os.symlink(kept, fresh),
        "set user": lambda: os.setuid(os.getuid()),
    }
    # Pointers and descriptors of -1 are wrong for each: but for the filter, another error would come.
    for name, number in denied_calls(platform.machine()).items():
        if name not in ("fork", "vfork"):
            tried[name] = lambda number=number: called(number, *(ctypes.c_long(-1),) * 6)  # type: ignore[misc]
    return tried


def outcome(attempt: Attempt) -> str:
    """The name of the error that the kernel gave."""
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno or 0]
    return "done"


def thread() -> str:
    """Whether a thread can be started."""
    try:
        threading.Thread(target=int).start()
    except RuntimeError as error:
        return str(error)
    return "done"


def main() -> None:
    """Locks, tries, decodes, tells."""
    made = {name: encoded(photo(40, 30), name) for name in FORMATS}
    tried = attempts(Path(sys.argv[1]), int(sys.argv[2]))
    instruments = prepare(SandboxLimits(), shared_model())
    outcomes = {name: outcome(attempt) for name, attempt in tried.items()}
    answers: dict[str, str] = {}
    for name, file in made.items():
        answer(file, instruments, lambda message, *_, name=name: answers.update({name: type(message).__name__}))
    sys.stdout.write(json.dumps({"outcomes": outcomes, "thread": thread(), "answers": answers}))


if __name__ == "__main__":
    main()
