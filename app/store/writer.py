"""The group-commit writer: one thread, one write connection, one fsync for all jobs that wait.

A job is a function of a ``Transaction``. It runs inside ``BEGIN IMMEDIATE`` and a SAVEPOINT of its own, so a job that
raises fails alone and its leaves are taken back. Jobs are answered after the fsync, never before: ``Writer._serve`` and
``Writer._commit`` show the whole order. Nothing slow belongs in a job: no network, no card, no lock of another thread.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import enum
import logging
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, NoReturn, Protocol, TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from app.store.acting import Acting, session_at_work
from app.store.clock import system_clock_us
from app.store.errors import StoreUnavailable, WriterBusy, WriterStopped

_log = logging.getLogger("arc.store")

T = TypeVar("T")

QUEUE_LIMIT: Final = 4_096
"""Jobs that may wait in each queue; urgent ones have a queue of their own."""
GROUP_LIMIT: Final = 512
"""Jobs of one commit."""
HOLD_S: Final = 0.25
"""How long seals wait at most for the end of a round of witnesses: alone, each would cost a commit."""
EXIT_FSYNC: Final = 70
"""Exit code after a failed fsync."""
_CHECKPOINT_EVERY: Final = 128
_SCRUB_MS: Final = 200
_NOTHING: Final[Mapping[str, object]] = {}


class ActOutcome(enum.StrEnum):
    """How an audited act ended."""

    ACCEPTED = "ACCEPTED"
    DENIED = "DENIED"
    FAILED = "FAILED"


ACCEPTED: Final = ActOutcome.ACCEPTED
DENIED: Final = ActOutcome.DENIED
FAILED: Final = ActOutcome.FAILED


@dataclass(frozen=True, slots=True)
class Leaf:
    """One audited act as a job states it; the log makes header, payload and hash from it.

    ``ts_us`` is the transaction's time. ``clock_us`` is the raw clock where that had stepped back, else ``None``.
    """

    action: str
    actor: str
    outcome: ActOutcome
    ts_us: int
    clock_us: int | None
    node_id: str | None
    unit_id: str | None
    request_id: str | None
    detail: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class SealLeaf:
    """One seal as a job states it. ``standing`` is what the leaf states; ``payload`` must have a canonical form;
    ``knot_id`` names the knot that the leaf continues, ``None`` begins one."""

    action: str
    actor: str
    standing: str
    ts_us: int
    payload: Mapping[str, object]
    knot_id: str | None


@dataclass(frozen=True, slots=True)
class Sealed:
    """A numbered seal leaf: its place, its knot's name, and all that opens it. It counts once its commit is durable."""

    seq: int
    knot_id: str
    ts_us: int
    header: bytes
    leaf_hash: bytes
    salt: bytes
    payload: bytes


class LogAppender(Protocol):
    """The log as the writer sees it. Every method runs on the writer's thread, or before that thread starts.

    The writer calls ``append`` while jobs run, ``flush`` once before COMMIT, then exactly one of ``publish`` and
    ``roll_back``. ``flush`` is the only one that touches the database.
    """

    @property
    def adopts(self) -> bool:
        """Whether the next flush must come at once: rows of an earlier version wait for a leaf that states them."""

    def load(self, connection: Connection) -> int:
        """Rebuild from disk and check against the stored head. Returns the last leaf's time in microseconds, 0 if none.

        Raises ``StoreRefused`` with a sentence that says what does not fit.
        """

    def append(self, leaf: Leaf) -> int:
        """Number ``leaf`` and keep it until the flush. ``ValueError`` or ``TypeError`` if it has no canonical form."""

    def append_seal(self, leaf: SealLeaf) -> Sealed:
        """As ``append``, for the seal log."""

    def mark(self) -> tuple[int, ...]:
        """The point to which ``take_back`` can return."""

    def take_back(self, mark: tuple[int, ...]) -> None:
        """Forget the leaves appended since ``mark``."""

    def check_all(self, connection: Connection) -> None:
        """As ``load``, and every row that the log states, before a migration changes the store."""

    def flush(self, connection: Connection, now_us: int) -> None:
        """Write rows, full tiles and the signed head of all kept leaves into the open transaction, at ``now_us``."""

    def publish(self) -> None:
        """The flush is durable: let readers see it."""

    def roll_back(self) -> None:
        """The flush did not happen: go back to the tree of the last ``publish`` and forget the kept leaves."""


class Transaction:
    """What a job works on. Valid only while the job runs."""

    __slots__ = ("_acting", "_after", "_clock_us", "_log", "connection", "now_us", "scrubs")

    def __init__(
        self,
        connection: Connection,
        log: LogAppender,
        now_us: int,
        clock_us: int | None,
        acting: Acting | None = None,
    ) -> None:
        self.connection = connection
        """Inside the job's SAVEPOINT. A job that commits or rolls it back fails."""
        self.now_us = now_us
        """Unix time in microseconds; never falls from one transaction to the next."""
        self._clock_us = clock_us
        self._log = log
        self._acting = acting
        self._after: list[Callable[[], None]] = []
        self.scrubs = False
        """Whether ``scrub`` was called."""

    def audit(
        self,
        action: str,
        *,
        actor: str,
        outcome: ActOutcome = ACCEPTED,
        node_id: str | None = None,
        unit_id: str | None = None,
        request_id: str | None = None,
        detail: Mapping[str, object] = _NOTHING,
    ) -> int:
        """Add a leaf to the audit log and return its ``seq``.

        ``action`` is ``capability.verb``. Header fields (``action``, ``actor``, ``outcome``, time) can never be erased,
        so they hold no personal data. ``detail`` may hold strings, integers up to 2^53 - 1, finite floats, booleans,
        ``None``, and lists and mappings of these; never a secret or a biometric value. Raises ``ValueError`` or
        ``TypeError`` for anything else. What an operator does in a session has the member ``session`` in its detail:
        ``session_id`` and ``unit_id``.
        """
        if self._acting is not None and self._acting.actor == actor:
            detail = {**detail, "session": self._acting.words()}
        return self._log.append(
            Leaf(action, actor, outcome, self.now_us, self._clock_us, node_id, unit_id, request_id, detail)
        )

    def seal(
        self,
        action: str,
        *,
        actor: str,
        standing: str,
        payload: Mapping[str, object],
        knot_id: str | None = None,
    ) -> Sealed:
        """Add a leaf to the seal log; ``knot_id`` names the knot that it continues.

        Where the raw clock had stepped back, ``clock`` in microseconds is added to ``payload``. As with ``audit``, the
        header can never be erased. Raises ``ValueError`` or ``TypeError``.
        """
        if self._clock_us is not None:
            payload = {**payload, "clock": self._clock_us}
        return self._log.append_seal(SealLeaf(action, actor, standing, self.now_us, payload, knot_id))

    def scrub(self) -> None:
        """The job erases something that must not stay in the WAL: after this commit the WAL is copied into the file and
        truncated. Where a long read is in the way, that happens after one of the next commits."""
        self.scrubs = True

    def after_commit(self, fn: Callable[[], None]) -> None:
        """Call ``fn`` on the writer's thread after the fsync and before the caller is answered.

        ``fn`` must be quick and must not raise. It is not called when the job or the commit fails.
        """
        self._after.append(fn)


class WriteConnection(sqlite3.Connection):
    """The driver's connection under the writer, which ends transactions by SQL alone. ``commit`` and ``rollback`` only
    record that a job called them: a job that really ended the transaction would commit or lose the jobs before it in
    the same group.
    """

    ended = False

    def commit(self) -> None:
        """Record the call."""
        self.ended = True

    def rollback(self) -> None:
        """Record the call."""
        self.ended = True


class _Job(Generic[T]):
    """A queued job and the place of its answer: exactly one of ``future`` and ``waiter``."""

    __slots__ = ("acting", "after", "error", "fn", "future", "loop", "result", "scrubs", "waiter")

    def __init__(
        self,
        fn: Callable[[Transaction], T],
        *,
        future: concurrent.futures.Future[T] | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
        waiter: asyncio.Future[T] | None = None,
    ) -> None:
        self.fn = fn
        self.future = future
        self.loop = loop
        self.waiter = waiter
        self.acting = session_at_work()
        self.result: T | None = None
        self.error: BaseException | None = None
        self.after: list[Callable[[], None]] = []
        self.scrubs = False


class _GroupLost(Exception):
    """The transaction of the whole group is lost; ``cause`` says why."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


class Writer:
    """Owns the write connection and its thread. Made by ``Store.open``."""

    def __init__(
        self,
        connection: Connection,
        log: LogAppender,
        *,
        clock: Callable[[], int] = system_clock_us,
        on_clock_step: Callable[[int], None] | None = None,
    ) -> None:
        """``on_clock_step(behind_us)`` is called on the writer's thread, once each time the clock steps back."""
        raw = connection.connection.driver_connection
        if not isinstance(raw, WriteConnection):
            raise TypeError("the writer needs a WriteConnection")
        self._connection = connection
        self._raw = raw
        self._cursor = raw.cursor()
        self._log_appender = log
        self._clock = clock
        self._on_clock_step = on_clock_step
        self._clock_is_behind = False
        self._urgent: deque[_Job[Any]] = deque()
        self._normal: deque[_Job[Any]] = deque()
        self._seals: deque[_Job[Any]] = deque()
        self._held = False
        self._refusal: str | None = None
        self._wake = threading.Condition(threading.Lock())
        self._idle = False
        self._closing = False
        self._uncheckpointed = 0
        self._scrub_due = False
        self._since: float | None = None
        self._last_commit: float | None = None
        self._committed: list[Callable[[], None]] = []
        self._cursor.execute("BEGIN IMMEDIATE")
        self._last_us = log.load(connection)
        self._seen_version = self._data_version()
        # Nothing was written but what the log keeps beside this connection (its triggers): that must stay.
        self._cursor.execute("COMMIT")
        self._thread = threading.Thread(target=self._serve, name="store-writer", daemon=True)
        self._thread.start()

    # -- callers

    async def run(self, job: Callable[[Transaction], T], *, urgent: bool = False, seal: bool = False) -> T:
        """Queue ``job``, wait for its fsync, and return what it returned or raise what it raised.

        Raises ``WriterBusy`` at once when the queue is full, and ``StoreUnavailable`` when nothing could be written.
        Cancelling the wait does not take the job back. ``urgent`` jobs (burns) are served before all others. ``seal``
        jobs wait for the end of a round of witnesses (``hold_seals``), unless another job takes them along.
        """
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[T] = loop.create_future()
        self._put(_Job(job, loop=loop, waiter=waiter), self._seals if seal else self._queue(urgent))
        return await waiter

    def submit(self, job: Callable[[Transaction], T], *, urgent: bool = False) -> concurrent.futures.Future[T]:
        """As ``run``, from any thread but the writer's own (which would wait for itself)."""
        future: concurrent.futures.Future[T] = concurrent.futures.Future()
        future.set_running_or_notify_cancel()
        self._put(_Job(job, future=future), self._queue(urgent))
        return future

    @property
    def floor_us(self) -> int:
        """The latest time (microseconds since 1970) that this store has seen, in a leaf or a transaction. The machine's
        clock may be behind it, because it was set back, perhaps while nothing ran. From any thread."""
        return self._last_us

    @property
    def ahead_us(self) -> int:
        """How far the time of the logs is ahead of the clock: their times never fall, so entries keep the later time
        until the clock has caught up. 0 where it is not. From any thread."""
        return max(0, self._last_us - self._clock())

    def hold_seals(self, held: bool) -> None:
        """A round of witnesses begins or ends. From any thread."""
        with self._wake:
            self._held = held
            if not held:
                self._wake.notify()

    def on_commit(self, told: Callable[[], None]) -> None:
        """Call ``told`` on the writer's thread after each commit; it must be quick and must not raise. Before the first
        job alone."""
        self._committed.append(told)

    def refuse(self, sentence: str) -> None:
        """From now on take urgent jobs alone; every other caller gets ``sentence`` (``StoreUnavailable``). For a store
        that is known to be an old or a forked copy: it still denies access, and changes nothing else."""
        self._refusal = sentence

    @property
    def alive(self) -> bool:
        """Whether the thread runs and takes jobs."""
        return self._thread.is_alive() and not self._closing

    @property
    def waiting(self) -> int:
        """Jobs in the queues."""
        return len(self._urgent) + len(self._normal) + len(self._seals)

    @property
    def busy_s(self) -> float:
        """Seconds since the commit in progress began, 0.0 if there is none."""
        since = self._since
        return 0.0 if since is None else time.monotonic() - since

    @property
    def last_commit_age_s(self) -> float | None:
        """Seconds since the last durable commit of this process, ``None`` before the first."""
        last = self._last_commit
        return None if last is None else time.monotonic() - last

    def close(self) -> None:
        """Commit what is queued, then end the thread. Later jobs raise ``WriterStopped``."""
        with self._wake:
            self._closing = True
            self._wake.notify()
        self._thread.join()
        self._connection.close()

    def _queue(self, urgent: bool) -> deque[_Job[Any]]:
        return self._urgent if urgent else self._normal

    def _put(self, job: _Job[Any], queue: deque[_Job[Any]]) -> None:
        with self._wake:
            if self._closing:
                raise WriterStopped("The service is stopping; nothing was written. Try again after its restart.")
            if self._refusal is not None and queue is not self._urgent:
                raise StoreUnavailable(self._refusal)
            if len(queue) >= QUEUE_LIMIT:
                raise WriterBusy("Too many changes wait for the disk; nothing was written. Try again in a second.")
            queue.append(job)
            if self._idle:
                self._wake.notify()

    # -- the thread

    def _serve(self) -> None:
        """The thread: wait, commit a group, erase what must not stay in the WAL, and only then answer."""
        try:
            while self._wait():
                self._since = time.monotonic()
                group = self._commit()
                self._since = None
                if self._scrub_due:
                    self._checkpoint("TRUNCATE")
                self._answer(group)
                if self._uncheckpointed >= _CHECKPOINT_EVERY:
                    self._checkpoint()
        except BaseException:
            # Callers would wait for ever; after a restart by the supervisor everything is rebuilt from disk.
            _log.critical("the store's writer failed", exc_info=True)
            _die()

    def _wait(self) -> bool:
        """Waits until a group should be committed; False when the writer closes and no job is left. Seals alone wait
        ``HOLD_S`` at most while a round of witnesses runs."""
        with self._wake:
            while not self._urgent and not self._normal and not self._seals:
                if self._closing:
                    return False
                self._idle = True
                self._wake.wait()
                self._idle = False
            if self._held and not self._urgent and not self._normal:
                self._idle = True
                self._wake.wait_for(
                    lambda: not self._held or self._urgent or self._normal or self._closing, timeout=HOLD_S
                )
                self._idle = False
            return True

    def _commit(self) -> list[_Job[Any]]:
        """Makes one group durable, in this order; returns its jobs with their results or errors set.

        1. ``_prepare``: BEGIN, the jobs, and the log's rows, tiles and signed head, all in one transaction.
        2. COMMIT: the one fsync. Up to here nothing happened, from here on everything did.
        3. ``_publish``: readers see the new head, and callbacks run.

        The caller answers the jobs. Where 1 or 2 fails, ``_abort`` undoes the group and gives every job the reason.
        """
        group: list[_Job[Any]] = []
        try:
            self._prepare(group)
            self._cursor.execute("COMMIT")
        except Exception as error:
            self._abort(group, error)
            return group
        self._publish(group)
        return group

    def _prepare(self, group: list[_Job[Any]]) -> None:
        """Opens the transaction and puts all of the group into it; nothing of it is durable yet."""
        try:
            self._cursor.execute("BEGIN IMMEDIATE")
            self._follow_others()
            self._run_jobs(group)
            self._log_appender.flush(self._connection, self._last_us)
        except _GroupLost as lost:
            raise lost.cause from None

    def _publish(self, group: list[_Job[Any]]) -> None:
        """After the fsync: the log's readers see the new head, then the jobs' callbacks run."""
        self._log_appender.publish()
        self._last_commit = time.monotonic()
        self._uncheckpointed += 1
        for job in group:
            self._scrub_due |= job.scrubs
            for fn in job.after:
                try:
                    fn()
                except Exception:
                    _log.exception("an after-commit callback failed")
        for told in self._committed:
            told()

    def _next_jobs(self) -> list[_Job[Any]]:
        """Every job of the next group, urgent first."""
        jobs: list[_Job[Any]] = []
        for queue in (self._urgent, self._normal, self._seals):
            while queue and len(jobs) < GROUP_LIMIT:
                jobs.append(queue.popleft())
        return jobs

    def _run_jobs(self, group: list[_Job[Any]]) -> None:
        """Takes jobs from the queues and runs them, urgent ones first; each one that ran is in ``group``."""
        # No linger: only jobs that wait now. An urgent job goes next and closes the group, so that a burn pays for the
        # job that runs and one fsync, not for the whole queue.
        room = min(GROUP_LIMIT, self.waiting)
        hurried = False
        while len(group) < room:
            if self._urgent:
                job = self._urgent.popleft()
                hurried = True
            elif hurried:
                return
            elif self._normal:
                job = self._normal.popleft()
            elif self._seals:
                job = self._seals.popleft()
            else:
                return
            group.append(job)
            self._run_one(job)

    def _run_one(self, job: _Job[Any]) -> None:
        """Runs one job inside a SAVEPOINT: it fails alone, unless the whole transaction went with it."""
        cursor = self._cursor
        log = self._log_appender
        mark = log.mark()
        transaction = Transaction(self._connection, log, *self._now(), job.acting)
        cursor.execute("SAVEPOINT job")
        self._raw.ended = False
        try:
            job.result = job.fn(transaction)
            if self._raw.ended:
                raise RuntimeError("a job must not end the writer's transaction; raise to take the job back")
        except BaseException as error:
            self._take_back(job, mark, error)
            return
        if not self._raw.in_transaction:
            raise _GroupLost(StoreUnavailable("A change lost the store's transaction; nothing was written."))
        cursor.execute("RELEASE job")
        job.after = transaction._after
        job.scrubs = transaction.scrubs

    def _take_back(self, job: _Job[Any], mark: tuple[int, ...], error: BaseException) -> None:
        """Undoes a job that raised; the others of its group go on. ``_GroupLost`` where they cannot."""
        # On a full disk or an I/O error SQLite rolls back the whole transaction, not the savepoint alone.
        if not self._raw.in_transaction or _is_store_failure(error):
            raise _GroupLost(error) from None
        self._cursor.execute("ROLLBACK TO job")
        self._cursor.execute("RELEASE job")
        self._log_appender.take_back(mark)
        job.result = None
        # A future takes no StopIteration; raising while it is set would leave its neighbours without an answer.
        job.error = RuntimeError("a job raised StopIteration") if isinstance(error, StopIteration) else error

    def _now(self) -> tuple[int, int | None]:
        """Time of a transaction, and the raw clock if that is behind it."""
        raw = self._clock()
        if raw >= self._last_us:
            self._last_us = raw
            self._clock_is_behind = False
            return raw, None
        if not self._clock_is_behind:
            self._clock_is_behind = True
            behind = self._last_us - raw
            _log.warning("the clock stepped back", extra={"behind_us": behind})
            if self._on_clock_step is not None:
                try:
                    self._on_clock_step(behind)
                except Exception:
                    _log.exception("the clock alarm failed")
        return self._last_us, raw

    def _follow_others(self) -> None:
        """Loads what another process (``key create``) appended since our last commit: the tree in memory is stale."""
        version = self._data_version()
        if version != self._seen_version:
            self._last_us = max(self._last_us, self._log_appender.load(self._connection))
            self._seen_version = version

    def _data_version(self) -> int:
        # Changes when another connection committed, never by our own commits.
        return int(self._cursor.execute("PRAGMA data_version").fetchone()[0])

    def _abort(self, group: list[_Job[Any]], error: Exception) -> None:
        """Nothing of the group was written: undo what memory holds of it and give each job the reason. After a failed
        fsync nobody knows what the disk holds, so the process ends."""
        if not group:
            # BEGIN itself failed: its jobs must be answered, or they would be tried for ever.
            group.extend(self._next_jobs())
        code = _sqlite_code(error)
        if code in (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC):
            # The kernel may have dropped the dirty pages and called them clean: only a new process reads the truth.
            _log.critical("fsync failed; the page cache is unknown", exc_info=error)
            _die()
        if self._raw.in_transaction:
            self._cursor.execute("ROLLBACK")
        self._log_appender.roll_back()
        _log.error("a group commit failed; nothing of it was written", exc_info=error, extra={"jobs": len(group)})
        sentence = _sentence(code)
        for job in group:
            job.result = None
            job.error = StoreUnavailable(sentence)
            job.error.__cause__ = error
            job.after = []

    def _checkpoint(self, mode: Literal["PASSIVE", "TRUNCATE"] = "PASSIVE") -> None:
        """Copies the WAL into the file. SQLite's automatic checkpoint is off because it would hide a failed fsync.
        ``TRUNCATE`` waits ``_SCRUB_MS`` for readers; where that is not enough, it is due again with the next commit."""
        self._uncheckpointed = 0
        try:
            if mode == "PASSIVE":
                self._cursor.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
                return
            (wait_ms,) = self._cursor.execute("PRAGMA busy_timeout").fetchone()
            self._cursor.execute(f"PRAGMA busy_timeout={_SCRUB_MS}").fetchall()
            try:
                ((busy, _, _),) = self._cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                self._scrub_due = bool(busy)
            finally:
                self._cursor.execute(f"PRAGMA busy_timeout={wait_ms}").fetchall()
        except sqlite3.Error as error:
            if _sqlite_code(error) in (sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_DIR_FSYNC):
                _log.critical("fsync failed in a checkpoint; the page cache is unknown", exc_info=error)
                _die()
            _log.warning("a WAL checkpoint failed; it is tried again later", exc_info=error)

    def _answer(self, group: list[_Job[Any]]) -> None:
        """Gives every job its result or error."""
        loops: dict[asyncio.AbstractEventLoop, list[_Job[Any]]] = {}
        for job in group:
            if job.loop is not None:
                loops.setdefault(job.loop, []).append(job)
            elif job.future is not None:
                if job.error is not None:
                    job.future.set_exception(job.error)
                else:
                    job.future.set_result(job.result)
        # One wake-up a loop and commit: each writes to the loop's self-pipe.
        for loop, jobs in loops.items():
            try:
                loop.call_soon_threadsafe(_resolve, jobs)
            except RuntimeError:
                _log.debug("a loop was closed before its jobs were answered")


def _resolve(jobs: list[_Job[Any]]) -> None:
    for job in jobs:
        waiter = job.waiter
        if waiter is None or waiter.done():
            continue
        if job.error is not None:
            waiter.set_exception(job.error)
        else:
            waiter.set_result(job.result)


def _sqlite_code(error: BaseException) -> int | None:
    """Extended result code of an error of the driver, bare or wrapped by SQLAlchemy."""
    origin = error.orig if isinstance(error, DBAPIError) else error
    code = getattr(origin, "sqlite_errorcode", None)
    return code if isinstance(code, int) else None


_STORE_FAILURES: Final = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_NOTADB,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_BUSY,
}


def _is_store_failure(error: BaseException) -> bool:
    """Whether the file failed, not the job."""
    code = _sqlite_code(error)
    return code is not None and code & 0xFF in _STORE_FAILURES


def _sentence(code: int | None) -> str:
    if code is None:
        return "The store could not write; nothing was changed. See the service's log."
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return "The disk is full; nothing was written. Free some space and try again."
        case sqlite3.SQLITE_BUSY:
            return "Another process holds the store; nothing was written. Try again in a second."
        case sqlite3.SQLITE_IOERR:
            return "The disk refused a write; nothing was written. Check its space, quota and health, then try again."
        case _:
            return "The store could not write; nothing was changed. See the service's log."


def _die() -> NoReturn:
    logging.shutdown()
    os._exit(EXIT_FSYNC)
