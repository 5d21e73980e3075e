"""What the doctor says of one thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verdict = Literal["ok", "warning", "broken"]


@dataclass(frozen=True)
class MachineFinding:
    """One check: what was looked at, what was found, and what to do about it."""

    id: str
    found: str
    verdict: Verdict
    remedy: str | None = None
