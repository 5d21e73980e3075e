"""How a person stood at a moment of the past, rebuilt from the audit log.

The registry says how a person stands now. Each change of it is a leaf that names the standing before it: the first
change after a moment says how the person stood then, and without one they stood as now. Where the leaves do not fit
each other, or do not tell, the standing is not known: nothing is guessed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.capabilities.gateway.audit.messages import AuditCriteria, AuditEntry, AuditQuery, AuditRange
from app.console.language import tr
from app.console.moments import api_time, parse_time
from app.console.shown_time import REACH_S, utc_clock
from app.console.standing import standing_word
from app.console.theme.tokens import Meaning, state_of

if TYPE_CHECKING:
    from app.console.session import WindowSession

CHANGE, CHECK, PUT = "registry.standing_change", "registry.live_check", "registry.node_put"
HELD, QUEUED, BURNED = "containment.contained", "containment.queued", "containment.burned"
ACTIONS = (CHANGE, CHECK, PUT, HELD, QUEUED, BURNED)
"""Actions of the audit log that tell how people stand."""
SWEEP_S = 75.0
"""The end of a live check is written down so late at most while the service runs."""
READ, PAGES = 200, 20
"""Entries in a page of each action, and pages: more than that are not read."""
AHEAD_S, OVERLAP_S = 60.0, 60.0
"""Seconds: the log may be ahead of the clock, and what is written down late is read once more."""
FURTHEST_S = 365 * 86400.0
"""How far back one question to the log may reach."""
INSTANT_S = 5e-7
"""The log's times are whole microseconds; a Unix time as a float is a little less exact."""


@dataclass(frozen=True)
class PastStanding:
    """How a person stood: the API's word, empty where it is not known; ``said``: a sentence that says from what it is
    known, or why it is not."""

    standing: str
    said: str

    @property
    def state(self) -> Meaning:
        """The state that it stands for."""
        if self == BEING_READ:
            return Meaning.WORK
        return state_of(self.standing) if self.standing else Meaning.IDLE

    @property
    def word(self) -> str:
        """The word that people read."""
        if self == BEING_READ:
            return tr("Asking")
        return standing_word(self.standing) if self.standing else tr("Not known")


NOT_READ = PastStanding("", tr("The audit log was not read up to that moment yet."))
BEING_READ = PastStanding("", tr("The audit log is being read back to that moment."))
TOO_EARLY = PastStanding("", tr("The entries that were read do not reach back to that moment."))
UNREGISTERED = PastStanding("", tr("Nobody is registered by this id now: how it stood then is not known."))
CONFLICT = PastStanding("", tr("The entries of the audit log since then do not fit how the person stands now."))


def standing_at(standing_now: str, entries: Iterable[AuditEntry], at: float) -> PastStanding:
    """How a person stood at that Unix time. ``standing_now``: as the registry has it; ``entries``: all entries of
    ``ACTIONS`` about the person from that time on, read after ``standing_now`` was, and what is known of before."""
    known = sorted(entries, key=lambda one: one.seq)
    found = _take_back(standing_now, [one for one in known if _time(one) > at + INSTANT_S], at)
    if found.standing == "EXPIRED":
        # A live check runs out by the clock alone, and its leaf comes later or never: an entry before must say so.
        told = [one for one in known if one.action in (CHANGE, CHECK) and _time(one) <= at + INSTANT_S]
        if not told or told[-1].detail.get("standing") != "EXPIRED":
            return PastStanding("", tr("The live check ran out; whether before that moment is not known."))
    return found


def _take_back(standing_now: str, later: Sequence[AuditEntry], at: float) -> PastStanding:
    """``standing_at`` by the entries after the moment alone, the first of them first."""
    if any(one.erased for one in later):
        return PastStanding("", tr("An entry of the audit log since then was erased."))
    made = next((one for one in later if one.action == PUT and one.detail.get("made")), None)
    if made is not None:
        return registered_later(_time(made))
    changes = [one for one in later if _changes(one)]
    if changes and changes[-1].detail.get("standing") != standing_now:
        return CONFLICT
    end = next((one for one in later if one.action == BURNED and _was_held(one, later)), None)
    first = changes[0] if changes else None
    ran_out = first is not None and first.detail.get("standing") == "EXPIRED"
    # That a live check ran out is written down of people who are contained, too, and later than it came.
    if end is not None and (first is None or end.seq < first.seq or ran_out):
        return _before_burn(end)
    if first is None:
        return PastStanding(standing_now, tr("The audit log has no change of it since that moment."))
    before = str(first.detail.get("before") or "")
    if not before:
        return CONFLICT
    if ran_out:
        follows = changes[1].detail.get("before") if len(changes) > 1 else standing_now
        if follows != "EXPIRED":
            return CONFLICT
        if _time(first) - at <= SWEEP_S:
            return PastStanding("", tr("The live check ran out about then; which was first is not known."))
    return PastStanding(before, _until(first))


def registered_later(made: float) -> PastStanding:
    """Of a person whose row in the registry was made, at that Unix time, after the moment."""
    return PastStanding("", tr("Registered {time}, after that moment.", time=utc_clock(made)))


def _changes(entry: AuditEntry) -> bool:
    """Whether it tells of another standing than before; a check that went well confirms the one there was."""
    told = entry.detail
    return entry.action == CHANGE or (entry.action == CHECK and told.get("before") != told.get("standing"))


def _was_held(end: AuditEntry, later: Sequence[AuditEntry]) -> bool:
    """Whether the containment that a burn ended had begun before the moment."""
    which = end.detail.get("containment_id")
    begun = (one for one in later if one.action in (HELD, QUEUED) and one.seq < end.seq)
    return all(one.detail.get("containment_id") != which for one in begun)


def _before_burn(end: AuditEntry) -> PastStanding:
    """Before a burn that ended a containment the person was contained; the brake lists some that it does not hold."""
    if end.detail.get("cause") == "brake":
        return PastStanding(
            "", tr("Listed by the brake on discharges until {time}; whether held is not known.", time=_clock(end))
        )
    return PastStanding("SUSPENDED", _until(end))


def _until(entry: AuditEntry) -> str:
    return tr("Until {time}, says leaf {leaf:,} of the audit log.", time=_clock(entry), leaf=entry.seq)


def _clock(entry: AuditEntry) -> str:
    return utc_clock(_time(entry))


def _time(entry: AuditEntry) -> float:
    return parse_time(entry.timestamp)


class StandingLeaves:
    """The entries of ``ACTIONS`` from the moment that is shown on, of the last hour at least, of one person or of all
    (no ``node_id``). What was read stays; only what is new is read again."""

    def __init__(self, session: WindowSession, node_id: str = "") -> None:
        self._session = session
        self._node_id = node_id
        self._entries: dict[str, dict[int, AuditEntry]] = {}
        """By person and number; those of nobody were erased."""
        self._since: float | None = None
        self._until = 0.0
        self._failed = False
        """The last reading failed."""
        self._spent = False
        """There are more entries than are read: what is before ``_since`` stays unknown."""

    async def read_shown(self) -> None:
        """Read on to now, from the moment that the window shows; nothing while it shows now. After the registry was
        asked: what changed meanwhile must be among the entries. Raises what the client raises."""
        at = self._session.shown_time.at
        if at is not None:
            await self.read(at)

    async def read(self, at: float) -> None:
        """Read on to now, from that moment at least. Raises what the client raises."""
        try:
            await self._read_from(at)
        except Exception:
            self._failed = True
            raise
        self._failed = False

    async def _read_from(self, at: float) -> None:
        """Read what is new; all from that moment on where what was read before does not reach so far back."""
        now = self._session.live.now()
        start = min(at, now - REACH_S) - 1.0
        on = self._since is not None and (self._since <= at or self._spent)
        if on:
            start = self._until - OVERLAP_S
        elif self._node_id:
            await self._read_before(start)
        found = await asyncio.gather(*(self._of_action(action, start, now + AHEAD_S) for action in self._actions()))
        for entries, _known in found:
            self._take(entries)
        known = max(since for _entries, since in found)
        if not on or known > self._until:
            self._since, self._spent = known, known > start
        self._until = now

    async def _read_before(self, end: float) -> None:
        """Read the last entries before the moment that say how the person stood."""
        for action in (CHANGE, CHECK):
            criteria = AuditCriteria(action=action, node_id=self._node_id, limit=1)
            span = AuditRange(from_=api_time(end - FURTHEST_S), to=api_time(end))
            page = await self._session.client.gateway_audit_log_query(AuditQuery(range=span, criteria=criteria))
            self._take(page.entries)

    def _take(self, entries: Iterable[AuditEntry]) -> None:
        for one in entries:
            if one.action in ACTIONS:
                self._entries.setdefault(one.node_id or "", {})[one.seq] = one

    def _actions(self) -> Sequence[str | None]:
        return ACTIONS if not self._node_id else (None,)

    async def _of_action(self, action: str | None, start: float, end: float) -> tuple[list[AuditEntry], float]:
        """The newest entries, and the time from which on they are all."""
        span, cursor = AuditRange(from_=api_time(start), to=api_time(end)), None
        entries: list[AuditEntry] = []
        for _page in range(PAGES):
            criteria = AuditCriteria(action=action, node_id=self._node_id or None, limit=READ, cursor=cursor)
            page = await self._session.client.gateway_audit_log_query(AuditQuery(range=span, criteria=criteria))
            entries += page.entries
            cursor = page.next
            if cursor is None:
                return entries, start
        return entries, _time(entries[-1]) if entries else end

    def reaches(self, at: float, known: float) -> bool:
        """Whether all was read that ``standing`` may tell of that moment, where the registry was asked at ``known``."""
        return self._since is not None and (self._since <= at or self._spent) and at <= known <= self._until

    @property
    def unread(self) -> PastStanding:
        """What is said before the entries were read: that they are, while the service is heard."""
        heard = self._session.is_connected and not self._session.live.stale
        return BEING_READ if heard and not self._failed else NOT_READ

    def standing(self, node_id: str, standing_now: str, at: float, known: float) -> PastStanding:
        """How a person stood at that moment. ``standing_now``: as the registry had it at ``known``, Unix time by the
        service's clock."""
        if self._since is None or known > self._until or at > known:
            return self.unread
        if self._since > at:
            return TOO_EARLY if self._spent else self.unread
        mine = (*self._entries.get(node_id, {}).values(), *self._entries.get("", {}).values())
        return standing_at(standing_now, mine, at)
