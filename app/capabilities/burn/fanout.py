"""Fan-out: reaches all targets of all burns at once, and makes what comes back durable in groups.

Results arrive on many threads. They are put into one inbox; while a commit runs the inbox fills, and the next commit
takes all of it: ONE fsync for everything that came in meanwhile. A result counts for anybody (reply, event, completion)
only after its commit, so a crash before that reaches the target again.

What has no proof yet is tried again for ever: after ``0.1 * 2^n`` s with jitter, at most 60 s; refusals each 5 minutes.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from sqlalchemy import bindparam, func, select, update

from app.api.wire import rfc3339
from app.capabilities.burn.log.revocation_log import RevocationLog
from app.capabilities.burn.messages import Burn, BurnEvent, BurnLog, BurnTarget, Residual, TargetState
from app.capabilities.burn.tables import burn, burn_target, prove_targets
from app.capabilities.burn.targets import FINAL, BurnFacts, TargetKind, TargetResult
from app.delivery.alarms import AlarmBook
from app.delivery.events import Event, EventBus
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

log = logging.getLogger(__name__)

CONFIRMED = "burn.confirmed"
COMPLETE = "burn.complete"
PENDING_ALARM = "burn.pending"
Step = Literal["denied", "listed", "committed", "announced", "effect", "confirmed", "promised", "sealed"]
Failpoint = Callable[[Step], None]
"""Called at each step at which a crash must lose nothing; tests let it kill the process."""

# Made once: asked and written with each batch of results.
_OPEN = select(func.count()).where(burn_target.c.burn_id == bindparam("of"), burn_target.c.state.not_in(FINAL))
_COMPLETED = (
    update(burn)
    .where(burn.c.burn_id == bindparam("of"), burn.c.completed_us.is_(None))
    .values(completed_us=bindparam("at_us"))
)
_REFUSED_S = 300.0
_LONGEST_S = 60.0
_REMIND_S = (900.0, 3600.0)
_DAY_S = 86_400.0
_STORE_S = 0.2
_EVENTS_AT_ONCE = 50
_SEAL_AHEAD_S = 0.05
_HEAD_START_S = 0.06
"""What the farthest kind of target has, at most, before the others are told."""


@dataclass(slots=True)
class Target:
    """A target as durable. ``latency_ms`` from the call to the proof."""

    target_id: str
    kind: str
    display_name: str | None
    state: TargetState
    attempts: int
    latency_ms: float | None
    evidence: str | None


@dataclass(eq=False)
class Running:
    """A burn that is not complete, or was not when somebody last waited for it. ``started``: ``perf_counter`` of the
    call (after a restart: put back by the time that has passed)."""

    facts: BurnFacts
    leaf: int
    leaf_hash: str
    local_deny_us: float
    created_us: int
    started: float
    targets: dict[str, Target]
    completed_us: int | None = None
    lifted_us: int | None = None
    in_flight: set[str] = field(default_factory=set)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    sealed: BurnLog | None = None
    """Where its first segment of the revocation log stands, once that is sealed."""
    sealing: asyncio.Event = field(default_factory=asyncio.Event)
    """Set with ``sealed``."""
    hasty: set[str] = field(default_factory=set)
    """Targets in flight that are to be tried again as soon as what they report is durable."""
    waiters: list[tuple[str, asyncio.Future[None]]] = field(default_factory=list)
    watched: bool = False
    """Its alarms are seen to."""
    left: int = 0
    """Number of targets without proof."""

    def __post_init__(self) -> None:
        self.left = len(self.open)
        if self.sealed is not None:
            self.sealing.set()

    def now_sealed(self, told: asyncio.Future[BurnLog]) -> None:
        """Takes in where its first segment stands."""
        self.sealed = told.result()
        self.sealing.set()

    @property
    def open(self) -> list[str]:
        """Targets without proof."""
        return [target.target_id for target in self.targets.values() if target.state not in FINAL]


class Fanout:
    """All burns that are under way. Everything but ``report`` (any thread) runs on the event loop."""

    def __init__(
        self,
        store: Store,
        kinds: Sequence[TargetKind],
        alarms: AlarmBook,
        bus: EventBus,
        revocations: RevocationLog,
        *,
        deadline_s: float,
        failpoint: Failpoint,
    ) -> None:
        self._revocations = revocations
        self._store = store
        self._kinds = tuple(kinds)
        self._alarms = alarms
        self._bus = bus
        self._deadline_s = deadline_s
        self._failpoint = failpoint
        self.running: dict[str, Running] = {}
        self.history: dict[str, deque[float]] = {}
        """The last 20 latencies (ms) of each target."""
        self._loop: asyncio.AbstractEventLoop | None = None
        self._inbox: deque[tuple[str, TargetResult]] = deque()
        self._woken = False
        self._committing = False
        self._timers: set[asyncio.TimerHandle] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Binds the event loop."""
        self._loop = asyncio.get_running_loop()

    async def stop(self) -> None:
        """Ends timers and tasks; what is not durable is done again at the next start."""
        self._loop = None
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def take_up(self, running: Running) -> None:
        """Knows a burn that is durable: whoever asks may have it tried, lifted or closed, and it is told when it is
        sealed. ``begin`` reaches its targets."""
        self.running[running.facts.burn_id] = running
        if running.sealed is None:
            self._revocations.expect(running.facts.burn_id).add_done_callback(running.now_sealed)

    def begin(self, running: Running) -> None:
        """Reaches every target without proof; takes the burn up, unless that was done."""
        if self.running.get(running.facts.burn_id) is not running:
            self.take_up(running)
        open_ = running.open
        if not open_:
            running.done.set()
        self.dispatch(running, open_)
        self._failpoint("announced")
        if open_:
            left = running.started + self._deadline_s - time.perf_counter()
            self._remind(running)
            # Ahead of the deadline, at which it is answered with what is sealed.
            self._later(max(left - _SEAL_AHEAD_S, 0.0), lambda: self.spawn(self._promise(running)))

    async def _promise(self, running: Running) -> None:
        """Tells the revocation log what is proven by now."""
        pause = _STORE_S
        while not running.done.is_set():
            try:
                await self._store.writer.run(
                    lambda tx: self._revocations.promise(tx, running.facts.burn_id), urgent=True
                )
                return
            except StoreError:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_S)

    def dispatch(self, running: Running, target_ids: Iterable[str]) -> None:
        """Starts an attempt at each of these targets that has none in flight."""
        by_kind: dict[str, list[str]] = {}
        for target_id in target_ids:
            if target_id not in running.in_flight:
                running.in_flight.add(target_id)
                by_kind.setdefault(running.targets[target_id].kind, []).append(target_id)
        wanted: dict[int, list[str]] = {}
        for kind, ids in by_kind.items():
            number = next((n for n, owner in enumerate(self._kinds) if owner.owns(kind)), None)
            if number is None:
                unknown = f"this version knows no target of kind {kind}"
                for target_id in ids:
                    self.report(running, TargetResult(target_id, "unsupported", unknown))
            else:
                wanted.setdefault(number, []).extend(ids)
        if wanted:
            self._in_turn(running, sorted(wanted.items(), reverse=True))

    def _in_turn(self, running: Running, wanted: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Reaches these kinds, the last one first: it is the farthest away. The others follow as soon as it has
        answered, or a moment later in any case. A thousand doors keep this process' one interpreter busy for some
        hundredths of a second, in which whoever asks elsewhere step by step gets hardly a turn, and they deny already.
        """
        (number, target_ids), *nearer = wanted

        def go_on() -> None:
            nonlocal nearer
            if nearer:
                following, nearer = nearer, []
                self._in_turn(running, following)

        self._later(0.0, lambda: self._reach(running, number, target_ids, go_on))
        if nearer:
            self._later(_HEAD_START_S, go_on)

    def _reach(self, running: Running, number: int, target_ids: Sequence[str], answered: Callable[[], None]) -> None:
        """Starts an attempt at each of these targets of one kind, unless the burn was lifted meanwhile. ``answered``
        is called on the event loop once all of them have reported."""
        if running.facts.burn_id not in self.running:
            return
        reported: set[str] = set()

        def told(result: TargetResult) -> None:
            reported.add(result.target_id)
            self.report(running, result)
            if len(reported) == len(target_ids):
                self._soon(answered)

        try:
            self._kinds[number].dispatch(running.facts, target_ids, told)
        except Exception:
            # The outbox is committed: whatever breaks now, the burn goes on and is tried again.
            log.exception("a fan-out could not be started", extra={"burn_id": running.facts.burn_id})
            for target_id in target_ids:
                if target_id not in reported:
                    self.report(running, TargetResult(target_id, "pending_offline", "the attempt could not be started"))

    def hasten(self, running: Running, target_id: str) -> None:
        """Tries an open target now, or as soon as the result of its last attempt is durable."""
        if target_id in running.in_flight:
            running.hasty.add(target_id)
        elif running.targets[target_id].state not in FINAL:
            self.dispatch(running, [target_id])

    def hasten_all(self, target_id: str) -> None:
        """Has every burn to which this target is open try it now. Any thread."""

        def hasten() -> None:
            for running in list(self.running.values()):
                if target_id in running.targets:
                    self.hasten(running, target_id)

        self._soon(hasten)

    def report(self, running: Running, result: TargetResult) -> None:
        """Takes a result in. Any thread."""
        self._inbox.append((running.facts.burn_id, result))
        # Cleared before the inbox is emptied, so a result is either taken by that round or wakes the next one.
        if not self._woken and self._loop is not None:
            self._woken = True
            self._soon(self._wake)

    def _soon(self, work: Callable[[], None]) -> None:
        """Does it on the event loop. Any thread."""
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # closed in between: the next start does it again
                loop.call_soon_threadsafe(work)

    def _wake(self) -> None:
        self._woken = False
        if not self._committing and self._inbox:
            self._committing = True
            self.spawn(self._commit())

    async def _commit(self) -> None:
        try:
            while self._inbox:
                batch: list[tuple[Running, TargetResult]] = []
                while self._inbox:
                    burn_id, result = self._inbox.popleft()
                    known = self.running.get(burn_id)
                    if known is not None:
                        batch.append((known, result))
                if batch:
                    await self._make_durable(batch)
        finally:
            self._committing = False

    async def _make_durable(self, batch: Sequence[tuple[Running, TargetResult]]) -> None:
        self._failpoint("effect")
        pause = _STORE_S
        while True:
            try:
                complete = await self._store.writer.run(lambda tx: self._write(tx, batch), urgent=True)
                break
            except Exception as error:
                # Whatever it is: a result that is dropped would leave its target in flight until the next start.
                log.error("results of burns wait for the store", exc_info=error, extra={"results": len(batch)})
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_S)
        self._failpoint("confirmed")
        self._take(batch, complete)

    def _write(self, tx: Transaction, batch: Sequence[tuple[Running, TargetResult]]) -> dict[str, int]:
        """Rows and leaves of a batch; the burns that are complete by it."""
        prove_targets(
            tx.connection,
            [
                (
                    running.facts.burn_id,
                    result.target_id,
                    result.state,
                    _latency_us(running, result),
                    result.evidence,
                )
                for running, result in batch
            ],
            tx.now_us,
        )
        by_burn: dict[Running, list[TargetResult]] = {}
        for running, result in batch:
            by_burn.setdefault(running, []).append(result)
        complete: dict[str, int] = {}
        for running, results in by_burn.items():
            left = self._left(tx, running)
            counts: dict[str, object] = dict(Counter(result.state for result in results))
            tx.audit(
                CONFIRMED,
                actor="service",
                node_id=running.facts.node_id,
                detail={"burn_id": running.facts.burn_id, "open": left, **counts, **said(running.facts.drill)},
            )
            at_us = self._completed_in(tx, running, left)
            if at_us is not None:
                complete[running.facts.burn_id] = at_us
        return complete

    @staticmethod
    def _left(tx: Transaction, running: Running) -> int:
        # Asked of the rows, not of the memory: a person may have closed a target in the transaction before this one.
        return tx.connection.execute(_OPEN, {"of": running.facts.burn_id}).scalar_one()

    def complete_in(self, tx: Transaction, running: Running) -> int | None:
        """Writes that the burn is complete if no target is open any more, and what the revocation log tells; when, or
        None."""
        return self._completed_in(tx, running, self._left(tx, running))

    def _completed_in(self, tx: Transaction, running: Running, left: int) -> int | None:
        facts = running.facts
        if left:
            self._revocations.follow_up(tx, facts.burn_id)
            return None
        if tx.connection.execute(_COMPLETED, {"of": facts.burn_id, "at_us": tx.now_us}).rowcount == 0:
            return None
        elapsed_ms = (tx.now_us - running.created_us) // 1000
        detail: dict[str, object] = {
            "burn_id": facts.burn_id,
            "targets": len(running.targets),
            "elapsed_ms": elapsed_ms,
            **said(facts.drill),
        }
        tx.audit(COMPLETE, actor="service", node_id=facts.node_id, detail=detail)
        self._alarms.clear(tx, PENDING_ALARM, facts.burn_id)
        self._revocations.promise(tx, facts.burn_id)
        return tx.now_us

    def _take(self, batch: Sequence[tuple[Running, TargetResult]], complete: dict[str, int]) -> None:
        """The batch is durable: memory, waiters, next attempts, events."""
        again: dict[tuple[Running, float], list[str]] = {}
        told: list[tuple[Running, Target | None]] = []
        for running, result in batch:
            target = running.targets[result.target_id]
            running.in_flight.discard(result.target_id)
            hasty = result.target_id in running.hasty
            running.hasty.discard(result.target_id)
            if target.state in FINAL:
                continue
            target.state, target.evidence = result.state, result.evidence
            target.attempts += 1
            latency_us = _latency_us(running, result)
            target.latency_ms = None if latency_us is None else latency_us / 1000
            told.append((running, target))
            if target.state in FINAL:
                running.left -= 1
                if target.latency_ms is not None:
                    self.history.setdefault(target.target_id, deque(maxlen=20)).append(target.latency_ms)
            else:
                again.setdefault((running, 0.0 if hasty else _pause(target)), []).append(target.target_id)
        for running in {running for running, _ in batch}:
            changed = {result.target_id for of, result in batch if of is running}
            for target_id, waiter in running.waiters:
                if target_id in changed and not waiter.done():
                    waiter.set_result(None)
            running.waiters = [pair for pair in running.waiters if not pair[1].done()]
        for (running, pause), ids in again.items():
            self._later(pause * random.uniform(0.8, 1.2), self._redo(running, ids))
        for burn_id, at_us in complete.items():
            running = self.running[burn_id]
            self.completed(running, at_us)
            told.append((running, None))
        self._tell(told)

    def completed(self, running: Running, at_us: int) -> None:
        """The burn's completion is durable: whoever waits may answer."""
        running.completed_us = at_us
        running.done.set()
        self.running.pop(running.facts.burn_id, None)

    def end(self, burn_id: str) -> bool:
        """The burn was lifted, durably: nothing of it is tried any more, and what comes back counts for nothing.
        Whether it was under way."""
        running = self.running.pop(burn_id, None)
        if running is None:
            return False
        running.completed_us = running.lifted_us = time.time_ns() // 1000
        for target in running.targets.values():
            if target.state not in FINAL:
                target.state, running.left = "closed", running.left - 1
        for _, waiter in running.waiters:
            if not waiter.done():
                waiter.set_result(None)
        running.done.set()
        self.publish(running, None)
        return True

    def _redo(self, running: Running, ids: Sequence[str]) -> Callable[[], None]:
        made = {target_id: running.targets[target_id].attempts for target_id in ids}

        def redo() -> None:
            # One that was tried in between has a later turn of its own: else each try by hand would add one for ever.
            due = [running.targets[target_id] for target_id in made]
            self.dispatch(
                running, [of.target_id for of in due if of.state not in FINAL and of.attempts == made[of.target_id]]
            )

        return redo

    def _remind(self, running: Running) -> None:
        """Has the alarm raised when the burn is overdue, and renewed as ``reminders`` has it. One that fell into the
        time when the service was down is made good at once."""
        age_s = time.perf_counter() - running.started
        last_s, next_s = reminders(age_s, self._deadline_s)

        def due() -> None:
            if running.completed_us is None:
                self.spawn(self._alarm(running, next_s))
                self._remind(running)

        if last_s is not None and not running.watched:
            self.spawn(self._alarm(running, last_s))
        running.watched = True
        # A little later than due, or a clock that is a little early would be asked again for the same one.
        self._later(next_s - age_s + 0.001, due)

    async def _alarm(self, running: Running, due_s: float) -> None:
        facts = running.facts

        def job(tx: Transaction) -> None:
            open_ = self._left(tx, running)
            if not open_:
                return
            text = (
                f"{'DRILL: ' if facts.drill else ''}Burn {facts.burn_id} of node {facts.node_id}: {open_} of "
                f"{len(running.targets)} targets lack proof {_after(due_s)} after the call."
            )
            self._alarms.raise_alarm(
                tx, PENDING_ALARM, facts.burn_id, text, node_id=facts.node_id, ref=facts.burn_id, renew=True
            )

        while True:
            try:
                await self._store.writer.run(job)
                return
            except StoreError:
                await asyncio.sleep(_STORE_S)

    def _tell(self, told: Sequence[tuple[Running, Target | None]]) -> None:
        """Events a few at a time, so that a thousand doors do not hold up the answer that waits on this loop."""
        at_us = time.time_ns() // 1000
        at = rfc3339(at_us)
        for running, target in told[:_EVENTS_AT_ONCE]:
            self._publish(running, target, at_us, at)
        if len(told) > _EVENTS_AT_ONCE and self._loop is not None:
            self._loop.call_soon(self._tell, told[_EVENTS_AT_ONCE:])

    def publish(self, running: Running, target: Target | None) -> None:
        """One event: of a target, or (None) of the burn itself."""
        at_us = time.time_ns() // 1000
        self._publish(running, target, at_us, rfc3339(at_us))

    def _publish(self, running: Running, target: Target | None, at_us: int, at: str) -> None:
        body = BurnEvent(
            burn_id=running.facts.burn_id,
            node_id=running.facts.node_id,
            scope=running.facts.scope,
            state="COMPLETE" if running.completed_us is not None else "PARTIAL",
            target=None if target is None else shown(target),
            open=running.left,
            total=len(running.targets),
            elapsed_ms=(time.perf_counter() - running.started) * 1000,
            at=at,
            drill=running.facts.drill,
            lifted=running.lifted_us is not None,
        )
        self._bus.publish(Event("burn", body, at_us))

    def reply(self, running: Running) -> Burn:
        """The burn from memory, which never runs ahead of the disk: cannot fail."""
        targets = list(running.targets.values())
        return Burn(
            burn_id=running.facts.burn_id,
            node_id=running.facts.node_id,
            scope=running.facts.scope,
            reason=running.facts.reason,
            epoch=running.facts.epoch,
            state="COMPLETE" if running.completed_us is not None else "PARTIAL",
            local_deny_us=running.local_deny_us,
            targets=[shown(target) for target in targets],
            residual_exposure=self.residual(targets, running.created_us),
            log=running.sealed or BurnLog(index=running.leaf, sha256=running.leaf_hash),
            timestamp=rfc3339(running.created_us),
            counts=dict(Counter(target.state for target in targets)),
            completed_at=None if running.completed_us is None else rfc3339(running.completed_us),
            training=running.facts.training,
            drill=running.facts.drill,
            lifted_at=None if running.lifted_us is None else rfc3339(running.lifted_us),
        )

    def residual(self, targets: Iterable[Target], at_us: int) -> list[Residual]:
        """Access that outlives the burn of ``at_us``, as the kinds know it."""
        found = []
        owners: dict[str, TargetKind | None] = {}
        for target in targets:
            if target.kind not in owners:
                owners[target.kind] = next((kind for kind in self._kinds if kind.owns(target.kind)), None)
            owner = owners[target.kind]
            left = None if owner is None else owner.residual(target.kind, target.target_id, target.state, at_us)
            if left is not None:
                found.append(left)
        return found

    def _later(self, seconds: float, work: Callable[[], None]) -> None:
        loop = self._loop
        if loop is None:
            return

        def due() -> None:
            self._timers.discard(handle)
            work()

        handle = loop.call_later(seconds, due)
        self._timers.add(handle)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Runs ``work`` beside everything else; its failure is logged."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("work on a burn failed", exc_info=task.exception())


def shown(target: Target) -> BurnTarget:
    """The target on the wire."""
    return BurnTarget(
        id=target.target_id,
        kind=target.kind,
        state=target.state,
        attempts=target.attempts,
        latency_ms=target.latency_ms,
        evidence=target.evidence,
        display_name=target.display_name,
    )


def reminders(age_s: float, deadline_s: float) -> tuple[float | None, float]:
    """Age in seconds at which the newest alarm of an overdue burn was due (None: none yet) and at which the next one
    is: at the deadline, after 15 minutes, 1 hour, then each day."""
    day_s = math.floor(age_s / _DAY_S) * _DAY_S
    ages = [deadline_s, *(after for after in (*_REMIND_S, day_s, day_s + _DAY_S) if after > deadline_s)]
    return max((age for age in ages if age <= age_s), default=None), min(age for age in ages if age > age_s)


def _after(age_s: float) -> str:
    for unit_s, unit in ((_DAY_S, "day"), (3600.0, "hour"), (60.0, "minute")):
        if age_s >= unit_s:
            count = round(age_s / unit_s)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{age_s:g} s"


def said(drill: bool) -> dict[str, object]:
    """What every leaf of a drill says."""
    return {"drill": True} if drill else {}


def _latency_us(running: Running, result: TargetResult) -> int | None:
    if result.state not in FINAL:
        return None
    return max(0, round((result.at - running.started) * 1_000_000))


def _pause(target: Target) -> float:
    if target.state in ("failed", "unsupported"):
        return _REFUSED_S
    return min(0.1 * (1 << min(target.attempts, 10)), _LONGEST_S)
