"""The lock of one process at a time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from app.site.exclusive import Exclusive

HOLDER = """
import sys, time
from pathlib import Path
from app.site.exclusive import Exclusive
lock = Exclusive(Path(sys.argv[1]))
print(lock.take(), flush=True)
sys.stdin.read()
"""


def test_a_second_one_is_refused_until_the_first_gives_it_back(tmp_path: Path) -> None:
    """In the same process, too."""
    first, second = Exclusive(tmp_path / "lock"), Exclusive(tmp_path / "lock")
    assert first.take()
    assert not second.take()
    first.release()
    assert second.take()
    second.release()


def test_it_ends_with_a_holder_that_is_killed(tmp_path: Path) -> None:
    """kill -9 of a real process."""
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[3],
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        mine = Exclusive(path)
        assert not mine.take()
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait(10)
        assert mine.take()
        mine.release()


def test_a_file_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """It is neither held nor busy."""
    with pytest.raises(OSError, match="No such file"):
        Exclusive(tmp_path / "nowhere" / "lock").take()
