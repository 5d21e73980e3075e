"""Cards in work: each job holds its reader, the same call joins it, and it ends even if its caller hangs up."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from app.api.problems import Problem
from app.capabilities.provisioning.readers.card_readers import CardReaders

log = logging.getLogger(__name__)

OnBegun = Callable[[], None]
Work = Callable[[OnBegun], Coroutine[Any, Any, Problem | None]]
"""Works on the card, calls its argument when the durable row is there, and returns the problem to answer with, if
any."""


@dataclass
class WriteJob:
    """Work on one card. ``key`` identifies the same call; ``provision_id`` is the card's provisioning."""

    key: str
    provision_id: str
    node_id: str
    reader: str
    task: asyncio.Task[Problem | None] = field(init=False)
    row_is_there: bool = False


class CardJobs:
    """All cards in work. Used on the event loop only."""

    def __init__(self, readers: CardReaders) -> None:
        self._readers = readers
        self._jobs: dict[str, WriteJob] = {}
        self._stopping = False

    def get(self, key: str) -> WriteJob | None:
        """The job with this key that is still under way."""
        return self._jobs.get(key)

    def refuse_when_stopping(self) -> None:
        """503 once ``stop`` was called."""
        if self._stopping:
            sentence = "The service is stopping; call again."
            raise Problem("dependency_unavailable", sentence, headers={"Retry-After": "5"})

    def begin(self, job: WriteJob, work: Work) -> WriteJob:
        """Holds the reader and starts the work; the same call joins it from now on."""
        self._readers.hold(job.reader, job.provision_id)

        def mark_begun() -> None:
            job.row_is_there = True

        job.task = asyncio.create_task(work(mark_begun), name=f"card {job.key}")
        self._jobs[job.key] = job
        job.task.add_done_callback(lambda _: self._finish(job))
        return job

    def _finish(self, job: WriteJob) -> None:
        del self._jobs[job.key]
        self._readers.release(job.reader)
        if not job.task.cancelled() and (error := job.task.exception()) is not None:
            log.error("work on a card failed", exc_info=error, extra={"provision_id": job.provision_id})

    async def wait_for(self, job: WriteJob, until: float) -> bool:
        """Waits for the job's end until the loop's time ``until``; False: it is still under way. Raises the job's
        problem, and 503 while the job has no durable row that the caller could ask for."""
        left = until - asyncio.get_running_loop().time()
        done, _ = await asyncio.wait([job.task], timeout=max(0.0, left))
        if not done:
            if not job.row_is_there:
                sentence = "The store does not answer; call again."
                raise Problem("dependency_unavailable", sentence, headers={"Retry-After": "5"})
            return False
        problem = job.task.result()
        if problem is not None:
            raise problem
        return True

    async def stop(self, timeout_s: float) -> None:
        """Takes no more cards, and waits at most ``timeout_s`` for those in work."""
        self._stopping = True
        tasks = [job.task for job in self._jobs.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=timeout_s)
