"""Strikes (specification 4.4): issued, supplied with what is missing, previewed, withdrawn.

The order of a call: jurisdiction, fields, then rendering and signing on a worker thread, then ONE transaction (rows,
notices, leaf), then the answer. Nothing is stored before it; killed before it, nothing happened, killed after it,
everything will. The documents of one strike are made at a time: rendering holds the interpreter's lock.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, Row, select

from app.api.problems import Problem
from app.api.wire import FieldError
from app.capabilities.enforcement.declaration import DeclarationSigner
from app.capabilities.enforcement.documents import (
    NoticeDocument,
    NoticePlan,
    SentDocuments,
    StrikeDocuments,
    draft_pdf,
    draft_text,
    leaving_state,
    make_documents,
    plan_notices,
)
from app.capabilities.enforcement.drafts import (
    StrikeDesk,
    StrikeDraft,
    changes_of_sent,
    first_record,
    same_strike,
    supplied_record,
)
from app.capabilities.enforcement.evidence_bundle import StrikeBundles
from app.capabilities.enforcement.journal import StrikeJournal, StrikeOrder
from app.capabilities.enforcement.jurisdictions import KINDS, Law, LawShelf, today
from app.capabilities.enforcement.messages import (
    JurisdictionList,
    NoticeDraft,
    Strike,
    StrikeBody,
    StrikeDetails,
    StrikePreview,
)
from app.capabilities.enforcement.notice import (
    StrikeRecord,
    merge_missing,
    missing_elements,
    no_platform,
    present_elements,
)
from app.capabilities.enforcement.recipients import NoticeRecipient
from app.capabilities.enforcement.records import StrikeRecords, evidence_of, record_of
from app.capabilities.enforcement.tables import strike, strike_notice
from app.capabilities.enforcement.tracking import TrackingTokens
from app.delivery.notices import FinishedNotice, Notices
from app.ledger.stamps.timestamp import StampError
from app.registry.service import Registry
from app.store.clock import system_clock_us
from app.store.engine import Store
from app.store.writer import Transaction

DRAFT_STRIKE: Final = "draft"


@dataclass(frozen=True)
class StrikeRevision:
    """A strike with other details than it had: its draft, its row as it was read, the notices that it has, and what of
    it has left and stays (None: nothing has)."""

    draft: StrikeDraft
    row: Row[Any]
    known: Sequence[NoticePlan]
    sent: SentDocuments | None = None


class Strikes:
    """Serves the rows of ``enforcement``."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        shelf: LawShelf,
        signer: DeclarationSigner,
        tokens: TrackingTokens,
        journal: StrikeJournal,
        records: StrikeRecords,
        bundles: StrikeBundles,
        notices: Notices,
        desk: StrikeDesk,
        *,
        clock: Callable[[], int] = system_clock_us,
    ) -> None:
        """``clock``: Unix microseconds."""
        self.records = records
        self.bundles = bundles
        self._store = store
        self._registry = registry
        self._shelf = shelf
        self._signer = signer
        self._tokens = tokens
        self._journal = journal
        self._notices = notices
        self._desk = desk
        self._clock = clock
        self._turn = asyncio.Semaphore(1)

    # --- the calls ---

    async def issue(self, body: StrikeBody, *, actor: str, request_id: str | None = None) -> tuple[Strike, bool]:
        """The strike, and whether it was made: the same signature, jurisdiction and platforms are the same open strike.
        404: unknown node. 422: a jurisdiction that is none, or everything that is wrong with the fields. 503: the law
        file is not used, or the site's certificates are not valid now."""
        strike_id = f"str_{secrets.token_hex(10)}"
        now_us = self._now_us()
        record = first_record(body, now_us, actor)
        draft = await asyncio.to_thread(self._desk.draft, strike_id, body, record, now_us)
        same = same_strike(draft)
        known = await asyncio.to_thread(self._find_same, same)
        if known is not None:
            return await asyncio.to_thread(self.records.by_id, known), False
        track = self._tokens.draw()
        plans = plan_notices(draft.recipients)
        order = await self._make(draft, plans, track, same, revision=1)

        def job(tx: Transaction) -> str | None:
            if draft.node_id is not None:
                self._registry.require_node(tx.connection, draft.node_id)
            return self._journal.issue(tx, order, actor=actor, request_id=request_id)

        other = await self._store.writer.run(job)
        return await asyncio.to_thread(self.records.by_id, other or strike_id), other is None

    async def preview(self, body: StrikeBody, *, actor: str) -> StrikePreview:
        """What a strike with this body would be; nothing is written or signed. Answers as ``issue``."""
        now_us = self._now_us()
        record = first_record(body, now_us, actor)
        draft = await asyncio.to_thread(self._desk.draft, DRAFT_STRIKE, body, record, now_us)
        async with self._turn:
            return await asyncio.to_thread(self._preview, draft)

    async def supply(
        self, tracking_token: str, details: StrikeDetails, *, actor: str, request_id: str | None = None
    ) -> Strike:
        """Supplies or replaces details while every notice is held, and lets go what may leave then. Once the
        declaration has left, supplies what the takedown notices lack. 404, 422; 409 where something that has left would
        be said otherwise, nothing is lacking any more, or the strike is over."""
        now_us = self._now_us()
        revision = await asyncio.to_thread(self._revision, tracking_token, details, actor, now_us)
        draft, row, known = revision.draft, revision.row, revision.known
        kept = {plan.recipient.platform_id for plan in known}
        fresh = [one for one in draft.recipients if one.platform_id not in kept]
        first = 1 + max((plan.number for plan in known), default=0)
        wanted = {one.platform_id: one for one in draft.recipients}
        plans = [
            NoticePlan(plan.notice_id, plan.number, wanted[plan.recipient.platform_id], plan.kind)
            for plan in known
            if plan.recipient.platform_id in wanted
        ]
        plans += plan_notices(fresh, first)
        dropped = [plan.notice_id for plan in known if plan.recipient.platform_id not in wanted]
        number = row.revision + (revision.sent is None)
        order = await self._make(
            draft, plans, bytes(row.track), same_strike(draft), revision=number, sent=revision.sent
        )

        def job(tx: Transaction) -> None:
            self._journal.revise(tx, order, dropped, row.leaf, actor=actor, request_id=request_id)

        await self._store.writer.run(job)
        return await asyncio.to_thread(self.records.by_id, row.strike_id)

    async def withdraw(self, tracking_token: str, reason: str, *, actor: str, request_id: str | None = None) -> Strike:
        """Takes a strike back: what has not left never leaves. One that is withdrawn stays as it is. 404."""
        track = self.records.track_of(tracking_token)

        def job(tx: Transaction) -> str:
            strike_id = str(self.records.row_of(tx.connection, track).strike_id)
            self._journal.withdraw(tx, strike_id, reason, actor=actor, request_id=request_id)
            return strike_id

        strike_id = await self._store.writer.run(job)
        return await asyncio.to_thread(self.records.by_id, strike_id)

    def file_name(self, tracking_token: str) -> str:
        """The token as this site writes it, for the name of a file; 404 for one that it never made."""
        return self._tokens.token(self.records.track_of(tracking_token))

    def jurisdictions(self) -> JurisdictionList:
        """The law files that are used, and what is watched. Blocks on the disk."""
        book = self._shelf.book()
        day = today()
        return JurisdictionList(items=[law.message(day) for law in book.laws.values()], watch=book.watch_list())

    # --- before anything is made; all of it blocks ---

    def _revision(self, tracking_token: str, details: StrikeDetails, actor: str, now_us: int) -> StrikeRevision:
        """A strike with the details that are supplied now."""
        track = self.records.track_of(tracking_token)
        with self._store.read() as connection:
            row = self.records.row_of(connection, track)
            rows = connection.execute(
                select(strike_notice)
                .where(strike_notice.c.strike_id == row.strike_id, strike_notice.c.state != "withdrawn")
                .order_by(strike_notice.c.number)
            ).all()
            taken_out = set(
                connection.scalars(
                    select(strike_notice.c.platform).where(
                        strike_notice.c.strike_id == row.strike_id, strike_notice.c.state == "withdrawn"
                    )
                )
            )
            if row.withdrawn_us is not None or row.ended_us is not None:
                raise Problem("state_conflict", "This strike is over; issue another one.")
            known = [_plan_of(one) for one in rows]
            if any(one.state != "held" for one in rows):
                return self._supplement(connection, row, rows, details, actor, now_us)
        again = [
            FieldError(
                pointer=f"/platforms/{index}",
                detail="This platform was taken out of the strike before. Issue another strike for it.",
            )
            for index, name in enumerate(details.platforms or ())
            if name in taken_out
        ]
        law, _ = self._shelf.book().find(row.law)
        record = supplied_record(record_of(row), details, now_us, actor)
        node_id = row.node_id if details.node_id is None else details.node_id
        draft = self._judge_again(
            row, law, known, record, now_us, node_id=node_id, platforms=details.platforms, known_faults=again
        )
        return StrikeRevision(draft, row, known)

    def _supplement(
        self,
        connection: Connection,
        row: Row[Any],
        rows: Sequence[Row[Any]],
        details: StrikeDetails,
        actor: str,
        now_us: int,
    ) -> StrikeRevision:
        """As ``_revision``, of a strike of which something has left: the declaration stays as it is, with the law and
        the files that were pinned; takedown notices that lack something are made anew. 409 where none does."""
        lacking = {one.notice_id for one in rows if one.missing != "[]"}
        if not lacking or any(one.notice_id in lacking and one.kind != "takedown" for one in rows):
            self._journal.require_held(connection, row.strike_id)
        law = self.records.law_of(connection, row)
        if law is None:
            raise Problem("state_conflict", "The law file that this strike used cannot be read; issue another strike.")
        known = [_plan_of(one) for one in rows]
        record = record_of(row)
        platforms = {plan.recipient.platform_id for plan in known}
        other = changes_of_sent(record, details, node_id=row.node_id, platforms=platforms)
        if other:
            why = f"Something of this strike has left, and what was sent stays as it is. {other[0].detail}"
            raise Problem("state_conflict", why, errors=other)
        supplied = supplied_record(record, details, now_us, actor)
        draft = self._judge_again(row, law, known, supplied, now_us, node_id=row.node_id)
        draft = replace(
            draft,
            facts=replace(draft.facts, evidence=evidence_of(row), mandate=row.mandate),
            files=self.records.files_of(connection, row),
        )
        kept = {
            one.notice_id: NoticeDocument(plan, one.language, [], bytes(one.notice), one.jws, None)
            for one, plan in zip(rows, known, strict=True)
            if one.notice_id not in lacking
        }
        sent = SentDocuments(bytes(row.declaration), row.pages, row.language, kept)
        return StrikeRevision(draft, row, known, sent)

    def _judge_again(
        self,
        row: Row[Any],
        law: Law,
        known: Sequence[NoticePlan],
        record: StrikeRecord,
        now_us: int,
        *,
        node_id: str | None,
        platforms: Sequence[str] | None = None,
        known_faults: Sequence[FieldError] = (),
    ) -> StrikeDraft:
        """The draft of a strike that is there; ``platforms``: others than it has."""
        kept = {plan.recipient.platform_id: plan.recipient for plan in known}
        return self._desk.judge(
            row.strike_id,
            law,
            row.law_state,
            target=row.target,
            automated=bool(row.automated),
            node_id=node_id,
            platforms=platforms or list(kept) or None,
            record=record,
            at_us=now_us,
            kept=kept,
            known_faults=known_faults,
        )

    def _find_same(self, same: bytes) -> str | None:
        with self._store.read() as connection:
            found: str | None = connection.scalar(select(strike.c.strike_id).where(strike.c.same == same))
        return found

    def _preview(self, draft: StrikeDraft) -> StrikePreview:
        """The reply to a preview; renders the PDF."""
        facts = draft.facts
        lacks_something = any(missing_elements(facts, kind) for kind in KINDS)
        notices = []
        for recipient in draft.recipients:
            for kind in KINDS:
                missing = missing_elements(facts, kind)
                waits = lacks_something if facts.automated else kind == "takedown"
                notices.append(
                    NoticeDraft(
                        platform=recipient.platform_id,
                        platform_name=recipient.name,
                        kind=kind,
                        channel=recipient.channel,
                        held=waits or not draft.may_leave,
                        missing=missing,
                        text=draft_text(facts, recipient, kind),
                    )
                )
        missing = merge_missing([missing_elements(facts, kind) for kind in KINDS])
        return StrikePreview(
            law=draft.law_used,
            evidence=facts.evidence,
            present=present_elements(facts, KINDS),
            missing=missing if draft.recipients else [no_platform(), *missing],
            warnings=list(draft.warnings),
            notices=notices,
            attestation=facts.law.file.attestation["en"],
            pdf=base64.b64encode(draft_pdf(facts, draft.recipients)).decode(),
        )

    # --- documents ---

    async def _make(
        self,
        draft: StrikeDraft,
        plans: Sequence[NoticePlan],
        track: bytes,
        same: bytes,
        *,
        revision: int,
        sent: SentDocuments | None = None,
    ) -> StrikeOrder:
        """Renders, signs and finishes everything before the transaction."""
        async with self._turn:
            documents, finished = await asyncio.to_thread(self._documents, draft, plans, track, revision, sent)
        return StrikeOrder(
            facts=draft.facts,
            track=track,
            same=same,
            node_id=draft.node_id,
            law_used=draft.law_used,
            warnings=draft.warnings,
            files=draft.files,
            documents=documents,
            may_leave=draft.may_leave,
            finished=finished,
        )

    def _documents(
        self,
        draft: StrikeDraft,
        plans: Sequence[NoticePlan],
        track: bytes,
        revision: int,
        sent: SentDocuments | None,
    ) -> tuple[StrikeDocuments, dict[str, FinishedNotice]]:
        """The documents, and the very bytes of the notices that leave at once; 503 while nothing can be signed."""
        token = self._tokens.token(track)
        try:
            documents = make_documents(
                draft.facts, plans, token=token, revision=revision, signer=self._signer, sent=sent
            )
        except StampError as error:
            why = f"No declaration can be signed now: {error}. Set the clock."
            raise Problem("dependency_unavailable", why, headers={"Retry-After": "60"}) from error
        finished = {}
        for document in documents.notices:
            recipient = document.plan.recipient
            state = leaving_state(document, documents, automated=draft.facts.automated, may_leave=draft.may_leave)
            leaves = state == "queued" and self._notices.hindrance(recipient.channel) is None
            if leaves and document.parcel is not None:
                notice_id = document.plan.notice_id
                finished[notice_id] = self._notices.finish(
                    notice_id, recipient.channel, recipient.address, document.parcel
                )
        return documents, finished

    def _now_us(self) -> int:
        """The store's time: it never falls, so a clock that is set back dates nothing before what was."""
        return max(self._clock(), self._store.writer.floor_us)


def _plan_of(row: Row[Any]) -> NoticePlan:
    """The plan of a notice that is there."""
    recipient = NoticeRecipient(row.platform, row.platform_name, row.channel, row.address, (), (row.language,))
    return NoticePlan(row.notice_id, row.number, recipient, row.kind)
