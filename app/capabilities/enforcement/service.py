"""Strikes (specification 4.4): issued, supplied with what is missing, previewed, withdrawn.

The order of a call: jurisdiction, fields, then rendering and signing on a worker thread, then ONE transaction (rows,
notices, leaf), then the answer. Nothing is stored before it; killed before it, nothing happened, killed after it,
everything will. The documents of one strike are made at a time: rendering holds the interpreter's lock.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, Row, select, text

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
from app.capabilities.enforcement.evidence_bundle import StrikeBundles
from app.capabilities.enforcement.journal import EVIDENCE_FOLDER, LAW_FOLDER, StrikeJournal, StrikeOrder
from app.capabilities.enforcement.jurisdictions import KINDS, Law, LawShelf, today
from app.capabilities.enforcement.messages import (
    JurisdictionList,
    LawUsed,
    NoticeDraft,
    Strike,
    StrikeBody,
    StrikeDetails,
    StrikeEvidence,
    StrikePreview,
)
from app.capabilities.enforcement.notice import (
    NoticeFacts,
    StrikeRecord,
    merge_missing,
    missing_elements,
    no_platform,
    present_elements,
)
from app.capabilities.enforcement.recipients import NoticeRecipient, find_recipients, outside_domains, url_fault
from app.capabilities.enforcement.records import StrikeRecords, record_of
from app.capabilities.enforcement.tables import strike, strike_notice
from app.capabilities.enforcement.tracking import TrackingTokens
from app.delivery.events import EvidenceSource
from app.delivery.notices import FinishedNotice, Notices
from app.ledger.stamps.timestamp import StampError
from app.registry.service import Registry
from app.site.site import Site
from app.store.clock import system_clock_us
from app.store.engine import Store
from app.store.writer import Transaction

MANDATE: Final = "enforcement.mandate"
"""The purpose of a consent that lets the site enforce for the person."""
DRAFT_STRIKE: Final = "draft"
_ATTESTED_FIELDS: Final = ("content_urls", "statement", "work", "nature")
"""What a declarant attests: who changes it attests anew."""

MandateOf = Callable[[Connection, str, str], str | None]


@dataclass(frozen=True)
class StrikeDraft:
    """A call that was judged, before anything is made: what would be said, to whom, and what to warn of."""

    facts: NoticeFacts
    recipients: Sequence[NoticeRecipient]
    node_id: str | None
    law_used: LawUsed
    warnings: Sequence[str]
    files: Mapping[str, bytes]
    may_leave: bool


class Strikes:
    """Serves the rows of ``enforcement``."""

    def __init__(
        self,
        site: Site,
        store: Store,
        registry: Registry,
        shelf: LawShelf,
        signer: DeclarationSigner,
        tokens: TrackingTokens,
        journal: StrikeJournal,
        records: StrikeRecords,
        bundles: StrikeBundles,
        notices: Notices,
        sources: Sequence[EvidenceSource],
        mandate_of: MandateOf,
        *,
        clock: Callable[[], int] = system_clock_us,
    ) -> None:
        """``sources`` is read at each call: it grows while the site is wired. ``clock``: Unix microseconds."""
        self.records = records
        self.bundles = bundles
        self._site = site
        self._store = store
        self._registry = registry
        self._shelf = shelf
        self._signer = signer
        self._tokens = tokens
        self._journal = journal
        self._notices = notices
        self._sources = sources
        self._mandate_of = mandate_of
        self._clock = clock
        self._desk = asyncio.Semaphore(1)

    # --- the calls ---

    async def issue(self, body: StrikeBody, *, actor: str, request_id: str | None = None) -> tuple[Strike, bool]:
        """The strike, and whether it was made: the same signature, jurisdiction and platforms are the same open strike.
        404: unknown node. 422: a jurisdiction that is none, or everything that is wrong with the fields. 503: the law
        file is not used, or the site's certificates are not valid now."""
        strike_id = f"str_{secrets.token_hex(10)}"
        record = _first_record(body, self._now_us(), actor)
        draft = await asyncio.to_thread(self._draft, strike_id, body, record)
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
        record = _first_record(body, self._now_us(), actor)
        draft = await asyncio.to_thread(self._draft, DRAFT_STRIKE, body, record)
        async with self._desk:
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
        return JurisdictionList(items=[law.message(day) for law in book.laws.values()], watch=book.watched())

    # --- before anything is made; all of it blocks ---

    def _draft(self, strike_id: str, body: StrikeBody, record: StrikeRecord) -> StrikeDraft:
        """Judges a call: its jurisdiction first, then every field at once."""
        law, state = self._shelf.book().find(body.enforcement_jurisdiction)
        return self._judge(
            strike_id,
            law,
            state,
            target=body.target_compromise_signature,
            automated=body.automated_dmca_dispatch,
            node_id=body.node_id,
            platforms=body.platforms,
            record=record,
            at_us=self._now_us(),
        )

    def _judge(
        self,
        strike_id: str,
        law: Law,
        state: str | None,
        *,
        target: str,
        automated: bool,
        node_id: str | None,
        platforms: Sequence[str] | None,
        record: StrikeRecord,
        at_us: int,
        kept: Mapping[str, NoticeRecipient] = MappingProxyType({}),
    ) -> StrikeDraft:
        """404 for an unknown node; 422 with everything that is wrong."""
        faults = [
            FieldError(pointer=f"/content_urls/{index}", detail=fault)
            for index, url in enumerate(record.content_urls)
            if (fault := url_fault(url)) is not None
        ]
        mandate = None
        with self._store.read() as connection:
            if node_id is not None:
                self._registry.require_node(connection, node_id)
                mandate = self._mandate_of(connection, node_id, MANDATE)
            recipients, unknown = find_recipients(connection, self._registry.platforms, law, state, platforms, kept)
            also_open = () if faults else _open_strikes_with(connection, record.content_urls, strike_id)
        faults += unknown
        if faults:
            raise Problem("invalid_body", faults[0].detail, errors=faults)
        evidence, proofs = self._evidence(target)
        used = law.used(state, today())
        facts = NoticeFacts(
            strike_id=strike_id,
            law=law,
            target=target,
            automated=automated,
            at_us=at_us,
            record=record,
            evidence=evidence,
            state=state,
            mandate=mandate,
            training=self._site.training,
        )
        files = {f"{LAW_FOLDER}{name}": data for name, data in law.files.items()}
        files |= {f"{EVIDENCE_FOLDER}{name}": data for name, data in proofs.items()}
        return StrikeDraft(
            facts=facts,
            recipients=recipients,
            node_id=node_id,
            law_used=used,
            warnings=_warnings(facts, recipients, used, also_open, training=self._site.training),
            files=files,
            may_leave=self._site.training or used.signed_off,
        )

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
        draft = self._judge(
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

    def _evidence(self, target: str) -> tuple[StrikeEvidence, dict[str, bytes]]:
        """What this site knows of the signature, and the files that prove it."""
        for source in self._sources:
            found = source.find(target)
            if found is not None:
                evidence = StrikeEvidence(
                    kind=found.kind,
                    ref=found.ref,
                    known=True,
                    title=found.title,
                    facts=list(found.facts),
                    proofs=sorted(f"{EVIDENCE_FOLDER}{name}" for name in found.files),
                )
                return evidence, dict(found.files)
        title = "Reference given by the declarant; this site has nothing under it."
        return StrikeEvidence(kind="reference", ref=target, known=False, title=title), {}

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
        async with self._desk:
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
            state = leaving_state(document, automated=draft.facts.automated, may_leave=draft.may_leave)
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


def same_strike(draft: StrikeDraft) -> bytes:
    """What makes two calls one strike: signature, jurisdiction with its member state, platforms in any order."""
    facts = draft.facts
    said = [facts.target, facts.law.code, facts.state, sorted(one.platform_id for one in draft.recipients)]
    return hashlib.sha256(msgspec.json.encode(said)).digest()


def supplied_record(record: StrikeRecord, details: StrikeDetails, now_us: int, actor: str) -> StrikeRecord:
    """``record`` with what ``details`` supply. Who changes what was attested without attesting takes the attestation
    back: it was given for other words."""
    given = {
        name: value
        for name in ("content_urls", "statement", "declarant", "work", "nature")
        if (value := getattr(details, name)) is not None
    }
    changed = any(name in given and given[name] != getattr(record, name) for name in _ATTESTED_FIELDS)
    found = msgspec.structs.replace(record, **given)
    if details.declarant is not None:
        attested = details.declarant.attested
        return msgspec.structs.replace(
            found, attested_us=now_us if attested else None, attested_by=actor if attested else None
        )
    if changed and record.declarant is not None and record.attested:
        unsaid = msgspec.structs.replace(record.declarant, attested=False)
        return msgspec.structs.replace(found, declarant=unsaid, attested_us=None, attested_by=None)
    return found


def _first_record(body: StrikeBody, now_us: int, actor: str) -> StrikeRecord:
    attested = body.declarant is not None and body.declarant.attested
    return StrikeRecord(
        content_urls=body.content_urls or [],
        statement=body.statement,
        declarant=body.declarant,
        work=body.work,
        nature=body.nature,
        attested_us=now_us if attested else None,
        attested_by=actor if attested else None,
    )


def _open_strikes_with(connection: Connection, urls: Sequence[str], strike_id: str) -> list[tuple[str, str]]:
    """(URL, strike) of every URL that stands under another strike that is open."""
    if not urls:
        return []
    rows = connection.execute(
        text(
            "SELECT DISTINCT u.value, s.strike_id FROM strike AS s, json_each(s.details, '$.content_urls') AS u "
            "WHERE s.withdrawn_us IS NULL AND s.ended_us IS NULL AND s.details IS NOT NULL AND s.strike_id <> :own "
            "AND u.value IN (SELECT value FROM json_each(:urls)) ORDER BY s.created_us LIMIT 20"
        ),
        {"own": strike_id, "urls": msgspec.json.encode(urls).decode()},
    )
    return [(row[0], row[1]) for row in rows]


def _warnings(
    facts: NoticeFacts,
    recipients: Sequence[NoticeRecipient],
    used: LawUsed,
    also_open: Sequence[tuple[str, str]],
    *,
    training: bool,
) -> list[str]:
    """What a person should know; nothing of it refuses the call."""
    found = list(facts.law.file.warnings)
    if facts.law.is_past(today()):
        found.append(f"The review of the law file {used.code} was due on {used.review_due}: what it says may be old.")
    if not training and not used.signed_off:
        found.append(f"Nobody has signed off the law file {used.code}: everything under it is held.")
    if not facts.evidence.known:
        found.append("This site has nothing under the signature: it is printed as the declarant's own reference.")
    if facts.law.file.copyright_only and facts.record.work is None:
        found.append("Without a copyrighted work the declaration is a demand that cites no statute.")
    for recipient in recipients:
        outside = outside_domains(recipient, facts.record.content_urls)
        if outside:
            more = f" and {len(outside) - 1} more" if len(outside) > 1 else ""
            found.append(f"{outside[0]}{more} is outside the domains of {recipient.name}.")
    found += [f"{url} stands in the open strike {strike_id} already." for url, strike_id in also_open]
    return found
