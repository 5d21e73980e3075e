"""The alarm of an overdue burn: at the deadline, after 15 minutes, after 1 hour, then each day."""

from __future__ import annotations

import asyncio
import math
import time

from app.capabilities.burn.background import Background
from app.capabilities.burn.running import Running
from app.capabilities.burn.tables import count_open
from app.delivery.alarms import AlarmBook
from app.store.engine import Store
from app.store.errors import StoreError
from app.store.writer import Transaction

PENDING_ALARM = "burn.pending"
_REMIND_S = (900.0, 3600.0)
_DAY_S = 86_400.0
_RETRY_S = 0.2


class Reminders:
    """Raises ``PENDING_ALARM`` for each burn that it watches, until the burn is complete. On the event loop."""

    def __init__(self, store: Store, alarms: AlarmBook, background: Background, *, deadline_s: float) -> None:
        self._store = store
        self._alarms = alarms
        self._background = background
        self._deadline_s = deadline_s

    def watch(self, running: Running) -> None:
        """Has the alarm raised when the burn is overdue, and renewed as ``reminders`` says. An alarm that fell due
        while the service was down is raised at once."""
        age_s = time.perf_counter() - running.started
        last_s, next_s = reminders(age_s, self._deadline_s)

        def due() -> None:
            if running.completed_us is None:
                self._background.spawn(self._raise_alarm(running, next_s))
                self.watch(running)

        if last_s is not None and not running.watched:
            self._background.spawn(self._raise_alarm(running, last_s))
        running.watched = True
        # A little later than due: a clock that is a little early would ask for the same reminder again.
        self._background.later(next_s - age_s + 0.001, due)

    async def _raise_alarm(self, running: Running, due_s: float) -> None:
        """Raises the alarm as soon as the store takes it, unless every target is proven by then."""
        facts = running.facts

        def job(tx: Transaction) -> None:
            open_ = count_open(tx.connection, facts.burn_id)
            if not open_:
                return
            text = (
                f"{'DRILL: ' if facts.drill else ''}Burn {facts.burn_id} of node {facts.node_id}: {open_} of "
                f"{len(running.targets)} targets lack proof {_in_words(due_s)} after the call."
            )
            self._alarms.raise_alarm(
                tx, PENDING_ALARM, facts.burn_id, text, node_id=facts.node_id, ref=facts.burn_id, renew=True
            )

        while True:
            try:
                await self._store.writer.run(job)
                return
            except StoreError:
                await asyncio.sleep(_RETRY_S)


def reminders(age_s: float, deadline_s: float) -> tuple[float | None, float]:
    """Age in seconds at which the newest alarm of an overdue burn was due (None: none yet) and at which the next one
    is: at the deadline, after 15 minutes, 1 hour, then each day."""
    day_s = math.floor(age_s / _DAY_S) * _DAY_S
    ages = [deadline_s, *(after for after in (*_REMIND_S, day_s, day_s + _DAY_S) if after > deadline_s)]
    return max((age for age in ages if age <= age_s), default=None), min(age for age in ages if age > age_s)


def _in_words(age_s: float) -> str:
    for unit_s, unit in ((_DAY_S, "day"), (3600.0, "hour"), (60.0, "minute")):
        if age_s >= unit_s:
            count = round(age_s / unit_s)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{age_s:g} s"
