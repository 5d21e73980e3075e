"""How HR systems sign their calls: who sent these bytes, when, and under which name they are remembered.

Pure functions of bytes from outside. Every comparison of a secret takes the same time for every input; every cause of
a refusal is one word for the audit log. Sources: standardwebhooks.com (specification 1.0), BambooHR's webhook
documentation (hex HMAC-SHA256 over body and timestamp), RFC 6750 and RFC 7617 for the two schemes with a plain secret.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from standardwebhooks import Webhook, WebhookVerificationError

from app.api.operation import Unsigned
from app.registry.hr_sources import HrSourceRow
from app.registry.messages.hr_sources import HrScheme

TOLERANCE_S = 300
"""How far the signed time may be from this machine's, either way; also what ``standardwebhooks`` allows."""
HEADERS = (
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
    "X-BambooHR-Signature",
    "X-BambooHR-Timestamp",
    "Authorization",
)
"""Fields that a signature may stand in."""

_ID = re.compile(r"[!-~]{1,256}")
_SECONDS = re.compile(r"[0-9]{1,12}")
_HEX = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class SignedCall:
    """A call that a source signed. ``key`` names it for ever among the calls of its source; None where neither an id
    nor a time was sent, and the body alone has to. ``at_s``: Unix seconds that were signed or sent, None if none."""

    key: str | None
    at_s: int | None


Judge = Callable[[Sequence[bytes], Mapping[str, str], bytes, float], SignedCall]


def judge(source: HrSourceRow, headers: Mapping[str, str], body: bytes, now_s: float) -> SignedCall:
    """What ``source`` signed. ``headers``: lower-case names. ``Unsigned`` with ``missing``, ``stale`` or
    ``signature``."""
    return _JUDGES[source.scheme](source.keys, headers, body, now_s)


def _standard(keys: Sequence[bytes], headers: Mapping[str, str], body: bytes, now_s: float) -> SignedCall:
    """Standard Webhooks: HMAC-SHA256 over id, time and body."""
    sent_id, sent_at = headers.get("webhook-id"), headers.get("webhook-timestamp")
    signature = headers.get("webhook-signature")
    if sent_id is None or sent_at is None or signature is None:
        raise Unsigned("missing")
    at_s = _fresh(sent_at, now_s)
    if _ID.fullmatch(sent_id) is None:
        raise Unsigned("signature")
    known = {"webhook-id": sent_id, "webhook-timestamp": sent_at, "webhook-signature": signature}
    for key in keys:
        if _verifies(key, known, body):
            return SignedCall(f"id:{sent_id}", at_s)
    raise Unsigned("signature")


def _verifies(key: bytes, headers: dict[str, str], body: bytes) -> bool:
    try:
        Webhook(key).verify(body, headers, json_parse=False)
    except (WebhookVerificationError, ValueError):
        # The library lets a list without a comma, bad base64 and a body that is no UTF-8 out as ValueError.
        return False
    return True


def _bamboohr(keys: Sequence[bytes], headers: Mapping[str, str], body: bytes, now_s: float) -> SignedCall:
    """BambooHR: hex HMAC-SHA256 over body and time."""
    signature, sent_at = headers.get("x-bamboohr-signature"), headers.get("x-bamboohr-timestamp")
    if signature is None or sent_at is None:
        raise Unsigned("missing")
    at_s = _fresh(sent_at, now_s)
    if _HEX.fullmatch(signature) is None:
        raise Unsigned("signature")
    given = bytes.fromhex(signature)
    signed = body + sent_at.encode()
    if not any(hmac.compare_digest(hmac.digest(key, signed, "sha256"), given) for key in keys):
        raise Unsigned("signature")
    # Any other name that came with it (webhook-id) is not under the signature.
    return SignedCall(_digest(sent_at.encode() + b"\n" + body), at_s)


def _header(keys: Sequence[bytes], headers: Mapping[str, str], body: bytes, now_s: float) -> SignedCall:
    given = _authorization(headers)
    scheme, _, rest = given.partition(b" ")
    if scheme.lower() == b"bearer":
        given = rest.strip()
    return _plain(keys, given, headers, body, now_s)


def _basic(keys: Sequence[bytes], headers: Mapping[str, str], body: bytes, now_s: float) -> SignedCall:
    scheme, _, rest = _authorization(headers).partition(b" ")
    if scheme.lower() != b"basic":
        raise Unsigned("missing")
    try:
        given = base64.b64decode(rest.strip(), validate=True)
    except binascii.Error:
        raise Unsigned("signature") from None
    return _plain(keys, given, headers, body, now_s)


def _authorization(headers: Mapping[str, str]) -> bytes:
    given = headers.get("authorization")
    if given is None:
        raise Unsigned("missing")
    return given.encode("latin-1")


def _plain(keys: Sequence[bytes], given: bytes, headers: Mapping[str, str], body: bytes, now_s: float) -> SignedCall:
    if not any(hmac.compare_digest(key, given) for key in keys):
        raise Unsigned("signature")
    sent_id, sent_at = headers.get("webhook-id"), headers.get("webhook-timestamp")
    at_s = None if sent_at is None else _fresh(sent_at, now_s)
    if sent_id is not None and _ID.fullmatch(sent_id) is not None:
        return SignedCall(f"id:{sent_id}", at_s)
    return SignedCall(None if sent_at is None else _digest(sent_at.encode() + b"\n" + body), at_s)


def _fresh(text: str, now_s: float) -> int:
    if _SECONDS.fullmatch(text) is None:
        raise Unsigned("stale")
    at_s = int(text)
    if abs(now_s - at_s) > TOLERANCE_S:
        raise Unsigned("stale")
    return at_s


def _digest(data: bytes) -> str:
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


_JUDGES: Mapping[HrScheme, Judge] = {
    "standard-webhooks": _standard,
    "bamboohr": _bamboohr,
    "header": _header,
    "basic": _basic,
}
