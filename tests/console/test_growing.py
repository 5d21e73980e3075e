"""Lists that are read page by page: to their end, as far as they were loaded, and on at their end."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

import pytest

from app.console.failures import Superseded
from app.console.growing import Growing, read_all


@dataclass(frozen=True)
class Page:
    """Rows and where the next ones begin."""

    items: list[str]
    next: str | None


class Source:
    """``count`` rows, each its number in two digits; ``limits`` tells how many were asked for each time."""

    def __init__(self, count: int) -> None:
        self.rows = [f"{number:02}" for number in range(count)]
        self.limits: list[int] = []
        self.go = asyncio.Event()
        self.go.set()

    async def ask(self, cursor: str | None, limit: int) -> Page:
        self.limits.append(limit)
        await self.go.wait()
        begin = int(cursor or 0)
        end = begin + limit
        return Page(self.rows[begin:end], str(end) if end < len(self.rows) else None)


def growing(source: Source, *, page: int = 4, largest: int | None = None) -> Growing[str]:
    return Growing(source.ask, str, page=page, largest=largest)


def test_a_list_is_read_to_its_end() -> None:
    source = Source(10)
    assert asyncio.run(read_all(lambda cursor: source.ask(cursor, 4))) == source.rows


def test_the_first_reading_reads_one_page() -> None:
    async def work() -> None:
        rows = growing(Source(10))
        await rows.read()
        assert list(rows.rows) == ["00", "01", "02", "03"]
        assert not rows.complete

    asyncio.run(work())


def test_a_list_grows_by_a_page() -> None:
    async def work() -> None:
        rows = growing(Source(10))
        await rows.read()
        assert await rows.grow()
        assert len(rows.rows) == 8

    asyncio.run(work())


def test_a_list_grows_by_as_many_rows_as_are_wanted_in_pages_that_the_service_gives() -> None:
    async def work() -> None:
        source = Source(30)
        rows = growing(source, largest=8)
        await rows.read()
        await rows.grow(14)
        assert source.limits == [4, 8, 6]
        assert len(rows.rows) == 18

    asyncio.run(work())


def test_a_list_that_grows_already_is_not_read_on_twice() -> None:
    async def work() -> None:
        source = Source(30)
        rows = growing(source)
        await rows.read()
        source.go.clear()
        both = asyncio.gather(rows.grow(), rows.grow())
        await asyncio.sleep(0)
        source.go.set()
        assert await both == [True, False]
        assert source.limits == [4, 4]

    asyncio.run(work())


def test_a_list_at_its_end_is_complete_and_cannot_grow() -> None:
    async def work() -> None:
        rows = growing(Source(6))
        await rows.read()
        await rows.grow()
        assert rows.complete
        assert not rows.can_grow

    asyncio.run(work())


def test_what_was_loaded_is_read_anew_as_far_as_it_was_loaded() -> None:
    async def work() -> None:
        source = Source(30)
        rows = growing(source, largest=6)
        await rows.read()
        await rows.grow()
        source.rows[0] = "new"
        await rows.read()
        assert len(rows.rows) == 10
        assert "new" in rows.rows

    asyncio.run(work())


def test_a_reading_goes_on_until_the_row_that_is_looked_for_is_there() -> None:
    async def work() -> None:
        rows = growing(Source(30))
        await rows.read(lambda found: "09" not in found)
        assert len(rows.rows) == 12

    asyncio.run(work())


def test_a_reading_of_something_else_is_superseded() -> None:
    async def work() -> None:
        source = Source(10)
        rows = growing(source)
        source.go.clear()
        reading = asyncio.ensure_future(rows.read())
        await asyncio.sleep(0)
        rows.forget()
        source.go.set()
        with pytest.raises(Superseded):
            await reading
        assert not rows.rows

    asyncio.run(work())


def test_a_list_that_is_read_anew_while_it_grows_grows_at_its_new_end() -> None:
    async def work() -> None:
        source = Source(30)
        rows = growing(source)
        await rows.read()
        source.go.clear()
        more = asyncio.ensure_future(rows.grow())
        await asyncio.sleep(0)
        assert not rows.can_grow
        source.rows.insert(0, "new")
        source.go.set()
        await rows.read()
        assert await more
        assert list(rows.rows) == ["new", *(f"{at:02}" for at in range(7))]
        assert rows.can_grow

    asyncio.run(work())


def test_a_reading_that_ends_after_the_list_grew_keeps_what_grew() -> None:
    async def work() -> None:
        source = Source(30)
        rows = growing(source)
        await rows.read()
        source.go.clear()
        reading = asyncio.ensure_future(rows.read())
        await asyncio.sleep(0)
        more = asyncio.ensure_future(rows.grow())
        await asyncio.sleep(0)
        source.go.set()
        await asyncio.gather(reading, more)
        assert len(rows.rows) == 8

    asyncio.run(work())


def test_a_page_that_comes_after_something_else_was_asked_for_is_dropped() -> None:
    async def work() -> None:
        source = Source(30)
        rows = growing(source)
        await rows.read()
        source.go.clear()
        more = asyncio.ensure_future(rows.grow())
        await asyncio.sleep(0)
        rows.forget()
        source.go.set()
        assert not await more
        assert not rows.rows

    asyncio.run(work())


def test_a_list_that_failed_to_grow_can_grow_again() -> None:
    async def work() -> None:
        source = Source(30)
        rows = growing(source)
        await rows.read()
        source.ask = None  # type: ignore[assignment, method-assign]
        rows._ask = source.ask  # type: ignore[assignment]
        with pytest.raises(TypeError):
            await rows.grow()
        assert rows.can_grow

    asyncio.run(work())
