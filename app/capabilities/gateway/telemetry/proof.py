"""``enclave_sig``: a proof of possession in the shape of DPoP (RFC 9449), signed by a unit's registered key.

Everything about a proof is checked here except its single use, which needs the store (ledger.md, section 9). A proof is
a credential for a minute: it is never logged and never part of a message. ``gateway/README.md`` has the format.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from typing import Annotated, Literal
from urllib.parse import urlsplit

import msgspec
from joserfc.jwk import ECKey, OKPKey

from app.api.wire import base64url_text
from app.capabilities.gateway.compact import COMPACT_MAX, CompactInvalid, Key, claims_of, header_of
from app.registry.jwk import required_members, thumbprint
from app.registry.messages.jwk import EcJwk, Jwk

SKEW_S = 60
"""A proof's ``iat`` is at most this far from now, on either side."""
_PORTS = {"http": 80, "https": 443}


class ProofInvalid(Exception):
    """The proof does not hold. The text names the part that fails, and never repeats any of the proof."""


class _ProofHeader(msgspec.Struct):
    """An unknown member that would change the meaning (``crit``) is refused; others are skipped."""

    typ: Literal["dpop+jwt"]
    alg: Literal["ES256", "Ed25519", "EdDSA"]
    jwk: Jwk
    crit: msgspec.UnsetType = msgspec.UNSET


class _Claims(msgspec.Struct):
    htm: Annotated[str, msgspec.Meta(max_length=16)]
    htu: Annotated[str, msgspec.Meta(max_length=2048)]
    iat: Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
    jti: Annotated[str, msgspec.Meta(min_length=8, max_length=256)]
    ath: Annotated[str, msgspec.Meta(max_length=64)] | None = None


@dataclass(frozen=True)
class EnclaveProof:
    """A proof that holds. ``digest``, SHA-256 of the key's thumbprint and the ``jti``, names it for its single use."""

    digest: bytes
    iat: int


def verify(
    text: str, *, registered: Jwk, method: str, url: str, now_s: float, access_token: str | None = None
) -> EnclaveProof:
    """The proof in ``text`` for ``method`` and ``url`` (without query) by the ``registered`` key. ``ProofInvalid``.

    ``access_token`` is the API key of the call: where the proof names one (``ath``), it must be this.
    """
    if len(text) > COMPACT_MAX or not text.isascii():
        raise ProofInvalid(f"The proof is longer than {COMPACT_MAX} characters or not ASCII.")
    try:
        header = header_of(text, _ProofHeader)
    except CompactInvalid as error:
        raise ProofInvalid(
            "The proof's header must be typ dpop+jwt, alg ES256 or Ed25519 and the public jwk alone."
        ) from error
    if not hmac.compare_digest(thumbprint(header.jwk), thumbprint(registered)):
        raise ProofInvalid("The proof is signed by another key than the unit's registered one.")
    if (header.alg == "ES256") != isinstance(registered, EcJwk):
        raise ProofInvalid("The proof's algorithm does not fit the unit's key.")
    try:
        claims = claims_of(text, _key(registered), _Claims)
    except CompactInvalid as error:
        raise ProofInvalid("The proof's signature or claims (htm, htu, iat, jti) do not hold.") from error
    if claims.htm != method:
        raise ProofInvalid(f"The proof is for another method; sign htm {method}.")
    if _place(claims.htu) != _place(url):
        raise ProofInvalid(f"The proof is for another address; sign htu {url}.")
    if abs(claims.iat - now_s) > SKEW_S:
        raise ProofInvalid("The proof's iat is more than 60 s from this service's clock; sign a new one.")
    if claims.ath is not None and (access_token is None or not hmac.compare_digest(claims.ath, _ath(access_token))):
        raise ProofInvalid("The proof's ath is of another API key than the call's.")
    return EnclaveProof(hashlib.sha256(f"{thumbprint(registered)}\n{claims.jti}".encode()).digest(), claims.iat)


def _key(jwk: Jwk) -> Key:
    members: dict[str, str | list[str]] = {**required_members(jwk)}
    return ECKey.import_key(members) if isinstance(jwk, EcJwk) else OKPKey.import_key(members)


def _ath(access_token: str) -> str:
    """The hash of the access token (RFC 9449, section 4.2)."""
    return base64url_text(hashlib.sha256(access_token.encode()).digest())


def _place(url: str) -> tuple[str, str, int, str]:
    """What RFC 9449 section 4.3 compares: normalized scheme, host, port and path, without query and fragment."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return ("", "", 0, url)
    return (parts.scheme, parts.hostname or "", port or _PORTS.get(parts.scheme, 0), parts.path or "/")
