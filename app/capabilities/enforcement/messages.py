"""What crosses the wire of enforcement (specification 4.4): strikes, their notices, the law files that rule them."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from app.api.wire import NodeId, PageQuery, RegistryId, Reply, Request, ShortText, Timestamp
from app.delivery.messages import Decision, NoticeChannel, NoticeState

URL_CHARACTERS: Final = 2048
_BLANKS: Final = r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
"""What Python takes for a blank, written so that ECMA-262 reads it alike."""
ContentUrl = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^[Hh][Tt][Tt][Pp][Ss]?://[^/?#@{_BLANKS}]{{1,255}}([/?#][^{_BLANKS}]*)?\Z",
        min_length=10,
        max_length=URL_CHARACTERS,
        examples=["https://video.example/v/88121"],
    ),
]
"""Where the content is: absolute, without a user. Stored as it was given and never fetched."""
TrackingToken = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
"""``ARC-ST-`` and 32 characters of Crockford's base 32; case, O, I and L are folded."""
PersonName = Annotated[str, msgspec.Meta(min_length=2, max_length=200)]

NoticeKind = Literal["declaration", "takedown"]
"""``declaration``: the cease and desist that a strike is; ``takedown``: the notice that a law gives a form to."""
StrikeState = Literal["AWAITING_DETAILS", "ISSUED", "DISPATCHED", "PARTIAL", "RESOLVED", "WITHDRAWN"]
"""``AWAITING_DETAILS``: something is missing, and nothing was sent; ``ISSUED``: nothing is missing, nothing has left
yet; ``DISPATCHED``: all that may go was taken; ``PARTIAL``: some are held, bounced or failed; ``RESOLVED``: every
notice has come to its end; ``WITHDRAWN``: the declarant took it back."""
EvidenceKind = Literal["scan", "seal", "media", "reference"]


class Declarant(Request, kw_only=True):
    """Who declares. ``capacity``: in which role (the person shown, their agent, the owner of the work). ``attested``:
    whether the declarant has read the attestation of the law file and typed their name under it; only true counts."""

    name: PersonName
    capacity: PersonName
    attested: bool = False
    email: Annotated[str, msgspec.Meta(pattern=r"^[!-?A-~]{1,64}@[A-Za-z0-9.-]{1,255}\Z", max_length=320)] | None = None
    postal_address: Annotated[str, msgspec.Meta(min_length=5, max_length=500)] | None = None
    phone: Annotated[str, msgspec.Meta(pattern=r"^\+?[0-9 ()./-]{4,40}\Z")] | None = None


class CopyrightWork(Request, kw_only=True):
    """The work whose copyright is infringed: without one nothing is sent under a law of copyright."""

    title: ShortText
    owner: ShortText
    description: Annotated[str, msgspec.Meta(min_length=1, max_length=2000)] | None = None
    registration: ShortText | None = None
    original_url: ContentUrl | None = None
    sha256: Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}\Z")] | None = None


class StrikeBody(Request, kw_only=True):
    """POST ``/v1/citadel/action/strike`` and ``.../strike/preview``. The first three fields are the specification's
    and suffice. ``target_compromise_signature``: a ``scan_id``, a knot id, a consensus seal, the SHA-256 of media, or
    any other text, which is printed as the declarant's reference. ``platforms``: registered ids; without them those
    that are marked ``default``."""

    target_compromise_signature: Annotated[str, msgspec.Meta(min_length=1, max_length=512)]
    enforcement_jurisdiction: Annotated[str, msgspec.Meta(min_length=2, max_length=16, pattern=r"^[A-Za-z0-9_-]+\Z")]
    automated_dmca_dispatch: bool
    node_id: NodeId | None = None
    platforms: Annotated[list[RegistryId], msgspec.Meta(min_length=1, max_length=20)] | None = None
    content_urls: Annotated[list[ContentUrl], msgspec.Meta(min_length=1, max_length=100)] | None = None
    statement: Annotated[str, msgspec.Meta(min_length=20, max_length=5000)] | None = None
    declarant: Declarant | None = None
    work: CopyrightWork | None = None
    nature: Literal["nudity", "impersonation", "morphed", "other"] | None = None
    """What kind of likeness it is, where the law's clock depends on it."""


class StrikeDetails(Request, kw_only=True):
    """PATCH ``/v1/citadel/action/strike/{tracking_token}``: supplies or replaces details while every notice is held;
    once the declaration has left, supplies what the takedown notices lack, and 409 names each field that would say
    something else than what has left. What is left out stays, but for the attestation: who changes what was attested
    without a ``declarant`` that attests takes the attestation back."""

    node_id: NodeId | None = None
    platforms: Annotated[list[RegistryId], msgspec.Meta(min_length=1, max_length=20)] | None = None
    content_urls: Annotated[list[ContentUrl], msgspec.Meta(min_length=1, max_length=100)] | None = None
    statement: Annotated[str, msgspec.Meta(min_length=20, max_length=5000)] | None = None
    declarant: Declarant | None = None
    work: CopyrightWork | None = None
    nature: Literal["nudity", "impersonation", "morphed", "other"] | None = None


class MissingElement(Reply, kw_only=True):
    """One thing that the law asks for and that is not there. ``element``: its id in the law file; ``basis``: where the
    law says so; ``pointer``: the field that supplies it; ``detail``: what to supply, a sentence."""

    element: str
    basis: str
    pointer: str
    detail: str


class NoticeEvent(Reply, kw_only=True):
    """One change of a notice, with the number of its audit leaf. ``actor``: an API key or the service."""

    at: Timestamp
    state: NoticeState
    actor: str
    detail: str
    leaf: int | None = None


class StrikeNotice(Reply, kw_only=True):
    """One document to one platform. ``notice_id`` is its ``delivery_id`` in ``/v1/deliveries`` too. ``tracking``: the
    strike's token with the notice's number, as it is quoted to the platform. ``deadline``: null until sent, and where
    the law has no hours; then ``follow_up_at`` says when to ask again. ``deadline_about``: it counts business days
    without holidays. ``form``: for the channel ``form``, what to copy into the platform's form. ``fault``: why the
    last attempt failed, in words."""

    notice_id: str
    platform: str
    platform_name: str
    kind: NoticeKind
    channel: NoticeChannel
    state: NoticeState
    tracking: str
    deadline: Timestamp | None = None
    deadline_basis: str | None = None
    deadline_about: bool = False
    follow_up_at: Timestamp | None = None
    sent_at: Timestamp | None = None
    reference: str | None = None
    decision: Decision | None = None
    missing: list[MissingElement] = []
    attempts: int = 0
    next_attempt_at: Timestamp | None = None
    fault: str | None = None
    form_url: str | None = None
    form: list[FormField] = []
    history: list[NoticeEvent] = []


class FormField(Reply, kw_only=True):
    """One field of a platform's form: what it is called, and what to copy into it."""

    label: str
    value: str


class WithdrawStrike(Request, kw_only=True):
    """POST ``.../strike/{tracking_token}/withdraw``."""

    reason: Annotated[str, msgspec.Meta(min_length=3, max_length=1000)]


class SignedDeclaration(Reply, kw_only=True):
    """The signed PDF. ``revision``: 1 as issued, one more for each PATCH before anything was sent."""

    sha256: str
    pdf_url: str
    revision: int
    pages: int


class StrikeEvidence(Reply, kw_only=True):
    """What the signature names. ``known``: whether this site has it; ``title`` and ``facts``: what it says of it, for
    people; ``proofs``: files of the bundle."""

    kind: EvidenceKind
    ref: str
    known: bool
    title: str
    facts: list[str] = []
    proofs: list[str] = []


class LawUsed(Reply, kw_only=True):
    """The law file as it was used. ``sha256``: of its folder; ``state``: the member state that was asked for, where a
    file serves several; ``signed_off``: whether a named person's sign-off holds today."""

    code: str
    title: str
    as_of: str
    review_due: str
    reviewed_by: str | None
    signed_off: bool
    sha256: str
    state: str | None = None


class Strike(Reply, kw_only=True):
    """A strike with all its notices."""

    strike_id: str
    tracking_token: str
    state: StrikeState
    declaration: SignedDeclaration
    notices: list[StrikeNotice]
    missing: list[MissingElement]
    warnings: list[str]
    timestamp: Timestamp
    target_compromise_signature: str
    enforcement_jurisdiction: str
    automated_dmca_dispatch: bool
    law: LawUsed
    evidence: StrikeEvidence
    node_id: str | None = None
    mandate: str | None = None
    """The knot id of the node's seal whose purpose is ``enforcement.mandate``."""
    content_urls: list[str] = []
    statement: str | None = None
    declarant: DeclarantShown | None = None
    work: WorkShown | None = None
    nature: str | None = None
    training: bool = False


class DeclarantShown(Reply, kw_only=True):
    """The declarant as recorded; ``attested_at``: when the attestation was recorded, by whose key."""

    name: str
    capacity: str
    attested: bool
    attested_at: Timestamp | None = None
    attested_by: str | None = None
    email: str | None = None
    postal_address: str | None = None
    phone: str | None = None


class WorkShown(Reply, kw_only=True):
    """The copyright work as recorded."""

    title: str
    owner: str
    description: str | None = None
    registration: str | None = None
    original_url: str | None = None
    sha256: str | None = None


class NoticeDraft(Reply, kw_only=True):
    """One notice as it would be: where it goes, what is missing, and its text."""

    platform: str
    platform_name: str
    kind: NoticeKind
    channel: NoticeChannel
    held: bool
    """Whether it would wait for a person although nothing is missing."""
    missing: list[MissingElement]
    text: str


class StrikePreview(Reply, kw_only=True):
    """POST ``.../strike/preview``: what a strike with this body would be. Nothing is stored or signed. ``present``:
    ids of the law's elements that are there, ``pdf``: the declaration, marked DRAFT, in base64."""

    law: LawUsed
    evidence: StrikeEvidence
    present: list[str]
    missing: list[MissingElement]
    warnings: list[str]
    notices: list[NoticeDraft]
    attestation: str
    """The sentence that the declarant attests."""
    pdf: str


class StrikeQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/action/strike``, newest first."""

    node_id: NodeId | None = None
    jurisdiction: Annotated[str, msgspec.Meta(max_length=16)] | None = None


class StrikeRow(Reply, kw_only=True):
    """A strike in a list."""

    strike_id: str
    tracking_token: str
    state: StrikeState
    enforcement_jurisdiction: str
    target_compromise_signature: str
    node_id: str | None
    notices: int
    open_notices: int
    next_deadline: Timestamp | None
    timestamp: Timestamp


class StrikePage(Reply, kw_only=True):
    """A page of strikes."""

    items: list[StrikeRow]
    next: str | None


class NoticeQuery(PageQuery, kw_only=True):
    """GET ``/v1/citadel/action/notices``: of all strikes, the most urgent first; ``open``: those that a person or the
    service still has to do something about, or the others."""

    open: bool = True
    platform: RegistryId | None = None


class NoticeRow(Reply, kw_only=True):
    """A notice in the board of all strikes."""

    strike_id: str
    tracking_token: str
    enforcement_jurisdiction: str
    created_at: Timestamp
    notice: StrikeNotice


class NoticePage(Reply, kw_only=True):
    """A page of notices."""

    items: list[NoticeRow]
    next: str | None


class LawElement(Reply, kw_only=True):
    """One element that the law asks for. ``pointers``: the fields that supply it; ``kinds``: of which documents."""

    id: str
    label: str
    basis: str
    pointers: list[str]
    kinds: list[NoticeKind]


class Jurisdiction(Reply, kw_only=True):
    """A law file. Engineering data with a date, no legal advice: ``reviewed_by`` names who signed it off, and without
    a sign-off that holds a production site sends nothing under it. ``hours``: of the deadline from ``sent``, by the
    nature of the content where the law tells them apart (key ``""``: every other)."""

    code: str
    title: str
    aliases: list[str]
    languages: list[str]
    in_force_from: str
    as_of: str
    review_due: str
    past_review: bool
    reviewed_by: str | None
    reviewed_on: str | None
    signed_off: bool
    sources: list[str]
    recipient: str
    elements: list[LawElement]
    attestation: str
    hours: dict[str, int]
    deadline_basis: str | None
    goal_hours: int | None
    follow_up_hours: int
    copyright_only: bool
    warnings: list[str]
    sha256: str
    overridden: bool
    """Whether the site's own files stand in place of the shipped ones; ``difference``: a unified diff between both."""
    difference: str = ""


class WatchedBill(Reply, kw_only=True):
    """A bill that is no law: it is never cited, and no code of it is taken."""

    code: str
    title: str
    note: str
    as_of: str


class JurisdictionList(Reply, kw_only=True):
    """GET ``/v1/citadel/action/jurisdictions``."""

    items: list[Jurisdiction]
    watch: list[WatchedBill]
