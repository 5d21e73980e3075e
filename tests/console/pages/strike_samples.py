"""Laws, strikes and notices as the service tells them, of every state, and a client that answers with them: for the
tests of the enforcement page that need states which no training platform gives in a moment."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Any

import msgspec

from app.api.wire import SecretState, rfc3339
from app.capabilities.enforcement.messages import (
    DeclarantShown,
    FormField,
    Jurisdiction,
    JurisdictionList,
    LawElement,
    LawUsed,
    MissingElement,
    NoticeDraft,
    NoticeEvent,
    NoticePage,
    NoticeQuery,
    NoticeRow,
    SignedDeclaration,
    Strike,
    StrikeBody,
    StrikeDetails,
    StrikeEvidence,
    StrikeNotice,
    StrikePreview,
    WatchedBill,
    WithdrawStrike,
)
from app.registry.messages.platforms import NoticePlatform, NoticePlatformPage, PlatformContact

NOW = 1_795_622_400.0
"""Unix seconds at which the samples are looked at: 2026-11-25 16:00 UTC."""
TOKEN = "ARC-ST-" + "7" * 32
SHA = "7f3a" * 16
HOUR = 3600.0


def at(hours: float) -> str:
    """The API's time so many hours after ``NOW``."""
    return rfc3339(round((NOW + hours * HOUR) * 1_000_000))


def element(id_: str, label: str, basis: str, *pointers: str) -> LawElement:
    """An element of both kinds of documents."""
    return LawElement(id=id_, label=label, basis=basis, pointers=list(pointers), kinds=["declaration", "takedown"])


def law(**changes: Any) -> Jurisdiction:
    """The Digital Services Act, not signed off."""
    values: dict[str, Any] = {
        "code": "EU",
        "title": "Digital Services Act, art. 16(2)",
        "aliases": ["DE", "FR"],
        "languages": ["en"],
        "in_force_from": "2024-02-17",
        "as_of": "2026-11-21",
        "review_due": "2027-05-20",
        "past_review": False,
        "reviewed_by": None,
        "reviewed_on": None,
        "signed_off": False,
        "sources": ["Regulation (EU) 2022/2065, art. 16"],
        "recipient": "the host's electronic mechanism",
        "elements": [
            element("reasons", "Reasons why it is illegal", "art. 16(2)(a)", "/statement"),
            element("location", "Exact location", "art. 16(2)(b)", "/content_urls"),
            element("sender", "Name and e-mail of the sender", "art. 16(2)(c)", "/declarant/name", "/declarant/email"),
            element("good_faith", "Statement of good faith", "art. 16(2)(d)", "/declarant/attested"),
        ],
        "attestation": "I believe in good faith that what this notice says is accurate and complete.",
        "hours": {},
        "deadline_basis": None,
        "goal_hours": None,
        "follow_up_hours": 72,
        "copyright_only": False,
        "warnings": ["CSAM is reported elsewhere."],
        "sha256": SHA,
        "overridden": False,
    }
    return Jurisdiction(**(values | changes))


def copyright_law(**changes: Any) -> Jurisdiction:
    """The DMCA: the work and how to reach the sender are asked for; past its review."""
    values: dict[str, Any] = {
        "code": "US",
        "title": "Digital Millennium Copyright Act, 17 USC 512(c)(3)",
        "aliases": ["USA"],
        "past_review": True,
        "review_due": "2026-11-01",
        "elements": [
            element("signature", "Signature", "512(c)(3)(A)(i)", "/declarant/attested"),
            element("work", "The copyrighted work", "(ii)", "/work"),
            element("location", "The material and where it is", "(iii)", "/content_urls"),
            element("contact", "How to reach the sender", "(iv)", "/declarant/postal_address", "/declarant/phone"),
        ],
        "copyright_only": True,
    }
    return law(**(values | changes))


def indian_law(**changes: Any) -> Jurisdiction:
    """Its clock depends on the nature of the likeness."""
    values: dict[str, Any] = {
        "code": "IN",
        "title": "IT Rules 2021 with G.S.R. 120(E)",
        "aliases": [],
        "hours": {"nudity": 2, "impersonation": 2, "morphed": 36, "": 168},
        "deadline_basis": "rule 3(2)(b)",
        "signed_off": True,
        "reviewed_by": "Training Lawyer 01",
        "reviewed_on": "2026-11-22",
    }
    return law(**(values | changes))


def platform(letter: str, **changes: Any) -> NoticePlatform:
    """Training platform A, B, ..., by mail unless said."""
    values: dict[str, Any] = {
        "platform_id": f"training-{letter.lower()}",
        "display_name": f"Training platform {letter}",
        "channel": "mail",
        "address": f"legal@{letter.lower()}.training.example",
        "framework_contacts": {"EU": PlatformContact(channel="https", address="https://eu.training.example/notices")},
        "domains": [f"{letter.lower()}.training.example"],
        "default": letter in "AB",
        "languages": ["en"],
        "secret": SecretState(set=False),
        "ca_sha256": [],
        "tags": [],
        "created_at": at(-100),
        "changed_at": at(-100),
    }
    return NoticePlatform(**(values | changes))


def missing(element_id: str = "location", pointer: str = "/content_urls") -> MissingElement:
    """The exact addresses are missing."""
    detail = "Say where the content is, address by address."
    return MissingElement(element=element_id, basis="art. 16(2)(b)", pointer=pointer, detail=detail)


def notice(number: int = 1, **changes: Any) -> StrikeNotice:
    """A declaration to platform A, sent two hours ago; the law has no hours."""
    values: dict[str, Any] = {
        "notice_id": f"ntc_{number:032x}",
        "platform": "training-a",
        "platform_name": "Training platform A",
        "kind": "declaration",
        "channel": "mail",
        "state": "sent",
        "tracking": f"{TOKEN}.{number}",
        "sent_at": at(-2),
        "follow_up_at": at(70),
        "attempts": 1,
        "history": [
            NoticeEvent(at=at(-2.1), state="queued", actor="key_operator", detail="Issued.", leaf=411),
            NoticeEvent(at=at(-2), state="sent", actor="service", detail="250 taken", leaf=412),
        ],
    }
    return StrikeNotice(**(values | changes))


def every_notice() -> list[StrikeNotice]:
    """One notice of each state that stands on the board, the most urgent first."""
    unsent = {"sent_at": None, "follow_up_at": None}
    return [
        notice(1, state="expired", kind="takedown", channel="https", platform_name="Training platform C",
               sent_at=at(-37.2), deadline=at(-1.2), follow_up_at=None, deadline_basis="rule 3(2)(b)",
               reference="TC-20771"),
        notice(2, kind="takedown", sent_at=at(-36.5), deadline=at(11.5), follow_up_at=None),
        notice(3, state="failed", platform_name="Training platform D", fault="mailbox unknown, 550", **unsent),
        notice(4, state="bounced", platform_name="Training platform D", fault="550 no such user", **unsent),
        notice(5, state="operator_action", platform_name="Training platform E", channel="form", **unsent,
               form_url="https://e.training.example/report",
               form=[FormField(label=f"Field {at_}", value=f"value {at_}") for at_ in range(1, 7)]),
        notice(6, state="held", missing=[missing()], **unsent),
        notice(7, state="held", kind="takedown", **unsent),
        notice(8, state="queued", attempts=2, next_attempt_at=at(0.2), fault="the relay does not answer.", **unsent),
        notice(9, platform_name="Training platform B", channel="https", reference="B-118-402", sent_at=at(-16),
               follow_up_at=at(56)),
        notice(10, state="rejected", platform_name="Training platform B"),
        notice(11, state="countered", platform_name="Training platform B"),
        notice(12, state="queued", attempts=0, **unsent),
    ]  # fmt: skip


def ended_notices() -> list[StrikeNotice]:
    """Notices that have come to their end."""
    return [
        notice(21, state="actioned", decision="DECISION_VISIBILITY_CONTENT_REMOVED"),
        notice(22, state="actioned", decision="DECISION_VISIBILITY_CONTENT_LABELLED"),
        notice(23, state="withdrawn", sent_at=None, follow_up_at=None),
    ]


def strike(**changes: Any) -> Strike:
    """A strike under the DSA with one notice."""
    values: dict[str, Any] = {
        "strike_id": "str_" + "0" * 20,
        "tracking_token": TOKEN,
        "state": "DISPATCHED",
        "declaration": SignedDeclaration(sha256=SHA, pdf_url=f"/v1/citadel/action/strike/{TOKEN}/declaration.pdf",
                                         revision=1, pages=2),
        "notices": [notice()],
        "missing": [],
        "warnings": [],
        "timestamp": at(-2.1),
        "target_compromise_signature": "scan_5c1f",
        "enforcement_jurisdiction": "EU",
        "automated_dmca_dispatch": False,
        "law": LawUsed(code="EU", title="Digital Services Act, art. 16(2)", as_of="2026-11-21",
                       review_due="2027-05-20", reviewed_by=None, signed_off=False, sha256=SHA),
        "evidence": evidence(),
        "content_urls": ["https://a.training.example/v/88121"],
        "statement": "The picture shows a sign that never hung there.",
        "declarant": DeclarantShown(name="Training Person 33", capacity="the person shown", attested=True,
                                    attested_at=at(-2.1), attested_by="key_operator"),
        "training": True,
    }  # fmt: skip
    return Strike(**(values | changes))


def awaiting() -> Strike:
    """A strike of the three fields alone."""
    held = notice(state="held", sent_at=None, follow_up_at=None, missing=[missing()])
    return strike(state="AWAITING_DETAILS", notices=[held], missing=[missing()], content_urls=[])


def half_sent() -> Strike:
    """A strike under the DMCA whose declaration has left, and whose takedown notice lacks the work."""
    lacks = [missing("work", "/work")]
    held = notice(2, kind="takedown", state="held", sent_at=None, follow_up_at=None, missing=lacks)
    used = msgspec.structs.replace(strike().law, code="US")
    return strike(state="PARTIAL", notices=[notice(), held], missing=lacks, law=used, enforcement_jurisdiction="US")


def evidence(**changes: Any) -> StrikeEvidence:
    """A scan of this site."""
    values: dict[str, Any] = {
        "kind": "scan",
        "ref": "scan_5c1f",
        "known": True,
        "title": "scan of harbour-house.jpg: Manipulated, 16:02:41",
        "facts": ["SHA-256 7f3a", "false alarms 1 in 1,000,000"],
    }
    return StrikeEvidence(**(values | changes))


@dataclass
class StrikeDesk:
    """Answers as the service does to the calls of the page, from what it holds; ``calls`` has what was asked for.
    ``refuses`` is raised by the next change."""

    laws: list[Jurisdiction] = field(default_factory=lambda: [law(), copyright_law(), indian_law()])
    platforms: list[NoticePlatform] = field(default_factory=lambda: [platform(letter) for letter in "ABCDE"])
    open_rows: list[StrikeNotice] = field(default_factory=every_notice)
    """The board gives them without history and form, as the service does."""
    ended_rows: list[StrikeNotice] = field(default_factory=ended_notices)
    strikes: dict[str, Strike] = field(
        default_factory=lambda: {TOKEN: strike(notices=[notice(9), *every_notice()[4:5]])}
    )
    others: list[NoticeRow] = field(default_factory=list)
    """Open notices of other strikes, less urgent than those."""
    calls: list[tuple[str, Any]] = field(default_factory=list)
    refuses: Exception | None = None
    takedown_lacks: list[MissingElement] = field(default_factory=list)
    """What takedown notices lack beside what the law's elements ask for."""

    def _take(self, name: str, what: Any) -> None:
        self.calls.append((name, what))
        if self.refuses is not None:
            refusal, self.refuses = self.refuses, None
            raise refusal

    async def enforcement_jurisdictions(self) -> JurisdictionList:
        """The laws, and a bill that is none."""
        watch = WatchedBill(code="NO-FAKES", title="NO FAKES Act", note="a bill", as_of="2026-06")
        return JurisdictionList(items=self.laws, watch=[watch])

    async def registry_list_platforms(self, *, query: Any = None) -> NoticePlatformPage:
        """All platforms."""
        return NoticePlatformPage(items=self.platforms, next=None)

    async def enforcement_preview(self, body: StrikeBody) -> StrikePreview:
        """What is there by the fields of the body."""
        self._take("preview", body)
        chosen = next(one for one in self.laws if one.code == body.enforcement_jurisdiction)
        declarant = body.declarant
        there = {
            "/statement": body.statement is not None,
            "/content_urls": body.content_urls is not None,
            "/declarant/name": declarant is not None,
            "/declarant/email": declarant is not None and declarant.email is not None,
            "/declarant/postal_address": declarant is not None and declarant.postal_address is not None,
            "/declarant/phone": declarant is not None and declarant.phone is not None,
            "/declarant/attested": declarant is not None and declarant.attested,
            "/work": body.work is not None,
        }
        present = [one.id for one in chosen.elements if all(there[pointer] for pointer in one.pointers)]
        lacks = [
            MissingElement(element=one.id, basis=one.basis, pointer=one.pointers[0], detail=f"Supply: {one.label}.")
            for one in chosen.elements
            if one.id not in present
        ]
        drafts = [
            NoticeDraft(platform=one.platform_id, platform_name=one.display_name, kind="declaration", channel="mail",
                        held=False, missing=lacks, text=f"To {one.display_name}\n\n{body.statement or ''}")
            for one in self.platforms if one.default
        ]  # fmt: skip
        drafts += [
            NoticeDraft(platform=one.platform_id, platform_name=one.display_name, kind="takedown", channel="mail",
                        held=True, missing=[*lacks, *self.takedown_lacks], text="")
            for one in self.platforms if one.default
        ]  # fmt: skip
        lacks = [*lacks, *self.takedown_lacks]
        known = body.target_compromise_signature.startswith("scan_")
        ref = body.target_compromise_signature
        found = evidence(ref=ref) if known else evidence(kind="reference", ref=ref, known=False, title="", facts=[])
        return StrikePreview(
            law=strike().law, evidence=found, present=present, missing=lacks, warnings=[], notices=drafts,
            attestation=chosen.attestation, pdf=base64.b64encode(b"%PDF-1.7 DRAFT").decode(),
        )  # fmt: skip

    async def enforcement_strike(self, body: StrikeBody, *, idempotency_key: str | None = None) -> Strike:
        """A strike of that body."""
        self._take("strike", body)
        made = strike(
            target_compromise_signature=body.target_compromise_signature,
            enforcement_jurisdiction=body.enforcement_jurisdiction,
            content_urls=body.content_urls or [],
            statement=body.statement,
        )
        self.strikes[made.tracking_token] = made
        return made

    async def enforcement_supply(
        self, token: str, body: StrikeDetails, *, idempotency_key: str | None = None
    ) -> Strike:
        """The strike, complete."""
        self._take("supply", (token, body))
        self.strikes[token] = strike(content_urls=body.content_urls or [])
        return self.strikes[token]

    async def enforcement_withdraw(
        self, token: str, body: WithdrawStrike, *, idempotency_key: str | None = None
    ) -> Strike:
        """The strike, taken back."""
        self._take("withdraw", (token, body))
        self.strikes[token] = strike(state="WITHDRAWN")
        return self.strikes[token]

    async def enforcement_get(self, token: str) -> Strike:
        """The strike of that token; the case of its letters is nothing."""
        return self.strikes.get(token.upper()) or strike(tracking_token=token.upper())

    async def enforcement_notices(self, *, query: NoticeQuery | None = None) -> NoticePage:
        """The board."""
        is_open = query is None or query.open
        rows = self.open_rows if is_open else self.ended_rows
        return NoticePage(
            items=[
                NoticeRow(strike_id="str_" + "0" * 20, tracking_token=TOKEN, enforcement_jurisdiction="EU",
                          created_at=at(-2.1), notice=msgspec.structs.replace(one, history=[], form=[]))
                for one in rows
            ] + (self.others if is_open else []),
            next=None,
        )  # fmt: skip

    async def enforcement_bundle(self, token: str) -> bytes:
        """A bundle that is none."""
        return b"PK bundle of " + token.encode()

    async def enforcement_declaration(self, token: str) -> bytes:
        """A document that is none."""
        return b"%PDF-1.7 " + token.encode()

    async def deliveries_send(self, delivery_id: str, *, idempotency_key: str | None = None) -> None:
        """It goes out."""
        self._take("send", delivery_id)

    async def deliveries_record_outcome(
        self, delivery_id: str, body: msgspec.Struct, *, idempotency_key: str | None = None
    ) -> None:
        """It is recorded."""
        self._take("outcome", (delivery_id, body))
