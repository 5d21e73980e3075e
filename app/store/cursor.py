"""Opaque paging cursors: a few values under a MAC, bound to the list and the query that they continue."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

import msgspec

from app.store.errors import BadCursor
from app.store.keys import Keys

_MAC: Final = 16
_LIMIT: Final = 1_024

Value = str | int | None


class Cursors:
    """Makes and reads cursors under a secret of the site (``Keys.secrets("cursor")``). Safe on any thread."""

    def __init__(self, secret: bytes, earlier: bytes | None = None) -> None:
        """``earlier``: the previous secret, whose cursors are still accepted."""
        self._secret = secret
        self._earlier = earlier

    @classmethod
    def of(cls, keys: Keys) -> Cursors:
        """Cursors under a site's newest secret and the one before it."""
        return cls(*keys.secrets("cursor")[:2])

    def encode(self, kind: str, values: Sequence[Value], *, query: bytes = b"") -> str:
        """A cursor of the list ``kind`` that carries ``values``; it can be read only with the same ``query`` bytes.

        At most 1,024 characters, base64url.
        """
        body = msgspec.json.encode(list(values))
        return base64.urlsafe_b64encode(_mac(self._secret, kind, query, body) + body).rstrip(b"=").decode()

    def decode(self, kind: str, cursor: str, *, query: bytes = b"") -> list[Value]:
        """The values of ``cursor``; ``BadCursor`` (a ``ValueError``) unless it is ours, of this list and query."""
        if len(cursor) > _LIMIT or not cursor.isascii():
            raise BadCursor("This cursor is not one of this list. Start again without it.")
        try:
            raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except ValueError:
            raw = b""
        mac, body = raw[:_MAC], raw[_MAC:]
        secrets = [self._secret] if self._earlier is None else [self._secret, self._earlier]
        if not any(hmac.compare_digest(mac, _mac(secret, kind, query, body)) for secret in secrets):
            raise BadCursor("This cursor is not one of this list and query. Start again without it.")
        return msgspec.json.decode(body, type=list[str | int | None])


def _mac(secret: bytes, kind: str, query: bytes, body: bytes) -> bytes:
    # Lengths keep kind, query and body apart; without them bytes could move from one to the next.
    head = f"arc-cursor/v1\n{len(kind)}:{kind}\n{len(query)}\n".encode()
    return hmac.new(secret, head + query + body, hashlib.sha256).digest()[:_MAC]
