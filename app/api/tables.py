"""Tables of the API itself: keys, their digests, operators, kept replies."""

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

operator = table(
    "operator",
    text("operator_id", primary_key=True),
    text("display_name"),
    text("node_id", nullable=True),
    text("roles"),
    text("methods"),
    text("subject", nullable=True),
    text("state"),
    integer("admin_us", nullable=True),
    text("tags"),
    text("search"),
    integer("created_us"),
    integer("changed_us"),
)
"""A person at the desk. ``roles`` and ``methods`` are JSON lists of text, ``state`` is ``active`` or ``ended``;
``admin_us``: when the operator became an administrator for the first time. An operator who ended keeps the row: leaves
name it, and lines go through it."""

Index(None, operator.c.search, operator.c.operator_id)
Index(None, operator.c.node_id)

operator_hand = table(
    "operator_hand",
    text("operator_id", ForeignKey(operator.c.operator_id), primary_key=True),
    text("hand", primary_key=True),
    integer("since_us"),
)
"""Who could sign in as the operator (``lineage.py``): the key or the operator that made it, or that changed by itself
what it is recognized by. A row never goes."""

operator_passphrase = table(
    "operator_passphrase",
    text("operator_id", ForeignKey(operator.c.operator_id), primary_key=True),
    blob("sealed"),
    integer("set_us"),
)
"""What a passphrase is compared with (``app/operators/passphrases.py``): sealed, purpose ``operator``."""

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
