"""Programs that take the place of a media worker."""

from __future__ import annotations

import sys
from collections.abc import Callable


def program_of(text: str) -> Callable[..., list[str]]:
    """What ``child`` is replaced by, so that each worker is this Python program."""
    return lambda *_: [sys.executable, "-I", "-c", text]
