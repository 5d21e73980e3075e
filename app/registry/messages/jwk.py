"""Public keys as they cross the wire: JSON Web Keys to check by, and to encrypt to."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from app.api.wire import Request

Coordinate = Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]\Z")]
"""32 bytes in base64url without padding; the last character's two spare bits are zero, so that each value has one
spelling."""


class EcJwk(Request, kw_only=True, tag_field="kty", tag="EC"):
    """A P-256 public key (RFC 7518, section 6.2.1). Whether the point is on the curve is checked when the key is
    read."""

    crv: Literal["P-256"]
    x: Coordinate
    y: Coordinate
    kid: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    use: Literal["sig"] | None = None
    alg: Literal["ES256"] | None = None


class OkpJwk(Request, kw_only=True, tag_field="kty", tag="OKP"):
    """An Ed25519 public key (RFC 8037). ``y`` may be there and null: a key of this type has none."""

    crv: Literal["Ed25519"]
    x: Coordinate
    y: None = None
    kid: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    use: Literal["sig"] | None = None
    alg: Literal["Ed25519", "EdDSA"] | None = None


Jwk = EcJwk | OkpJwk
"""Public JSON Web Key (RFC 7517), told apart by ``kty``. A private member is refused as unknown."""


class EncryptionJwk(Request, kw_only=True, tag_field="kty", tag="EC"):
    """A P-256 public key that others encrypt to by ECDH-ES (RFC 7518, sections 4.6 and 6.2.1)."""

    crv: Literal["P-256"]
    x: Coordinate
    y: Coordinate
    kid: Annotated[str, msgspec.Meta(max_length=64)] | None = None
    use: Literal["enc"] | None = None
    alg: Literal["ECDH-ES", "ECDH-ES+A256KW"] | None = None
