"""``permit_token``: the right to one action on one resource, for one unit, once.

A JWS of type ``arc-permit+jwt`` by the site's own permit key, ES256. Everything about a token is checked here except
its single use and the present state of unit and node, which need the store. A token is a bearer secret: it is never
logged and never part of a message. ``gateway/README.md`` has the format."""

from __future__ import annotations

import threading
from typing import Literal

import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc.jwk import ECKey

from app.capabilities.gateway.compact import CompactInvalid, claims_of, header_of, sign
from app.store.keys import Keys

TTL_MAX_S = 300
"""Longest life of a permit."""
SKEW_S = 30
"""How far ``iat`` may lie ahead of now, because the clock was corrected. A permit is minted and judged by one clock, so
none holds beyond its ``exp``."""
_TYPE: Literal["arc-permit+jwt"] = "arc-permit+jwt"
_PURPOSE = "permit"
_COUNTING = 2


class PermitInvalid(Exception):
    """The permit does not hold. The text names the part that fails, and never repeats any of the permit."""


class _PermitHeader(msgspec.Struct, forbid_unknown_fields=True):
    """These members and no others: no key, no address of a key, no ``crit``."""

    typ: Literal["arc-permit+jwt"]
    alg: Literal["ES256"]
    kid: str


class Claims(msgspec.Struct, kw_only=True, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The claims of a permit: the unit ``sub`` may do ``act`` on ``res``, for the node ``node`` if there is one. Times
    are seconds (RFC 7519)."""

    iss: str
    aud: str
    sub: str
    act: str
    res: str
    iat: int
    exp: int
    jti: str
    node: str | None = None


class PermitTokens:
    """Mints and judges the permits of a site. Safe on any thread."""

    def __init__(self, keys: Keys, origin: str) -> None:
        """``origin``: of a log of the site. Its domain is the issuer of permits, ``<domain>/gateway`` their
        audience."""
        self._keys = keys
        self._issuer = origin.partition("/")[0]
        self._audience = f"{self._issuer}/gateway"
        self._lock = threading.Lock()
        self._newest: ec.EllipticCurvePrivateKey | None = None
        self._by_kid: dict[str, ECKey] = {}
        self._signers()

    def _signers(self) -> dict[str, ECKey]:
        """Keys by kid, the newest first: the key that signs now, and the one before it, whose permits hold until they
        end. Read again after the key was replaced."""
        newest = self._keys.p256(_PURPOSE)
        with self._lock:
            if newest is not self._newest:
                found = [ECKey.import_key(key) for key in self._keys.p256s(_PURPOSE)[:_COUNTING]]
                self._newest, self._by_kid = newest, {key.thumbprint(): key for key in found}
            return self._by_kid

    def claims(
        self, *, unit_id: str, action: str, resource: str, node_id: str | None, jti: str, iat: int, ttl_s: int
    ) -> Claims:
        """The claims of a permit of this site; ``ttl_s`` 1 to ``TTL_MAX_S``."""
        return Claims(
            iss=self._issuer,
            aud=self._audience,
            sub=unit_id,
            act=action,
            res=resource,
            iat=iat,
            exp=iat + ttl_s,
            jti=jti,
            node=node_id,
        )

    def sign(self, claims: Claims) -> str:
        """The token."""
        kid, key = next(iter(self._signers().items()))
        return sign({"typ": _TYPE, "alg": "ES256", "kid": kid}, claims, key)

    def verify(self, text: str, *, unit_id: str, now_s: float) -> Claims:
        """The claims of the permit ``text``, if it holds for this unit now; ``PermitInvalid`` otherwise."""
        try:
            head = header_of(text, _PermitHeader)
        except CompactInvalid as error:
            raise PermitInvalid(f"A permit is a signed token of type {_TYPE} by ES256 with its key's kid.") from error
        key = self._signers().get(head.kid)
        if key is None:
            raise PermitInvalid("No key of this service that still counts has this kid; ask for a new permit.")
        try:
            claims = claims_of(text, key, Claims)
        except CompactInvalid as error:
            raise PermitInvalid("The permit's signature or claims do not hold; ask for a new permit.") from error
        if (claims.iss, claims.aud) != (self._issuer, self._audience):
            raise PermitInvalid("The permit was made by or for another service.")
        if not 0 < claims.exp - claims.iat <= TTL_MAX_S:
            raise PermitInvalid(f"A permit lives {TTL_MAX_S} s at most.")
        if claims.iat > now_s + SKEW_S:
            raise PermitInvalid("The permit begins in the future of this service's clock.")
        if claims.exp <= now_s:
            raise PermitInvalid("The permit has expired; ask for a new one.")
        if claims.sub != unit_id:
            raise PermitInvalid("The permit is another unit's.")
        return claims
