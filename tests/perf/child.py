"""A part of a benchmark that is a process of its own: a module that prints one JSON line and ends with its stdin."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from typing import IO, Any


@contextlib.contextmanager
def child(module: str, *arguments: object, quiet: bool = False) -> Iterator[tuple[Any, IO[str]]]:
    """What it printed, and its stdin. ``quiet``: its complaints are nobody's concern."""
    command = [sys.executable, "-m", module, *map(str, arguments)]
    errors = subprocess.DEVNULL if quiet else None
    with subprocess.Popen(command, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors) as process:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("a child without its pipes")
        yield json.loads(process.stdout.readline()), process.stdin
        process.stdin.close()
