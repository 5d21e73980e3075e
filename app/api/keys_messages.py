"""What crosses the wire of ``/v1/keys``."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import PageQuery, RegistryId, Reply, Request, ShortText, Timestamp

KeyClearance = Literal["sovereign", "citadel"]


class CreateKey(Request, kw_only=True):
    """POST ``/v1/keys``. ``expires_at`` null: the key lives until it is revoked. ``approval_id``: an approval of the
    kind ``citadel_key`` for this label, which a Citadel key needs once the site has had two administrators."""

    label: ShortText
    clearance: KeyClearance
    expires_at: Timestamp | None = None
    approval_id: RegistryId | None = None


class KeyMade(Reply, kw_only=True):
    """A new key. ``key`` and ``webhook_secret`` are shown this once."""

    kid: str
    key: str
    webhook_secret: str


class RotateKey(Request, kw_only=True):
    """POST ``/v1/keys/{kid}/rotate``: seconds for which the old secret still opens; null is the site's setting
    (24 h), 0 ends it at once. ``approval_id``: an approval of the kind ``citadel_key`` for this kid, which another
    caller than the Citadel key itself needs once the site has had two administrators."""

    overlap_seconds: Annotated[int, msgspec.Meta(ge=0, le=604_800)] | None = None
    approval_id: RegistryId | None = None


class KeyRotated(Reply, kw_only=True):
    """The key's new secret, shown this once. The webhook secret stays as it is."""

    kid: str
    key: str
    previous_valid_until: Timestamp


class KeyRow(Reply, kw_only=True):
    """What is known of a key; never its secret. ``made_by``: the key or the operator that made it, ``key_launch`` for
    one that a console made with the key of its own service, null for the command line. ``line``: all others that could
    have its secret, since they made it or rotated it, or made or rotated one that did. Two keys whose lines meet never
    approve each other's requests."""

    kid: str
    label: str
    clearance: KeyClearance
    created_at: Timestamp
    expires_at: Timestamp | None = None
    last_used_at: Timestamp | None = None
    revoked_at: Timestamp | None = None
    previous_valid_until: Timestamp | None = None
    made_by: str | None
    line: list[str]


class KeyPage(Reply, kw_only=True):
    """Keys, newest first."""

    items: list[KeyRow]
    next: str | None = None


class KeyQuery(PageQuery, kw_only=True):
    """GET ``/v1/keys``. Revoked keys are listed only when asked for."""

    revoked: bool = False
