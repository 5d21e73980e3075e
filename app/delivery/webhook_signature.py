"""Signatures of Standard Webhooks 1.0 (standardwebhooks.com): what proves to a receiver who sent a call.

Signed are the bytes ``webhook-id`` ``.`` ``webhook-timestamp`` ``.`` body. ``v1`` is HMAC-SHA256 under a secret that
both sides have (``whsec_``), ``v1a`` Ed25519 under a key of the site whose public part is ``whpk_``. One header carries
them all, separated by blanks: a receiver takes the call if one of them holds.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Sequence
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

SECRET_PREFIX: Final = "whsec_"  # noqa: S105 -- a prefix of the standard, no secret
PUBLIC_PREFIX: Final = "whpk_"
SHORTEST: Final = 24
"""Bytes of a shared secret at least."""


def read_secret(text: str) -> bytes:
    """The bytes of a secret written as ``whsec_`` and base64, padded or not. ``ValueError`` if it is none, or shorter
    than ``SHORTEST``."""
    if not text.startswith(SECRET_PREFIX):
        raise ValueError(f"it does not begin with {SECRET_PREFIX}")
    digits = text.removeprefix(SECRET_PREFIX)
    secret = base64.b64decode(digits + "=" * (-len(digits) % 4), validate=True)
    if len(secret) < SHORTEST:
        raise ValueError(f"it has fewer than {SHORTEST} bytes")
    return secret


def public_text(key: Ed25519PublicKey) -> str:
    """A public key as receivers are given it: ``whpk_`` and base64 of its 32 bytes."""
    return PUBLIC_PREFIX + base64.b64encode(key.public_bytes_raw()).decode()


def signed_headers(
    message_id: str, at_s: int, body: bytes, *, secret: bytes | None, keys: Sequence[Ed25519PrivateKey] = ()
) -> dict[str, str]:
    """The headers of one attempt, the content type among them. ``message_id`` stays the same in each repeat; ``at_s``:
    Unix seconds of this attempt; ``body``: JSON. A signature for ``secret``, where there is one, and for each of
    ``keys``. ``ValueError`` if nobody signs."""
    signed = b".".join((message_id.encode("ascii"), b"%d" % at_s, body))
    signatures = [] if secret is None else [f"v1,{_base64(hmac.digest(secret, signed, 'sha256'))}"]
    signatures += [f"v1a,{_base64(key.sign(signed))}" for key in keys]
    if not signatures:
        raise ValueError("nobody signs this call")
    return {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(at_s),
        "webhook-signature": " ".join(signatures),
    }


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
