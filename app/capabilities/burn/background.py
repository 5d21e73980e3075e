"""Work of burns on the event loop: started from any thread, after a while, or beside everything else.

Once it is stopped nothing is started any more: what is not durable by then is done again at the next start.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine
from typing import Any

log = logging.getLogger(__name__)


class Background:
    """Timers and tasks that end together."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timers: set[asyncio.TimerHandle] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Binds the event loop."""
        self._loop = asyncio.get_running_loop()

    async def stop(self) -> None:
        """Cancels every timer and task."""
        self._loop = None
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def running(self) -> bool:
        """Whether it was started and not stopped."""
        return self._loop is not None

    def soon(self, work: Callable[[], None]) -> None:
        """Does ``work`` on the event loop. Any thread."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # closed in between: the next start does it again
                loop.call_soon_threadsafe(work)

    def later(self, seconds: float, work: Callable[[], None]) -> None:
        """Does ``work`` after ``seconds``. On the event loop."""
        loop = self._loop
        if loop is None:
            return

        def due() -> None:
            self._timers.discard(handle)
            work()

        handle = loop.call_later(seconds, due)
        self._timers.add(handle)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs ``work`` beside everything else; its failure is logged. On the event loop."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("work on a burn failed", exc_info=task.exception())
