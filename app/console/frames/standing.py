"""What a frame is now, and how pressing the end of its certificate is."""

from __future__ import annotations

from dataclasses import dataclass

from app.capabilities.infrastructure.messages import Frame
from app.console.clock import parse_time
from app.console.theme.tokens import Meaning

CERTIFICATE_WARN_DAYS, CERTIFICATE_BAD_DAYS = 30.0, 7.0


@dataclass(frozen=True)
class FrameStanding:
    """The state of a frame as shown. ``hint`` says why, or since when nothing is known."""

    state: Meaning
    word: str
    hint: str = ""


def certificate_days(frame: Frame, now: float) -> float | None:
    """Days until the frame's certificate ends; negative afterwards, None when no certificate was seen."""
    return None if frame.certificate_not_after is None else (parse_time(frame.certificate_not_after) - now) / 86400


def certificate_state(days: float | None) -> Meaning:
    """How urgent the end of a certificate is."""
    if days is None:
        return Meaning.IDLE
    if days < CERTIFICATE_BAD_DAYS:
        return Meaning.BAD
    return Meaning.WARN if days < CERTIFICATE_WARN_DAYS else Meaning.OK
