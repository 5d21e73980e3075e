"""How the audit page asks for entries: what is looked for, one call of ``POST /v1/audit-log-query``, its proofs.

The query knows times, not numbers: ``whole_log`` and ``filtered_log`` make pages of 200 out of it. Without Qt.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, Protocol

from app.api.wire import rfc3339, unix_us
from app.capabilities.gateway.audit.messages import (
    AuditCriteria,
    AuditEntry,
    AuditPage,
    AuditProofs,
    AuditQuery,
    AuditRange,
    Outcome,
)
from app.console.language import tr

PAGE = 200
YEAR_US = 365 * 86_400_000_000
DAY_US = 86_400_000_000
IN_VAIN: tuple[Outcome, ...] = ("DENIED", "FAILED")
LONGEST = 500
"""Entries that one call gives at most."""


class Asker(Protocol):
    """The one call that is needed; ``app.client.Client`` has it."""

    async def gateway_audit_log_query(
        self, body: AuditQuery, *, query: AuditProofs | None = None, idempotency_key: str | None = None
    ) -> AuditPage:
        """One page of the log."""
        ...


@dataclass(frozen=True)
class Filter:
    """What is looked for. Empty: the whole log. ``in_vain``: what was refused or failed, which are two outcomes of the
    API. ``since_us`` and ``until_us``, Unix microseconds, are half-open."""

    action: str = ""
    actor: str = ""
    node_id: str = ""
    outcome: Outcome | None = None
    text: str = ""
    since_us: int | None = None
    until_us: int | None = None
    in_vain: bool = False

    @property
    def parts(self) -> tuple[Filter, ...]:
        """What the API can be asked for, one call each; together they are what is looked for."""
        if not self.in_vain:
            return (self,)
        return tuple(replace(self, in_vain=False, outcome=outcome) for outcome in IN_VAIN)

    @property
    def whole(self) -> bool:
        """Whether nothing is filtered."""
        return self == Filter()

    def criteria(self, order: Literal["asc", "desc"], limit: int, cursor: str | None) -> AuditCriteria:
        """As the API takes it."""
        return AuditCriteria(
            action=self.action or None,
            actor=self.actor or None,
            node_id=self.node_id or None,
            outcome=self.outcome,
            text=self.text or None,
            order=order,
            limit=limit,
            cursor=cursor,
        )


class LogLost(Exception):
    """The answers do not belong to one log: another store was restored, or entries are missing."""


def checkpoint_size(checkpoint: str) -> int:
    """Tree size of a signed note (C2SP tlog-checkpoint: origin, size, root). Raises LogLost."""
    lines = checkpoint.split("\n", 3)
    if len(lines) < 3 or not lines[1].isdigit():
        raise LogLost(tr("The service sent a checkpoint that is none."))
    return int(lines[1])


async def ask(
    client: Asker,
    since_us: int,
    until_us: int,
    wanted: Filter,
    *,
    order: Literal["asc", "desc"],
    limit: int,
    cursor: str | None = None,
) -> AuditPage:
    """One call. The range is at most 366 days; ``limit`` 1..500."""
    query = AuditQuery(
        range=AuditRange(from_=rfc3339(since_us), to=rfc3339(until_us)),
        criteria=wanted.criteria(order, limit, cursor),
    )
    return await client.gateway_audit_log_query(query)


async def proven_page(client: Asker, entry: AuditEntry) -> AuditPage:
    """The page of the newest tree that holds the entry, with its proofs. Raises LogLost if the log does not hold it."""
    at = unix_us(entry.timestamp)
    span = AuditRange(from_=rfc3339(at), to=rfc3339(at + 1))
    cursor: str | None = None
    while True:
        # Entries of one microsecond are one commit's: they cannot be told apart by time.
        query = AuditQuery(range=span, criteria=Filter(action=entry.action).criteria("asc", LONGEST, cursor))
        page = await client.gateway_audit_log_query(query, query=AuditProofs(proofs=True))
        if any(found.seq == entry.seq for found in page.entries):
            return page
        cursor = page.next
        if cursor is None:
            raise LogLost(
                tr("The log does not hold entry {seq:,} any more: another store was restored.", seq=entry.seq)
            )
