"""The service's program by ``fork`` from a process that has loaded it: to load it is half of a start's work, and a test
run starts services by the hundred. What a new interpreter does at its start is asked by the tests that take one.

Source: the fork server of Python's ``multiprocessing``, one for each process that starts services.
"""

from __future__ import annotations

import functools
import importlib
import multiprocessing
import os
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import BinaryIO, cast

ROOT = Path(__file__).parents[1]
LOADED = (
    "app.__main__",
    "app.commands.serve",
    "app.service.assembly",
    "app.service.serving",
    "app.capabilities.voice.engine",
    "app.training.wiring",
    "c2pa",
    "faiss",
    "onnxruntime",
    "numpy.ma",
    "numpy.random",
    "uvicorn.main",
)
"""What each start of a training site loads."""


def load() -> None:
    """Loads the program, in the fork server alone. A thread would be lost in every fork, with what it holds."""
    for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
        os.environ.setdefault(threads, "1")
    for module in LOADED:
        try:
            importlib.import_module(module)
        except ImportError as error:
            # The fork server passes over an ImportError without a word.
            raise RuntimeError(f"{module} is no module of the program") from error
    if len(os.listdir("/proc/self/task")) != 1:
        raise RuntimeError("a module of the program starts a thread as it is loaded")


@functools.cache
def _server() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.loaded_program_server"])
    return context


class ForkedProgram:
    """``arc-console`` with ``arguments`` in a process of its own: its stdin and stdout are pipes, its stderr goes on in
    the file ``log``. Its working directory is the checkout, its environment that of this process."""

    def __init__(self, arguments: Sequence[str], log: Path) -> None:
        stdin, told = _server().Pipe(duplex=False)
        heard, stdout = _server().Pipe(duplex=False)
        # Daemonic: what a broken test leaves running ends with this process.
        self._process = _server().Process(
            target=_run, args=(list(arguments), stdin, stdout, log, dict(os.environ)), daemon=True
        )
        self._process.start()
        stdin.close()
        stdout.close()
        self.stdin: BinaryIO = os.fdopen(os.dup(told.fileno()), "wb")
        self.stdout: BinaryIO = os.fdopen(os.dup(heard.fileno()), "rb")
        told.close()
        heard.close()

    @property
    def pid(self) -> int:
        """Of the process."""
        return cast(int, self._process.pid)

    def wait(self, seconds: float) -> int:
        """Its exit code, negative for a signal. Raises ``TimeoutError`` where it runs longer."""
        self._process.join(seconds)
        code = self._process.exitcode
        if code is None:
            raise TimeoutError(f"process {self.pid} did not end in {seconds} s")
        return code


def _run(arguments: list[str], stdin: Connection, stdout: Connection, log: Path, environment: dict[str, str]) -> None:
    """The process: it has the three streams, the place and the words that a new interpreter would have."""
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(ROOT)
    os.dup2(stdin.fileno(), 0)
    os.dup2(stdout.fileno(), 1)
    with log.open("ab") as kept:
        os.dup2(kept.fileno(), 2)
    stdin.close()
    stdout.close()
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)
    sys.argv = ["arc-console", *arguments]
    from app.__main__ import main

    code = main(arguments)
    sys.stdout.flush()
    sys.exit(code)
