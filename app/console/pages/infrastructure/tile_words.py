"""What the tiles of the page say: a figure, its state and its goal in words. No goal, no green."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from app.console.frames.measurements import FloatArray
from app.console.frames.standing import CERTIFICATE_WARN_DAYS, certificate_state, frames_foot
from app.console.language import number, tr
from app.console.theme.tokens import Meaning
from app.console.widgets.kpi import goal_foot

MISSED_GOAL = 0.001
"""Of the probes, no larger share is to be missed: the target picture of the page names it."""


class Measure(Enum):
    """What a tile counts and the chart shows."""

    OPERATIONAL = "operational"
    P50 = "p50"
    P99 = "p99"
    MISSED = "missed"
    CERTIFICATES = "certificates"


@dataclass(frozen=True)
class TileFace:
    """What a tile shows. A state beside a figure is that of a goal which the foot names; ``trend`` None: no course is
    kept of it."""

    value: str
    unit: str = ""
    state: Meaning | None = None
    word: str = ""
    below: str = ""
    trend: FloatArray | None = field(default=None, compare=False)
    goal: float | None = None
    title: str = ""
    """Another name than the tile has; empty: its own."""


UNKNOWN, ANSWERED = tr("Unknown"), tr("Frames that answered")


def operational_face(counts: Mapping[str, int], trend: FloatArray) -> TileFace:
    """How many of the frames are operational. ``counts``: frames by the word of their standing."""
    total = sum(counts.values())
    if not total:
        return TileFace("0", below=tr("no frame is registered"), trend=trend)
    state, word, below = frames_foot(counts)
    return TileFace(str(counts.get(tr("Operational"), 0)), tr("of {count}", count=total), state, word, below, trend)


def answered_face(states: Sequence[Meaning], trend: FloatArray) -> TileFace:
    """How many frames answered at a moment of the past. ``states``: how each did."""
    answered = sum(one in (Meaning.OK, Meaning.WARN) for one in states)
    if not answered and Meaning.BAD not in states:
        # That nothing is known does not say that none answered.
        return TileFace("–", "", Meaning.IDLE, UNKNOWN, tr("no sample then"), trend, title=ANSWERED)
    unknown = states.count(Meaning.IDLE)
    below = tr("{count:,} without a sample", count=unknown) if unknown else tr("of the frames of now")
    return TileFace(str(answered), tr("of {count}", count=len(states)), below=below, trend=trend, title=ANSWERED)


def p50_face(half: float | None, below: str, trend: FloatArray) -> TileFace:
    """The median of a minute's handshakes; it has no goal. ``below``: of which ones."""
    if half is None:
        return TileFace("–", "", Meaning.IDLE, UNKNOWN, below, trend)
    return TileFace(_ms(half), tr("ms"), below=below, trend=trend)


def p99_face(high: float | None, below: str, goal: float | None, minutes: FloatArray, trend: FloatArray) -> TileFace:
    """The p99 of a minute's handshakes, and how many of the known ``minutes`` missed the goal."""
    if high is None:
        return TileFace("–", "", Meaning.IDLE, UNKNOWN, below, trend, goal)
    if goal is None:
        return TileFace(_ms(high), tr("ms"), below=below, trend=trend)
    known = minutes[np.isfinite(minutes)]
    state, word = goal_foot(goal, "ms", int((known > goal).sum()), len(known), tr("min"))
    return TileFace(_ms(high), tr("ms"), state, word, "", trend, goal)


def missed_face(missed: int, probes: int, trend: FloatArray) -> TileFace:
    """How many of the span's probes were missed."""
    if not probes:
        return TileFace("–", "", Meaning.IDLE, UNKNOWN, tr("no probe in the span"), trend)
    goal = number(MISSED_GOAL * 100, "g")
    title = tr("Missed of {probes:,}", probes=probes)
    if missed / probes <= MISSED_GOAL:
        word = tr("Goal under {goal} % kept", goal=goal)
        return TileFace(number(missed, ","), "", Meaning.OK, word, "", trend, title=title)
    share = number(missed / probes * 100, ".2g" if missed / probes < 0.1 else ".0f")
    word = tr("Goal {goal} % missed: {share} %", goal=goal, share=share)
    return TileFace(number(missed, ","), "", Meaning.WARN, word, "", trend, title=title)


def certificates_face(days: Sequence[float | None]) -> TileFace:
    """The fewest days that a certificate has left. ``days``: of each frame, None where no certificate was seen."""
    known = sorted(one for one in days if one is not None)
    if not known:
        return TileFace("–", "", Meaning.IDLE, UNKNOWN, tr("no certificate was seen"))
    unseen = len(days) - len(known)
    below = tr("{count} not seen", count=unseen) if unseen else ""
    ended, soon = sum(one < 0 for one in known), sum(one < CERTIFICATE_WARN_DAYS for one in known)
    within = f"{CERTIFICATE_WARN_DAYS:g}"
    if ended:
        word = tr("1 has ended") if ended == 1 else tr("{count} have ended", count=ended)
    elif soon:
        word = (
            tr("1 ends within {days} days", days=within)
            if soon == 1
            else tr("{count} end within {days} days", count=soon, days=within)
        )
    else:
        word = tr("None ends within {days} days", days=within)
    return TileFace(f"{known[0]:.0f}", tr("days"), certificate_state(known[0]), word, below)


def past_certificates_face() -> TileFace:
    """Which certificate a frame had is known of now alone."""
    return TileFace("–", "", Meaning.IDLE, UNKNOWN, tr("no certificate of then"))


def _ms(value: float) -> str:
    return number(value, ".2f" if value < 10 else ".1f" if value < 100 else ",.0f")
