"""One thread per reader: order, isolation, cancellation, end."""

import threading

import pytest

from hardware.cards.worker import CardWorkers


@pytest.fixture
def workers():  # type: ignore[no-untyped-def]
    made = CardWorkers()
    yield made
    assert made.close()


def test_jobs_of_one_reader_run_in_order_on_one_thread(workers: CardWorkers) -> None:
    """Nothing interleaves on one card."""
    seen: list[tuple[int, int]] = []
    futures = [workers.run("R", lambda n=n: seen.append((n, threading.get_ident()))) for n in range(50)]  # type: ignore[misc]
    for future in futures:
        future.result()
    assert [n for n, _ in seen] == list(range(50))
    assert len({thread for _, thread in seen}) == 1


def test_readers_run_side_by_side(workers: CardWorkers) -> None:
    """A job that waits for another reader's job is not waited for."""
    met = threading.Event()
    waiting = workers.run("R1", lambda: met.wait(10))
    workers.run("R2", met.set)
    assert waiting.result()


def test_failure_comes_back_to_its_caller(workers: CardWorkers) -> None:
    """What a job raises is in its future, and the thread goes on."""
    with pytest.raises(ZeroDivisionError):
        workers.run("R", lambda: 1 // 0).result()
    assert workers.run("R", lambda: 7).result() == 7


def test_cancelled_job_is_skipped(workers: CardWorkers) -> None:
    """A job cancelled before its turn never runs."""
    gate, ran = threading.Event(), threading.Event()
    workers.run("R", gate.wait)
    cancelled = workers.run("R", ran.set)
    assert cancelled.cancel()
    gate.set()
    workers.run("R", lambda: None).result()
    assert not ran.is_set()


def test_busy_time_is_told(workers: CardWorkers) -> None:
    """A reader at work says for how long, an idle or unknown one 0."""
    started, gate = threading.Event(), threading.Event()

    def job() -> None:
        started.set()
        gate.wait()

    future = workers.run("R", job)
    started.wait()
    assert workers.busy_for("R") > 0
    gate.set()
    future.result()
    assert workers.busy_for("unknown") == 0


def test_closed_workers_take_nothing(workers: CardWorkers) -> None:
    """After the end a job is refused, not forgotten."""
    workers.close()
    with pytest.raises(RuntimeError):
        workers.run("R", lambda: None)


def test_close_finishes_what_was_given() -> None:
    """Jobs given before the end are done."""
    made = CardWorkers()
    futures = [made.run("R", lambda: None) for _ in range(10)]
    assert made.close()
    assert all(future.done() for future in futures)


def test_hanging_reader_does_not_hang_the_end() -> None:
    """A reader that never answers is left behind."""
    made = CardWorkers()
    gate = threading.Event()
    made.run("R", gate.wait)
    assert not made.close(timeout=0.05)
    gate.set()
    assert made.close()
