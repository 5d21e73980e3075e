"""What fsck finds in a site's revocation log."""

from __future__ import annotations

from cryptography import x509
from sqlalchemy import select

from app.capabilities.burn.fsck import check_segments
from app.ledger.check.fsck import CheckedLog
from app.pki.tables import site_certificate
from tests.door_site import DoorSite


def site_root(site: DoorSite) -> x509.Certificate:
    """The root that the site made."""
    with site.store.read() as connection:
        der = connection.scalar(select(site_certificate.c.certificate).where(site_certificate.c.name == "root"))
    assert der is not None
    return x509.load_der_x509_certificate(der)


def found_in(site: DoorSite) -> list[str]:
    """Its findings."""

    def nodes() -> None:
        raise AssertionError("segments are of no tree")

    with site.store.snapshot() as raw:
        return [finding.what for finding in check_segments([site_root(site)], raw, CheckedLog(0, nodes))]
