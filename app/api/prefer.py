"""The header ``Prefer`` (RFC 7240): how long a caller would wait for a result."""

from __future__ import annotations

import re
from typing import Final

LONGEST_WAIT_S: Final = 25
_WAIT: Final = re.compile(r"wait\s*=\s*\"?([0-9]{1,6})\"?")


def preferred_wait(prefer: str) -> tuple[float | None, str | None]:
    """How long the caller would wait (seconds, at most ``LONGEST_WAIT_S``; None: he does not say) and what of his
    ``Prefer`` was followed, for ``Preference-Applied``. What is not understood is ignored, as the RFC has it."""
    for part in prefer.lower().split(","):
        preference = part.split(";", 1)[0].strip()
        if preference == "respond-async":
            return 0.0, "respond-async"
        asked = _WAIT.fullmatch(preference)
        if asked is not None:
            seconds = min(int(asked[1]), LONGEST_WAIT_S)
            return float(seconds), f"wait={seconds}"
    return None, None
