"""The table of the site's own certificates."""

from __future__ import annotations

from app.store.tables import blob, integer, table, text

site_certificate = table(
    "site_certificate",
    text("name", primary_key=True),
    blob("certificate"),
    integer("made_us"),
)
"""Certificates that the site issued to itself: ``root``, ``content-signer``. Their keys are in the key store."""
