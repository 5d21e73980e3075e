"""Lists that are read to their end."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

RowT_co = TypeVar("RowT_co", covariant=True)
RowT = TypeVar("RowT")


class RowPage(Protocol[RowT_co]):
    """One page of a list."""

    @property
    def items(self) -> Sequence[RowT_co]:
        """Its rows."""

    @property
    def next(self) -> str | None:
        """Where the next page begins; None: there is none."""


async def every(ask: Callable[[str | None], Awaitable[RowPage[RowT]]]) -> list[RowT]:
    """All rows of a list, page by page: ``ask`` is given each page's cursor, None for the first. Raises what it
    raises."""
    found: list[RowT] = []
    cursor = None
    while True:
        page = await ask(cursor)
        found += page.items
        cursor = page.next
        if cursor is None:
            return found
