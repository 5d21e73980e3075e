"""Ownership of asyncio tasks: every task has an owner, and the owner cancels it when its own time is over."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


async def woken(wake: asyncio.Event, longest_s: float) -> None:
    """Return when ``wake`` is set or after ``longest_s``; ``wake`` is clear for the next time. ``asyncio.wait_for``
    must not be used for it: on Python 3.11 it loses a cancellation that comes in the same turn as the event, and the
    work of a page would go on after the page was left."""
    import asyncio

    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(longest_s):
            await wake.wait()
    wake.clear()


class Tasks:
    """A group of tasks with one owner (a page while it is shown, the session). A task that fails is reported and ends
    alone: one broken refresh must not take the others with it."""

    def __init__(self, on_error: Callable[[BaseException], None]) -> None:
        self._on_error = on_error
        self._tasks: set[asyncio.Task[Any]] = set()

    def spawn(self, work: Coroutine[Any, Any, Any], *, name: str = "") -> asyncio.Task[Any]:
        """Start ``work`` on the loop of this thread. The group keeps the task alive; the caller need not."""
        # asyncio is imported where it is used: this module is needed before the first paint, a loop is not.
        import asyncio

        task = asyncio.get_event_loop().create_task(work, name=name or None)
        self._tasks.add(task)
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._on_error(error)

    def cancel(self) -> None:
        """Ask every task to end. They end on the loop's next turns."""
        for task in list(self._tasks):
            task.cancel()

    async def close(self) -> None:
        """Cancel, and wait until every task has ended."""
        import asyncio

        while self._tasks:
            self.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def __len__(self) -> int:
        return len(self._tasks)
