"""The document signer of an earlier start is found without a write."""

from __future__ import annotations

from pathlib import Path

from app.console.connection.statement import KnownSite, judged_statement
from app.pki.document_signer import DocumentSigner
from app.pki.site_certificates import open_authority
from app.pki.site_statement import introduction_of
from tests.door_site import DoorSite, door_site


def test_only_a_signer_that_was_made_is_found(tmp_path: Path) -> None:
    """None, and nothing is made, before its first start; then it states the same site as the one that made it."""
    with door_site(tmp_path / "site") as site:
        assert DocumentSigner.find(site.store, site.keys) is None
        authority, _ = open_authority(site.site, site.store, site.keys)
        assert DocumentSigner.find(site.store, site.keys) is None
        assert not site.keys.ed25519s("receipt")
        made = DocumentSigner.open(site.store, site.keys, authority)
        found = DocumentSigner.find(site.store, site.keys)
        assert found is not None
        assert known_by(site, found) == known_by(site, made)


def known_by(site: DoorSite, documents: DocumentSigner) -> KnownSite:
    """The site that this signer states."""
    return judged_statement(introduction_of(site.site, documents)()[1])
