"""The site as a card's issuer: its certificates, kept over restarts, in the form that ``hardware.cards`` asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import cast, get_args
from uuid import NAMESPACE_URL, UUID, uuid5

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from sqlalchemy import insert, select, update

from app.capabilities.provisioning.issuer.authority import Issued, Root, SiteAuthority, Slot, make_root
from app.capabilities.provisioning.tables import site_certificate
from app.ledger.sidecar import SidecarSigner
from app.ledger.stamps.timestamp import StampAuthority
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys
from app.store.writer import Transaction
from hardware.cards import piv
from hardware.cards.cms import ContentSigner
from hardware.cards.profile import Profile

MADE = "provisioning.authority_made"


def open_authority(site: Site, store: Store, keys: Keys) -> tuple[SiteAuthority, x509.Certificate]:
    """The site's authority and its content signer's certificate, made at the first start. Blocks on the disk."""
    ca_key, signer_key = keys.p256("ca"), keys.p256("content-signer")

    def job(tx: Transaction) -> tuple[SiteAuthority, x509.Certificate]:
        now = datetime.fromtimestamp(tx.now_us // 1_000_000, UTC)
        kept = {row.name: row.certificate for row in tx.connection.execute(select(site_certificate))}

        def keep(name: str, certificate: x509.Certificate) -> x509.Certificate:
            der = certificate.public_bytes(serialization.Encoding.DER)
            tx.connection.execute(insert(site_certificate).values(name=name, certificate=der, made_us=tx.now_us))
            tx.audit(MADE, actor="service", detail={"name": name, "serial": f"{certificate.serial_number:x}"})
            return certificate

        if "root" in kept:
            root = x509.load_der_x509_certificate(kept["root"])
        else:
            root = keep("root", make_root(ca_key, training=site.training, site=site.origin("audit"), now=now))
        authority = SiteAuthority(Root(root, ca_key), training=site.training)
        if "content-signer" in kept:
            signer = x509.load_der_x509_certificate(kept["content-signer"])
        else:
            signer = keep("content-signer", authority.content_signer(signer_key.public_key()).certificate)
        return authority, signer

    return store.writer.submit(job).result()


def kept_certificate(
    store: Store, name: str, key: CertificatePublicKeyTypes, make: Callable[[], Issued]
) -> x509.Certificate:
    """The site's certificate ``name`` for ``key``, issued at the first start with that key. The one of a key that was
    replaced is kept under the name and its serial number. Blocks on the disk."""

    def job(tx: Transaction) -> x509.Certificate:
        kept = tx.connection.scalar(select(site_certificate.c.certificate).where(site_certificate.c.name == name))
        if kept is not None:
            certificate = x509.load_der_x509_certificate(kept)
            if certificate.public_key() == key:
                return certificate
            replaced = {"name": f"{name}.{certificate.serial_number:x}"}
            tx.connection.execute(update(site_certificate).where(site_certificate.c.name == name).values(replaced))
        made = make()
        tx.connection.execute(insert(site_certificate).values(name=name, certificate=made.der, made_us=tx.now_us))
        tx.audit(MADE, actor="service", detail={"name": name, "serial": f"{made.certificate.serial_number:x}"})
        return made.certificate

    return store.writer.submit(job).result()


def stamp_authority(site: Site, store: Store, keys: Keys, authority: SiteAuthority) -> StampAuthority:
    """The site's own time-stamp authority. Its policy is named by the site, for life."""
    key = keys.p256("tsa")
    public = key.public_key()
    certificate = kept_certificate(store, "time-stamps", public, lambda: authority.stamp_signer(public))
    policy = uuid5(NAMESPACE_URL, f"{site.name}/seal")
    return StampAuthority(certificate, key, f"2.25.{policy.int}", [authority.root.certificate])


def sidecar_signer(store: Store, keys: Keys, authority: SiteAuthority) -> SidecarSigner:
    """The signer of the site's C2PA manifests."""
    key = keys.ed25519("provenance")
    public = key.public_key()
    certificate = kept_certificate(store, "provenance", public, lambda: authority.provenance_signer(public))
    return SidecarSigner(key, [certificate, authority.root.certificate])


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
        """The last moment that a card may be valid to: its objects' signer must outlive it."""
        return min(self._signer.certificate.not_valid_after_utc, self._authority.root.certificate.not_valid_after_utc)

    def issue(self, slot: piv.Slot, public_key: piv.PublicKey, guid: UUID, profile: Profile) -> bytes:
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
        ).der
