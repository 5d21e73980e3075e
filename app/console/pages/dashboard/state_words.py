"""What the state line of the Dashboard says, and the feet of its tiles. Without Qt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.capabilities.burn.messages import Burn, BurnSpeedReport
from app.console.blast_radius import DOOR
from app.console.clock import age
from app.console.language import tr
from app.console.need_words import need_words
from app.console.pages.dashboard.attention_words import AttentionRow
from app.console.theme.tokens import Meaning


@dataclass(frozen=True)
class SiteState:
    """What is read first: state, its word, one sentence, and a dim line."""

    state: Meaning
    word: str
    sentence: str
    detail: str = ""


@dataclass(frozen=True)
class WhatAnswers:
    """How many frames and doors there are, and how many of them answer; ``frames_silent``: of so many frames nobody
    knows now whether they do."""

    frames: int
    frames_up: int
    doors: int
    doors_up: int
    frames_silent: int = 0


def site_state(rows: Sequence[AttentionRow], answers: WhatAnswers, stale: str, loading: bool, now: float) -> SiteState:
    """The state of the site. ``rows``: what needs a person, the worst first; ``stale``: since when nothing is known,
    empty while it is; ``now``: Unix time of the service. What is not known now is never said from memory."""
    if loading:
        return SiteState(Meaning.IDLE, tr("Loading"), tr("Alarms, burns and readers are being read."))
    if stale:
        return SiteState(Meaning.IDLE, tr("Not known"), tr("The service does not say what is open."), stale)
    waiting = [row for row in rows if not row.muted_until]
    if waiting:
        worst = waiting[0]
        since = age(max(0.0, now - worst.since))
        sentence = tr("{what}, {age} ago. {owner}", what=_bare(worst.text), age=since, owner=_owner(worst)).rstrip()
        following = waiting[1] if len(waiting) > 1 else None
        detail = worst.below if following is None else tr("Then: {what}", what=_following(following))
        return SiteState(worst.state, need_words(len(waiting)), sentence, detail)
    if rows:
        said = tr("1 matter is muted on this console.")
        if len(rows) > 1:
            said = tr("{count} matters are muted on this console.", count=len(rows))
        return SiteState(Meaning.IDLE, tr("All muted"), said, f"{_bare(rows[0].text)}. {rows[0].below}")
    sentence = tr(
        "{frames_up} of {frames} frames and {doors_up} of {doors} doors answer.",
        frames_up=answers.frames_up,
        frames=answers.frames,
        doors_up=answers.doors_up,
        doors=answers.doors,
    )
    # Nobody is called for a door that is offline; that all were clear would be said too soon.
    if answers.doors_up < answers.doors:
        return SiteState(Meaning.WARN, tr("No alarm"), sentence, tr("A door that is offline waits for burns."))
    if answers.frames_silent:
        silent = tr("Of {count} frames nothing is heard now.", count=answers.frames_silent)
        return SiteState(Meaning.IDLE, tr("No alarm"), sentence, silent)
    return SiteState(Meaning.OK, tr("All clear"), sentence, tr("The service answers, and no alarm is open."))


def _owner(row: AttentionRow) -> str:
    """Who has what is worst; nothing is said of what nobody can take."""
    if row.owner:
        return tr("Taken by {owner}.", owner=row.owner)
    return tr("Nobody has taken it.") if row.takes else ""


def _following(row: AttentionRow) -> str:
    """What comes after the worst, and who has it."""
    what = _bare(row.text)
    return tr("{what}, taken by {owner}.", what=what, owner=row.owner) if row.owner else f"{what}."


def _bare(text: str) -> str:
    """What happened, without a full stop: alarms are told with one, and without."""
    return text.removesuffix(".")


@dataclass(frozen=True)
class TileFoot:
    """Foot of a tile: state and word, and what is said beside it."""

    state: Meaning
    word: str
    below: str = ""


def doors_foot(online: int, secure: int, total: int) -> TileFoot:
    """What is said of the doors: ``secure`` of those ``online`` are on a secure channel."""
    if online < total:
        return TileFoot(Meaning.BAD, tr("{count} offline", count=total - online), tr("of {count}", count=total))
    if secure < online:
        return TileFoot(Meaning.WARN, tr("{count} not on a secure channel", count=online - secure))
    return TileFoot(Meaning.OK, tr("All on a secure channel"))


def last_door_s(burn: Burn) -> float | None:
    """Seconds from the call of a burn to the last proof of a door; None: it had no door, or one has no such time."""
    times = [target.latency_ms for target in burn.targets if target.kind == DOOR]
    proven = [one for one in times if one is not None]
    return max(proven) / 1000 if proven and len(proven) == len(times) else None


def last_door_foot(report: BurnSpeedReport) -> TileFoot:
    """Whether the last doors of the burns closed within the goal of the site."""
    last, goal = report.last_door, report.goal_ms / 1000
    if last.open:
        return TileFoot(Meaning.BAD, tr("{count} open", count=last.open), tr("Goal {goal:.1f} s", goal=goal))
    if not last.timed:
        return TileFoot(Meaning.IDLE, tr("No figure"), tr("no burn with doors in 30 days"))
    said = tr("Goal {goal:.1f} s kept by {count} of {total}", goal=goal, count=last.within, total=last.timed)
    return TileFoot(Meaning.OK if last.within == last.timed else Meaning.WARN, said)
