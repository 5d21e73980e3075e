"""Epochs at the readers of one group: announced, sent as deltas, acknowledged. On the group's loop thread only.

An announcement does two things. It moves the epoch of the thread, so that the thread decides by the new deny set; and
for each reader that understands deltas it leaves a step in `ReaderLink.unacked`, to be sent until it is acknowledged.
Each waiter is answered once, when its reader needs no more waiting.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from hardware.readers.decision import Credential
from hardware.readers.delta import Delta, DeltaOperation
from hardware.readers.errors import DoorReaderError, ReaderOffline
from hardware.readers.listblob import deny_delta
from hardware.readers.panel import COMMAND_SECONDS, LinkPhase, ReaderLink, Waiter
from hardware.readers.reader import Ack, AckCallback
from hardware.readers.shared import GroupShared, stopped_error

_log = logging.getLogger(__name__)

_MAX_UNACKED = 256
_MAX_DELTA_FAILURES = 3


class EpochBook:
    """What each reader of a group still has to be told, and the callers that wait for it."""

    def __init__(self, group: GroupShared) -> None:
        self._group = group

    def announce(
        self,
        delta: Delta,
        pairs: Sequence[tuple[str, AckCallback]],
        called_at: int,
        credentials: Sequence[Credential],
    ) -> None:
        """Move the thread's epoch, and give each reader of `pairs` the delta and a waiter. As `PanelGroup.announce`."""
        self._group.epoch = max(self._group.epoch, delta.epoch)
        thread_us = (time.perf_counter_ns() - called_at) / 1000
        for reader_id, answer in pairs:
            link = self._group.links.get(reader_id)
            if link is None:
                removed: DoorReaderError = ReaderOffline(f"{reader_id} was removed")
                self._group.notify(answer, stopped_error() if self._group.stopped else removed)
                continue
            link.waiters.append(Waiter(answer, delta.epoch, called_at, thread_us))
            if link.config.delta and (delta.epoch > link.acked_epoch or delta.epoch in link.unacked):
                self._owe(link, delta, credentials)
            self.settle(link)
            self._group.heat(link)

    def next_step(self, link: ReaderLink) -> Delta | None:
        """The oldest step that the reader has not acknowledged; None if there is none, or it cannot be sent now."""
        if link.unacked and link.delta_failures < _MAX_DELTA_FAILURES and link.gap_since is None:
            return link.unacked[min(link.unacked)]
        return None

    def take_answer(self, link: ReaderLink, delta: Delta, gap: bool) -> None:
        """The reader has completed the command with this delta. `gap`: it answered with a manufacturer's reply."""
        if delta.operation is DeltaOperation.TRUST:
            if gap:
                _log.warning("reader %s trusts the lists of another site; enrol it anew", link.reader_id)
        elif delta.operation is DeltaOperation.LIST:
            if link.list.take_answer(delta, held=not gap, who=link.reader_id):
                for epoch in [epoch for epoch in link.unacked if epoch <= delta.epoch]:
                    del link.unacked[epoch]
                link.gap_since = None
                self._acknowledge(link, delta.epoch)
        elif gap and link.config.trust is not None:
            link.gap_since = time.monotonic()
            self._group.notify(self._group.fleet.on_gap, link.reader_id)
        else:
            link.unacked.pop(delta.epoch, None)
            link.delta_failures = 0
            self._acknowledge(link, delta.epoch)

    def note_failure(self, link: ReaderLink) -> None:
        """The reader did not carry a delta out. A NAK and a line that died under the command look alike: only a
        repeated failure is a refusal."""
        link.delta_failures += 1
        if link.delta_failures >= _MAX_DELTA_FAILURES:
            _log.warning("reader %s refuses deltas; register it without them", link.reader_id)

    def settle(self, link: ReaderLink) -> None:
        """Answer the callers that wait for an epoch which needs no more waiting."""
        if not link.waiters:
            return
        opening = link.slot is not None and link.slot.opens and link.phase is LinkPhase.UP
        for waiter in list(link.waiters):
            if waiter.epoch not in link.unacked and link.config.delta:
                self._answer(link, [waiter], True)
            elif link.phase is not LinkPhase.UP or (not link.config.delta and not opening):
                self._answer(link, [waiter], None)

    def refuse(self, link: ReaderLink, epoch: int | None = None) -> None:
        """Answer the callers that wait for this epoch, or for any, that the reader did not acknowledge it."""
        self._answer(link, [waiter for waiter in link.waiters if epoch is None or waiter.epoch == epoch], False)

    def fail_all(self, link: ReaderLink, error: Exception) -> None:
        """Give every waiter of the reader this error instead of an Ack."""
        waiters, link.waiters = link.waiters, []
        for waiter in waiters:
            self._group.notify(waiter.answer, error)

    def expire(self, link: ReaderLink, now: float) -> None:
        """Refuse the waiters of a reader that has asked for its whole list and has not got it for a second."""
        if link.gap_since is not None and now - link.gap_since > COMMAND_SECONDS and link.waiters:
            self.refuse(link)

    def _owe(self, link: ReaderLink, delta: Delta, credentials: Sequence[Credential]) -> None:
        """The reader is to be sent this step; a reader with a list of its own, with the names that it must forget."""
        trust = link.config.trust
        if trust is not None and delta.operation is DeltaOperation.DENY:
            link.unacked[delta.epoch] = deny_delta(trust, delta.epoch, delta.digest, credentials)
        else:
            link.unacked[delta.epoch] = delta
        link.delta_failures = 0
        while len(link.unacked) > _MAX_UNACKED:
            # Away for so long, the reader loses these steps. One that keeps a list is brought up by a whole list.
            del link.unacked[min(link.unacked)]

    def _acknowledge(self, link: ReaderLink, epoch: int) -> None:
        """The reader has acknowledged the epoch: report its state."""
        link.highest_acked = max(link.highest_acked, epoch)
        self._group.set_state(link, online=link.online, secure=link.secure)

    def _answer(self, link: ReaderLink, waiters: Sequence[Waiter], delta_acked: bool | None) -> None:
        """Answer these waiters with an Ack."""
        now = time.perf_counter_ns()
        for waiter in waiters:
            link.waiters.remove(waiter)
            ack = Ack(
                link.reader_id,
                self._group.epoch,
                delta_acked,
                waiter.thread_us,
                (now - waiter.called_at) / 1000,
                link.phase is LinkPhase.UP,
            )
            self._group.notify(waiter.answer, ack)
