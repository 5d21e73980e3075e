"""Seals in the writer: they wait for the end of a round, and both logs are numbered and lost together."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from app.ledger.log.append import AuditLog, Ledger, SealLog
from app.ledger.log.log import AnyLog
from app.site.site import Site
from app.store import writer as writer_module
from app.store.engine import Store
from app.store.errors import StoreUnavailable
from app.store.keys import Keys, find_kek
from app.store.writer import Sealed, Transaction


class Sealing:
    """A site's store with both logs. ``grown``: which log's leaves became visible, in order."""

    def __init__(self, path: Path) -> None:
        site = Site.open(path, "training")
        self.keys = Keys(site.keys_path, find_kek(site))
        self.ledger = Ledger(
            AuditLog(site.origin("audit"), self.keys.ed25519("audit")),
            SealLog(site.origin("seal"), self.keys.ed25519("seal")),
        )
        self.store = Store.open(site.store_path, self.ledger, sealer=self.keys.sealer)
        self.notice_growth: list[str] = []
        self.ledger.audit.on_grown = lambda: self.notice_growth.append("audit")
        self.ledger.seal.on_grown = lambda: self.notice_growth.append("seal")

    @property
    def sizes(self) -> tuple[int, int]:
        """Durable entries of the audit log and the seal log."""
        return self.ledger.audit.head()[0], self.ledger.seal.head()[0]

    def sealing(self, job: Callable[[Transaction], Any]) -> Future[Any]:
        """Queue a job that only seals."""
        answer: Future[Any] = Future()

        async def run() -> None:
            try:
                answer.set_result(await self.store.writer.run(job, seal=True))
            except Exception as error:
                answer.set_exception(error)

        threading.Thread(target=lambda: asyncio.run(run()), daemon=True).start()
        return answer

    def wait_held(self, count: int) -> None:
        """Until ``count`` seals wait and the writer waits with them."""
        writer = self.store.writer
        while not (writer.waiting == count and writer._idle):
            assert writer.alive
            time.sleep(0.001)

    def close(self) -> None:
        """Give every file back."""
        self.store.close()
        self.keys.close()


@pytest.fixture
def opening(tmp_path: Path) -> Iterator[Callable[[], Sealing]]:
    """Opens the test's one site, each time as another process would."""
    made: list[Sealing] = []

    def open_it() -> Sealing:
        made.append(Sealing(tmp_path / "site"))
        return made[-1]

    yield open_it
    for opened in made:
        opened.close()


@pytest.fixture
def opened(opening: Callable[[], Sealing]) -> Sealing:
    """An open site."""
    return opening()


def seal(tx: Transaction) -> Sealed:
    """One leaf of the seal log."""
    return tx.seal("knots.issue", actor="key_1", standing="UNVERIFIED", payload={"a": 1})


def audit(tx: Transaction) -> int:
    """One leaf of the audit log."""
    return tx.audit("test.added", actor="key_1")


def both(tx: Transaction) -> tuple[int, int]:
    """One leaf of each log; their places."""
    return audit(tx), seal(tx).seq


def test_seal_is_not_held_without_a_round(opened: Sealing) -> None:
    """While no witness is asked, a seal is committed at once."""
    assert opened.sealing(seal).result(30).seq == 0


def test_end_of_a_round_lets_seals_go(opened: Sealing, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seals that came during a round share the one commit after it."""
    monkeypatch.setattr(writer_module, "HOLD_S", 3_600.0)
    opened.store.writer.hold_seals(True)
    answers = [opened.sealing(seal) for _ in range(3)]
    opened.wait_held(3)
    assert not any(answer.done() for answer in answers)
    opened.store.writer.hold_seals(False)
    assert sorted(answer.result(30).seq for answer in answers) == [0, 1, 2]
    assert opened.notice_growth == ["seal"]


def test_another_job_takes_held_seals_along(opened: Sealing, monkeypatch: pytest.MonkeyPatch) -> None:
    """What commits anyway carries the seals: one commit for both logs, in the middle of a round."""
    monkeypatch.setattr(writer_module, "HOLD_S", 3_600.0)
    opened.store.writer.hold_seals(True)
    answer = opened.sealing(seal)
    opened.wait_held(1)
    assert opened.store.writer.submit(audit).result(30) == 0
    assert answer.result(30).seq == 0
    assert opened.notice_growth == ["audit", "seal"]


def test_urgent_job_leaves_held_seals_behind(opened: Sealing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A burn pays for one fsync and not for what waits; the seals follow."""
    monkeypatch.setattr(writer_module, "HOLD_S", 3_600.0)
    opened.store.writer.hold_seals(True)
    answer = opened.sealing(seal)
    opened.wait_held(1)
    sizes = opened.store.writer.submit(lambda tx: (audit(tx), opened.store.writer.waiting), urgent=True).result(30)
    assert sizes == (0, 1)
    opened.store.writer.hold_seals(False)
    assert answer.result(30).seq == 0


def test_round_without_end_holds_no_seal_for_ever(opened: Sealing, monkeypatch: pytest.MonkeyPatch) -> None:
    """After ``HOLD_S`` seals are committed though the round still runs."""
    monkeypatch.setattr(writer_module, "HOLD_S", 0.01)
    opened.store.writer.hold_seals(True)
    assert [opened.sealing(seal).result(30).seq for _ in range(2)] == [0, 1]


def test_close_commits_held_seals(opened: Sealing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that stops in the middle of a round loses no seal."""
    monkeypatch.setattr(writer_module, "HOLD_S", 3_600.0)
    opened.store.writer.hold_seals(True)
    answer = opened.sealing(seal)
    opened.wait_held(1)
    opened.store.close()
    assert opened.sizes == (0, 1)
    # The answer is given on the caller's loop, after the commit.
    assert answer.result(30).seq == 0


def test_both_logs_in_one_commit(opened: Sealing) -> None:
    """A job that audits and seals is numbered in both, at one time, and both heads grow once."""
    assert opened.store.writer.submit(both).result(30) == (0, 0)
    assert opened.notice_growth == ["audit", "seal"]
    with opened.store.read() as connection:
        times = [
            connection.exec_driver_sql(f"SELECT ts FROM {table}").scalar_one()
            for table in ("audit_entry", "seal_entry")
        ]
    assert times[0] == times[1]


def test_failing_job_takes_back_leaves_of_both(opened: Sealing) -> None:
    """Its leaves of either log leave no gap for its neighbours of the same commit."""

    def wrong(tx: Transaction) -> None:
        both(tx)
        both(tx)
        raise LookupError("no")

    inside, go = threading.Event(), threading.Event()
    held = opened.store.writer.submit(lambda _tx: (inside.set(), go.wait(30)))
    assert inside.wait(30)
    futures = [opened.store.writer.submit(job) for job in (both, wrong, both)]
    go.set()
    held.result(30)
    assert futures[0].result(30) == (0, 0)
    assert isinstance(futures[1].exception(30), LookupError)
    assert futures[2].result(30) == (1, 1)
    assert opened.sizes == (2, 2)


@pytest.mark.parametrize("log", ["audit", "seal"])
def test_lost_commit_takes_back_both(opened: Sealing, log: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one log cannot be written, neither is, and both go on where they stood."""
    opened.store.writer.submit(both).result(30)
    broken: AnyLog = getattr(opened.ledger, log)
    with monkeypatch.context() as patch:
        patch.setattr(broken, "_insert", _fail)
        assert isinstance(opened.store.writer.submit(both).exception(30), StoreUnavailable)
    assert opened.sizes == (1, 1)
    assert opened.store.writer.submit(both).result(30) == (1, 1)


def _fail(*_: object) -> None:
    raise sqlite3.OperationalError("no")


def test_leaves_of_another_process_are_taken_in(opening: Callable[[], Sealing]) -> None:
    """Both trees are read again when another process has committed, so that neither forks; restarted, they hold."""
    first, second = opening(), opening()
    assert first.store.writer.submit(both).result(30) == (0, 0)
    assert second.store.writer.submit(both).result(30) == (1, 1)
    assert second.store.writer.submit(audit).result(30) == 2
    assert first.store.writer.submit(both).result(30) == (3, 2)
    first.store.close()
    second.store.close()
    assert opening().sizes == (4, 3)


@pytest.mark.parametrize(
    ("action", "standing"), [("issue", "UNVERIFIED"), ("knots.issue", "unverified"), ("knots.issue", "")]
)
def test_seal_outside_the_vocabulary_is_refused(opened: Sealing, action: str, standing: str) -> None:
    """A seal that no header can state fails alone."""
    wrong = opened.store.writer.submit(lambda tx: tx.seal(action, actor="key_1", standing=standing, payload={}))
    assert isinstance(wrong.exception(30), ValueError)
    assert opened.sizes == (0, 0)
