"""What results of targets write: rows, leaves, alarms and the end of a burn, in a database in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from sqlalchemy import create_engine, insert, select

from app.capabilities.burn import proofs as proofs_module
from app.capabilities.burn.messages import TargetState
from app.capabilities.burn.proofs import Proofs, tells_news
from app.capabilities.burn.running import Running, Target
from app.capabilities.burn.tables import burn, burn_target
from app.capabilities.burn.targets import BurnFacts, TargetResult
from app.store.errors import StoreUnavailable

STARTED = 50.0


class Tx:
    """A transaction that remembers its leaves."""

    now_us = 9_000_000

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self.leaves: list[tuple[str, str | None, dict[str, object]]] = []

    def audit(self, action: str, *, actor: str, node_id: str | None, detail: Mapping[str, object]) -> None:
        """One leaf."""
        assert actor == "service"
        self.leaves.append((action, node_id, dict(detail)))


class Told:
    """Stands for alarms, the revocation log, the store's writer and the event loop's work; remembers all of it."""

    def __init__(self, tx: Tx) -> None:
        self.tx = tx
        self.writer = self
        self.calls: list[tuple[object, ...]] = []
        self.failing = 0
        self.running = True
        self.work: list[Callable[[], None]] = []
        self.spawned: list[Any] = []

    def raise_alarm(self, tx: Any, kind: str, key: str, text: str, *, node_id: str, ref: str) -> None:
        """An alarm."""
        self.calls.append(("alarm", kind, key, text, node_id, ref))

    def clear(self, tx: Any, kind: str, key: str) -> None:
        """Its end."""
        self.calls.append(("clear", kind, key))

    def follow_up(self, tx: Any, burn_id: str) -> None:
        """Another segment, if there was one."""
        self.calls.append(("follow", burn_id))

    def promise(self, tx: Any, burn_id: str) -> None:
        """The segment of the end."""
        self.calls.append(("promise", burn_id))

    async def run(self, work: Callable[[Any], Any], *, urgent: bool) -> Any:
        """The writer's turn."""
        assert urgent
        if self.failing:
            self.failing -= 1
            raise StoreUnavailable("The disk is full.")
        return work(self.tx)

    def soon(self, work: Callable[[], None]) -> None:
        """On the event loop."""
        self.work.append(work)

    def spawn(self, work: Any) -> None:
        """A task."""
        self.spawned.append(work)


@pytest.fixture
def tx() -> Iterator[Tx]:
    """An empty store."""
    engine = create_engine("sqlite://")
    with engine.connect() as connection:
        burn.metadata.create_all(connection, tables=[burn, burn_target])
        yield Tx(connection)
    engine.dispose()


@pytest.fixture
def told(tx: Tx) -> Told:
    """What is told beside the rows."""
    return Told(tx)


class Handed:
    """Batches that are durable, and failpoints that were passed."""

    def __init__(self) -> None:
        self.durable: list[tuple[list[str], dict[str, int]]] = []
        self.points: list[str] = []

    def take(self, batch: Any, complete: Mapping[str, int]) -> None:
        """As ``Durable``."""
        self.durable.append(([result.target_id for _, result in batch], dict(complete)))


@pytest.fixture
def handed() -> Handed:
    """What was handed on."""
    return Handed()


def proofs(told: Told, known: Mapping[str, Running], handed: Handed) -> Proofs:
    """An inbox for these burns."""
    one: Any = told
    return Proofs(one, one, one, one, known, handed.take, failpoint=handed.points.append)


def running(tx: Tx, *targets: tuple[str, TargetState], burn_id: str = "burn_1", drill: bool = False) -> Running:
    """A burn with these targets, stored."""
    facts = BurnFacts(burn_id, "ARC-1", "GLOBAL_REVOCATION", 1, "lost", 1, training=False, drill=drill)
    row = {"burn_id": burn_id, "node_id": burn_id, "scope": facts.scope, "reason": "lost", "epoch": 1}
    row |= {"local_deny_us": 1.0, "leaf": 1, "actor": "key-test", "created_us": 1}
    tx.connection.execute(insert(burn), row)
    made = {}
    for at, (name, state) in enumerate(targets):
        shown = None if name.startswith("_") else name.upper()
        made[name] = Target(name, "scim", shown, state, 1, None, None)
        values = {"burn_id": burn_id, "target_id": name, "position": at, "kind": "scim", "changed_us": 1}
        tx.connection.execute(insert(burn_target), {**values, "state": state})
    return Running(facts, 1, "", 1.0, 2_500_000, STARTED, made)


def result(name: str, state: TargetState, evidence: str = "e") -> TargetResult:
    """Two milliseconds after the call."""
    return TargetResult(name, state, evidence, STARTED + 0.002)


def completed(tx: Tx) -> int | None:
    """When the only burn was complete."""
    return tx.connection.execute(select(burn.c.completed_us)).scalar_one()  # type: ignore[no-any-return]


# --- another look ---


@pytest.mark.parametrize("undone", [True, False])
@pytest.mark.parametrize(
    ("before", "after", "news"),
    [
        ("revoked", "already", (False, False)),
        ("already", "already", (False, False)),
        ("revoked", "revoked", (False, True)),
        ("already", "revoked", (False, True)),
        ("revoked", "failed", (True, True)),
        ("already", "pending_offline", (True, True)),
        ("delivered", "delivered", (False, False)),
        ("delivered", "revoked", (True, True)),
        ("unlinked", "already", (True, True)),
        ("unlinked", "unlinked", (False, False)),
        ("closed", "revoked", (False, False)),
        ("closed", "failed", (False, False)),
    ],
)
def test_what_another_look_tells(
    tx: Tx, before: TargetState, after: TargetState, news: tuple[bool, bool], undone: bool
) -> None:
    """Unproven, proven for the first time, or undone where the kind tells that; never of a burn that was lifted."""
    one = running(tx, ("a", before))
    one.looking = {"a": undone}
    assert tells_news(one, result("a", after)) is news[undone]
    one.lifted_us = 5
    assert tells_news(one, result("a", after)) is False


@pytest.mark.parametrize(("name", "shown"), [("a", "A"), ("_b", "_b")])
def test_a_lock_that_was_undone_is_leaf_and_alarm(tx: Tx, told: Told, handed: Handed, name: str, shown: str) -> None:
    """Named as people know the target, else by its id; that the lock was missing is over."""
    one = running(tx, (name, "revoked"))
    one.looking = {name: True}
    assert proofs(told, {}, handed)._write(tx, [(one, result(name, "revoked"))]) == {"burn_1": 9_000_000}  # type: ignore[arg-type]
    assert tx.leaves[0] == ("burn.lock_restored", "ARC-1", {"burn_id": "burn_1", "target": name, "evidence": "e"})
    text = f"The lock at {shown} was undone and is set again; ask who did it."
    assert told.calls[:2] == [
        ("alarm", "burn.lock_restored", f"burn_1/{name}", text, "ARC-1", "burn_1"),
        ("clear", "burn.lock_missing", f"burn_1/{name}"),
    ]


@pytest.mark.parametrize(
    ("undone", "before", "after"),
    [(False, "delivered", "revoked"), (True, "delivered", "revoked"), (True, "unlinked", "already")],
)
def test_what_was_not_locked_before_was_not_undone(
    tx: Tx, told: Told, handed: Handed, undone: bool, before: TargetState, after: TargetState
) -> None:
    """Proven for the first time: no alarm."""
    one = running(tx, ("a", before))
    one.looking = {"a": undone}
    proofs(told, {}, handed)._write(tx, [(one, result("a", after))])  # type: ignore[arg-type]
    assert [call for call in told.calls if call[0] == "alarm"] == []
    assert [action for action, _, _ in tx.leaves] == ["burn.confirmed", "burn.complete"]


@pytest.mark.parametrize("lifted", [False, True])
def test_a_target_that_is_not_proven_any_more_opens_its_burn(tx: Tx, told: Told, handed: Handed, lifted: bool) -> None:
    """One leaf for all of them, and for none that was proven again; a lifted burn stays as it is."""
    one = running(tx, ("a", "revoked"), ("b", "revoked"), ("c", "revoked"), ("d", "revoked"))
    one.looking = dict.fromkeys("abcd", True)
    tx.connection.execute(burn.update().values(completed_us=7, lifted_us=8 if lifted else None))
    news = [result("a", "failed"), result("b", "revoked"), result("c", "pending_offline"), result("d", "already")]
    assert proofs(told, {}, handed)._write(tx, [(one, each) for each in news]) == {}  # type: ignore[arg-type]
    assert completed(tx) == (7 if lifted else None)
    assert [leaf for leaf in tx.leaves if leaf[0] == "burn.reopened"] == [
        ("burn.reopened", "ARC-1", {"burn_id": "burn_1", "targets": ["a", "c"]})
    ]
    counts = {"burn_id": "burn_1", "open": 2, "failed": 1, "revoked": 1, "pending_offline": 1}
    assert tx.leaves[-1] == ("burn.confirmed", "ARC-1", counts)
    assert told.calls[-1] == ("follow", "burn_1")


def test_a_look_without_news_writes_nothing(tx: Tx, told: Told, handed: Handed) -> None:
    """No row, no leaf."""
    one = running(tx, ("a", "revoked"))
    one.looking = {"a": True}
    assert proofs(told, {}, handed)._write(tx, [(one, result("a", "already"))]) == {}  # type: ignore[arg-type]
    assert (tx.leaves, told.calls) == ([], [])


# --- the end of a burn ---


@pytest.mark.parametrize("drill", [False, True])
def test_a_burn_ends_with_its_last_target(tx: Tx, told: Told, handed: Handed, drill: bool) -> None:
    """Once; how many ended without proof is in its leaf, and the alarm of its delay is over."""
    states: list[tuple[str, TargetState]] = [("a", "pending_offline"), ("b", "pending_offline"), ("c", "delivered")]
    one = running(tx, *states, ("d", "delivered"), ("e", "unlinked"), drill=drill)
    inbox = proofs(told, {}, handed)
    mark = {"drill": True} if drill else {}
    assert inbox._write(tx, [(one, result("a", "revoked"))]) == {}  # type: ignore[arg-type]
    assert completed(tx) is None
    assert tx.leaves == [("burn.confirmed", "ARC-1", {"burn_id": "burn_1", "open": 1, "revoked": 1, **mark})]
    assert told.calls == [("follow", "burn_1")]
    assert inbox._write(tx, [(one, result("b", "already"))]) == {"burn_1": 9_000_000}  # type: ignore[arg-type]
    assert completed(tx) == 9_000_000
    counts = {"burn_id": "burn_1", "targets": 5, "delivered": 2, "unlinked": 1, "elapsed_ms": 6500, **mark}
    assert tx.leaves[-1] == ("burn.complete", "ARC-1", counts)
    assert told.calls[1:] == [("clear", "burn.pending", "burn_1"), ("promise", "burn_1")]
    rows = tx.connection.execute(select(burn_target.c.state, burn_target.c.latency_us)).all()
    assert [tuple(row) for row in rows[:2]] == [("revoked", 2000), ("already", 2000)]
    assert inbox.complete_in(tx, one) is None  # type: ignore[arg-type]
    assert told.calls[-1] == ("follow", "burn_1")
    assert sum(action == "burn.complete" for action, _, _ in tx.leaves) == 1


def test_each_burn_of_a_batch_has_its_own_leaf(tx: Tx, told: Told, handed: Handed) -> None:
    """And its own end."""
    one, other = running(tx, ("a", "failed")), running(tx, ("a", "failed"), ("b", "failed"), burn_id="burn_2")
    batch = [(one, result("a", "revoked")), (other, result("a", "failed")), (other, result("b", "revoked"))]
    assert proofs(told, {}, handed)._write(tx, batch) == {"burn_1": 9_000_000}  # type: ignore[arg-type]
    assert [detail["open"] for action, _, detail in tx.leaves if action == "burn.confirmed"] == [0, 1]


# --- the inbox ---


def test_results_come_in_together(tx: Tx, told: Told, handed: Handed) -> None:
    """One call of the loop and one commit for all; a result of a burn that is not under way is dropped."""
    one = running(tx, ("a", "failed"), ("b", "failed"))
    gone = running(tx, ("a", "failed"), burn_id="burn_2")
    inbox = proofs(told, {"burn_1": one}, handed)
    inbox.report(one, result("a", "revoked"))
    inbox.report(gone, result("a", "revoked"))
    inbox.report(one, result("b", "revoked"))
    (wake,) = told.work
    wake()
    wake()
    (work,) = told.spawned
    asyncio.run(work)
    assert handed.durable == [(["a", "b"], {"burn_1": 9_000_000})]
    assert handed.points == ["effect", "confirmed"]
    wake()
    assert len(told.spawned) == 1
    inbox.report(gone, result("a", "revoked"))
    assert len(told.work) == 2
    told.work[1]()
    asyncio.run(told.spawned[1])
    assert len(handed.durable) == 1


def test_before_the_start_nobody_is_woken(tx: Tx, told: Told, handed: Handed) -> None:
    """The result waits for the first that comes afterwards."""
    one = running(tx, ("a", "failed"), ("b", "failed"))
    inbox = proofs(told, {"burn_1": one}, handed)
    told.running = False
    inbox.report(one, result("a", "revoked"))
    assert told.work == []
    told.running = True
    inbox.report(one, result("b", "revoked"))
    told.work[0]()
    asyncio.run(told.spawned[0])
    assert handed.durable == [(["a", "b"], {"burn_1": 9_000_000})]


def test_results_wait_for_the_store(tx: Tx, told: Told, handed: Handed, monkeypatch: pytest.MonkeyPatch) -> None:
    """Longer each time, a minute at most; handed on once, when they are durable."""
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        assert handed.durable == []
        slept.append(seconds)

    # The module's own name alone: services of other tests run on loops of this process.
    monkeypatch.setattr(proofs_module, "asyncio", SimpleNamespace(sleep=sleep))
    told.failing = 11
    one = running(tx, ("a", "failed"))
    asyncio.run(proofs(told, {}, handed)._make_durable([(one, result("a", "revoked"))]))
    assert slept == pytest.approx([0.2 * 2**at for at in range(9)] + [60.0, 60.0])
    assert handed.durable == [(["a"], {"burn_1": 9_000_000})]
