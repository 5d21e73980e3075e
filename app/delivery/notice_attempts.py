"""What becomes of a notice on its way: claimed for an attempt, recorded after it, reported by a mail server later."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from sqlalchemy import Row, select

from app.delivery.delivery_rows import ASKING_TO_WAIT, PAUSE_MAX_S, WaitingDelivery
from app.delivery.messages import Decision, DeliveryFault, NoticeChannel, NoticeState
from app.delivery.notice_content import digest_of
from app.delivery.notice_rows import NoticeRows
from app.delivery.tables import delivery
from app.store.clock import system_clock_us
from app.store.writer import Transaction

RETRIES_S: Final = (60.0, 300.0, 900.0, *(3_600.0,) * 47)
"""Waits after the first attempt and each later one: 1, 5 and 15 minutes, then hourly; together 47 h 21 min."""
JITTER: Final = 0.2
"""Each wait is longer or shorter by up to this part of it."""
RELAY_STEPS: Final = 2
"""So many waits of a notice are over when a relay that fails is an alarm."""
LEASE_S: Final = 60.0
"""How long an attempt has its row; it ends before (``notice_carriers.ATTEMPT_S``)."""

_AT_ONCE: Final[frozenset[DeliveryFault]] = frozenset({"url_refused", "platform_changed"})
"""Faults that no later attempt mends by itself."""


_IN_VAIN: Final = "It was tried until the schedule ended, in vain."
_WHY_FAILED: Final[Mapping[str, str]] = {
    "url_refused": "The platform's address may not be reached from this site.",
    "internal": "This service could not send it, which its log tells.",
    "not_set_up": "The site has no mail relay that it may use.",
    "platform_changed": "The platform was deleted, or has another address since.",
}


@dataclass(frozen=True, slots=True)
class ClaimedNotice:
    """A notice that this process may send until its lease ends."""

    notice_id: str
    channel: NoticeChannel
    platform_id: str
    address: str
    content: bytes


@dataclass(frozen=True, slots=True)
class NoticeAttempt:
    """How an attempt ended. ``fault`` is None where the other side took it; ``bounced`` ends the notice at once, so do
    ``url_refused`` and ``platform_changed``; every other one is tried again. ``status``: HTTP status
    or SMTP code; ``answer``: what the other side said, a line; ``pause_s``: for which it wants no other attempt.
    ``reference``, ``state`` and ``decision``: what a platform answered by itself. ``final``: no later attempt mends
    it; ``relay``: the fault is that of the site's own mail relay, and of no recipient."""

    fault: DeliveryFault | None
    status: int | None = None
    answer: str | None = None
    pause_s: float = 0.0
    reference: str | None = None
    state: NoticeState | None = None
    decision: Decision | None = None
    final: bool = False
    relay: bool = False
    evidence: Mapping[str, object] | None = None


class NoticeAttempts:
    """Claims and records of attempts. Methods with a ``tx`` run inside its job, ``waiting`` on any thread that may
    block."""

    def __init__(
        self,
        rows: NoticeRows,
        *,
        retries_s: Sequence[float] = RETRIES_S,
        lease_s: float = LEASE_S,
        chance: Callable[[], float] = random.random,
        clock: Callable[[], int] = system_clock_us,
    ) -> None:
        """``chance``: 0 to 1, for the jitter. ``clock``: the machine's, in Unix microseconds."""
        self._rows = rows
        self._retries_s = tuple(retries_s)
        self._lease_s = lease_s
        self._chance = chance
        self._clock = clock
        self._relay_away: bool | None = None
        """Whether the relay's alarm is open; None: not known yet."""
        self._leases: dict[str, tuple[int, float]] = {}
        """Leases of other processes: their ends as the row has them, and since when this one has seen them so."""

    def waiting(self) -> list[WaitingDelivery]:
        """Every notice that is to be sent, those that are due first."""
        c = delivery.c
        wanted = select(delivery).where(c.state == "queued", c.channel != "callback").order_by(c.next_us)
        with self._rows.store.read() as connection:
            rows = connection.execute(wanted).all()
        now_us = max(self._rows.store.writer.floor_us, self._clock())
        found = []
        for row in rows:
            left_s = ((row.next_us or 0) - now_us) / 1e6
            # As of callbacks: a clock that was set holds nothing up for longer than the schedule has it.
            longest_s = self._retries_s[min(row.step, len(self._retries_s)) - 1] if row.step else 0.0
            if row.step and row.status in ASKING_TO_WAIT:
                longest_s = max(longest_s, PAUSE_MAX_S)
            wait_s = min(max(left_s, 0.0), longest_s * (1 + JITTER))
            address = self._rows.deliveries.address_of(row)
            found.append(self._rows.deliveries.waiting_notice(row.delivery_id, row.channel, row.kid, address, wait_s))
        return found

    def claim(self, tx: Transaction, notice_id: str) -> ClaimedNotice | float | None:
        """Takes the notice for one attempt; seconds to wait where another process has it; None where it is over.

        A lease ends after ``lease_s``: by the store's time, or once this process has seen it unchanged for so long, so
        that a clock that was set back holds nothing up. ``ValueError`` where the content is not what was fixed.
        """
        row = self._rows.look_up(tx, notice_id)
        if row is None or row.state != "queued":
            self._leases.pop(notice_id, None)
            return None
        if row.lease_us is not None and row.lease_us > tx.now_us:
            now = time.monotonic()
            seen_us, since = self._leases.setdefault(notice_id, (row.lease_us, now))
            if seen_us != row.lease_us:
                self._leases[notice_id], since = (row.lease_us, now), now
            left_s: float = min((row.lease_us - tx.now_us) / 1e6, self._lease_s - (now - since))
            if left_s > 0:
                return left_s
        self._leases.pop(notice_id, None)
        lease_us = tx.now_us + int(self._lease_s * 1e6)
        self._rows.set(tx, notice_id, lease_us=lease_us)
        content = self._rows.content(tx.connection, notice_id)
        if content is None or digest_of(content) != row.content_sha256:
            raise ValueError(f"the content of {notice_id} is not what was queued")
        return ClaimedNotice(notice_id, row.channel, row.platform_id, self._rows.deliveries.address_of(row), content)

    def give_back(self, tx: Transaction, notice_id: str) -> float | None:
        """Ends a claim without an attempt; 0 seconds until the next one, None where the notice is over."""
        row = self._rows.look_up(tx, notice_id)
        if row is None or row.state != "queued":
            return None
        self._rows.set(tx, notice_id, lease_us=None)
        return 0.0

    def record(self, tx: Transaction, notice_id: str, attempt: NoticeAttempt) -> float | None:
        """Writes how an attempt ended, and ends its lease; in how many seconds the next one is due, None where none
        is. What the other side took is ``sent``, even where it was withdrawn meanwhile: that is the truth."""
        row = self._rows.look_up(tx, notice_id)
        if row is None:
            return None
        tried: dict[str, object] = {
            "attempts": row.attempts + 1,
            "tried_us": tx.now_us,
            "status": attempt.status,
            "fault": attempt.fault,
            "answer": attempt.answer,
            "lease_us": None,
        }
        evidence = {"attempts": row.attempts + 1, "status": attempt.status, "answer": attempt.answer}
        evidence |= attempt.evidence or {}
        if row.channel == "mail":
            self._settle_relay(tx, row, attempt)
        if attempt.fault is None and row.state in ("queued", "withdrawn"):
            self._arrive(tx, row, attempt, tried, evidence)
        elif row.state != "queued":
            self._rows.set(tx, notice_id, **tried)
        elif attempt.fault == "bounced":
            self._lose(tx, row, "bounced", "The mail server refused it for good.", tried, evidence)
        elif attempt.final or attempt.fault in _AT_ONCE or row.step >= len(self._retries_s):
            self._lose(tx, row, "failed", _WHY_FAILED.get(attempt.fault or "", _IN_VAIN), tried, evidence)
        else:
            spread = 1 + JITTER * (2 * self._chance() - 1)
            wait_s: float = max(self._retries_s[row.step] * spread, min(attempt.pause_s, PAUSE_MAX_S))
            self._rows.set(tx, notice_id, **tried, step=row.step + 1, next_us=tx.now_us + int(wait_s * 1e6))
            return wait_s
        return None

    def _settle_relay(self, tx: Transaction, row: Row[Any], attempt: NoticeAttempt) -> None:
        """The relay's alarm opens at the third attempt of a notice that the relay fails, some minutes after the first,
        and closes with the next mail that it takes or answers."""
        if attempt.relay and row.step >= RELAY_STEPS:
            self._rows.tell_relay_away(tx, attempt.answer or "")
            self._relay_away = True
        elif not attempt.relay and self._relay_away is not False:
            self._rows.tell_relay_back(tx)
            self._relay_away = False

    def _arrive(
        self,
        tx: Transaction,
        row: Row[Any],
        attempt: NoticeAttempt,
        tried: Mapping[str, object],
        evidence: Mapping[str, object],
    ) -> None:
        """The other side took it; a platform may have said more. The platform's alarm stays as it is, for this notice
        had no part in it."""
        over = {"ended_us": tx.now_us, "next_us": None, "reference": attempt.reference, "decision": attempt.decision}
        self._rows.set(tx, row.delivery_id, **tried, **over, state=attempt.state or "sent")
        detail = "The platform's server took it."
        if row.state == "withdrawn":
            detail = "The platform's server took it: it had left before it was withdrawn."
        self._rows.tell(tx, row.delivery_id, "sent", detail=detail, reference=attempt.reference, evidence=evidence)
        if attempt.state is not None:
            self._rows.tell(
                tx,
                row.delivery_id,
                attempt.state,
                detail="The platform answered so by itself.",
                reference=attempt.reference,
                decision=attempt.decision,
                evidence=evidence,
            )

    def _lose(
        self,
        tx: Transaction,
        row: Row[Any],
        state: Literal["bounced", "failed"],
        detail: str,
        tried: Mapping[str, object],
        evidence: Mapping[str, object],
    ) -> None:
        """It did not arrive: the owner is told, and a person by the platform's alarm."""
        self._rows.set(tx, row.delivery_id, **tried, state=state, ended_us=tx.now_us, next_us=None)
        self._rows.tell(tx, row.delivery_id, state, detail=detail, evidence=evidence)
        self._rows.settle_alarm(tx, row.platform_id)

    def record_report(
        self,
        tx: Transaction,
        notice_id: str,
        state: Literal["delivered", "bounced"],
        *,
        detail: str,
        evidence: Mapping[str, object],
    ) -> bool:
        """A mail server reports what became of a mail that it took; whether that changed anything. A platform that
        has answered since, or a person who recorded an outcome, knows more than the report."""
        row = self._rows.look_up(tx, notice_id)
        if row is None or row.channel != "mail" or row.state not in ("sent", "delivered") or row.state == state:
            return False
        fault = "bounced" if state == "bounced" else None
        self._rows.set(tx, notice_id, state=state, ended_us=tx.now_us, answer=detail, fault=fault)
        self._rows.tell(tx, notice_id, state, detail=detail, evidence=evidence)
        self._rows.settle_alarm(tx, row.platform_id)
        return True
