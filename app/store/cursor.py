"""Lists that are read page by page: opaque cursors (a few values under a MAC, bound to the list and the query that they
continue), and the page that they lead to."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import Column, ColumnElement, Connection, Row, Select, and_, or_

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

    def page(
        self,
        connection: Connection,
        wanted: Select[Any],
        kind: str,
        key: Sequence[Column[Any]],
        *,
        limit: int,
        cursor: str | None,
        query: bytes = b"",
        rising: bool = False,
    ) -> tuple[Sequence[Row[Any]], str | None]:
        """At most ``limit`` rows of ``wanted`` that follow ``cursor`` (None: from the start), and the cursor of the
        next page, None after the last.

        ``key``: selected columns of integers or text that no two rows have alike; they order the list, greatest first
        unless ``rising``. ``query``: bytes of everything that narrows ``wanted``; a cursor continues the list ``kind``
        under the same ``query`` alone. Raises ``BadCursor`` as ``decode`` does.
        """
        wanted = wanted.order_by(*(column if rising else column.desc() for column in key)).limit(limit + 1)
        if cursor is not None:
            last = self.decode(kind, cursor, query=query)
            if [type(value) for value in last] != [column.type.python_type for column in key]:
                raise BadCursor("This cursor is not one of this list. Start again without it.")
            wanted = wanted.where(_beyond(key, last, rising))
        rows = connection.execute(wanted).all()
        if len(rows) <= limit:
            return rows, None
        rows = rows[:limit]
        return rows, self.encode(kind, [rows[-1]._mapping[column] for column in key], query=query)


def _beyond(key: Sequence[Column[Any]], last: Sequence[Value], rising: bool) -> ColumnElement[bool]:
    """Rows that come after ``last`` in the order of ``key``, compared as tuples are."""
    column, value = key[0], last[0]
    beyond = column > value if rising else column < value
    if len(key) == 1:
        return beyond
    return or_(beyond, and_(column == value, _beyond(key[1:], last[1:], rising)))


def _mac(secret: bytes, kind: str, query: bytes, body: bytes) -> bytes:
    # Lengths keep kind, query and body apart; without them bytes could move from one to the next.
    head = f"arc-cursor/v1\n{len(kind)}:{kind}\n{len(query)}\n".encode()
    return hmac.new(secret, head + query + body, hashlib.sha256).digest()[:_MAC]
