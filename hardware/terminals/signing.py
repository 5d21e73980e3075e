"""A terminal's signatures: Ed25519 (RFC 8032) or ES256 (RFC 7518, section 3.4), 64 bytes either way."""

from __future__ import annotations

from typing import Final, TypeAlias

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import (
    ECDSA,
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

SigningKey: TypeAlias = Ed25519PrivateKey | EllipticCurvePrivateKey
VerifyingKey: TypeAlias = Ed25519PublicKey | EllipticCurvePublicKey

SIGNATURE_BYTES: Final = 64
_COORDINATE_BYTES: Final = SIGNATURE_BYTES // 2


def signature(text: bytes | bytearray | memoryview, key: SigningKey) -> bytes:
    """The 64 bytes by ``key`` over ``text`` (ES256: r, s). ValueError for a key that is neither Ed25519 nor P-256."""
    if isinstance(key, Ed25519PrivateKey):
        return key.sign(text)
    _check_curve(key)
    r, s = decode_dss_signature(key.sign(text, ECDSA(SHA256())))
    return r.to_bytes(_COORDINATE_BYTES, "big") + s.to_bytes(_COORDINATE_BYTES, "big")


def check_signature(signed: bytes, text: bytes | bytearray | memoryview, key: VerifyingKey) -> None:
    """Raises ``InvalidSignature`` unless ``signed`` is of ``key`` over ``text``, ValueError for a key that is neither
    Ed25519 nor P-256."""
    if isinstance(key, Ed25519PublicKey):
        key.verify(signed, text)
        return
    _check_curve(key)
    if len(signed) != SIGNATURE_BYTES:
        raise InvalidSignature
    r, s = (int.from_bytes(signed[at : at + _COORDINATE_BYTES], "big") for at in (0, _COORDINATE_BYTES))
    key.verify(encode_dss_signature(r, s), text, ECDSA(SHA256()))


def _check_curve(key: EllipticCurvePrivateKey | EllipticCurvePublicKey) -> None:
    if not isinstance(getattr(key, "curve", None), SECP256R1):  # other kinds of key have no curve
        raise ValueError("a terminal signs with Ed25519 or with P-256")
