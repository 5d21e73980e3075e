"""Calls for strikes, judged before anything is made: the law, every field, the evidence, what to warn of."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import msgspec
from sqlalchemy import Connection, text

from app.api.problems import Problem
from app.api.wire import FieldError
from app.capabilities.enforcement.journal import EVIDENCE_FOLDER, LAW_FOLDER
from app.capabilities.enforcement.jurisdictions import Law, LawShelf, today
from app.capabilities.enforcement.messages import LawUsed, StrikeBody, StrikeDetails, StrikeEvidence
from app.capabilities.enforcement.notice import NoticeFacts, StrikeRecord
from app.capabilities.enforcement.recipients import NoticeRecipient, find_recipients, outside_domains, url_fault
from app.delivery.events import EvidenceSource
from app.registry.service import Registry
from app.store.engine import Store

MANDATE: Final = "enforcement.mandate"
"""The purpose of a consent that lets the site enforce for the person."""
_ATTESTED_FIELDS: Final = ("content_urls", "statement", "work", "nature")
"""What a declarant attests: who changes it attests anew."""
_DECLARANT_FIELDS: Final = ("name", "capacity", "email", "postal_address", "phone")

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


class StrikeDesk:
    """Judges calls. All of it blocks; only reads."""

    def __init__(
        self,
        store: Store,
        registry: Registry,
        shelf: LawShelf,
        sources: Sequence[EvidenceSource],
        mandate_of: MandateOf,
        *,
        training: bool,
    ) -> None:
        """``sources`` is read at each call: it grows while the site is wired."""
        self._store = store
        self._registry = registry
        self._shelf = shelf
        self._sources = sources
        self._mandate_of = mandate_of
        self._training = training

    def draft(self, strike_id: str, body: StrikeBody, record: StrikeRecord, at_us: int) -> StrikeDraft:
        """Judges a call: its jurisdiction first, then every field at once."""
        law, state = self._shelf.book().find(body.enforcement_jurisdiction)
        return self.judge(
            strike_id,
            law,
            state,
            target=body.target_compromise_signature,
            automated=body.automated_dmca_dispatch,
            node_id=body.node_id,
            platforms=body.platforms,
            record=record,
            at_us=at_us,
        )

    def judge(
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
        known_faults: Sequence[FieldError] = (),
    ) -> StrikeDraft:
        """404 for an unknown node; 422 with everything that is wrong, ``known_faults`` among it."""
        faults = [*known_faults]
        faults += [
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
        used = law.law_used(state, today())
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
            training=self._training,
        )
        files = {f"{LAW_FOLDER}{name}": data for name, data in law.files.items()}
        files |= {f"{EVIDENCE_FOLDER}{name}": data for name, data in proofs.items()}
        return StrikeDraft(
            facts=facts,
            recipients=recipients,
            node_id=node_id,
            law_used=used,
            warnings=_warnings(facts, recipients, used, also_open, training=self._training),
            files=files,
            may_leave=self._training or used.signed_off,
        )

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


def changes_of_sent(
    record: StrikeRecord, details: StrikeDetails, *, node_id: str | None, platforms: Collection[str]
) -> list[FieldError]:
    """What of ``details`` would say something else than what has left, or leave what is added unattested, each at its
    pointer. What is empty may be filled, and what was sent may be said again."""
    other = []
    if details.platforms is not None and set(details.platforms) != set(platforms):
        other.append("/platforms")
    if details.node_id not in (None, node_id):
        other.append("/node_id")
    for name in _ATTESTED_FIELDS:
        before, said = getattr(record, name), getattr(details, name)
        if before and said not in (None, before):
            other.append(f"/{name}")
    if record.declarant is not None and details.declarant is not None:
        for name in _DECLARANT_FIELDS:
            before = getattr(record.declarant, name)
            if before is not None and getattr(details.declarant, name) != before:
                other.append(f"/declarant/{name}")
    words = "Something else has left: say it as it was, or issue another strike."
    found = [FieldError(pointer=pointer, detail=words) for pointer in other]
    adds = any(getattr(details, name) and not getattr(record, name) for name in _ATTESTED_FIELDS)
    attests = not adds if details.declarant is None else details.declarant.attested
    if record.attested and not attests:
        words = "What has left was attested: attest what is added to it, too."
        found.append(FieldError(pointer="/declarant/attested", detail=words))
    return found


def first_record(body: StrikeBody, now_us: int, actor: str) -> StrikeRecord:
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
