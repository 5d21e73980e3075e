"""The documents of a strike: one signed declaration, and a notice of each kind for each platform."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from app.capabilities.enforcement.declaration import (
    DRAFT_MARK,
    TRAINING_MARK,
    DeclarationSigner,
    DocumentLine,
    Sheet,
    render_pdf,
)
from app.capabilities.enforcement.jurisdictions import FIRST_LANGUAGE, KINDS
from app.capabilities.enforcement.messages import MissingElement, NoticeKind
from app.capabilities.enforcement.notice import NoticeFacts, missing_elements, notice_json, plain_text, render_text
from app.capabilities.enforcement.recipients import NoticeRecipient
from app.capabilities.enforcement.tracking import notice_tracking
from app.delivery.notices import NoticeParcel

LeavingState = Literal["held", "operator_action", "queued"]
DRAFT_TOKEN: Final = "ARC-ST-DRAFT"  # noqa: S105 -- stands where a token will
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class NoticePlan:
    """One notice to be made: its place in the strike, to whom, of which kind."""

    notice_id: str
    number: int
    recipient: NoticeRecipient
    kind: NoticeKind


@dataclass(frozen=True)
class NoticeDocument:
    """One notice as it was made. ``parcel``: what leaves; None while something is missing, so that there is nothing
    that could."""

    plan: NoticePlan
    language: str
    missing: list[MissingElement]
    notice: bytes
    jws: str
    parcel: NoticeParcel | None

    @property
    def sha256(self) -> str:
        """Of ``notice.json``, hexadecimal."""
        return hashlib.sha256(self.notice).hexdigest()


@dataclass(frozen=True)
class SentDocuments:
    """What stays as it is once a notice of the strike has left: the signed declaration, and by id the notices that
    lacked nothing."""

    pdf: bytes
    pages: int
    language: str
    notices: Mapping[str, NoticeDocument]


@dataclass(frozen=True)
class StrikeDocuments:
    """Everything that a strike issues. ``pdf`` is signed. ``kept``: notices that were made before and stay."""

    pdf: bytes
    pages: int
    language: str
    revision: int
    notices: Sequence[NoticeDocument]
    kept: frozenset[str] = frozenset()

    @property
    def sha256(self) -> str:
        """Of the signed PDF, hexadecimal."""
        return hashlib.sha256(self.pdf).hexdigest()

    @property
    def lack_something(self) -> bool:
        """Whether any notice lacks what its law asks for."""
        return any(one.missing for one in self.notices)


def plan_notices(recipients: Sequence[NoticeRecipient], first: int = 1) -> list[NoticePlan]:
    """A declaration and a takedown notice for each, numbered from ``first`` on."""
    pairs = [(recipient, kind) for recipient in recipients for kind in KINDS]
    return [
        NoticePlan(f"ntc_{secrets.token_hex(16)}", number, recipient, kind)
        for number, (recipient, kind) in enumerate(pairs, first)
    ]


def leaving_state(
    document: NoticeDocument, documents: StrikeDocuments, *, automated: bool, may_leave: bool
) -> LeavingState:
    """Where a notice goes at once: nowhere while something is missing or the law file is not signed off. A takedown
    goes only with the flag. With it nothing goes before all is there: once a declaration has left, a PATCH is refused,
    and what its takedown lacks could never be supplied."""
    if document.parcel is None or not may_leave:
        return "held"
    if automated and documents.lack_something:
        return "held"
    if document.plan.kind == "takedown" and not automated:
        return "held"
    return released_state(document.plan.recipient)


def released_state(recipient: NoticeRecipient) -> Literal["operator_action", "queued"]:
    """Where a notice goes that may leave."""
    return "operator_action" if recipient.channel == "form" else "queued"


def make_documents(
    facts: NoticeFacts,
    plans: Sequence[NoticePlan],
    *,
    token: str,
    revision: int,
    signer: DeclarationSigner,
    sent: SentDocuments | None = None,
) -> StrikeDocuments:
    """Renders and signs; some 150 ms of CPU. ``sent``: what has left already, and is not made anew. ``StampError`` for
    a time at which the site's certificates are not valid."""
    if sent is None:
        pdf, pages, language = _declaration(facts, plans, token, signer)
    else:
        pdf, pages, language = sent.pdf, sent.pages, sent.language
    kept = {} if sent is None else sent.notices
    digest = hashlib.sha256(pdf).hexdigest()
    notices = []
    for plan in plans:
        if plan.notice_id in kept:
            notices.append(kept[plan.notice_id])
            continue
        tracking = notice_tracking(token, plan.number)
        spoken = plan.recipient.language_under(facts.law)
        missing = missing_elements(facts, plan.kind)
        notice = notice_json(
            facts,
            plan.kind,
            notice_id=plan.notice_id,
            tracking=tracking,
            platform_id=plan.recipient.platform_id,
            platform_name=plan.recipient.name,
            language=spoken,
            declaration_sha256=digest,
            revision=revision,
        )
        jws = signer.sign_notice(notice)
        parcel = None if missing else _parcel(facts, plan, spoken, tracking, pdf, notice, jws)
        notices.append(NoticeDocument(plan, spoken, missing, notice, jws, parcel))
    return StrikeDocuments(pdf, pages, language, revision, notices, frozenset(kept))


def draft_pdf(facts: NoticeFacts, recipients: Sequence[NoticeRecipient]) -> bytes:
    """The declaration as it would be, marked DRAFT and not signed."""
    language = common_language(facts, recipients)
    names = [recipient.name for recipient in recipients]
    lines = render_text(facts, "declaration", language, recipients=names, tracking=DRAFT_TOKEN)
    return render_pdf(lines, _sheet(facts, lines, DRAFT_TOKEN, [DRAFT_MARK, *_marks(facts)]))[0]


def draft_text(facts: NoticeFacts, recipient: NoticeRecipient, kind: NoticeKind) -> str:
    """A notice as it would be."""
    language = recipient.language_under(facts.law)
    return plain_text(render_text(facts, kind, language, recipients=[recipient.name], tracking=DRAFT_TOKEN))


def common_language(facts: NoticeFacts, recipients: Sequence[NoticeRecipient]) -> str:
    """The language of the one declaration: that of all its recipients, else English."""
    languages = {recipient.language_under(facts.law) for recipient in recipients}
    return languages.pop() if len(languages) == 1 else FIRST_LANGUAGE


def _declaration(
    facts: NoticeFacts, plans: Sequence[NoticePlan], token: str, signer: DeclarationSigner
) -> tuple[bytes, int, str]:
    """The signed PDF, its pages, its language."""
    language = common_language(facts, [plan.recipient for plan in plans])
    names = list(dict.fromkeys(plan.recipient.name for plan in plans))
    lines = render_text(facts, "declaration", language, recipients=names, tracking=token)
    draft, pages = render_pdf(lines, _sheet(facts, lines, token, _marks(facts)))
    return signer.sign_pdf(draft, _EPOCH + timedelta(microseconds=facts.at_us)), pages, language


def _parcel(
    facts: NoticeFacts, plan: NoticePlan, language: str, tracking: str, pdf: bytes, notice: bytes, jws: str
) -> NoticeParcel:
    """What leaves for the platform: subject and text of a mail, with the three files beside them."""
    lines = render_text(facts, plan.kind, language, recipients=[plan.recipient.name], tracking=tracking)
    declarant = facts.record.declarant
    mark = "[TRAINING] " if facts.training else ""
    return NoticeParcel(
        subject=f"{mark}{lines[0].text} ({facts.law.code}) {tracking}",
        text="".join(f"{one}\n\n" for one in _marks(facts)) + plain_text(lines),
        pdf=pdf,
        notice_json=notice,
        notice_jws=jws,
        reply_to=None if declarant is None else declarant.email,
    )


def _sheet(facts: NoticeFacts, lines: Sequence[DocumentLine], token: str, marks: Sequence[str]) -> Sheet:
    law = facts.law
    foot = [f"{token}   strike {facts.strike_id}", f"Law file {law.code} of {law.file.as_of}, SHA-256 {law.sha256}"]
    return Sheet(lines[0].text, _EPOCH + timedelta(microseconds=facts.at_us), foot, marks)


def _marks(facts: NoticeFacts) -> list[str]:
    return [TRAINING_MARK] if facts.training else []
