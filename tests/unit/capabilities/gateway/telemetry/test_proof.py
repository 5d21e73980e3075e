"""Proofs of possession: what holds, and everything that must not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import ECKey, OKPKey

from app.capabilities.gateway.compact import COMPACT_MAX
from app.capabilities.gateway.telemetry.proof import ProofInvalid, verify
from app.registry.messages.jwk import Jwk

URL = "http://127.0.0.1:8080/v1/telemetry-stream"
NOW = 1_800_000_000.0
EC_KEY = ECKey.import_key(ec.derive_private_key(0xA5A5, ec.SECP256R1()))
OKP_KEY = OKPKey.import_key(ed25519.Ed25519PrivateKey.from_private_bytes(b"\x05" * 32))
OTHER_KEY = ECKey.import_key(ec.derive_private_key(0x5A5A, ec.SECP256R1()))


def public(key: ECKey | OKPKey) -> dict[str, Any]:
    """Public members of a key."""
    return dict(key.as_dict(private=False))


def registered(key: ECKey | OKPKey = EC_KEY) -> Jwk:
    """As the registry holds it."""
    return msgspec.convert(jwk(key), Jwk)  # type: ignore[arg-type]  # a union is no class to mypy


def jwk(key: ECKey | OKPKey) -> dict[str, Any]:
    """As a proof shows it."""
    return {name: value for name, value in public(key).items() if name in ("kty", "crv", "x", "y")}


def proof(key: ECKey | OKPKey = EC_KEY, *, header: dict[str, Any] | None = None, **claims: Any) -> str:
    """A proof by ``key``; ``header`` and ``claims`` change the usual ones, None takes one away."""
    alg = "ES256" if isinstance(key, ECKey) else "Ed25519"
    head = {"typ": "dpop+jwt", "alg": alg, "jwk": jwk(key), **(header or {})}
    body = {"htm": "GET", "htu": URL, "iat": int(NOW), "jti": "unique-enough", **claims}
    kept = {name: value for name, value in body.items() if value is not None}
    registry = jws.JWSRegistry(algorithms=["ES256", "Ed25519"], strict_check_header=False)
    return jws.serialize_compact(head, json.dumps(kept), key, registry=registry)


def check(text: str, key: ECKey | OKPKey = EC_KEY, **more: Any) -> bytes:
    """Verifies; the digest."""
    return verify(text, registered=registered(key), method="GET", url=URL, now_s=NOW, **more).digest


CALL: dict[str, Any] = {"registered": registered(), "method": "GET", "url": URL, "now_s": NOW}


def refused(text: str, **more: Any) -> str:
    """The refusal's words."""
    with pytest.raises(ProofInvalid) as caught:
        check(text, **more)
    return str(caught.value)


@pytest.mark.parametrize("key", [EC_KEY, OKP_KEY], ids=["ES256", "Ed25519"])
def test_proof_holds(key: ECKey | OKPKey) -> None:
    """A proof by the registered key for this call, now."""
    assert len(check(proof(key), key)) == 32


def test_old_name_of_ed25519_holds() -> None:
    """``EdDSA`` (RFC 8037) is taken, without a warning."""
    text = proof(OKP_KEY)
    head, body, _signature = text.split(".")
    header = json.loads(base64.urlsafe_b64decode(head + "=="))
    header["alg"] = "EdDSA"
    signing = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode() + "." + body
    signature = ed25519.Ed25519PrivateKey.from_private_bytes(b"\x05" * 32).sign(signing.encode())
    assert check(f"{signing}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}", OKP_KEY)


def test_same_jti_is_the_same_proof() -> None:
    """Two proofs with one ``jti`` are one use, even when other claims differ."""
    assert check(proof()) == check(proof(iat=int(NOW) - 5))


def test_jti_of_another_key_is_another_proof() -> None:
    """A unit cannot use up another unit's ``jti``."""
    assert check(proof()) != check(proof(OTHER_KEY), OTHER_KEY)


def test_other_key_is_refused() -> None:
    """A proof by a key that is not the unit's."""
    assert "another key" in refused(proof(OTHER_KEY))


def test_claimed_key_does_not_help() -> None:
    """Showing the registered key while signing with another."""
    assert "signature" in refused(proof(OTHER_KEY, header={"jwk": jwk(EC_KEY)}))


@pytest.mark.parametrize(
    "claims",
    [
        {"htm": "POST"},
        {"htu": "http://127.0.0.1:8081/v1/telemetry-stream"},
        {"htu": "https://127.0.0.1:8080/v1/telemetry-stream"},
        {"htu": "http://127.0.0.1:8080/v1/alarms"},
        {"htu": "http://[::bad/v1"},
        {"iat": int(NOW) - 61},
        {"iat": int(NOW) + 61},
        {"iat": "now"},
        {"iat": None},
        {"jti": None},
        {"jti": "short"},
        {"htm": None},
        {"htu": None},
        {"ath": "AAAA"},
    ],
    ids=str,
)
def test_other_claims_are_refused(claims: dict[str, Any]) -> None:
    """Another method, address or time, or a claim that is missing."""
    assert refused(proof(**claims))


@pytest.mark.parametrize("offset", [-60, 60])
def test_skew_is_allowed(offset: int) -> None:
    """A minute on either side."""
    assert check(proof(iat=int(NOW) + offset))


def test_query_of_the_address_does_not_count() -> None:
    """``htu`` is compared without query, fragment, letter case of the host and default port."""
    assert check(proof(htu=URL + "?unit_id=u#x"))


@pytest.mark.parametrize(
    "header",
    [{"typ": "jwt"}, {"typ": "DPoP"}, {"alg": "none"}, {"alg": "HS256"}, {"alg": "RS256"}, {"crit": ["x"], "x": 1}],
    ids=str,
)
def test_other_headers_are_refused(header: dict[str, Any]) -> None:
    """Type and algorithm are fixed; nothing critical is understood."""
    head, body, signature = proof().split(".")
    members = {**json.loads(base64.urlsafe_b64decode(head + "==")), **header}
    forged = base64.urlsafe_b64encode(json.dumps(members).encode()).rstrip(b"=").decode()
    assert refused(f"{forged}.{body}.{signature}")


def test_unsigned_proof_is_refused() -> None:
    """``alg: none`` with an empty signature (RFC 8725, section 2.1)."""
    _head, body, _signature = proof().split(".")
    head = {"typ": "dpop+jwt", "alg": "none", "jwk": jwk(EC_KEY)}
    assert refused(f"{_packed(head)}.{body}.")


@pytest.mark.parametrize("encoding", [serialization.Encoding.DER, serialization.Encoding.PEM], ids=str)
def test_public_key_as_a_mac_key_is_refused(encoding: serialization.Encoding) -> None:
    """HS256 with the registered public key's bytes as the secret (RFC 8725, section 2.1)."""
    shape = serialization.PublicFormat.SubjectPublicKeyInfo
    secret = EC_KEY.public_key.public_bytes(encoding, shape)
    signing = f"{_packed({'typ': 'dpop+jwt', 'alg': 'HS256', 'jwk': jwk(EC_KEY)})}.{proof().split('.')[1]}"
    mac = hmac.new(secret, signing.encode(), hashlib.sha256).digest()
    assert refused(f"{signing}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}")


@pytest.mark.parametrize(
    ("key", "alg"),
    [(EC_KEY, "Ed25519"), (EC_KEY, "EdDSA"), (EC_KEY, "ES384"), (OKP_KEY, "ES256")],
    ids=["EC-Ed25519", "EC-EdDSA", "EC-ES384", "OKP-ES256"],
)
def test_algorithm_of_another_key_is_refused(key: ECKey | OKPKey, alg: str) -> None:
    """The unit's key says which algorithm is its own."""
    _head, body, signature = proof(key).split(".")
    with pytest.raises(ProofInvalid):
        check(f"{_packed({'typ': 'dpop+jwt', 'alg': alg, 'jwk': jwk(key)})}.{body}.{signature}", key)


def test_key_by_address_is_not_fetched() -> None:
    """``jku`` and ``x5u`` mean nothing, and ``kid`` names no other key."""
    assert check(proof(header={"jku": "http://127.0.0.1:1/keys", "x5u": "http://127.0.0.1:1/x", "kid": "other"}))


def test_private_key_in_the_header_is_refused() -> None:
    """A proof that shows its private key is not taken, and the key is not repeated."""
    words = refused(proof(header={"jwk": {**jwk(EC_KEY), "d": "c2VjcmV0"}}))
    assert "c2VjcmV0" not in words


def test_access_token_is_bound() -> None:
    """``ath`` holds for the API key of the call alone."""
    ath = base64.urlsafe_b64encode(hashlib.sha256(b"arc_sov_x").digest()).rstrip(b"=").decode()
    assert check(proof(ath=ath), access_token="arc_sov_x")
    assert "ath" in refused(proof(ath=ath), access_token="arc_sov_y")


def test_long_proof_is_refused() -> None:
    """Longer than the bound, before anything is parsed."""
    assert "4096" in refused("a" * (COMPACT_MAX + 1))


@given(st.text(max_size=300) | st.from_regex(r"[A-Za-z0-9_-]{0,80}\.[A-Za-z0-9_-]{0,80}\.[A-Za-z0-9_-]{0,90}"))
def test_any_text_is_refused(text: str) -> None:
    """Nothing that nobody signed holds, and nothing but ProofInvalid is raised."""
    assert refused(text)


@given(st.data())
def test_any_change_is_refused(data: st.DataObject) -> None:
    """One character of header, claims or signature changed: refused (unless it is the same bytes in base64)."""
    text = proof()
    at = data.draw(st.integers(0, len(text) - 1))
    other = data.draw(st.sampled_from("ABCDwxyz0189-_."))
    changed = text[:at] + other + text[at + 1 :]
    if [_raw(part) for part in changed.split(".")] != [_raw(part) for part in text.split(".")]:
        assert refused(changed)


NO_CLAIMS = "The proof's signature or claims (htm, htu, iat, jti) do not hold."
OTHER_ATH = "The proof's ath is of another API key than the call's."
LONG_URL = URL + "/" + "a" * (2048 - len(URL) - 1)


@pytest.mark.parametrize(
    ("claims", "call"),
    [
        ({"htm": "M" * 16}, {"method": "M" * 16}),
        ({"htu": LONG_URL}, {"url": LONG_URL}),
        ({"iat": 0}, {"now_s": 0.0}),
        ({"iat": 1 << 53}, {"now_s": float(1 << 53)}),
        ({"jti": "j" * 8}, {}),
        ({"jti": "j" * 256}, {}),
    ],
    ids=["htm", "htu", "first iat", "last iat", "short jti", "long jti"],
)
def test_claims_at_their_bounds_hold(claims: dict[str, Any], call: dict[str, Any]) -> None:
    """The proof says when it was made, and is named by key and ``jti``."""
    found = verify(proof(**claims), **{**CALL, **call})
    jti = claims.get("jti", "unique-enough")
    assert found.iat == claims.get("iat", int(NOW))
    assert found.digest == hashlib.sha256(f"{EC_KEY.thumbprint()}\n{jti}".encode()).digest()


@pytest.mark.parametrize(
    ("claims", "call"),
    [
        ({"htm": "M" * 17}, {"method": "M" * 17}),
        ({"htu": LONG_URL + "a"}, {"url": LONG_URL + "a"}),
        ({"iat": -1}, {"now_s": 0.0}),
        ({"iat": (1 << 53) + 1}, {"now_s": float(1 << 53)}),
        ({"jti": "j" * 7}, {}),
        ({"jti": "j" * 257}, {}),
        ({"ath": "a" * 65}, {}),
    ],
    ids=["htm", "htu", "first iat", "last iat", "short jti", "long jti", "ath"],
)
def test_claims_beyond_their_bounds_are_none(claims: dict[str, Any], call: dict[str, Any]) -> None:
    """They are refused as such, not for what they say."""
    with pytest.raises(ProofInvalid) as caught:
        verify(proof(**claims), **{**CALL, **call})
    assert str(caught.value) == NO_CLAIMS


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a" * 4097, "The proof is longer than 4096 characters or not ASCII."),
        ("\u00e9", "The proof is longer than 4096 characters or not ASCII."),
        ("a" * 4096, "The proof's header must be typ dpop+jwt, alg ES256 or Ed25519 and the public jwk alone."),
        (proof(OTHER_KEY), "The proof is signed by another key than the unit's registered one."),
        (proof(OTHER_KEY, header={"jwk": jwk(EC_KEY)}), NO_CLAIMS),
        (proof(htm="POST"), "The proof is for another method; sign htm GET."),
        (proof(htu=URL + "/x"), f"The proof is for another address; sign htu {URL}."),
        (proof(iat=int(NOW) - 61), "The proof's iat is more than 60 s from this service's clock; sign a new one."),
        (proof(ath="a" * 64), OTHER_ATH),
    ],
    ids=["long", "letter", "header", "key", "signature", "method", "address", "time", "ath"],
)
def test_a_refusal_names_the_part_that_fails(text: str, said: str) -> None:
    """The partner's engineer reads it."""
    assert refused(text) == said


@pytest.mark.parametrize(
    ("signed", "called", "same"),
    [
        ("http://h/x", "http://h:80/x", True),
        ("https://h:443/x", "https://h/x", True),
        ("HTTP://H/x", "http://h/x", True),
        ("http://h", "http://h/", True),
        ("http://h/x?a#b", "http://h/x", True),
        ("http://h/x", "http://h:81/x", False),
        ("https://h/x", "https://h:444/x", False),
        ("other://h/x", "other://h:1/x", False),
        ("http://h/x", "http://h/X", False),
        ("http://h/x", "https://h:80/x", False),
        ("http://h:99999/x", "http://h:99999/y", False),
    ],
)
def test_addresses_are_compared_as_the_standard_says(signed: str, called: str, same: bool) -> None:
    """RFC 9449, section 4.3, and RFC 3986, section 6: normalized, and the port of the scheme where none is named."""
    text = proof(htu=signed)
    if same:
        assert verify(text, **{**CALL, "url": called})
    else:
        with pytest.raises(ProofInvalid, match="another address"):
            verify(text, **{**CALL, "url": called})


def test_an_ed25519_key_is_no_key_of_es256() -> None:
    """Also where the header shows the registered key: the algorithm is judged before the signature."""
    for key, alg in ((OKP_KEY, "ES256"), (EC_KEY, "Ed25519"), (EC_KEY, "EdDSA")):
        _head, body, signature = proof(key).split(".")
        with pytest.raises(ProofInvalid, match="algorithm does not fit"):
            check(f"{_packed({'typ': 'dpop+jwt', 'alg': alg, 'jwk': jwk(key)})}.{body}.{signature}", key)


def _packed(header: dict[str, Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()


def _raw(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) if len(part) % 4 != 1 else part.encode()
