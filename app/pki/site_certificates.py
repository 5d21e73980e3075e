"""Certificates that the site issued to itself, made at the first start and kept over restarts: root, content signer,
receipts, time stamps, content provenance. The keys are in the site's key store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from uuid import NAMESPACE_URL, uuid5

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from sqlalchemy import insert, select, update

from app.ledger.sidecar import SidecarSigner
from app.ledger.stamps.timestamp import StampAuthority
from app.pki.authority import Issued, Root, SiteAuthority, make_root
from app.pki.tables import site_certificate
from app.site.site import Site
from app.store.engine import Store
from app.store.keys import Keys
from app.store.writer import Transaction

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
        address = site.settings.public_address
        authority = SiteAuthority(Root(root, ca_key), training=site.training, address=address)
        if "content-signer" in kept:
            signer = x509.load_der_x509_certificate(kept["content-signer"])
        else:
            signer = keep("content-signer", authority.content_signer(signer_key.public_key()).certificate)
        return authority, signer

    return store.writer.submit(job).result()


def kept_certificates(store: Store) -> dict[str, x509.Certificate]:
    """The site's own certificates by name, as earlier starts made them. Only reads."""
    with store.read() as connection:
        rows = connection.execute(select(site_certificate)).all()
    return {row.name: x509.load_der_x509_certificate(row.certificate) for row in rows}


def ensure_site_certificate(
    store: Store,
    name: str,
    key: CertificatePublicKeyTypes,
    make: Callable[[], Issued],
    *,
    renew_before: timedelta | None = None,
) -> x509.Certificate:
    """The site's certificate ``name`` for ``key``, issued at the first start with that key, and anew when it ends in
    less than ``renew_before``. A replaced certificate is kept under ``name`` with its serial number appended. Blocks on
    the disk."""

    def job(tx: Transaction) -> x509.Certificate:
        kept = tx.connection.scalar(select(site_certificate.c.certificate).where(site_certificate.c.name == name))
        if kept is not None:
            certificate = x509.load_der_x509_certificate(kept)
            now = datetime.fromtimestamp(tx.now_us // 1_000_000, UTC)
            is_late = renew_before is not None and certificate.not_valid_after_utc - now < renew_before
            if certificate.public_key() == key and not is_late:
                return certificate
            replaced = {"name": f"{name}.{certificate.serial_number:x}"}
            tx.connection.execute(update(site_certificate).where(site_certificate.c.name == name).values(replaced))
        made = make()
        tx.connection.execute(insert(site_certificate).values(name=name, certificate=made.der, made_us=tx.now_us))
        tx.audit(MADE, actor="service", detail={"name": name, "serial": f"{made.certificate.serial_number:x}"})
        return made.certificate

    return store.writer.submit(job).result()


def stamp_authority(site: Site, store: Store, keys: Keys, authority: SiteAuthority) -> StampAuthority:
    """The site's own time-stamp authority. Its policy OID is derived from the site's name and never changes."""
    key = keys.p256("tsa")
    public = key.public_key()
    certificate = ensure_site_certificate(store, "time-stamps", public, lambda: authority.stamp_signer(public))
    policy = uuid5(NAMESPACE_URL, f"{site.name}/seal")
    return StampAuthority(certificate, key, f"2.25.{policy.int}", [authority.root.certificate])


def sidecar_signer(store: Store, keys: Keys, authority: SiteAuthority) -> SidecarSigner:
    """The signer of the site's C2PA manifests."""
    key = keys.ed25519("provenance")
    public = key.public_key()
    certificate = ensure_site_certificate(store, "provenance", public, lambda: authority.provenance_signer(public))
    return SidecarSigner(key, [certificate, authority.root.certificate])
