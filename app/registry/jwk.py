"""Public JSON Web Keys of units and terminals: checked once when registered, named by their thumbprint."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import overload

from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from app.api.wire import base64url_text
from app.registry.messages.jwk import EcJwk, EncryptionJwk, Jwk

PublicKey = ec.EllipticCurvePublicKey | ed25519.Ed25519PublicKey


def _number(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@overload
def public_key(jwk: EcJwk | EncryptionJwk) -> ec.EllipticCurvePublicKey: ...
@overload
def public_key(jwk: Jwk | EncryptionJwk) -> PublicKey: ...
def public_key(jwk: Jwk | EncryptionJwk) -> PublicKey:
    """The key of RFC 7517 ``jwk``: EC P-256 or Ed25519. ``ValueError`` for a point that is not on the curve."""
    if isinstance(jwk, EcJwk | EncryptionJwk):
        x, y = (int.from_bytes(_number(part), "big") for part in (jwk.x, jwk.y))
        return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    return ed25519.Ed25519PublicKey.from_public_bytes(_number(jwk.x))


def required_members(jwk: Jwk) -> dict[str, str]:
    """The members that name the key (RFC 7638, section 3.2), in lexical order."""
    if isinstance(jwk, EcJwk):
        return {"crv": jwk.crv, "kty": "EC", "x": jwk.x, "y": jwk.y}
    return {"crv": jwk.crv, "kty": "OKP", "x": jwk.x}


def thumbprint(jwk: Jwk) -> str:
    """SHA-256 thumbprint of the key in base64url (RFC 7638): the same for the same key, however it was written."""
    canonical = json.dumps(required_members(jwk), separators=(",", ":")).encode()
    return base64url_text(hashlib.sha256(canonical).digest())
