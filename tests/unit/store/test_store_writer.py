"""The group-commit writer: alone in failure, answered after the fsync, in order, on a clock that never falls."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError

from app.ledger.log.append import AuditLog
from app.store.engine import Store, driver
from app.store.errors import StoreUnavailable, WriterBusy, WriterStopped
from app.store.tables import metadata
from app.store.writer import DENIED, QUEUE_LIMIT, Transaction


def add(opened: Any, word: str) -> Callable[[Transaction], int]:
    """A job that writes one row and one leaf."""
    row = metadata.tables["test_probe_row"]

    def job(tx: Transaction) -> int:
        tx.connection.execute(insert(row).values(word=word))
        return tx.audit("test.added", actor="tester", detail={"word": word})

    return job


class Hold:
    """Keeps the writer inside a job until it is released, so that a test decides what waits behind it."""

    def __init__(self, store: Store) -> None:
        self._inside, self._go = threading.Event(), threading.Event()
        self.future = store.writer.submit(self._job)
        assert self._inside.wait(10)

    def _job(self, _tx: Transaction) -> None:
        self._inside.set()
        assert self._go.wait(10)

    def release(self) -> None:
        self._go.set()
        self.future.result(10)


def test_row_and_leaf_are_durable_when_answered(opened: Any) -> None:
    """What ``run`` returned is seen by the next reader, row and leaf together."""
    seq = asyncio.run(opened.store.writer.run(add(opened, "one")))
    assert (seq, opened.words(), len(opened.actions())) == (0, ["one"], 1)


def test_waiting_jobs_share_one_commit(opened: Any) -> None:
    """Everything that waits goes into one commit: one new head for a hundred leaves."""
    hold = Hold(opened.store)
    futures = [opened.store.writer.submit(add(opened, f"w{n}")) for n in range(100)]
    sizes: list[int] = []
    opened.store.writer.submit(lambda tx: tx.after_commit(lambda: sizes.append(opened.log.head()[0])))
    hold.release()
    assert [future.result(10) for future in futures] == list(range(100))
    assert sizes == [100]


def test_failing_job_fails_alone(opened: Any) -> None:
    """A job that raises takes back its own rows and leaves and nothing of its neighbours."""
    hold = Hold(opened.store)

    def wrong(tx: Transaction) -> None:
        add(opened, "lost")(tx)
        add(opened, "first")(tx)

    futures = [opened.store.writer.submit(job) for job in (add(opened, "first"), wrong, add(opened, "second"))]
    hold.release()
    assert isinstance(futures[1].exception(10), IntegrityError)
    assert [futures[0].result(), futures[2].result()] == [0, 1]
    assert opened.words() == ["first", "second"]


def test_leaf_of_unknown_shape_is_refused(opened: Any) -> None:
    """An action that is not ``capability.verb`` fails its job before anything is written."""
    with pytest.raises(ValueError, match=r"capability\.verb"):
        asyncio.run(opened.store.writer.run(lambda tx: tx.audit("Something odd", actor="tester")))
    assert opened.actions() == []


def test_job_cannot_end_the_transaction(opened: Any) -> None:
    """A job that commits or rolls back by itself is refused, and its group goes on."""
    hold = Hold(opened.store)

    def ends(tx: Transaction) -> None:
        add(opened, "lost")(tx)
        tx.connection.commit()

    def undoes(tx: Transaction) -> None:
        add(opened, "lost")(tx)
        tx.connection.rollback()

    futures = [opened.store.writer.submit(job) for job in (add(opened, "a"), ends, undoes, add(opened, "b"))]
    hold.release()
    assert [type(future.exception(10)) for future in futures] == [type(None), RuntimeError, RuntimeError, type(None)]
    assert opened.words() == ["a", "b"]


def test_stop_iteration_answers_everybody(opened: Any) -> None:
    """A job that raises StopIteration fails like any other, and its neighbours are answered."""

    async def main() -> list[Any]:
        run = opened.store.writer.run
        return await asyncio.gather(run(lambda tx: next(iter(()))), run(add(opened, "a")), return_exceptions=True)

    wrong, right = asyncio.run(main())
    assert (type(wrong), right) == (RuntimeError, 0)


def test_error_hides_parameters(opened: Any) -> None:
    """The text of a failed statement names no value: values may be secrets, and errors are logged."""
    opened.store.writer.submit(add(opened, "hunter2")).result(10)
    error = opened.store.writer.submit(add(opened, "hunter2")).exception(10)
    assert isinstance(error, IntegrityError)
    assert "hunter2" not in str(error)


def test_urgent_job_overtakes(opened: Any) -> None:
    """An urgent job runs before everything that waited earlier."""
    hold = Hold(opened.store)
    order: list[str] = []
    waiting = [opened.store.writer.submit(lambda tx, n=n: order.append(f"normal {n}")) for n in range(3)]
    waiting.append(opened.store.writer.submit(lambda tx: order.append("urgent"), urgent=True))
    hold.release()
    for future in waiting:
        future.result(10)
    assert order[0] == "urgent"


def test_urgent_job_does_not_pay_for_the_queue(opened: Any) -> None:
    """The commit that holds an urgent job closes behind it: what waited is in the next one."""
    hold = Hold(opened.store)
    seen: list[int] = []
    normal = [opened.store.writer.submit(add(opened, f"n{n}")) for n in range(5)]

    def urgent(tx: Transaction) -> None:
        tx.audit("test.urgent", actor="tester")
        tx.after_commit(lambda: seen.append(opened.log.head()[0]))

    opened.store.writer.submit(urgent, urgent=True).add_done_callback(lambda _: None)
    hold.release()
    for future in normal:
        future.result(10)
    assert seen == [1]


def test_full_queue_refuses(opened: Any) -> None:
    """The 4097th waiting job is refused at once; urgent ones have room of their own."""
    hold = Hold(opened.store)
    futures = [opened.store.writer.submit(lambda tx: None) for _ in range(QUEUE_LIMIT)]
    with pytest.raises(WriterBusy):
        opened.store.writer.submit(lambda tx: None)
    futures.append(opened.store.writer.submit(lambda tx: None, urgent=True))
    hold.release()
    assert [future.result(10) for future in futures] == [None] * (QUEUE_LIMIT + 1)


def test_after_commit_runs_before_the_answer(opened: Any) -> None:
    """The callback has run when the caller is answered, and sees the new head."""
    seen: list[int] = []

    def job(tx: Transaction) -> None:
        tx.audit("test.done", actor="tester")
        tx.after_commit(lambda: seen.append(opened.log.head()[0]))

    asyncio.run(opened.store.writer.run(job))
    assert seen == [1]


def test_after_commit_is_dropped_with_its_job(opened: Any) -> None:
    """A job that fails after it asked for a callback gets none."""
    seen: list[int] = []

    def job(tx: Transaction) -> None:
        tx.after_commit(lambda: seen.append(1))
        raise LookupError

    with pytest.raises(LookupError):
        asyncio.run(opened.store.writer.run(job))
    assert seen == []


def test_cancelled_wait_keeps_the_job(opened: Any) -> None:
    """Who stops waiting does not take the change back."""

    async def main() -> None:
        hold = Hold(opened.store)
        task = asyncio.create_task(opened.store.writer.run(add(opened, "kept")))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        hold.release()
        await opened.store.writer.run(lambda tx: None)

    asyncio.run(main())
    assert opened.words() == ["kept"]


def test_close_commits_what_waits(opened: Any, opening: Callable[..., Any]) -> None:
    """Jobs queued before ``close`` are written; later ones are refused."""
    hold = Hold(opened.store)
    future = opened.store.writer.submit(add(opened, "last"))
    closer = threading.Thread(target=opened.store.close)
    closer.start()
    hold.release()
    closer.join(10)
    assert future.result(10) == 0
    with pytest.raises(WriterStopped):
        opened.store.writer.submit(lambda tx: None)
    assert opening().words() == ["last"]


def test_clock_step_back(opening: Callable[..., Any]) -> None:
    """When the clock falls, time stands, an alarm is raised once a step, and the payload tells the raw clock."""
    clock = iter([1_000, 1_000, 400, 500, 2_000, 1_500])
    alarms: list[int] = []
    opened = opening(clock=lambda: next(clock), on_clock_step=alarms.append)

    def job(tx: Transaction) -> int:
        tx.audit("test.tick", actor="tester")
        return tx.now_us

    times = [opened.store.writer.submit(job).result(10) for _ in range(6)]
    with opened.store.read() as connection:
        payloads = [json.loads(row[0]) for row in connection.execute(text("SELECT payload FROM audit_entry"))]
    assert all(len(payload.pop("state")) == 64 for payload in payloads)
    assert times == [1_000, 1_000, 1_000, 1_000, 2_000, 2_000]
    assert alarms == [600, 500]
    assert payloads == [{}, {}, {"clock": 400}, {"clock": 500}, {}, {"clock": 1_500}]


def test_time_goes_on_from_the_log(opening: Callable[..., Any]) -> None:
    """After a restart with the clock behind the last leaf, time still does not fall."""
    first = opening(clock=lambda: 5_000_000)
    first.store.writer.submit(lambda tx: tx.audit("test.tick", actor="tester")).result(10)
    first.store.close()
    second = opening(clock=lambda: 1_000_000)
    assert second.store.writer.submit(lambda tx: tx.now_us).result(10) == 5_000_000


def test_lost_commit_leaves_nothing(opened: Any) -> None:
    """When the file may not grow, every job of the group is told so, nothing is written, and the log stays whole."""
    writer = opened.store.writer
    writer.submit(add(opened, "before")).result(10)
    before = opened.log.checkpoint()

    def cap(tx: Transaction) -> None:
        raw = driver(tx.connection)
        pages = raw.execute("PRAGMA page_count").fetchone()[0]
        raw.execute(f"PRAGMA max_page_count={pages}")

    def bulky(tx: Transaction) -> None:
        add(opened, "x" * 300_000)(tx)

    writer.submit(cap).result(10)
    hold = Hold(opened.store)
    group = [writer.submit(add(opened, "neighbour")), writer.submit(bulky)]
    hold.release()
    assert [type(future.exception(10)) for future in group] == [StoreUnavailable, StoreUnavailable]
    assert (opened.words(), opened.log.checkpoint()) == (["before"], before)
    writer.submit(lambda tx: driver(tx.connection).execute("PRAGMA max_page_count=1000000").fetchone()).result(10)
    writer.submit(add(opened, "after")).result(10)
    assert opened.words() == ["before", "after"]


def test_leaves_of_another_process_are_taken_in(opened: Any) -> None:
    """After somebody else appended to the same file, our next leaf follows theirs in one tree."""
    opened.store.writer.submit(add(opened, "ours")).result(10)
    log = AuditLog(opened.site.origin("audit"), opened.keys.ed25519("audit"))
    with Store.open(opened.site.store_path, log, sealer=opened.keys.sealer) as other:
        assert other.writer.submit(add(opened, "theirs")).result(10) == 1
    assert opened.store.writer.submit(add(opened, "ours again")).result(10) == 2
    assert [seq for seq, _ in opened.actions()] == [0, 1, 2]
    assert opened.log.head()[0] == 3


def test_denied_outcome_is_in_the_header(opened: Any) -> None:
    """The outcome that a job names is what the header says."""
    opened.store.writer.submit(lambda tx: tx.audit("test.tried", actor="tester", outcome=DENIED)).result(10)
    assert json.loads(opened.actions()[0][1])["outcome"] == "DENIED"
