"""Words on how far a command is."""

from __future__ import annotations

import sys


def tell(*words: object) -> None:
    """A line on standard error."""
    sys.stderr.write(" ".join(str(word) for word in words) + "\n")
    sys.stderr.flush()
