"""Bases of everything that crosses the wire. Imports msgspec alone, so that the client may use the messages.

Every message declares ``kw_only=True`` itself: msgspec does not inherit it. Patterns end in ``\\Z``, never ``$``, and
name their digits ``[0-9]``: Python's ``$`` lets a line break through and its ``\\d`` every script's digits. The OpenAPI
document says ``$`` where a pattern says ``\\Z``.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime, timedelta
from typing import Annotated

import msgspec

NodeId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{2,63}\Z", description="ARC-Node ID")]
"""Identifier of a protected identity; the same shape serves server frames (contract.md, section 1)."""

RegistryId = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}\Z")]
"""Identifier of a registry row that is no node: cluster, profile, unit, peer."""

ShortText = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
LongText = Annotated[str, msgspec.Meta(min_length=1, max_length=4000)]
_DAY = "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
_LEAP_YEAR = "([1-9][0-9](0[48]|[2468][048]|[13579][26])|([2468][048]|[13579][26])00)"
Base64 = Annotated[
    msgspec.Raw, msgspec.Meta(extra_json_schema={"type": "string", "contentEncoding": "base64", "maxLength": 65_536})
]
"""A field of a secret body: a view of the JSON text as it came, never a ``str``. ``app.api.secret.decoded`` reads
it."""

Timestamp = Annotated[
    str,
    msgspec.Meta(
        pattern=rf"^([1-9][0-9]{{3}}-{_DAY}|{_LEAP_YEAR}-02-29)T([01][0-9]|2[0-3])(:[0-5][0-9]){{2}}(\.[0-9]{{1,6}})?Z\Z",
        max_length=27,
    ),
]
"""RFC 3339 in UTC with ``Z``, years 1000 to 9999: every text that fits is a time of the calendar."""

PageLimit = Annotated[int, msgspec.Meta(ge=1, le=500)]


class Request(msgspec.Struct, forbid_unknown_fields=True):
    """Base of request bodies and query parameters: a field that it does not know is refused (422)."""


class Reply(msgspec.Struct):
    """Base of reply bodies: readers skip fields that they do not know, so replies may grow."""


class NoBody(Request):
    """The empty object, for a POST that carries nothing."""


class PageQuery(Request, kw_only=True):
    """Keyset paging: ``limit`` rows, from the opaque signed ``cursor`` of the page before."""

    limit: PageLimit = 100
    cursor: Annotated[str, msgspec.Meta(max_length=1024)] | None = None


class ListQuery(PageQuery, kw_only=True):
    """Paging with a search text (case-insensitive, anywhere in the identifier or the name)."""

    q: Annotated[str, msgspec.Meta(max_length=200)] | None = None


class SecretState(Reply, kw_only=True):
    """What a reader learns of a stored secret: whether there is one and since when, never the secret."""

    set: bool
    changed_at: Timestamp | None = None


class FieldError(Reply, kw_only=True):
    """One wrong field of a request: JSON pointer (RFC 6901) and what is wrong with it."""

    pointer: str
    detail: str


class ProblemBody(Reply, kw_only=True):
    """``application/problem+json`` (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    request_id: str
    errors: list[FieldError] = []


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def rfc3339(at_us: int) -> str:
    """``Timestamp`` of Unix microseconds: always six decimals, so that texts sort as times do. Exact (no floats)."""
    return (_EPOCH + timedelta(microseconds=at_us)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def unix_us(text: Timestamp) -> int:
    """Unix microseconds of a ``Timestamp``, exact."""
    return (datetime.fromisoformat(text) - _EPOCH) // timedelta(microseconds=1)


def base64_text(data: bytes | None) -> str | None:
    """Bytes of a reply as base64 with padding; None stays None."""
    return None if data is None else base64.b64encode(data).decode()


def base64url_text(data: bytes) -> str:
    """Bytes as base64url without padding (RFC 7515, section 2)."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
