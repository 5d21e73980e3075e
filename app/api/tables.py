"""Tables of the API itself: keys, their digests, kept replies."""

from __future__ import annotations

from sqlalchemy import ForeignKey, Index

from app.store.tables import blob, integer, table, text

api_key = table(
    "api_key",
    text("kid", primary_key=True),
    text("label"),
    text("clearance"),
    integer("created_us"),
    integer("expires_us", nullable=True),
    integer("revoked_us", nullable=True),
    integer("last_used_us", nullable=True),
    blob("webhook_secret"),
    text("made_by", nullable=True),
)
"""One API key. ``clearance`` is ``sovereign`` or ``citadel``; ``webhook_secret`` is sealed (purpose ``webhook``,
context the kid). ``made_by``: the key that made it, null for the command line (``lineage.py``). A revoked key keeps its
row: leaves name it, and lines go through it."""

Index(None, api_key.c.created_us, api_key.c.kid)

api_key_secret = table(
    "api_key_secret",
    blob("digest", primary_key=True),
    text("kid", ForeignKey(api_key.c.kid)),
    integer("created_us"),
    integer("not_after_us", nullable=True),
    text("made_by", nullable=True),
)
"""HMAC-SHA256 of each secret under the pepper. Rotation gives the old one a ``not_after_us``. ``made_by``: the key to
which the secret was shown, null for the command line. The row of a secret that ended stays: lines go through it."""

Index(None, api_key_secret.c.kid)

api_reply = table(
    "api_reply",
    blob("slot", primary_key=True),
    blob("fingerprint"),
    integer("status"),
    text("media_type"),
    blob("body", nullable=True),
    integer("created_us"),
)
"""First replies under an ``Idempotency-Key``. ``slot`` names key id and idempotency key, ``fingerprint`` the request;
a null body is a reply that carried a secret and was not kept, or one that told of somebody who was erased."""

Index(None, api_reply.c.created_us)
