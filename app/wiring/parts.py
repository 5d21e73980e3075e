"""What a capability is given: the site's platform, and what other capabilities offer through interfaces.

Capabilities do not import each other. What one needs of another it takes from an ``Offer`` of ``Parts``, typed by a
floor below both; the other one fills it. ``app.service.assembly`` wires in an order in which each offer is filled
before it is read, and one that is read too early says its name.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeVar

from cryptography import x509
from sqlalchemy import Connection

from app.api.context import Context
from app.approvals.service import Approvals
from app.biometrics.enrolments import Enrolments
from app.biometrics.service import Biometrics
from app.delivery.alarms import AlarmBook
from app.delivery.delivery_rows import DeliveryRows
from app.delivery.events import Burner, DoorTrace, EventBus, EvidenceSource, GrantHolder, PersonRecords
from app.delivery.notice_attempts import NoticeAttempts
from app.delivery.notices import Notices
from app.delivery.outbound import Outbound
from app.delivery.outbox import Outbox
from app.delivery.site_mail import SiteMail
from app.ledger.check.nightly import Nightly
from app.ledger.log.append import Ledger
from app.ledger.stamps.timestamp import StampAuthority
from app.ledger.witnesses.rounds import OnSealed
from app.ledger.witnesses.witnessing import Witnessing
from app.pki.authority import SiteAuthority
from app.pki.crl import RevocationLists
from app.pki.document_signer import DocumentSigner
from app.registry.service import Registry
from app.site.site import Site
from app.store.cursor import Cursors
from app.store.engine import Store
from app.store.keys import Keys
from hardware.cards.inprocess import InProcessBackend
from hardware.readers.fleet import ReaderFleet

T = TypeVar("T")

PcscUse = Literal["required", "off", "if-there"]
"""Whether a site works with card readers over PC/SC."""
SealsOf = Callable[[sqlite3.Connection, str], list[int]]
"""Where the seal log speaks of a node: indexes of its leaves."""
MandateOf = Callable[[Connection, str, str], str | None]
"""The knot id of a node's newest seal that holds and whose consent names a purpose."""
NewestSeal = Callable[[Connection, str], str | None]
"""The knot id of the node's newest seal that holds."""


class NotOffered(LookupError):
    """No capability has made this offer yet: wire the one that offers it earlier."""


class Offer(Generic[T]):
    """One thing that one capability offers and others need. Filled once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._value: T | None = None

    def fill(self, value: T) -> None:
        """Offer it. ``ValueError`` if it was offered before."""
        if self._value is not None:
            raise ValueError(f"{self._name} is offered twice")
        self._value = value

    def get(self) -> T:
        """What was offered. Raises ``NotOffered``."""
        if self._value is None:
            raise NotOffered(self._name)
        return self._value


@dataclass(frozen=True)
class Parts:
    """The platform of one site. ``content_signer`` is the certificate of the key that signs objects of cards."""

    site: Site
    pcsc: PcscUse
    keys: Keys
    ledger: Ledger
    store: Store
    cursors: Cursors
    context: Context
    bus: EventBus
    alarms: AlarmBook
    registry: Registry
    biometrics: Biometrics
    enrolments: Enrolments
    approvals: Approvals
    authority: SiteAuthority
    content_signer: x509.Certificate
    documents: DocumentSigner
    stamps: StampAuthority
    revocation_lists: RevocationLists
    outbound: Outbound
    delivery_rows: DeliveryRows
    outbox: Outbox
    notices: Notices
    notice_attempts: NoticeAttempts
    site_mail: SiteMail
    witnessing: Witnessing
    nightly: Nightly
    simulated_cards: InProcessBackend | None
    """The drawer's readers of a training site; None: a production site has none."""

    grant_holders: list[GrantHolder] = field(default_factory=list)
    """Every holder that was wired so far, in the order in which a burn asks them. The list grows while the site is
    wired: keep the list, not a copy."""
    personal_records: list[PersonRecords] = field(default_factory=list)
    """The keepers of personal data, in the order in which an erasure tells what stays. Grows likewise."""
    lasting: set[str] = field(default_factory=set)
    """Actions of audit entries that an erasure leaves whole. Grows likewise."""
    on_sealed: list[OnSealed] = field(default_factory=list)
    """Called inside the commit that makes seals of the seal log final."""
    evidence_sources: list[EvidenceSource] = field(default_factory=list)
    """What a strike asks for the evidence that it names. Grows likewise."""

    door_fleet: Offer[ReaderFleet] = field(default_factory=lambda: Offer("the fleet of door readers"))
    door_trace: Offer[DoorTrace] = field(default_factory=lambda: Offer("what doors decided"))
    burner: Offer[Burner] = field(default_factory=lambda: Offer("the burner"))
    newest_seal: Offer[NewestSeal] = field(default_factory=lambda: Offer("the newest seal of a node"))
    seals_of: Offer[SealsOf] = field(default_factory=lambda: Offer("the seals of a node"))
    mandate_of: Offer[MandateOf] = field(default_factory=lambda: Offer("the mandate of a node"))
