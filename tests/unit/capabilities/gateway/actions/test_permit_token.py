"""Permit tokens: what holds, and everything that must not."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import ECKey, OKPKey

from app.capabilities.gateway.actions.messages import PermitBody
from app.capabilities.gateway.actions.token import PermitInvalid, PermitTokens
from app.capabilities.gateway.compact import COMPACT_MAX
from app.registry.jwk import thumbprint
from app.registry.messages.jwk import EcJwk
from app.store.keys import Kek, Keys

ISSUER = "training-0123456789abcdef.site.invalid"
NOW = 1_800_000_000
UNIT = "door-7"
OTHER_KEY = ECKey.import_key(ec.derive_private_key(0x5A5A, ec.SECP256R1()))
OKP_KEY = OKPKey.import_key(ed25519.Ed25519PrivateKey.from_private_bytes(b"\x05" * 32))


class Bench:
    """The tokens of a site whose clock the test sets."""

    def __init__(self, path: Path) -> None:
        self.now_s = NOW
        self.keys = Keys(path, Kek(b"k" * 32))
        self.tokens = PermitTokens(self.keys, f"{ISSUER}/audit")

    @property
    def key(self) -> ECKey:
        """The newest signing key."""
        return ECKey.import_key(self.keys.p256("permit"))

    def mint(self, **facts: Any) -> str:
        """A permit as the site makes one."""
        asked = {"unit_id": UNIT, "action": "door.open", "resource": "gate 3", "node_id": None, "jti": "j" * 22}
        return self.tokens.sign(self.tokens.claims(**{**asked, "iat": self.now_s, "ttl_s": 60, **facts}))

    def forge(self, *, header: dict[str, Any] | None = None, key: ECKey | OKPKey | None = None, **claims: Any) -> str:
        """A token like the site's, changed; None takes a member away."""
        head = {"typ": "arc-permit+jwt", "alg": "ES256", "kid": self.key.thumbprint(), **(header or {})}
        body = {
            "iss": ISSUER,
            "aud": f"{ISSUER}/gateway",
            "sub": UNIT,
            "act": "door.open",
            "res": "gate 3",
            "iat": NOW,
            "exp": NOW + 60,
            "jti": "j" * 22,
            **claims,
        }
        kept = [{name: value for name, value in part.items() if value is not None} for part in (head, body)]
        registry = jws.JWSRegistry(algorithms=["ES256", "Ed25519"], strict_check_header=False)
        return jws.serialize_compact(kept[0], json.dumps(kept[1]), key or self.key, registry=registry)

    def refused(self, text: str, *, unit_id: str = UNIT) -> str:
        """The refusal's words, which never repeat the token."""
        with pytest.raises(PermitInvalid) as caught:
            self.tokens.verify(text, unit_id=unit_id, now_s=self.now_s)
        assert len(text) < 40 or text not in str(caught.value)
        return str(caught.value)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """Tokens over a key file of their own."""
    made = Bench(tmp_path / "keys.db")
    yield made
    made.keys.close()


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Tokens for the properties, which change nothing."""
    made = Bench(tmp_path_factory.mktemp("permits") / "keys.db")
    yield made
    made.keys.close()


def b64(data: bytes) -> str:
    """base64url without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def members(text: str, part: int) -> Any:
    """A part of a token as JSON."""
    raw = text.split(".")[part]
    return json.loads(base64.urlsafe_b64decode(raw + "=" * (-len(raw) % 4)))


def with_header(text: str, **changed: Any) -> str:
    """The token with other header members and its old signature."""
    _head, body, signature = text.split(".")
    return f"{b64(json.dumps({**members(text, 0), **changed}).encode())}.{body}.{signature}"


def test_permit_holds(bench: Bench) -> None:
    """What was minted says what was asked for."""
    claims = bench.tokens.verify(bench.mint(node_id="ARC-1"), unit_id=UNIT, now_s=NOW)
    assert (claims.sub, claims.act, claims.res, claims.node) == (UNIT, "door.open", "gate 3", "ARC-1")
    assert (claims.iat, claims.exp, claims.iss) == (NOW, NOW + 60, ISSUER)


def test_another_library_takes_the_permit(bench: Bench) -> None:
    """Header and claims are those of the design, the kid is the key's RFC 7638 thumbprint, ES256 holds."""
    text = bench.mint()
    public = {name: value for name, value in bench.key.as_dict(private=False).items() if name in ("crv", "x", "y")}
    assert members(text, 0) == {
        "typ": "arc-permit+jwt",
        "alg": "ES256",
        "kid": thumbprint(msgspec.convert(public, EcJwk)),
    }
    assert members(text, 1).keys() == {"iss", "aud", "sub", "act", "res", "iat", "exp", "jti"}
    signed, _, signature = text.rpartition(".")
    raw = base64.urlsafe_b64decode(signature + "==")
    numbers = [int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")]
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

    key = bench.keys.p256("permit").public_key()
    key.verify(encode_dss_signature(*numbers), signed.encode(), ec.ECDSA(hashes.SHA256()))


@pytest.mark.parametrize("letter", ["\\", '"', "\N{GRINNING FACE}"])
def test_the_longest_permit_fits(bench: Bench, letter: str) -> None:
    """Whatever the request may hold, the token is no longer than the call that takes it allows."""
    asked = {"unit_id": "u" * 64, "action": "a" * 64, "resource": letter * 256, "ttl_seconds": 300, "node_id": "n" * 64}
    body = msgspec.convert(asked, PermitBody)
    text = bench.mint(unit_id=body.unit_id, action=body.action, resource=body.resource, node_id=body.node_id)
    assert len(text) <= COMPACT_MAX
    assert bench.tokens.verify(text, unit_id=body.unit_id, now_s=NOW).res == body.resource


@pytest.mark.parametrize(
    "claims",
    [
        {"iss": "training-fedcba9876543210.site.invalid"},
        {"iss": None},
        {"aud": ISSUER},
        {"aud": [f"{ISSUER}/gateway"]},
        {"aud": None},
        {"sub": "door-8"},
        {"sub": None},
        {"act": None},
        {"res": None},
        {"res": 5},
        {"jti": None},
        {"iat": None},
        {"exp": None},
        {"exp": "never"},
        {"exp": NOW},
        {"exp": NOW + 301},
        {"iat": NOW - 300, "exp": NOW + 1},
        {"iat": NOW + 31, "exp": NOW + 90},
        {"iat": NOW - 60, "exp": NOW},
        {"scope": "everything"},
    ],
    ids=str,
)
def test_other_claims_are_refused(bench: Bench, claims: dict[str, Any]) -> None:
    """Signed by the site's own key, and yet of another service, unit or time, or with a claim missing or unknown."""
    bench.refused(bench.forge(**claims))


def test_the_forged_token_differs_in_nothing_else(bench: Bench) -> None:
    """What the other tests change holds when it is not changed."""
    assert bench.tokens.verify(bench.forge(), unit_id=UNIT, now_s=NOW).jti == "j" * 22


@pytest.mark.parametrize("late", [-30, 0, 59.999])
def test_a_permit_holds_until_its_end(bench: Bench, late: float) -> None:
    """And 30 s ahead of its beginning, because the clock may have been corrected since."""
    assert bench.tokens.verify(bench.mint(), unit_id=UNIT, now_s=NOW + late)


@pytest.mark.parametrize("ttl_s", [1, 300])
def test_a_permit_lives_one_second_to_five_minutes(bench: Bench, ttl_s: int) -> None:
    """Both ends are permits."""
    assert bench.tokens.verify(bench.mint(ttl_s=ttl_s), unit_id=UNIT, now_s=NOW).exp == NOW + ttl_s


def test_expired_permit_is_refused(bench: Bench) -> None:
    """From its end on: one clock mints and judges."""
    text = bench.mint()
    bench.now_s += 60
    assert "expired" in bench.refused(text)


@pytest.mark.parametrize("part", [0, 1])
def test_a_member_that_stands_twice_is_refused(bench: Bench, part: int) -> None:
    """In the header or in the claims, though the site's own key signed it: two readers could take two permits from
    it."""
    parts = bench.mint().split(".")
    again = base64.urlsafe_b64decode(parts[part] + "==").rstrip(b"}")
    name = (b'"kid":"%s"' % bench.key.thumbprint().encode(), b'"sub":"%s"' % UNIT.encode())[part]
    parts[part] = base64.urlsafe_b64encode(again + b"," + name + b"}").rstrip(b"=").decode()
    signed = ".".join(parts[:2])
    signature = bench.key.private_key.sign(signed.encode(), ec.ECDSA(hashes.SHA256()))
    raw = b"".join(number.to_bytes(32, "big") for number in decode_dss_signature(signature))
    bench.refused(f"{signed}.{base64.urlsafe_b64encode(raw).rstrip(b'=').decode()}")


def test_a_permit_of_another_unit_is_refused(bench: Bench) -> None:
    """``sub`` is who asks."""
    assert "another unit" in bench.refused(bench.mint(), unit_id="door-8")


@pytest.mark.parametrize(
    "header",
    [
        {"typ": "jwt"},
        {"typ": "dpop+jwt"},
        {"typ": None},
        {"alg": "none"},
        {"alg": "HS256"},
        {"alg": "ES384"},
        {"alg": "Ed25519"},
        {"alg": "EdDSA"},
        {"kid": "unknown"},
        {"kid": ""},
        {"kid": None},
        {"crit": ["b64"], "b64": False},
        {"jwk": OTHER_KEY.as_dict(private=False)},
        {"jku": "https://keys.example/jwks"},
    ],
    ids=str,
)
def test_other_headers_are_refused(bench: Bench, header: dict[str, Any]) -> None:
    """Type, algorithm and key are fixed; a header brings no key of its own."""
    bench.refused(with_header(bench.mint(), **header))


def test_unsigned_permit_is_refused(bench: Bench) -> None:
    """``alg: none`` with an empty signature (RFC 8725, section 2.1)."""
    text = with_header(bench.mint(), alg="none")
    bench.refused(text.rpartition(".")[0] + ".")


def test_public_key_as_a_mac_key_is_refused(bench: Bench) -> None:
    """HS256 with the public key's bytes as the secret (RFC 8725, section 2.1), in each of their usual shapes."""
    public = bench.keys.p256("permit").public_key()
    der, pem = (
        public.public_bytes(encoding, serialization.PublicFormat.SubjectPublicKeyInfo)
        for encoding in (serialization.Encoding.DER, serialization.Encoding.PEM)
    )
    jwk = json.dumps(bench.key.as_dict(private=False)).encode()
    signing = with_header(bench.mint(), alg="HS256").rpartition(".")[0]
    for secret in (der, pem, pem.strip(), jwk):
        bench.refused(f"{signing}.{b64(hmac.new(secret, signing.encode(), hashlib.sha256).digest())}")


@pytest.mark.parametrize("kid", [None, "own"])
def test_another_key_is_refused(bench: Bench, kid: str | None) -> None:
    """A foreign signature, whether under the site's kid or the foreign key's."""
    header = {} if kid is None else {"kid": OTHER_KEY.thumbprint()}
    bench.refused(bench.forge(key=OTHER_KEY, header=header))


def test_another_kind_of_key_is_refused(bench: Bench) -> None:
    """Ed25519 by somebody else."""
    bench.refused(bench.forge(key=OKP_KEY, header={"alg": "Ed25519"}))


def test_permit_of_another_site_is_refused(bench: Bench, tmp_path: Path) -> None:
    """The same unit's name at two sites is two units."""
    other = Bench(tmp_path / "other.db")
    text = other.mint()
    other.keys.close()
    bench.refused(text)


def test_permits_of_the_key_before_go_on(bench: Bench) -> None:
    """After a rotation two kids count: the new key signs, the old one's permits hold until they end."""
    old, old_kid = bench.mint(), bench.key.thumbprint()
    bench.keys.renew("permit", "p256")
    new = bench.mint()
    assert members(new, 0)["kid"] == bench.key.thumbprint() != old_kid == members(old, 0)["kid"]
    for text in (old, new):
        assert bench.tokens.verify(text, unit_id=UNIT, now_s=NOW)


def test_a_key_counts_for_one_rotation(bench: Bench) -> None:
    """The third kid from the newest is nobody's."""
    old = bench.mint()
    for _ in range(2):
        bench.keys.renew("permit", "p256")
    assert "kid" in bench.refused(old)


def test_keys_outlive_the_process(bench: Bench) -> None:
    """Both keys count for tokens that another start reads."""
    old = bench.mint()
    bench.keys.renew("permit", "p256")
    new = bench.mint()
    again = PermitTokens(bench.keys, f"{ISSUER}/audit")
    for text in (old, new):
        assert again.verify(text, unit_id=UNIT, now_s=NOW)


@given(st.text(max_size=300) | st.from_regex(r"[A-Za-z0-9_-]{0,80}\.[A-Za-z0-9_-]{0,80}\.[A-Za-z0-9_-]{0,90}"))
def test_any_text_is_refused(steady: Bench, text: str) -> None:
    """Nothing that nobody signed holds, and nothing but PermitInvalid is raised."""
    steady.refused(text)


@given(
    st.dictionaries(st.text(max_size=8), st.none() | st.booleans() | st.integers() | st.text(max_size=20), max_size=6),
    st.binary(max_size=80),
)
def test_any_header_is_refused(steady: Bench, header: dict[str, Any], signature: bytes) -> None:
    """Whatever a header says over good claims, without the site's signature it holds nothing."""
    body = steady.mint().split(".")[1]
    head = {"typ": "arc-permit+jwt", "alg": "ES256", "kid": steady.key.thumbprint(), **header}
    steady.refused(f"{b64(json.dumps(head).encode())}.{body}.{b64(signature)}")


@given(st.data())
def test_any_change_is_refused(steady: Bench, data: st.DataObject) -> None:
    """One character of header, claims or signature changed: refused (unless it is the same bytes in base64)."""
    text = steady.mint()
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.sampled_from("ABCDwxyz0189-_.")) + text[at + 1 :]
    if [_raw(part) for part in changed.split(".")] != [_raw(part) for part in text.split(".")]:
        steady.refused(changed)


def _raw(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)) if len(part) % 4 != 1 else part.encode()
