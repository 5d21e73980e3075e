"""The site as the issuer that ``hardware.cards`` asks for: certificates for keys made on cards, and the content
signer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import cast, get_args
from uuid import UUID

from cryptography import x509

from app.pki.authority import NO_LOGON, LogonClaims, SiteAuthority, Slot
from app.store.keys import Keys
from hardware.cards import piv
from hardware.cards.cms import ContentSigner
from hardware.cards.profile import Profile


class CardIssuer:
    """Implements ``hardware.cards.profile.CertificateIssuer``. Safe on any thread."""

    def __init__(self, authority: SiteAuthority, signer: x509.Certificate, keys: Keys) -> None:
        self._authority = authority
        self._signer = ContentSigner.of(keys.p256("content-signer"), signer)

    @property
    def authorities(self) -> Sequence[x509.Certificate]:
        """The root alone: there are no intermediates."""
        return (self._authority.root.certificate,)

    @property
    def content_signer(self) -> ContentSigner:
        """Signs CHUID and security object."""
        return self._signer

    @property
    def latest_end(self) -> datetime:
        """The last moment to which a card may be valid: content signer and root must outlive it."""
        return min(self._signer.certificate.not_valid_after_utc, self._authority.root.certificate.not_valid_after_utc)

    def issue(
        self,
        slot: piv.Slot,
        public_key: piv.PublicKey,
        guid: UUID,
        profile: Profile,
        logon: LogonClaims = NO_LOGON,
    ) -> bytes:
        """DER certificate for a key made on the card."""
        if slot.label not in get_args(Slot):
            raise ValueError(f"no certificate profile for slot {slot.label}")
        return self._authority.card_certificate(
            cast(Slot, slot.label),
            public_key,
            node_id=profile.node_id,
            display_name=profile.display_name,
            guid=guid,
            not_after=profile.expires,
            logon=logon,
        ).der
