"""What a frame is now, and how pressing the end of its certificate is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from app.capabilities.infrastructure.messages import Frame
from app.console.language import tr
from app.console.moments import parse_time
from app.console.theme.tokens import Meaning

CERTIFICATE_WARN_DAYS, CERTIFICATE_BAD_DAYS = 30.0, 7.0
_WORST: Final[Sequence[tuple[str, Meaning]]] = (
    (tr("Unreachable"), Meaning.BAD),
    (tr("Degraded"), Meaning.WARN),
    (tr("Stale"), Meaning.IDLE),
    (tr("Unknown"), Meaning.IDLE),
)
"""Standings that are the whole's, worst first, by their words."""


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


def frames_foot(counts: Mapping[str, int]) -> tuple[Meaning, str, str]:
    """State of the whole, how many frames are in it, and what is said of the others, short enough for a tile.
    ``counts``: frames by the word of their standing."""
    others = {word: count for word, count in counts.items() if count and word != tr("Operational")}
    state, told = Meaning.OK, tr("Operational")
    for word, meaning in _WORST:
        if word in others:
            state, told = meaning, f"{others.pop(word)} {word.lower()}"
            break
    if len(others) > 1:
        below = tr("{count} in other states", count=sum(others.values()))
    elif others:
        (below,) = (f"{count} {word.lower()}" for word, count in others.items())
    else:
        below = tr("every frame answers") if state is Meaning.OK else ""
    return state, told, below
