"""Tables of the site's own certificates and of its revocation lists."""

from __future__ import annotations

from app.store.tables import blob, integer, table, text

site_certificate = table(
    "site_certificate",
    text("name", primary_key=True),
    blob("certificate"),
    integer("made_us"),
)
"""Certificates that the site issued to itself: ``root``, ``content-signer``. Their keys are in the key store."""

revocation_list = table(
    "revocation_list",
    integer("number", primary_key=True),
    integer("made_us"),
    integer("this_us"),
    integer("next_us"),
    text("entries_sha256"),
    integer("entries"),
    text("sha256"),
    blob("crl"),
)
"""Revocation lists (CRL) that may still be believed, and the newest one in any case. ``crl`` is DER and ``sha256`` its
digest, as its leaf says; ``entries_sha256``: of serial numbers with their reasons, so that a list is signed anew
exactly when these differ. ``next_us``: until when it may be believed."""
