"""The audit query: one page of entries by time and criteria, with the checkpoint that covers them."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable, Iterable, Mapping

import msgspec

from app.api.operator_id import is_operator
from app.api.problems import invalid_field
from app.api.wire import base64_text
from app.capabilities.gateway.audit.messages import (
    AuditCriteria,
    AuditEntry,
    AuditOpening,
    AuditPage,
    AuditProof,
    AuditQuery,
    AuditRange,
)
from app.ledger.interval import IntervalError, check_range, parse_interval, parse_time, rfc3339
from app.ledger.query.page_proof import PageProofs
from app.ledger.query.query import AuditIndex, EntryCriteria, LoggedEntry
from app.store.writer import ActOutcome

NamesOf = Callable[[Iterable[str]], Mapping[str, str]]
"""Gives the names of the operators among these actors. Blocks on the disk."""


class AuditQueries:
    """Answers the audit query from the index. Reads alone."""

    def __init__(
        self, audit: AuditIndex, confirmed: Callable[[], bool] = lambda: True, names_of: NamesOf = lambda _actors: {}
    ) -> None:
        """``confirmed``: whether the witnesses know of nothing newer than this store. Until then it may be an old copy,
        and what its log signed would speak against the log that went on."""
        self._audit = audit
        self._confirmed = confirmed
        self._names_of = names_of

    async def page(self, query: AuditQuery, *, proofs: bool = False) -> AuditPage:
        """One page of the audit log. 422 ``invalid_body``: a range that is none, reversed or too long."""
        from_us, to_us = _range(query.range)
        page = await asyncio.to_thread(self._audit.page, from_us, to_us, _criteria(query.criteria), proofs=proofs)
        actors = [entry.actor for entry in page.entries]
        names = await asyncio.to_thread(self._names_of, actors) if any(map(is_operator, actors)) else {}
        reply = AuditPage(
            entries=[_entry(entry, names.get(entry.actor)) for entry in page.entries],
            next=page.next,
            checkpoint=page.checkpoint if self._confirmed() else _text_of(page.checkpoint),
            log_ahead_s=page.ahead_us / 1e6,
        )
        if page.proofs is not None:
            _add_proofs(reply, page.proofs)
        return reply


def _range(asked: AuditRange | str) -> tuple[int, int]:
    try:
        if isinstance(asked, str):
            return parse_interval(asked)
        return check_range(parse_time(asked.from_), parse_time(asked.to))
    except IntervalError as error:
        raise invalid_field("/range", str(error)) from error


def _criteria(asked: AuditCriteria | str | None) -> EntryCriteria:
    """The criteria as the index takes them; a text alone searches for its words."""
    if asked is None:
        return EntryCriteria()
    if isinstance(asked, str):
        return EntryCriteria(text=asked)
    return EntryCriteria(
        actor=asked.actor,
        action=asked.action,
        node_id=asked.node_id,
        unit_id=asked.unit_id,
        outcome=ActOutcome(asked.outcome) if asked.outcome is not None else None,
        text=asked.text,
        order=asked.order,
        limit=asked.limit,
        cursor=asked.cursor,
    )


def _entry(entry: LoggedEntry, name: str | None) -> AuditEntry:
    """The entry as the wire has it; ``name``: of the operator who acted."""
    return AuditEntry(
        seq=entry.seq,
        timestamp=entry.timestamp,
        received_at=msgspec.UNSET if entry.received_us is None else rfc3339(entry.received_us),
        actor=entry.actor,
        actor_name=name,
        action=entry.action,
        node_id=entry.node_id,
        unit_id=entry.unit_id,
        request_id=entry.request_id,
        outcome=entry.outcome.value,
        detail=dict(entry.detail),
        leaf_hash=entry.leaf_hash,
        erased=entry.erased,
    )


def _add_proofs(reply: AuditPage, proofs: PageProofs) -> None:
    for entry, proof in zip(reply.entries, proofs.entries, strict=True):
        entry.proof = AuditProof(
            header=proof.header.decode(),
            opening=AuditOpening(salt=base64_text(proof.salt), payload=base64_text(proof.payload)),
            path=list(proof.path),
            cosigned_path=None if proof.cosigned_path is None else list(proof.cosigned_path),
        )
    reply.hashes = [base64.b64encode(step).decode() for step in proofs.hashes]
    reply.cosigned = proofs.cosigned


def _text_of(note: str) -> str:
    """A signed note without its signatures."""
    return note.partition("\n\n")[0] + "\n"
