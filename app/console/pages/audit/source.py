"""Where the rows of the audit table come from: pages of 200 by ``POST /v1/audit-log-query``, without Qt.

The query knows times, not numbers. The whole log therefore finds a page by interpolating between known (seq, time); a
filtered view goes from the newest match backwards by cursor and keeps the cursor of every page, so that a page that was
forgotten can be had again.
"""

from __future__ import annotations

import bisect
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

import msgspec

from app.api.wire import rfc3339, unix_us
from app.capabilities.gateway.audit.messages import (
    AuditCriteria,
    AuditEntry,
    AuditPage,
    AuditProofs,
    AuditQuery,
    AuditRange,
    Outcome,
)
from app.console.evidence.entries import is_signed

PAGE = 200
YEAR_US = 365 * 86_400_000_000
DAY_US = 86_400_000_000
MARGIN = 40
"""Entries that an estimate aims before the page, so that a small error still hits."""
PROBE = PAGE + 2 * MARGIN
WALK = 2_000
"""Entries that are rather walked by cursor than estimated again."""
LONGEST = 500


class Asker(Protocol):
    """The one call that is needed; ``app.client.Client`` has it."""

    async def gateway_audit_log_query(
        self, body: AuditQuery, *, query: AuditProofs | None = None, idempotency_key: str | None = None
    ) -> AuditPage:
        """One page of the log."""
        ...


@dataclass(frozen=True)
class Filter:
    """What is looked for. Empty: the whole log. ``since_us`` and ``until_us`` are a half-open range."""

    action: str = ""
    actor: str = ""
    node_id: str = ""
    outcome: Outcome | None = None
    text: str = ""
    since_us: int | None = None
    until_us: int | None = None

    @property
    def whole(self) -> bool:
        """Whether nothing is filtered."""
        return self == Filter()

    def criteria(self, order: Literal["asc", "desc"], limit: int, cursor: str | None) -> AuditCriteria:
        """As the API takes it."""
        return AuditCriteria(
            action=self.action or None,
            actor=self.actor or None,
            node_id=self.node_id or None,
            outcome=self.outcome,
            text=self.text or None,
            order=order,
            limit=limit,
            cursor=cursor,
        )


class LogLost(Exception):
    """The log does not answer as one log: another store was restored, or entries are missing."""


def checkpoint_size(checkpoint: str) -> int:
    """Tree size of a signed note (C2SP tlog-checkpoint: origin, size, root). Raises LogLost."""
    lines = checkpoint.split("\n", 3)
    if len(lines) < 3 or not lines[1].isdigit():
        raise LogLost("The service sent a checkpoint that is none.")
    return int(lines[1])


async def ask(
    client: Asker,
    since_us: int,
    until_us: int,
    wanted: Filter,
    *,
    order: Literal["asc", "desc"],
    limit: int,
    cursor: str | None = None,
) -> AuditPage:
    """One call. The range is at most 366 days; ``limit`` 1..500."""
    query = AuditQuery(
        range=AuditRange(from_=rfc3339(since_us), to=rfc3339(until_us)),
        criteria=wanted.criteria(order, limit, cursor),
    )
    return await client.gateway_audit_log_query(query)


async def proven_page(client: Asker, entry: AuditEntry) -> AuditPage:
    """The page that holds the entry, with proofs, of the newest tree. Raises LogLost if the log does not hold it."""
    at = unix_us(entry.timestamp)
    span = AuditRange(from_=rfc3339(at), to=rfc3339(at + 1))
    cursor: str | None = None
    while True:
        # Entries of one microsecond are one commit's: they cannot be told apart by time.
        query = AuditQuery(range=span, criteria=Filter(action=entry.action).criteria("asc", LONGEST, cursor))
        page = await client.gateway_audit_log_query(query, query=AuditProofs(proofs=True))
        if any(found.seq == entry.seq for found in page.entries):
            return page
        cursor = page.next
        if cursor is None:
            raise LogLost(f"The log does not hold entry {entry.seq:,} any more: another store was restored.")


class Anchors:
    """Known (seq, time) of the log, both rising. Bounded: of many, every second is forgotten."""

    def __init__(self, most: int = 4096) -> None:
        self._most = most
        self._seqs: list[int] = []
        self._times: list[int] = []

    def __len__(self) -> int:
        return len(self._seqs)

    def learn(self, seq: int, at_us: int) -> None:
        """An entry is known."""
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
            raise LogLost("The beginning of the log is not known.")
        upper = min(at, len(self._seqs) - 1)
        return (self._seqs[at - 1], self._times[at - 1]), (self._seqs[upper], self._times[upper])


class WholeLog:
    """All entries. Page k holds seq ``200 k`` to ``200 k + 199``; ``checkpoints`` grow, pages before the last never
    change."""

    def __init__(self) -> None:
        self.size = 0
        """Tree size that is shown."""
        self.newest = 0
        """Tree size that was last heard of."""
        self.checkpoint = ""
        """Signed note of ``size``."""
        self.calls = 0
        """Calls made, for measurements."""
        self._newest_checkpoint = ""
        self.anchors = Anchors()

    async def open(self, client: Asker, now_us: int) -> Sequence[AuditEntry]:
        """Find the ends of the log; the newest entries, newest first."""
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
        raise LogLost("The newest entry of the log was not found.")

    async def _find_beginning(self, client: Asker, until: int) -> None:
        for _ in range(100):
            page = await self._ask(client, until - YEAR_US, until + 1, "asc", 1)
            if page.entries:
                self._learn(page.entries)
                if page.entries[0].seq == 0:
                    return
            until -= YEAR_US
        raise LogLost("The first entry of the log was not found.")

    async def look(self, client: Asker, now_us: int) -> bool:
        """Hear of the newest tree size; True when it has grown since."""
        page = await self._ask(client, now_us - DAY_US, now_us + DAY_US, "desc", 1)
        size = checkpoint_size(page.checkpoint)
        if size < self.newest:
            raise LogLost("The log is shorter than it was: another store was restored. Open the page again.")
        grown, self.newest = size > self.newest, size
        if grown:
            self._newest_checkpoint = page.checkpoint
            self._learn(page.entries)
        elif size == self.size and not is_signed(self.checkpoint):
            # The service gave it out without a signature until its witnesses had confirmed the store.
            self.checkpoint = page.checkpoint
        return grown

    def grow(self) -> int:
        """Show what was heard of; how many entries that adds."""
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
                # What we look for is older than ``since``, whatever the first entry's own time is.
                s1, t1 = found[0].seq, since
            elif found[-1].seq >= high - 1:
                return found[low - found[0].seq : high - found[0].seq]
            else:
                s0, t0 = found[-1].seq, unix_us(found[-1].timestamp)
        raise LogLost(f"Entries {low} to {high - 1} were not found.")

    async def _before(self, client: Asker, until: int) -> int:
        """Seq of the newest entry before that time."""
        for _ in range(100):
            page = await self._ask(client, until - YEAR_US, until, "desc", 1)
            if page.entries:
                self._learn(page.entries)
                return page.entries[0].seq
            until -= YEAR_US
        raise LogLost("The log has no entry where it must have one.")

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
        found = list(page.entries)
        self._learn(found)
        years = 0
        while found and found[0].seq <= low and found[-1].seq < high - 1 and years < 100:
            # Entries of one and the same microsecond cannot be told apart by time: those are always walked.
            if high - 1 > found[-1].seq + WALK and found[-1].timestamp != found[0].timestamp:
                break
            if page.next is None:
                # The log slept for more than a year inside of the page.
                since, years = since + YEAR_US, years + 1
            ahead = min(LONGEST, max(PAGE, high - found[-1].seq))
            page = await self._ask(client, since, since + YEAR_US, "asc", ahead, page.next)
            self._learn(page.entries)
            found += page.entries
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
        self.calls += 1
        return await ask(client, max(since, 0), max(until, 0), Filter(), order=order, limit=limit, cursor=cursor)


@dataclass(frozen=True)
class _Start:
    """Where a filtered page begins: end of its range, and the cursor in it."""

    until_us: int
    cursor: str | None


@dataclass
class FilteredLog:
    """Entries that fulfil a filter, newest first. Grows by ``extend``; ``page`` fetches a known page again."""

    wanted: Filter
    until_us: int
    """End of the time that is looked through; later entries are new."""
    floor_us: int
    """Time of the first entry of the log (or the filter's own beginning): there is nothing before it."""
    count: int = 0
    done: bool = False
    checkpoint: str = ""
    size: int = 0
    """Tree size that the listing is of: what is appended later does not move its rows."""
    searched_us: int = 0
    """How far back the search has come."""
    offsets: list[int] = field(default_factory=list)
    """First row of each page."""
    _starts: list[_Start] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.wanted.until_us is not None:
            self.until_us = min(self.until_us, self.wanted.until_us)
        if self.wanted.since_us is not None:
            self.floor_us = max(self.floor_us, self.wanted.since_us)
        self.searched_us = self.until_us
        self._next = _Start(self.until_us, None)
        self.done = self.until_us <= self.floor_us

    @property
    def pages(self) -> int:
        """How many pages are known."""
        return len(self._starts)

    async def extend(self, client: Asker, budget_s: float = 2.0) -> list[AuditEntry]:
        """Entries of the next page: 200, or fewer at the end or when ``budget_s`` was not enough (then call again)."""
        start = self._next
        found, self._next, self.done = await self._fill(client, start, PAGE, budget_s)
        if found:
            self._starts.append(start)
            self.offsets.append(self.count)
            self.count += len(found)
        if self.done:
            self.searched_us = self.floor_us
        elif found:
            self.searched_us = unix_us(found[-1].timestamp)
        return found

    async def page(self, client: Asker, number: int) -> list[AuditEntry]:
        """A page that was had before."""
        end = self.offsets[number + 1] if number + 1 < len(self.offsets) else self.count
        found, _, _ = await self._fill(client, self._starts[number], end - self.offsets[number], 60.0)
        return found

    async def _fill(
        self, client: Asker, start: _Start, length: int, budget_s: float
    ) -> tuple[list[AuditEntry], _Start, bool]:
        end = time.monotonic() + budget_s
        found: list[AuditEntry] = []
        until, cursor = start.until_us, start.cursor
        while len(found) < length:
            since = max(self.floor_us, until - YEAR_US)
            page = await ask(client, since, until, self.wanted, order="desc", limit=length - len(found), cursor=cursor)
            if not self.size:
                self.checkpoint, self.size = page.checkpoint, checkpoint_size(page.checkpoint)
            found += [entry for entry in page.entries if entry.seq < self.size]
            cursor = page.next
            if cursor is None:
                until = since
                if until <= self.floor_us:
                    return found, _Start(until, None), True
            if time.monotonic() > end:
                break
        return found, _Start(until, cursor), False

    async def newer(self, client: Asker, now_us: int) -> tuple[int, bool]:
        """How many matches were appended since, and whether there are more than were counted."""
        if self.wanted.until_us is not None:
            return 0, False
        until = now_us + DAY_US
        since = max(self.until_us - 60_000_000, until - YEAR_US)
        page = await ask(client, since, until, self.wanted, order="desc", limit=100)
        fresh = sum(entry.seq >= self.size for entry in page.entries)
        return fresh, fresh == len(page.entries) and page.next is not None


def detail_lines(detail: object, prefix: str = "") -> list[tuple[str, str]]:
    """A payload as key and value, one line each; nested keys joined by dots. Long lists are counted."""
    if isinstance(detail, dict):
        lines: list[tuple[str, str]] = []
        for key, value in detail.items():
            lines += detail_lines(value, f"{prefix}.{key}" if prefix else str(key))
        return lines or ([(prefix, "{}")] if prefix else [])
    if isinstance(detail, list) and any(isinstance(item, dict | list) for item in detail):
        lines = []
        for at, item in enumerate(detail):
            lines += detail_lines(item, f"{prefix}[{at}]")
        return lines
    if isinstance(detail, list):
        return [(prefix, "\n".join(scalar(item) for item in detail) or "none")]
    return [(prefix, scalar(detail))]


def scalar(value: object) -> str:
    """A JSON scalar as people read it."""
    if isinstance(value, str):
        return value
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return msgspec.json.encode(value).decode()


def summary(detail: dict[str, object]) -> str:
    """A payload on one line: ``reason=routine  attempt=3``."""
    parts = []
    for key, value in detail.items():
        if isinstance(value, dict | list):
            parts.append(f"{key}: {len(value)}")
        else:
            parts.append(f"{key}={scalar(value)}")
    return "  ".join(parts)
