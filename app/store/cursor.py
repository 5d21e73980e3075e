"""Opaque paging cursors: a few values under a MAC, bound to the list and the query that they continue."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

import msgspec

from app.store.errors import BadCursor

_MAC: Final = 16
_LIMIT: Final = 1_024

Value = str | int | None


class Cursors:
    """Makes and reads cursors with one secret of the site (``Keys.secret("cursor")``). Safe on any thread."""

    def __init__(self, secret: bytes) -> None:
        self._secret = secret

    def encode(self, kind: str, values: Sequence[Value], *, query: bytes = b"") -> str:
        """A cursor of list ``kind`` that carries ``values``; it is read back only with the same ``query`` bytes.

        At most 1,024 characters, base64url.
        """
        body = msgspec.json.encode(list(values))
        return base64.urlsafe_b64encode(self._mac(kind, query, body) + body).rstrip(b"=").decode()

    def decode(self, kind: str, cursor: str, *, query: bytes = b"") -> list[Value]:
        """The values of ``cursor``; ``BadCursor`` (a ``ValueError``) unless it is ours, of this list and query."""
        if len(cursor) > _LIMIT or not cursor.isascii():
            raise BadCursor("This cursor is not one of this list. Start again without it.")
        try:
            raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except ValueError:
            raw = b""
        mac, body = raw[:_MAC], raw[_MAC:]
        if not hmac.compare_digest(mac, self._mac(kind, query, body)):
            raise BadCursor("This cursor is not one of this list and query. Start again without it.")
        return msgspec.json.decode(body, type=list[str | int | None])

    def _mac(self, kind: str, query: bytes, body: bytes) -> bytes:
        # Lengths keep kind, query and body apart; without them bytes could move from one to the next.
        head = f"arc-cursor/v1\n{len(kind)}:{kind}\n{len(query)}\n".encode()
        return hmac.new(self._secret, head + query + body, hashlib.sha256).digest()[:_MAC]
