"""Lists that the service gives page by page: read to their end at once, or as far as somebody has scrolled."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from app.api.wire import ListQuery
from app.console.failures import Superseded

RowT_co = TypeVar("RowT_co", covariant=True)
RowT = TypeVar("RowT")
LARGEST = 500
"""Rows of the largest page that the registry gives."""


class RowPage(Protocol[RowT_co]):
    """One page of a list."""

    @property
    def items(self) -> Sequence[RowT_co]:
        """Its rows."""

    @property
    def next(self) -> str | None:
        """Where the next page begins; None: there is none."""


def page_query(cursor: str | None) -> ListQuery:
    """The question for one page of a list, as large as it may be."""
    return ListQuery(limit=LARGEST, cursor=cursor)


async def read_all(ask: Callable[[str | None], Awaitable[RowPage[RowT]]]) -> list[RowT]:
    """All rows of a list, page by page: ``ask`` is given each page's cursor, None for the first. Raises what it
    raises."""
    rows: list[RowT] = []
    cursor = None
    while True:
        page = await ask(cursor)
        rows += page.items
        cursor = page.next
        if cursor is None:
            return rows


class Growing(Generic[RowT]):
    """The beginning of a list, which grows at its end when somebody scrolls there.

    ``ask(cursor, limit)`` asks for at most ``limit`` rows from ``cursor`` on (None: the first); ``key`` names a row.
    A page has ``page`` rows; a longer stretch is read in pages of up to ``largest``. ``rows`` holds what is loaded, by
    key, in the order of the list.
    """

    def __init__(
        self,
        ask: Callable[[str | None, int], Awaitable[RowPage[RowT]]],
        key: Callable[[RowT], str],
        *,
        page: int,
        largest: int | None = None,
    ) -> None:
        self._ask = ask
        self._key = key
        self._page = page
        self._largest = page if largest is None else largest
        self._cursor: str | None = None
        self._generation = 0
        self._question = 0
        self._growing = False
        self.rows: dict[str, RowT] = {}

    @property
    def complete(self) -> bool:
        """Whether the list has no row behind those that are loaded."""
        return self._cursor is None

    @property
    def can_grow(self) -> bool:
        """Whether there is more to read, and nobody reads it yet."""
        return not self.complete and not self._growing

    def forget(self) -> None:
        """Something else is asked for from now on. An answer that is still on its way is dropped."""
        self._generation += 1
        self._question += 1
        self.rows, self._cursor = {}, None

    async def read(self, goes_on: Callable[[Mapping[str, RowT]], bool] | None = None) -> None:
        """Read everything that was loaded anew, at least one page. ``goes_on``: whether these rows do not suffice yet
        (the row that is looked for is not among them). Raises what ``ask`` raises, and Superseded."""
        self._generation += 1
        generation = self._generation
        rows: dict[str, RowT] = {}
        cursor: str | None = None
        while True:
            page = await self._ask(cursor, self._limit(self._loaded - len(rows)))
            if generation != self._generation:
                raise Superseded
            rows |= {self._key(row): row for row in page.items}
            cursor = page.next
            # Looked at anew for each page: the list may have grown since the reading began.
            if cursor is None or (len(rows) >= self._loaded and not (goes_on is not None and goes_on(rows))):
                break
        self.rows, self._cursor = rows, cursor

    async def grow(self, count: int = 0) -> bool:
        """Read on at the end: one page, or at least ``count`` rows. A list that is read anew meanwhile has a new end,
        and is read on there: the person who scrolled does not ask again. False: nothing was added, because the end is
        reached or being read, or something else is asked for. Raises what ``ask`` raises."""
        if not self.can_grow:
            return False
        question = self._question
        self._growing = True
        try:
            while self._cursor is not None:
                generation = self._generation
                rows, cursor = await self._read_on(self._cursor, max(self._page, count))
                if question != self._question:
                    return False
                if generation == self._generation:
                    self.rows |= rows
                    self._cursor = cursor
                    return True
            return False
        finally:
            self._growing = False

    async def _read_on(self, cursor: str | None, wanted: int) -> tuple[dict[str, RowT], str | None]:
        rows: dict[str, RowT] = {}
        while cursor is not None and len(rows) < wanted:
            page = await self._ask(cursor, self._limit(wanted - len(rows)))
            rows |= {self._key(row): row for row in page.items}
            cursor = page.next
        return rows, cursor

    @property
    def _loaded(self) -> int:
        return max(self._page, len(self.rows))

    def _limit(self, left: int) -> int:
        """How many rows to ask for when ``left`` are wanted; none is left while a row is looked for."""
        return min(self._largest, max(self._page, left)) if left > 0 else self._largest
