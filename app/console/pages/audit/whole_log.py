"""The whole log by numbers: a page is found by interpolating between entries whose number and time are known."""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from typing import Literal

from app.api.wire import unix_us
from app.capabilities.gateway.audit.messages import AuditEntry, AuditPage
from app.console.evidence.entries import is_signed
from app.console.language import tr
from app.console.pages.audit.question import (
    DAY_US,
    LONGEST,
    PAGE,
    YEAR_US,
    Asker,
    Filter,
    LogLost,
    ask,
    checkpoint_size,
)

MARGIN = 40
"""Entries that an estimate aims before the page, so that a small error still hits."""
PROBE = PAGE + 2 * MARGIN
WALK = 2_000
"""Entries that are rather walked by cursor than estimated again."""


def _unbroken(entries: Sequence[AuditEntry], first: int | None = None) -> list[AuditEntry]:
    """The rising entries from number ``first`` (or their own first one) on, up to a gap: behind one are entries that
    came in the asked time while the log's own was beyond it."""
    begin = entries[0].seq if first is None and entries else first
    return [entry for at, entry in enumerate(entries) if entry.seq - at == begin]


class Anchors:
    """Entries whose (seq, time) is known, both rising. Bounded: of too many, every second one is dropped."""

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._seqs: list[int] = []
        self._times: list[int] = []

    def __len__(self) -> int:
        return len(self._seqs)

    def learn(self, seq: int, at_us: int) -> None:
        """Remember the number and the time of an entry."""
        at = bisect.bisect_left(self._seqs, seq)
        if at < len(self._seqs) and self._seqs[at] == seq:
            return
        self._seqs.insert(at, seq)
        self._times.insert(at, at_us)
        if len(self._seqs) > self._most:
            keep = [0, *range(1, len(self._seqs) - 1, 2), len(self._seqs) - 1]
            self._seqs, self._times = [self._seqs[k] for k in keep], [self._times[k] for k in keep]

    def around(self, seq: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """The known entry at or before ``seq`` and the one after it. Raises LogLost without both ends."""
        at = bisect.bisect_right(self._seqs, seq)
        if at == 0 or not self._seqs:
            raise LogLost(tr("The beginning of the log is not known."))
        upper = min(at, len(self._seqs) - 1)
        return (self._seqs[at - 1], self._times[at - 1]), (self._seqs[upper], self._times[upper])


class WholeLog:
    """All entries. Page k holds seq ``200 k`` to ``200 k + 199``; ``checkpoints`` grow, pages before the last never
    change."""

    def __init__(self) -> None:
        self.size = 0
        """Tree size that is shown."""
        self.newest = 0
        """Tree size that the service gave last."""
        self.checkpoint = ""
        """Signed note of ``size``."""
        self.ahead_s = 0.0
        """Seconds by which the log's time is ahead of the service's clock, as the service said last."""
        self.calls = 0
        """Calls made, for measurements."""
        self._newest_checkpoint = ""
        self.anchors = Anchors()

    async def open(self, client: Asker, now_us: int) -> Sequence[AuditEntry]:
        """Find both ends of the log. Returns the newest entries, newest first. Raises LogLost."""
        self.anchors = Anchors()
        until = now_us + DAY_US
        page = await self._ask(client, until - YEAR_US, until, "desc", PAGE)
        size = checkpoint_size(page.checkpoint)
        if size and (not page.entries or page.entries[0].seq != size - 1):
            # The log's clock never falls: after a clock was set back, its newest entries lie in our future; a log
            # that slept for more than a year lies before the range.
            page, size = await self._find_end(client, until)
        self.size = self.newest = size
        self.checkpoint = page.checkpoint
        self._learn(page.entries)
        if size:
            await self._find_beginning(client, unix_us(page.entries[-1].timestamp))
        return page.entries

    async def _find_end(self, client: Asker, until: int) -> tuple[AuditPage, int]:
        for years in range(1, 50):
            for end in (until + years * YEAR_US, until - years * YEAR_US):
                page = await self._ask(client, end - YEAR_US, end, "desc", PAGE)
                size = checkpoint_size(page.checkpoint)
                if page.entries and page.entries[0].seq == size - 1:
                    return page, size
        raise LogLost(tr("The newest entry of the log was not found."))

    async def _find_beginning(self, client: Asker, until: int) -> None:
        for _ in range(100):
            page = await self._ask(client, until - YEAR_US, until + 1, "asc", 1)
            if page.entries:
                self._learn(page.entries)
                if page.entries[0].seq == 0:
                    return
            until -= YEAR_US
        raise LogLost(tr("The first entry of the log was not found."))

    async def look(self, client: Asker, now_us: int) -> bool:
        """Ask for the newest tree size. Returns whether it has grown since. Raises LogLost if it shrank."""
        page = await self._ask(client, now_us - DAY_US, now_us + DAY_US, "desc", 1)
        size = checkpoint_size(page.checkpoint)
        if size < self.newest:
            raise LogLost(tr("The log is shorter than it was: another store was restored. Open the page again."))
        grown, self.newest = size > self.newest, size
        if grown:
            self._newest_checkpoint = page.checkpoint
            self._learn(page.entries)
        elif size == self.size and not is_signed(self.checkpoint):
            # The service gave it out without a signature until its witnesses had confirmed the store.
            self.checkpoint = page.checkpoint
        return grown

    def grow(self) -> int:
        """Show the newest tree that is known. Returns how many entries that adds."""
        added, self.size = self.newest - self.size, self.newest
        if added:
            self.checkpoint = self._newest_checkpoint
        return added

    async def page(self, client: Asker, number: int) -> list[AuditEntry]:
        """Entries of page ``number``, rising. Raises LogLost."""
        low, high = number * PAGE, min((number + 1) * PAGE, self.size)
        (s0, t0), (s1, t1) = self.anchors.around(low)
        for attempt in range(64):
            since = self._estimate(low, s0, t0, s1, t1, attempt)
            found = await self._run(client, since, low, high)
            if not found:
                # Nothing for a whole year from there: the log slept, before or after what we look for.
                last = await self._before(client, since)
                if last >= low:
                    s1, t1 = last + 1, since
                else:
                    s0, t0 = last, since + YEAR_US
            elif found[0].seq > low:
                # What we look for is older than ``since``, even if the first entry's own time is later.
                s1, t1 = found[0].seq, since
            elif found[-1].seq >= high - 1:
                return found[low - found[0].seq : high - found[0].seq]
            else:
                s0, t0 = found[-1].seq, unix_us(found[-1].timestamp)
        raise LogLost(tr("Entries {low} to {high} were not found.", low=low, high=high - 1))

    async def _before(self, client: Asker, until: int) -> int:
        """Seq of the newest entry before that time."""
        for _ in range(100):
            page = await self._ask(client, until - YEAR_US, until, "desc", 1)
            if page.entries:
                self._learn(page.entries)
                return page.entries[0].seq
            until -= YEAR_US
        raise LogLost(tr("The log has no entry where it must have one."))

    @staticmethod
    def _estimate(low: int, s0: int, t0: int, s1: int, t1: int, attempt: int) -> int:
        if low - s0 <= MARGIN or t1 - t0 <= 1 or s1 <= s0:
            return t0
        if attempt >= 4 and attempt % 2 == 0:
            # Bursts fool the straight line; halving the time always ends.
            return (t0 + t1) // 2
        return t0 + (low - MARGIN - s0) * (t1 - t0) // (s1 - s0)

    async def _run(self, client: Asker, since: int, low: int, high: int) -> list[AuditEntry]:
        """Entries from ``since`` on, up to ``high`` when that is near; rising, without a gap."""
        page = await self._ask(client, since, since + YEAR_US, "asc", PROBE)
        found = _unbroken(page.entries)
        self._learn(found)
        years = 0
        while found and found[0].seq <= low and found[-1].seq < high - 1 and years < 100:
            # Entries of one and the same microsecond cannot be told apart by time: those are always walked.
            if high - 1 > found[-1].seq + WALK and found[-1].timestamp != found[0].timestamp:
                break
            cursor = page.next
            if cursor is None or (page.entries and page.entries[-1].seq > found[-1].seq):
                # The log slept for more than a year inside of the page, or its clock was ahead by more than that.
                since, years, cursor = since + YEAR_US, years + 1, None
            ahead = min(LONGEST, max(PAGE, high - found[-1].seq))
            page = await self._ask(client, since, since + YEAR_US, "asc", ahead, cursor)
            self._learn(page.entries)
            found += _unbroken(page.entries, found[-1].seq + 1)
        return found

    async def at_time(self, client: Asker, at_us: int) -> int | None:
        """Seq of the newest entry at or before that time, else of the first after it; None for an empty log."""
        page = await self._ask(client, at_us + 1 - YEAR_US, at_us + 1, "desc", 1)
        if not page.entries:
            page = await self._ask(client, at_us, at_us + YEAR_US, "asc", 1)
        if not page.entries:
            return None if not self.size else 0 if at_us < self.anchors.around(0)[0][1] else self.size - 1
        return min(page.entries[0].seq, self.size - 1)

    def _learn(self, entries: Sequence[AuditEntry]) -> None:
        for entry in (entries[0], entries[-1]) if entries else ():
            self.anchors.learn(entry.seq, unix_us(entry.timestamp))

    async def _ask(
        self,
        client: Asker,
        since: int,
        until: int,
        order: Literal["asc", "desc"],
        limit: int,
        cursor: str | None = None,
    ) -> AuditPage:
        """One page of the whole log, and what it says of the log's time."""
        self.calls += 1
        page = await ask(client, max(since, 0), max(until, 0), Filter(), order=order, limit=limit, cursor=cursor)
        self.ahead_s = page.log_ahead_s
        return page
