"""A real file system that can be full: a tmpfs of few megabytes in a mount namespace of its own.

Programs run inside by ``command``; the test itself looks at the files by another path, through the namespace's root.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

_FLAGS = ("--mount",), ("--user", "--map-root-user", "--mount")
"""As root, and where the kernel lets others have a namespace."""


class SmallDisk:
    """``inside``: the file system for programs in the namespace; ``outside``: the same for everybody else."""

    def __init__(self, holder: subprocess.Popen[bytes], inside: Path, flags: Sequence[str]) -> None:
        self._holder = holder
        self._flags = flags
        self.inside = inside
        self.outside = Path(f"/proc/{holder.pid}/root{inside}")

    @property
    def prefix(self) -> list[str]:
        """What makes a command run inside."""
        user = ["--user", "--preserve-credentials"] if "--user" in self._flags else []
        return ["nsenter", "--target", str(self._holder.pid), "--mount", *user, f"--wd={Path.cwd()}", "--"]

    @property
    def free(self) -> int:
        """Bytes."""
        state = os.statvfs(self.outside)
        return state.f_bavail * state.f_frsize

    def fill(self, leave: int = 0) -> None:
        """Takes all room but ``leave`` bytes (whole pages)."""
        with (self.outside / "filler").open("ab") as filler, contextlib.suppress(OSError):
            while self.free > leave:
                filler.write(bytes(min(1 << 20, max(4096, self.free - leave))))
                filler.flush()

    def make_room(self) -> None:
        """Gives all of it back."""
        (self.outside / "filler").unlink(missing_ok=True)


@contextlib.contextmanager
def small_disk(megabytes: int) -> Iterator[SmallDisk]:
    """One of this size; gone afterwards with all that is on it."""
    inside = Path(tempfile.mkdtemp(prefix="arc-small-disk-"))
    script = f'mount -t tmpfs -o size={megabytes}m,mode=0700 none "{inside}" && echo made && exec cat'
    try:
        for flags in _FLAGS:
            holder = subprocess.Popen(
                ["unshare", *flags, "sh", "-c", script],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            assert holder.stdout is not None
            if holder.stdout.readline() == b"made\n":
                break
            holder.communicate()
        else:
            pytest.fail("no private mount namespace here: unshare --mount must be allowed")
        try:
            yield SmallDisk(holder, inside, flags)
        finally:
            holder.communicate(timeout=20)
    finally:
        shutil.rmtree(inside, ignore_errors=True)
