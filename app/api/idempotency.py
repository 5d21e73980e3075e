"""``Idempotency-Key``: the first reply of a POST is kept and given again.

A request that is running is known in memory, a finished one durably: what a killed process was doing has no reply to
give again, so the same request runs anew, and the operations themselves are idempotent by nature.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, delete, func, insert, select, update

from app.api.problems import Problem
from app.api.tables import api_reply
from app.store.engine import Store
from app.store.writer import Transaction

KEY_PATTERN = r"^[!-~]{1,255}\Z"
"""An ``Idempotency-Key``: 1 to 255 visible ASCII characters."""

KEPT_US = 24 * 3600 * 1_000_000
REMEMBERED_S = 600.0
"""How long a secret reply is given again from memory where its row says so."""
SWEEP_US = 600 * 1_000_000
SWEEP_ROWS = 1_000

_KEY = re.compile(KEY_PATTERN)


@dataclass(frozen=True)
class Kept:
    """A first reply. ``body`` None: it carried a secret and was not kept, or what it told of was erased."""

    status: int
    media_type: str
    body: bytes | None


@dataclass(frozen=True)
class Ticket:
    """The right to run one request under its idempotency key; ``finish`` or ``drop`` gives it back."""

    slot: bytes
    fingerprint: bytes


class Replies:
    """The kept replies of a site. ``begin``, ``finish`` and ``drop`` belong to the event loop."""

    def __init__(self, store: Store, secret: bytes, kept_us: int = KEPT_US) -> None:
        """``secret``: of the site, for the digests of requests. A plain digest would let a reader of the store try
        out what a body held."""
        self._store = store
        self._secret = secret
        self._kept_us = kept_us
        self._running: dict[bytes, bytes] = {}
        # Oldest first: when each was given, and the reply.
        self._remembered: dict[bytes, tuple[float, Kept]] = {}
        self._swept_us = 0

    def begin(
        self, *, key_id: str, idempotency_key: str, method: str, path: str, body: bytes | memoryview, now_us: int
    ) -> Kept | Ticket:
        """The kept reply of this very request, or a ticket to run it.

        Raises ``Problem``: 400 for a key of another shape, 422 if the key belongs to another request, 409 while the
        same one runs, 410 if its reply carried a secret. ``path`` includes the query.
        """
        if _KEY.match(idempotency_key) is None:
            raise Problem("malformed_request", "Idempotency-Key is 1 to 255 visible ASCII characters.")
        slot = self._hash(key_id.encode(), idempotency_key.encode())
        fingerprint = self._hash(key_id.encode(), method.encode(), path.encode(), body)
        running = self._running.get(slot)
        if running is not None:
            if running != fingerprint:
                raise _key_reused()
            raise Problem(
                "request_in_progress", "The same request is still running: ask again.", headers={"Retry-After": "1"}
            )
        with self._store.read() as connection:
            row = connection.execute(
                select(api_reply.c.fingerprint, api_reply.c.status, api_reply.c.media_type, api_reply.c.body).where(
                    api_reply.c.slot == slot, api_reply.c.created_us > now_us - self._kept_us
                )
            ).one_or_none()
        if row is None:
            self._running[slot] = fingerprint
            return Ticket(slot, fingerprint)
        if row.fingerprint != fingerprint:
            raise _key_reused()
        if row.body is None:
            at, remembered = self._remembered.get(slot, (-REMEMBERED_S, None))
            if remembered is not None and time.monotonic() - at < REMEMBERED_S:
                return remembered
            raise Problem(
                "gone",
                "The reply to this request is kept no more: it held a secret and was shown once, or what it told was "
                "erased. Look at what there is, and ask anew under another Idempotency-Key.",
            )
        return Kept(row.status, row.media_type, row.body)

    def remember(self, ticket: Ticket, reply: Kept) -> None:
        """Give this reply again for ``REMEMBERED_S`` from memory, and nowhere else. Before ``finish``."""
        now = time.monotonic()
        self._remembered.pop(ticket.slot, None)
        self._remembered[ticket.slot] = (now, reply)
        for slot, (at, _) in list(self._remembered.items()):
            if now - at < REMEMBERED_S:
                break
            del self._remembered[slot]

    async def finish(self, ticket: Ticket, reply: Kept) -> None:
        """Keep the first reply; returns when it is durable. Raises ``StoreUnavailable``, and gives the ticket back."""

        def job(tx: Transaction) -> None:
            # The row may be there and expired: it makes room for this one.
            tx.connection.execute(delete(api_reply).where(api_reply.c.slot == ticket.slot))
            tx.connection.execute(
                insert(api_reply).values(
                    slot=ticket.slot,
                    fingerprint=ticket.fingerprint,
                    status=reply.status,
                    media_type=reply.media_type,
                    body=reply.body,
                    created_us=tx.now_us,
                )
            )
            if tx.now_us - self._swept_us > SWEEP_US:
                old = (
                    select(api_reply.c.slot)
                    .where(api_reply.c.created_us <= tx.now_us - self._kept_us)
                    .order_by(api_reply.c.created_us)
                    .limit(SWEEP_ROWS)
                )
                gone = tx.connection.execute(delete(api_reply).where(api_reply.c.slot.in_(old))).rowcount
                # A full sweep has left some behind: the next reply goes on with it, or a busy site would never be done.
                if gone < SWEEP_ROWS:
                    self._swept_us = tx.now_us

        try:
            await self._store.writer.run(job)
        finally:
            self.drop(ticket)

    def drop(self, ticket: Ticket) -> None:
        """The request came to nothing that is worth keeping: the same key may run again."""
        self._running.pop(ticket.slot, None)

    def _hash(self, *parts: bytes | memoryview) -> bytes:
        digest = hmac.new(self._secret, digestmod=hashlib.sha256)
        for part in parts:
            digest.update(len(part).to_bytes(8, "big"))
            digest.update(part)
        return digest.digest()


def replies_naming(connection: Connection, node_id: str) -> list[bytes]:
    """Slots of the kept replies that name a node: each repeats what was agreed with a person, or told of them. Reads
    every kept reply: not inside of a writer's job."""
    named = func.instr(api_reply.c.body, f'"{node_id}"'.encode()) > 0
    return list(connection.scalars(select(api_reply.c.slot).where(named)))


def forget_replies(tx: Transaction, slots: Sequence[bytes]) -> None:
    """Erase their bodies. The slots stay taken, so that no request runs twice: asked again, they are ``gone``."""
    if slots:
        named = update(api_reply).where(api_reply.c.slot == bindparam("of")).values(body=None)
        tx.connection.execute(named, [{"of": slot} for slot in slots])


def _key_reused() -> Problem:
    return Problem("idempotency_key_reused", "This Idempotency-Key belongs to another request: send a new one.")
