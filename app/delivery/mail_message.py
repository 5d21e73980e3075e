"""The mail that carries a notice: its MIME, its DKIM signature (RFC 6376), and the address that its bounces go to.

All of it is fixed when the notice is queued: ``Message-ID`` is ``<notice_id@domain>``, ``Date`` the time of queueing,
and equal input gives equal bytes. The envelope sender is ``bounce+<32 hex>.<mac>@domain``: of the notice's id, with the
first 10 bytes of HMAC-SHA256 under a key of the site over ``bounce/v1|`` and the id, in hexadecimal. So a report about
a notice that this site never sent is no report (``bounces.py``).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Final

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

from app.delivery.notice_content import MailContent, NoticeParcel

DKIM: Final = "dkim"
"""Purpose of the site's key that signs mail; RSA-2048, since receivers that read Ed25519 (RFC 8463) are few."""
BOUNCES: Final = "bounce"
"""Purpose of the secret in bounce addresses."""
SIGNED_HEADERS: Final = (
    "from",
    "from",
    "to",
    "subject",
    "date",
    "message-id",
    "reply-to",
    "mime-version",
    "content-type",
)
"""Signed headers (RFC 6376, 5.4). ``from`` stands twice and ``reply-to`` always: nobody adds one without breaking the
signature."""
_MAC_BYTES: Final = 10
_NOTICE_ID: Final = re.compile(r"ntc_([0-9a-f]{32})")
_BOUNCE: Final = re.compile(r"bounce\+([0-9a-f]{32})\.([0-9a-f]{20})")


@dataclass(frozen=True, slots=True)
class MailIdentity:
    """As whom the site sends mail. ``selector``: under which the public part of ``key`` stands in the DNS of
    ``domain``; ``bounce_secret``: of bounce addresses."""

    from_address: str
    domain: str
    selector: str
    key: RSAPrivateKey = field(repr=False)
    bounce_secret: bytes = field(repr=False)


def mail_content(
    identity: MailIdentity, notice_id: str, recipient: str, parcel: NoticeParcel, *, at_us: int
) -> MailContent:
    """The signed mail of a notice. ``notice_id``: ``ntc_`` and 32 hexadecimal digits; ``at_us``: Unix microseconds.
    ``ValueError`` where a header would not be one line."""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = identity.from_address
    mail["To"] = recipient
    mail["Subject"] = parcel.subject
    mail["Date"] = format_datetime(datetime.fromtimestamp(at_us // 1_000_000, UTC))
    mail["Message-ID"] = f"<{notice_id}@{identity.domain}>"
    if parcel.reply_to is not None:
        mail["Reply-To"] = parcel.reply_to
    mail.set_content(parcel.text, cte="quoted-printable")
    attached = (
        (parcel.pdf, "application", "pdf", "declaration.pdf"),
        (parcel.notice_json, "application", "json", "notice.json"),
        (parcel.notice_jws.encode(), "application", "jose", "notice.jws"),
    )
    for content, kind, subtype, name in attached:
        mail.add_attachment(content, kind, subtype, filename=name, cte="base64")
    # Python draws a boundary by chance; base64 and quoted-printable never hold this one.
    mail.set_boundary(f"=_{notice_id}")
    message = mail.as_bytes()
    return MailContent(bounce_address(identity, notice_id), recipient, signed_by_dkim(identity, message))


def signed_by_dkim(identity: MailIdentity, message: bytes) -> bytes:
    """The message with its ``DKIM-Signature`` before it: rsa-sha256, relaxed/relaxed."""
    # Here, because it loads a resolver of names: most starts of a service send no mail.
    import dkim

    pem = identity.key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    header: bytes = dkim.sign(
        message,
        identity.selector.encode("ascii"),
        identity.domain.encode("ascii"),
        pem,
        canonicalize=(b"relaxed", b"relaxed"),
        include_headers=[name.encode("ascii") for name in SIGNED_HEADERS],
    )
    return header + message


def selector_of(prefix: str, key: RSAPrivateKey) -> str:
    """The selector of a key: ``<prefix>-`` and 8 hexadecimal digits of the SHA-256 of its public part (DER). So a new
    key has a record of its own, and mail that is on its way still verifies by the old one."""
    return f"{prefix}-{hashlib.sha256(_public_der(key)).hexdigest()[:8]}"


def dns_record(domain: str, selector: str, key: RSAPrivateKey) -> tuple[str, str]:
    """Name and text of the TXT record (RFC 6376, 3.6.1) by which receivers verify."""
    public = base64.b64encode(_public_der(key)).decode()
    return f"{selector}._domainkey.{domain}", f"v=DKIM1; k=rsa; h=sha256; s=email; p={public}"


def _public_der(key: RSAPrivateKey) -> bytes:
    return key.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def bounce_address(identity: MailIdentity, notice_id: str) -> str:
    """Where reports about this notice go. ``ValueError`` for an id that is none."""
    named = _NOTICE_ID.fullmatch(notice_id)
    if named is None:
        raise ValueError(f"no id of a notice: {notice_id!r}")
    return f"bounce+{named[1]}.{_mac(identity.bounce_secret, notice_id)}@{identity.domain}"


def notice_of_bounce(secret: bytes, address: str) -> str | None:
    """The notice that a bounce address names; None where it is none, or its MAC is not ours. Servers on the way may
    have changed case."""
    named = _BOUNCE.fullmatch(address.partition("@")[0].lower())
    if named is None:
        return None
    notice_id = f"ntc_{named[1]}"
    return notice_id if hmac.compare_digest(named[2], _mac(secret, notice_id)) else None


def _mac(secret: bytes, notice_id: str) -> str:
    return hmac.digest(secret, b"bounce/v1|" + notice_id.encode("ascii"), "sha256")[:_MAC_BYTES].hex()
