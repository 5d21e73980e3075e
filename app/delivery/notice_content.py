"""What a notice is made of, and the bytes that leave: fixed when it is queued, the same in every attempt.

A notice that waits for a person is kept as its ``NoticeParcel``. When it is queued it becomes a ``MailContent`` or an
``HttpsContent``, and what leaves later is that, byte by byte: a receiver that gets it twice sees one ``Message-ID``, or
one ``Idempotency-Key``.
"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass, field
from typing import Final

import msgspec

SUBJECT_LIMIT: Final = 500
"""Longest subject of a mail, in characters."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_MAIL_ADDRESS: Final = re.compile(r"[!#$%&'*+\-/0-9=?A-Z^_`a-z{|}~.]{1,64}@[A-Za-z0-9.-]{1,255}")


@dataclass(frozen=True, slots=True)
class NoticeParcel:
    """What a notice says. ``subject`` and ``text``: of a mail; ``pdf``, ``notice_json`` and ``notice_jws`` are attached
    to it, or posted as JSON; ``reply_to``: the declarant's mail address. ``ValueError`` where a header would not be one
    line."""

    subject: str
    text: str
    pdf: bytes
    notice_json: bytes
    notice_jws: str
    reply_to: str | None = None

    def __post_init__(self) -> None:
        if not self.subject or len(self.subject) > SUBJECT_LIMIT or _CONTROL.search(self.subject):
            raise ValueError(f"a subject is one line of at most {SUBJECT_LIMIT} characters")
        if self.reply_to is not None and not _MAIL_ADDRESS.fullmatch(self.reply_to):
            raise ValueError("reply_to is no mail address")


@dataclass(frozen=True, slots=True)
class PlatformAccess:
    """How a platform is called: ``secret`` is its bearer token, hidden from ``repr``; ``ca``: PEM certificates that TLS
    must end at, None: those of the system."""

    secret: str | None = field(repr=False)
    ca: str | None


class MailContent(msgspec.Struct, frozen=True):
    """A mail to the byte. ``sender`` and ``recipient``: of the envelope; ``message``: RFC 5322, signed."""

    sender: str
    recipient: str
    message: bytes


class HttpsContent(msgspec.Struct, frozen=True):
    """The body of a call to a platform, JSON to the byte."""

    body: bytes


class _HttpsNotice(msgspec.Struct, kw_only=True):
    """What is posted. ``notice_id`` is the ``Idempotency-Key``; ``jws`` signs ``notice``."""

    notice_id: str
    notice: msgspec.Raw
    jws: str
    declaration_pdf: str


def https_content(notice_id: str, parcel: NoticeParcel) -> HttpsContent:
    """What is posted to a platform. ``ValueError`` where ``notice_json`` is no JSON."""
    try:
        msgspec.json.decode(parcel.notice_json)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError("notice_json is no JSON") from error
    said = _HttpsNotice(
        notice_id=notice_id,
        notice=msgspec.Raw(parcel.notice_json),
        jws=parcel.notice_jws,
        declaration_pdf=base64.b64encode(parcel.pdf).decode(),
    )
    return HttpsContent(msgspec.json.encode(said))


def pack(content: NoticeParcel | MailContent | HttpsContent) -> bytes:
    """Content as its row holds it: MessagePack."""
    return msgspec.msgpack.encode(content)


def parcel_of(content: bytes) -> NoticeParcel:
    """The parcel that ``pack`` packed. ``ValueError`` where it is none."""
    return msgspec.msgpack.decode(content, type=NoticeParcel)


def mail_of(content: bytes) -> MailContent:
    """The mail that ``pack`` packed. ``ValueError`` where it is none."""
    return msgspec.msgpack.decode(content, type=MailContent)


def https_of(content: bytes) -> HttpsContent:
    """The call that ``pack`` packed. ``ValueError`` where it is none."""
    return msgspec.msgpack.decode(content, type=HttpsContent)


def digest_of(content: bytes) -> str:
    """SHA-256 of packed content, hexadecimal: as its row in ``delivery`` states it."""
    return hashlib.sha256(content).hexdigest()
