"""Public keys of units."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.registry.jwk import public_key, thumbprint
from app.registry.messages.jwk import EcJwk, Jwk, OkpJwk

RFC8037_X = "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"
P256_X = "MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"
P256_Y = "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM"


def test_thumbprint_is_that_of_rfc_8037() -> None:
    """RFC 8037, appendix A.3 gives this thumbprint for its Ed25519 key."""
    jwk = OkpJwk(crv="Ed25519", x=RFC8037_X)
    assert thumbprint(jwk) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def test_thumbprint_ignores_what_does_not_name_the_key() -> None:
    """kid, use and alg do not change which key it is."""
    bare = EcJwk(crv="P-256", x=P256_X, y=P256_Y)
    dressed = EcJwk(crv="P-256", x=P256_X, y=P256_Y, kid="one", use="sig", alg="ES256")
    assert thumbprint(bare) == thumbprint(dressed)


def test_a_point_that_is_not_on_the_curve_is_refused() -> None:
    """A coordinate changed by one bit names no key."""
    with pytest.raises(ValueError, match=r"curve|point"):
        public_key(EcJwk(crv="P-256", x=P256_X, y="5" + P256_Y[1:]))


@pytest.mark.parametrize(
    "members",
    [
        {"kty": "EC", "crv": "P-256", "x": P256_X},
        {"kty": "EC", "crv": "P-256", "x": P256_X, "y": None},
        {"kty": "EC", "crv": "Ed25519", "x": P256_X, "y": P256_Y},
        {"kty": "OKP", "crv": "P-256", "x": RFC8037_X},
        {"kty": "OKP", "crv": "Ed25519", "x": RFC8037_X, "y": P256_Y},
        {"kty": "OKP", "crv": "Ed25519", "x": RFC8037_X, "alg": "ES256"},
        {"kty": "EC", "crv": "P-256", "x": P256_X, "y": P256_Y, "alg": "EdDSA"},
        {"kty": "OKP", "crv": "Ed25519", "x": RFC8037_X[:-1] + "p"},
        {"crv": "Ed25519", "x": RFC8037_X},
        {"kty": "RSA", "crv": "Ed25519", "x": RFC8037_X},
    ],
)
def test_members_that_do_not_belong_together_are_refused(members: dict[str, str | None]) -> None:
    """Type, curve, coordinates and algorithm must be of one kind, and base64url canonical."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(members, Jwk)


def test_an_ed25519_key_may_say_that_it_has_no_y() -> None:
    """A null member is as good as none."""
    members = {"kty": "OKP", "crv": "Ed25519", "x": RFC8037_X, "y": None}
    assert msgspec.convert(members, Jwk) == OkpJwk(crv="Ed25519", x=RFC8037_X)


@given(
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_", min_size=43, max_size=43), st.booleans()
)
def test_any_text_is_a_key_or_a_value_error(text: str, edwards: bool) -> None:
    """No coordinate from outside raises anything but ValueError."""
    jwk = OkpJwk(crv="Ed25519", x=text) if edwards else EcJwk(crv="P-256", x=text, y=text)
    try:
        public_key(jwk)
    except ValueError:
        return


def test_a_private_member_is_an_unknown_field() -> None:
    """A private key sent by mistake is refused before anything stores it."""
    raw = b'{"kty":"OKP","crv":"Ed25519","x":"' + RFC8037_X.encode() + b'","d":"' + RFC8037_X.encode() + b'"}'
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.json.decode(raw, type=Jwk)
