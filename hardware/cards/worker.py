"""One thread per reader does every APDU of that reader, so that two callers can never interleave on one card."""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")
_Job = Callable[[], None]


class _Worker:
    """The thread of one reader. A daemon: a reader that never answers must not keep the process from ending."""

    def __init__(self, reader: str) -> None:
        self.busy_since: float | None = None
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"card {reader}", daemon=True)
        self._thread.start()

    def put(self, job: _Job | None) -> None:
        self._jobs.put(job)

    def join(self, timeout: float) -> bool:
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            self.busy_since = time.monotonic()
            job()
            self.busy_since = None
            del job  # otherwise the last job's card and secrets would stay in memory until the next job


class CardWorkers:
    """Runs functions on the thread of their reader, in the order in which they were given.

    Threads are made at a reader's first use and live until `close`. Safe from any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: dict[str, _Worker] = {}
        self._closed = False

    def run(self, reader: str, job: Callable[[], T]) -> "Future[T]":
        """Queue `job` for `reader`'s thread; the future holds its value or its exception.

        A future cancelled before its turn is skipped. Raises RuntimeError after `close`.
        """
        future: Future[T] = Future()

        def call() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                value = job()
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(value)

        with self._lock:
            if self._closed:
                raise RuntimeError("the card workers are closed")
            worker = self._workers.get(reader)
            if worker is None:
                worker = self._workers[reader] = _Worker(reader)
            worker.put(call)
        return future

    def busy_for(self, reader: str) -> float:
        """Seconds since `reader`'s thread took up its present job; 0 if it is idle or unknown."""
        with self._lock:
            worker = self._workers.get(reader)
        since = worker.busy_since if worker else None
        return time.monotonic() - since if since is not None else 0.0

    def close(self, timeout: float = 5.0) -> bool:
        """Take no more jobs, finish the queued ones; True if all threads ended within `timeout` seconds in all."""
        with self._lock:
            self._closed = True
            workers = list(self._workers.values())
        for worker in workers:
            worker.put(None)
        deadline = time.monotonic() + timeout
        return all(worker.join(max(0.0, deadline - time.monotonic())) for worker in workers)
