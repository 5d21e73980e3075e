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
from typing import Any, Final

from sqlalchemy import Row, select

from app.api.problems import Problem
from app.api.wire import FieldError
from app.capabilities.enforcement.declaration import DeclarationSigner
from app.capabilities.enforcement.documents import (
    NoticePlan,
    StrikeDocuments,
    draft_pdf,
    draft_text,
    leaving_state,
    make_documents,
    plan_notices,
)
from app.capabilities.enforcement.drafts import StrikeDesk, StrikeDraft, first_record, same_strike, supplied_record
from app.capabilities.enforcement.evidence_bundle import StrikeBundles
from app.capabilities.enforcement.journal import StrikeJournal, StrikeOrder
from app.capabilities.enforcement.jurisdictions import KINDS, LawShelf, today
from app.capabilities.enforcement.messages import (
    JurisdictionList,
    NoticeDraft,
    Strike,
    StrikeBody,
    StrikeDetails,
    StrikePreview,
)
from app.capabilities.enforcement.notice import (
    merge_missing,
    missing_elements,
    no_platform,
    present_elements,
)
from app.capabilities.enforcement.recipients import NoticeRecipient
from app.capabilities.enforcement.records import StrikeRecords, record_of
from app.capabilities.enforcement.tables import strike, strike_notice
from app.capabilities.enforcement.tracking import TrackingTokens
from app.delivery.notices import FinishedNotice, Notices
from app.ledger.stamps.timestamp import StampError
from app.registry.service import Registry
from app.store.clock import system_clock_us
from app.store.engine import Store
from app.store.writer import Transaction

DRAFT_STRIKE: Final = "draft"


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
        """Supplies or replaces details while every notice is held, and lets go what may leave then. 404, 422; 409 once
        a notice has left, or the strike is over."""
        draft, row, known = await asyncio.to_thread(self._revision, tracking_token, details, actor)
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
        order = await self._make(draft, plans, bytes(row.track), same_strike(draft), revision=row.revision + 1)

        def job(tx: Transaction) -> None:
            self._journal.revise(tx, order, dropped, row.revision, actor=actor, request_id=request_id)

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

    def _revision(
        self, tracking_token: str, details: StrikeDetails, actor: str
    ) -> tuple[StrikeDraft, Row[Any], list[NoticePlan]]:
        """A strike with the details that are supplied now: its draft, its row, and the notices that it has."""
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
            self._journal.require_held(connection, row.strike_id)
        again = [
            FieldError(pointer=f"/platforms/{index}", detail="This platform was taken out of the strike before.")
            for index, name in enumerate(details.platforms or ())
            if name in taken_out
        ]
        if again:
            raise Problem("invalid_body", f"{again[0].detail} Issue another strike for it.", errors=again)
        known = [
            NoticePlan(
                one.notice_id,
                one.number,
                NoticeRecipient(one.platform, one.platform_name, one.channel, one.address, (), (one.language,)),
                one.kind,
            )
            for one in rows
        ]
        law, _ = self._shelf.book().find(row.law)
        now_us = self._now_us()
        draft = self._desk.judge(
            row.strike_id,
            law,
            row.law_state,
            target=row.target,
            automated=bool(row.automated),
            node_id=row.node_id if details.node_id is None else details.node_id,
            platforms=details.platforms or (list(dict.fromkeys(one.platform for one in rows)) or None),
            record=supplied_record(record_of(row), details, now_us, actor),
            at_us=now_us,
            kept={plan.recipient.platform_id: plan.recipient for plan in known},
        )
        return draft, row, known

    def _find_same(self, same: bytes) -> str | None:
        with self._store.read() as connection:
            found: str | None = connection.scalar(select(strike.c.strike_id).where(strike.c.same == same))
        return found

    def _preview(self, draft: StrikeDraft) -> StrikePreview:
        """The reply to a preview; renders the PDF."""
        facts = draft.facts
        notices = []
        for recipient in draft.recipients:
            for kind in KINDS:
                missing = missing_elements(facts, kind)
                waits = not draft.may_leave or (kind == "takedown" and not facts.automated)
                notices.append(
                    NoticeDraft(
                        platform=recipient.platform_id,
                        platform_name=recipient.name,
                        kind=kind,
                        channel=recipient.channel,
                        held=waits,
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
        self, draft: StrikeDraft, plans: Sequence[NoticePlan], track: bytes, same: bytes, *, revision: int
    ) -> StrikeOrder:
        """Renders, signs and finishes everything before the transaction."""
        async with self._turn:
            documents, finished = await asyncio.to_thread(self._documents, draft, plans, track, revision)
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
        self, draft: StrikeDraft, plans: Sequence[NoticePlan], track: bytes, revision: int
    ) -> tuple[StrikeDocuments, dict[str, FinishedNotice]]:
        """The documents, and the very bytes of the notices that leave at once; 503 while nothing can be signed."""
        token = self._tokens.token(track)
        try:
            documents = make_documents(draft.facts, plans, token=token, revision=revision, signer=self._signer)
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
