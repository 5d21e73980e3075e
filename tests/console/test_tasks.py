"""Tasks with an owner: what is left ends, at whatever moment that is asked."""

from __future__ import annotations

import asyncio

from app.console.tasks import Tasks, woken
from tests.console.conftest import Run


def test_work_ends_though_it_is_woken_in_the_same_turn(run: Run) -> None:
    """A page that is left at the moment at which something wakes it ends all the same."""

    async def work() -> None:
        failed: list[BaseException] = []
        tasks, wake, turns = Tasks(failed.append), asyncio.Event(), 0

        async def page() -> None:
            nonlocal turns
            while True:
                turns += 1
                await woken(wake, 600.0)

        task = tasks.spawn(page())
        await asyncio.sleep(0)
        wake.set()
        await asyncio.sleep(0)
        await tasks.close()
        assert (task.cancelled(), failed, len(tasks)) == (True, [], 0)
        assert turns <= 2

    run(work())


def test_it_is_woken_by_the_event_and_by_the_time(run: Run) -> None:
    """Whichever comes first; the event is clear for the next time."""

    async def work() -> None:
        wake = asyncio.Event()
        wake.set()
        await woken(wake, 600.0)
        assert not wake.is_set()
        await woken(wake, 0.01)
        assert not wake.is_set()

    run(work())


def test_one_that_fails_is_told_and_ends_alone(run: Run) -> None:
    """The others go on."""

    async def work() -> None:
        failed: list[BaseException] = []
        tasks = Tasks(failed.append)

        async def breaks() -> None:
            raise LookupError("broken")

        other = tasks.spawn(asyncio.sleep(600.0))
        await asyncio.wait([tasks.spawn(breaks())])
        await asyncio.sleep(0)
        assert [type(error) for error in failed] == [LookupError]
        assert (len(tasks), other.done()) == (1, False)
        await tasks.close()

    run(work())
