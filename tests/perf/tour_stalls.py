"""The whole tour, every page in both looks, three sizes and two text sizes: no gap of the window of ours over 50 ms.

Told in three rows: while the console opens (its pages are built), while the look changes (every widget is dressed
anew), and all else. Of each the worst gap counts, by the processor time of the console in it; the peer is the limit.
``python -m tests.perf.tour_stalls`` prints the rows; the tour takes two minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from tests.perf.report import Row, run

LIMIT_MS = 50.0
OPENING = ("start", "the console opens")


@cache
def _gaps() -> tuple[dict[str, Any], ...]:
    """The gaps of one tour."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.perf.tour_child"],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
        env={**os.environ, "QT_QPA_PLATFORM": os.environ.get("QT_QPA_PLATFORM", "offscreen")},
        cwd=Path(__file__).resolve().parents[2],
    )
    return tuple(json.loads(done.stdout.splitlines()[-1]))


def _row(name: str, counts: Callable[[dict[str, Any]], bool]) -> Row:
    found = [gap for gap in _gaps() if counts(gap)]
    over = [gap for gap in found if gap["cpu_ms"] > LIMIT_MS]
    worst = max(found, key=lambda gap: gap["cpu_ms"], default=None)
    worst_ms = 0.0 if worst is None else worst["cpu_ms"]
    return Row(
        name=f"tour, {name}: {len(found)} gaps of ours, {len(over)} too long",
        unit="ms",
        ours=worst_ms,
        peer=LIMIT_MS,
        ratio=worst_ms / LIMIT_MS,
        goal=f"none of ours > {LIMIT_MS:.0f} ms",
        against="the limit" if worst is None else f"the limit; worst in: {worst['step']}",
        met=not over,
    )


def _opens(gap: dict[str, Any]) -> bool:
    return gap["step"] in OPENING


def _dresses(gap: dict[str, Any]) -> bool:
    return bool(gap["look_ms"] > LIMIT_MS / 2)


def opening() -> Row:
    """From the first frame until the first page can be used."""
    return _row("opening", _opens)


def looks() -> Row:
    """Dark to light, other text sizes."""
    return _row("changes of the look", lambda gap: _dresses(gap) and not _opens(gap))


def work() -> Row:
    """What an operator does all day."""
    return _row("work", lambda gap: not _dresses(gap) and not _opens(gap))


ROWS = (opening, looks, work)

if __name__ == "__main__":
    run(ROWS)
