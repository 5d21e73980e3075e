"""A filtered view of the log: from the newest match backwards by cursor. The cursor of every page is kept, so that a
page that was forgotten can be read again."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from app.api.wire import unix_us
from app.capabilities.gateway.audit.messages import AuditEntry, AuditPage
from app.console.pages.audit.question import DAY_US, PAGE, YEAR_US, Asker, Filter, ask, checkpoint_size


@dataclass(frozen=True)
class _Start:
    """Where a filtered page begins: end of its range, and the cursors in it."""

    until_us: int
    cursors: tuple[str | None, ...]
    """One for each part of the filter: empty at the beginning, None at the end of its range."""
    below: int | None = None
    """Entries from this number on were found before: by their time in the log, where they came earlier."""


@dataclass
class FilteredLog:
    """Entries that match a filter, newest first. ``extend`` reads on; ``page`` reads a known page again."""

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
        self._next = _Start(self.until_us, self._begin)
        self.done = self.until_us <= self.floor_us

    @property
    def _begin(self) -> tuple[str | None, ...]:
        return ("",) * len(self.wanted.parts)

    @property
    def pages(self) -> int:
        """How many pages are known."""
        return len(self._starts)

    async def extend(self, client: Asker, budget_s: float = 2.0) -> list[AuditEntry]:
        """Read the next page: 200 entries, or fewer at the end or after ``budget_s`` seconds (then call again)."""
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
        """Read a known page again, rows as they were."""
        end = self.offsets[number + 1] if number + 1 < len(self.offsets) else self.count
        found, _, _ = await self._fill(client, self._starts[number], end - self.offsets[number], 60.0)
        return found

    async def _fill(
        self, client: Asker, start: _Start, length: int, budget_s: float
    ) -> tuple[list[AuditEntry], _Start, bool]:
        """Collect up to ``length`` entries from ``start`` on. Returns them, where to go on, and whether that is the
        end of the search."""
        end = time.monotonic() + budget_s
        found: list[AuditEntry] = []
        until, cursors, below = start.until_us, start.cursors, start.below
        while len(found) < length:
            since = max(self.floor_us, until - YEAR_US)
            more, cursors = await self._merge(client, since, until, cursors, below, length - len(found))
            found += more
            below = found[-1].seq if found else below
            if not any(cursor is not None for cursor in cursors):
                until, cursors = since, self._begin
                if until <= self.floor_us:
                    return found, _Start(until, cursors, below), True
            if time.monotonic() > end:
                break
        return found, _Start(until, cursors, below), False

    async def _merge(
        self,
        client: Asker,
        since: int,
        until: int,
        cursors: tuple[str | None, ...],
        below: int | None,
        room: int,
    ) -> tuple[list[AuditEntry], tuple[str | None, ...]]:
        """The next entries of all parts of the filter, newest first, at most ``room``; and where each part goes on. A
        part of which not everything was taken is read again: ``below`` leaves out what was."""
        pages: list[AuditPage | None] = []
        for part, cursor in zip(self.wanted.parts, cursors, strict=True):
            asked = cursor is not None
            pages.append(
                await ask(client, since, until, part, order="desc", limit=room, cursor=cursor or None)
                if asked
                else None
            )
        if not self.size:
            first = next(page for page in pages if page is not None)
            self.checkpoint, self.size = first.checkpoint, checkpoint_size(first.checkpoint)
        limit = self.size if below is None else below
        # What a part has beyond its page is older than the page's last entry: until that, nothing is missing.
        ends = [
            page.entries[-1].seq if page.entries else limit
            for page in pages
            if page is not None and page.next is not None
        ]
        least = max(ends, default=0)
        known = sorted(
            (entry for page in pages if page is not None for entry in page.entries if least <= entry.seq < limit),
            key=lambda entry: entry.seq,
            reverse=True,
        )
        taken = known[:room]
        if len(known) > room:
            least = taken[-1].seq
        nexts = tuple(
            None if page is None else page.next if all(entry.seq >= least for entry in page.entries) else cursor
            for page, cursor in zip(pages, cursors, strict=True)
        )
        return taken, nexts

    async def newer(self, client: Asker, now_us: int) -> tuple[int, bool]:
        """How many matches were appended since, and whether there are more than were counted."""
        if self.wanted.until_us is not None:
            return 0, False
        until = now_us + DAY_US
        since = max(self.until_us - 60_000_000, until - YEAR_US)
        count, beyond = 0, False
        for part in self.wanted.parts:
            page = await ask(client, since, until, part, order="desc", limit=100)
            fresh = sum(entry.seq >= self.size for entry in page.entries)
            count += fresh
            beyond = beyond or (fresh == len(page.entries) and page.next is not None)
        return count, beyond
