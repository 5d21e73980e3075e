"""Fan-out: reaches all targets of all burns at once, and tries again what has no proof.

What comes back is made durable by ``proofs``; only then it counts here. What has no proof yet is tried again for ever:
after ``0.1 * 2^n`` s with jitter, at most 60 s; refusals each 5 minutes.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence

from app.capabilities.burn.background import Background
from app.capabilities.burn.log.revocation_log import RevocationLog
from app.capabilities.burn.proofs import Batch, Proofs, tells_news
from app.capabilities.burn.reminders import Reminders
from app.capabilities.burn.replies import BurnReplies, News
from app.capabilities.burn.running import Failpoint, Running, Target
from app.capabilities.burn.targets import FINAL, TargetKind, TargetResult
from app.delivery.alarms import AlarmBook
from app.store.engine import Store
from app.store.errors import StoreError

log = logging.getLogger(__name__)

_REFUSED_S = 300.0
_LONGEST_S = 60.0
_STORE_S = 0.2
_SEAL_AHEAD_S = 0.05
_HEAD_START_S = 0.06
"""How long the farthest kind of target is alone, at most, before the next kind is reached."""


class Fanout:
    """All burns that are under way. Everything but ``hasten_all`` (any thread) runs on the event loop, on which
    ``background`` is started."""

    def __init__(
        self,
        store: Store,
        kinds: Sequence[TargetKind],
        alarms: AlarmBook,
        revocations: RevocationLog,
        replies: BurnReplies,
        background: Background,
        *,
        deadline_s: float,
        failpoint: Failpoint,
    ) -> None:
        self._store = store
        self._kinds = tuple(kinds)
        self._revocations = revocations
        self._replies = replies
        self._background = background
        self._deadline_s = deadline_s
        self._failpoint = failpoint
        self.running: dict[str, Running] = {}
        self.history: dict[str, deque[float]] = {}
        """The last 20 latencies (ms) of each target."""
        self.proofs = Proofs(store, alarms, revocations, background, self.running, self._take, failpoint=failpoint)
        self._reminders = Reminders(store, alarms, background, deadline_s=deadline_s)

    # --- a burn comes and goes ---

    def take_up(self, running: Running) -> None:
        """Knows a burn that is durable: an operator may have it tried, lifted or closed, and it learns when it is
        sealed. ``begin`` reaches its targets."""
        self.running[running.facts.burn_id] = running
        if running.sealed is None:
            self._revocations.expect(running.facts.burn_id).add_done_callback(running.note_sealed)

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
            self._reminders.watch(running)
            # Ahead of the deadline, at which it is answered with what is sealed.
            self._background.later(
                max(left - _SEAL_AHEAD_S, 0.0), lambda: self._background.spawn(self._promise(running))
            )

    async def _promise(self, running: Running) -> None:
        """Has the revocation log hold what is proven by now."""
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

    def look_again(self, running: Running, target_ids: Iterable[str]) -> None:
        """Looks again at these targets where they are final, and ends there anew what somebody has undone. A target
        that is not proven by that is open again. Takes the burn up, unless that was done."""
        if self.running.get(running.facts.burn_id) is not running:
            self.take_up(running)
            if running.completed_us is not None:
                running.done.set()
        again = {}
        for target_id in target_ids:
            target = running.targets[target_id]
            if target.state in FINAL and target.state != "closed" and target_id not in running.in_flight:
                tells = self.looks_again(target.kind)
                if tells is not None:
                    again[target_id] = tells
        if again:
            running.looking.update(again)
            running.looked.clear()
        self.dispatch(running, again)
        self._let_go(running)

    def looks_again(self, kind: str) -> bool | None:
        """As ``TargetKind.looks_again``; None for a kind that nobody owns, this site itself among them."""
        return next((owner.looks_again(kind) for owner in self._kinds if owner.owns(kind)), None)

    def _let_go(self, running: Running) -> None:
        """A burn that is complete and is not looked at is under way no more."""
        if not running.looking:
            running.looked.set()
            if running.completed_us is not None:
                self.running.pop(running.facts.burn_id, None)

    def complete(self, running: Running, at_us: int) -> None:
        """The burn's completion is durable: every caller that waits may answer."""
        running.completed_us = at_us
        running.done.set()
        self._let_go(running)

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
        running.looking.clear()
        running.looked.set()
        running.wake_waiters()
        running.done.set()
        self._replies.publish(running, None)
        return True

    # --- reaching targets ---

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
                    self.proofs.report(running, TargetResult(target_id, "unsupported", unknown))
            else:
                wanted.setdefault(number, []).extend(ids)
        if wanted:
            self._reach_in_turn(running, sorted(wanted.items(), reverse=True))

    def _reach_in_turn(self, running: Running, wanted: Sequence[tuple[int, Sequence[str]]]) -> None:
        """Reaches these kinds, the last one first: it is the farthest away. The others follow as soon as it has
        answered, or a moment later in any case. A thousand doors keep this process' one interpreter busy for some
        hundredths of a second, in which a connector that speaks to its directory step by step gets hardly a turn; and
        the doors deny already."""
        (number, target_ids), *nearer = wanted

        def go_on() -> None:
            nonlocal nearer
            if nearer:
                following, nearer = nearer, []
                self._reach_in_turn(running, following)

        self._background.later(0.0, lambda: self._reach(running, number, target_ids, go_on))
        if nearer:
            self._background.later(_HEAD_START_S, go_on)

    def _reach(
        self, running: Running, number: int, target_ids: Sequence[str], all_reported: Callable[[], None]
    ) -> None:
        """Starts an attempt at each of these targets of one kind, unless the burn was lifted meanwhile.
        ``all_reported`` is called on the event loop once all of them have reported."""
        if running.facts.burn_id not in self.running:
            return
        reported: set[str] = set()

        def report(result: TargetResult) -> None:
            reported.add(result.target_id)
            self.proofs.report(running, result)
            if len(reported) == len(target_ids):
                self._background.soon(all_reported)

        try:
            self._kinds[number].dispatch(running.facts, target_ids, report)
        except Exception:
            # The outbox is committed: on any error the burn goes on and the target is tried again.
            log.exception("a fan-out could not be started", extra={"burn_id": running.facts.burn_id})
            why = "the attempt could not be started"
            for target_id in target_ids:
                if target_id not in reported:
                    self.proofs.report(running, TargetResult(target_id, "pending_offline", why))

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

        self._background.soon(hasten)

    # --- what came back ---

    def _take(self, batch: Batch, complete: Mapping[str, int]) -> None:
        """The batch is durable: memory, waiting callers, next attempts, events."""
        news: list[News] = []
        again: dict[tuple[Running, float], list[str]] = {}
        for running, result in batch:
            target = running.targets[result.target_id]
            hasty = result.target_id in running.hasty
            running.in_flight.discard(result.target_id)
            running.hasty.discard(result.target_id)
            looked = result.target_id in running.looking
            told = looked and tells_news(running, result)
            running.looking.pop(result.target_id, None)
            if looked and not told:
                news.append((running, target))
                continue
            if target.state in FINAL and not looked:
                continue
            if looked:
                running.lost.add(result.target_id)
            self._apply(running, target, result)
            news.append((running, target))
            if target.state not in FINAL:
                again.setdefault((running, 0.0 if hasty else _pause(target)), []).append(target.target_id)
        for running in {running for running, _ in batch}:
            if running.completed_us is not None and running.left:
                self._reopen(running)
            running.wake_waiters({result.target_id for of, result in batch if of is running})
        for (running, pause), ids in again.items():
            self._background.later(pause * random.uniform(0.8, 1.2), self._retry(running, ids))
        for burn_id, at_us in complete.items():
            running = self.running[burn_id]
            self.complete(running, at_us)
            news.append((running, None))
        for running in {running for running, _ in batch}:
            self._let_go(running)
        self._replies.publish_all(news)

    def _reopen(self, running: Running) -> None:
        """The burn is not complete any more, durably: it is tried for ever and its callers are reminded, as before."""
        running.completed_us = None
        running.done.clear()
        running.watched = False
        self._reminders.watch(running)

    def _apply(self, running: Running, target: Target, result: TargetResult) -> None:
        """Takes a durable result into memory."""
        was_open = target.state not in FINAL
        target.state, target.evidence = result.state, result.evidence
        target.attempts += 1
        latency_us = running.latency_us(result)
        target.latency_ms = None if latency_us is None else latency_us / 1000
        running.left += (target.state not in FINAL) - was_open
        # Only proofs have a time.
        if target.latency_ms is not None and target.target_id not in running.lost:
            self.remember(target.target_id, target.latency_ms)

    def remember(self, target_id: str, latency_ms: float) -> None:
        """Notes how long a proof of the target took, by which the next one is expected."""
        self.history.setdefault(target_id, deque(maxlen=20)).append(latency_ms)

    def _retry(self, running: Running, ids: Sequence[str]) -> Callable[[], None]:
        """The next attempt at these targets, to be called when it is due."""
        made = {target_id: running.targets[target_id].attempts for target_id in ids}

        def retry() -> None:
            # One that was tried in between has a later turn of its own: else each try by hand would add one for ever.
            due = [running.targets[target_id] for target_id in made]
            self.dispatch(
                running, [of.target_id for of in due if of.state not in FINAL and of.attempts == made[of.target_id]]
            )

        return retry


def _pause(target: Target) -> float:
    """Seconds until the next attempt at a target without proof."""
    if target.state in ("failed", "unsupported"):
        return _REFUSED_S
    return min(0.1 * (1 << min(target.attempts, 10)), _LONGEST_S)
