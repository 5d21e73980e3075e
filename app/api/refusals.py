"""Refused calls in the audit log: each kind of refusal is seen, and no attacker can fill the log with them.

Refusals are counted by cause, key and operation and written as at most ``KINDS_MAX`` leaves (``api.refused``, DENIED)
a minute, all in one transaction. The first after a quiet minute is written within a second.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass

from app.store.acting import Acting
from app.store.errors import StoreError
from app.store.writer import DENIED, Transaction, Writer

REFUSED = "api.refused"
ANONYMOUS = "anonymous"
"""Actor of a leaf about a caller without a valid key."""

KINDS_MAX = 32
FIRST_S = 1.0
INTERVAL_S = 60.0

log = logging.getLogger(__name__)


@dataclass
class _Count:
    count: int
    first_us: int
    last_us: int
    request_id: str
    acting: Acting | None


class Refusals:
    """Counts and writes them. Event loop only."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._counts: dict[tuple[str, str, str, str], _Count] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._written_at = float("-inf")

    def note(
        self,
        cause: str,
        *,
        key_id: str = ANONYMOUS,
        operation: str = "",
        request_id: str,
        acting: Acting | None = None,
    ) -> None:
        """Count one refusal. ``cause`` is a problem code; ``operation`` a row's name, never what the caller sent;
        ``acting``: the session of an operator."""
        now_us = time.time_ns() // 1000
        kind = (cause, key_id, operation, "" if acting is None else acting.session_id)
        if kind not in self._counts and len(self._counts) >= KINDS_MAX - 1:
            anonymous = (cause, ANONYMOUS, "", "")
            kind, acting = anonymous if anonymous in self._counts else ("several", ANONYMOUS, "", ""), None
        found = self._counts.get(kind)
        if found is None:
            self._counts[kind] = _Count(1, now_us, now_us, request_id, acting)
        else:
            found.count += 1
            found.last_us = now_us
        if self._timer is None:
            wait = max(FIRST_S, self._written_at + INTERVAL_S - time.monotonic())
            self._timer = asyncio.get_running_loop().call_later(wait, self._due)

    def _due(self) -> None:
        self._timer = None
        task = asyncio.get_running_loop().create_task(self.flush())
        task.add_done_callback(_quiet)

    async def flush(self) -> None:
        """Write what has been counted. A store that cannot write now keeps the counts for the next time."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self._counts:
            return
        counts, self._counts = self._counts, {}
        self._written_at = time.monotonic()

        def job(tx: Transaction) -> None:
            for (cause, key_id, operation, _), found in counts.items():
                by = {} if found.acting is None else {"session": found.acting.words()}
                tx.audit(
                    REFUSED,
                    actor=key_id,
                    outcome=DENIED,
                    request_id=found.request_id,
                    detail={
                        "cause": cause,
                        "operation": operation,
                        "count": found.count,
                        "first_us": found.first_us,
                        "last_us": found.last_us,
                        **by,
                    },
                )

        try:
            await self._writer.run(job)
        except StoreError:
            for kind, found in counts.items():
                later = self._counts.setdefault(kind, found)
                if later is not found:
                    later.count += found.count
                    later.first_us = found.first_us
            log.exception("Refused calls could not be written to the audit log; they are kept and tried again.")


def _quiet(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.error("Writing refused calls failed.", exc_info=task.exception())
