"""Judging an ID token: bytes of any kind, keys of any kind, and the edges of its times."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws, jwt
from joserfc.errors import SecurityWarning
from joserfc.jwk import ECKey, OKPKey, RSAKey

from app.operators.openid import LEEWAY_S, ProvenSubject, TokenUnfit, is_guarded, judge_id_token
from app.site.settings import OpenIdProvider

NOW, NONCE = 1_800_000_000, "the nonce"
PROVIDER = OpenIdProvider(issuer="https://id.example.com", client_id="arc", roles={"d": "desk", "a": "admin"})
KEY = ECKey.generate_key("P-256", {"kid": "one"})
CLAIMS: dict[str, Any] = {
    "iss": "https://id.example.com",
    "sub": "sub-1",
    "aud": "arc",
    "exp": NOW + 60,
    "iat": NOW,
    "nonce": NONCE,
    "roles": ["d"],
}


def public(*keys: Any) -> list[dict[str, Any]]:
    """The keys as a provider publishes them."""
    return [key.as_dict(private=False) for key in keys]


def token(claims: dict[str, Any] = CLAIMS, key: Any = KEY, **header: Any) -> str:
    """A signed token."""
    alg = "RS256" if isinstance(key, RSAKey) else "ES256"
    return jwt.encode({"alg": alg, **header}, claims, key, [alg])


def verdict(text: str, keys: list[dict[str, Any]] | None = None, now_s: float = NOW) -> str | ProvenSubject:
    """Who is named, or the cause."""
    try:
        return judge_id_token(text, public(KEY) if keys is None else keys, PROVIDER, nonce=NONCE, now_s=now_s)
    except TokenUnfit as unfit:
        return unfit.cause


def test_a_sound_token_names_its_subject() -> None:
    """With the roles of the claim: a list, or one word; what is no role of the site is left out."""
    assert verdict(token()) == ProvenSubject("sub-1", frozenset({"desk"}))  # type: ignore[arg-type]
    for claim, roles in (("a", {"admin"}), (["a", "d", "x", 7], {"admin", "desk"})):
        assert verdict(token({**CLAIMS, "roles": claim})) == ProvenSubject("sub-1", frozenset(roles))  # type: ignore[arg-type]
    for claim in ([], "x", None, {"d": 1}, 7):
        assert verdict(token({**CLAIMS, "roles": claim})) == "no_role"


@pytest.mark.parametrize(
    ("change", "cause"),
    [
        ({"iss": "https://id.example.com/"}, "iss"),
        ({"aud": "arc2"}, "aud"),
        ({"aud": []}, "aud"),
        ({"aud": ["arc", "x"], "azp": "arc"}, ""),
        ({"aud": ["arc", "x"]}, "aud"),
        ({"azp": "x"}, "aud"),
        ({"azp": "arc"}, ""),
        ({"nonce": "The nonce"}, "nonce"),
        ({"nonce": None}, "nonce"),
        ({"nonce": "n\u00f6n"}, "nonce"),
        ({"exp": NOW - LEEWAY_S}, "expired"),
        ({"exp": NOW - LEEWAY_S + 1}, ""),
        ({"nbf": NOW + LEEWAY_S}, ""),
        ({"nbf": NOW + LEEWAY_S + 1}, "early"),
        ({"iat": NOW + LEEWAY_S + 1}, "early"),
        ({"exp": "soon"}, "malformed"),
        ({"sub": 7}, "malformed"),
    ],
)
def test_each_claim_counts(change: dict[str, Any], cause: str) -> None:
    """By itself, to the second."""
    found = verdict(token({**CLAIMS, **change}))
    assert (found if isinstance(found, str) else "") == cause


def test_clocks_may_differ_by_a_minute() -> None:
    """No more: a token that has ended is of no use to anybody who found it."""
    assert LEEWAY_S == 60


def test_the_key_is_of_the_algorithm_and_published() -> None:
    """The named one of several; RSA of 2048 bits at least; none for encryption, of another kind, or of nobody."""
    other, rsa = ECKey.generate_key("P-256", {"kid": "two"}), RSAKey.generate_key(2048, {"kid": "rsa"})
    sound = ProvenSubject("sub-1", frozenset({"desk"}))  # type: ignore[arg-type]
    assert verdict(token(kid="one"), public(rsa, other, KEY)) == sound
    assert verdict(token(), public(rsa, other, KEY)) == sound
    assert verdict(token(kid="two"), public(other, KEY)) == "signature"
    assert verdict(token(key=rsa), public(KEY, rsa)) == sound
    assert verdict(token(), public(rsa, other)) == "signature"
    assert verdict(token(), []) == "signature"
    assert verdict(token(), [{**public(KEY)[0], "use": "enc"}]) == "signature"
    assert verdict(token(), public(OKPKey.generate_key("Ed25519"))) == "signature"
    with pytest.warns(SecurityWarning):
        small = RSAKey.generate_key(1024)
    signed = token(key=small)
    assert verdict(signed, public(small)) == "signature"
    assert verdict(token(), [{"kty": "EC"}, {"kty": "EC", "crv": "P-256", "x": 7}, *public(KEY)]) == sound


def test_a_critical_extension_is_refused() -> None:
    """RFC 7515, section 4.1.11: what is not understood must not be ignored."""
    text = token()
    head = base64.urlsafe_b64encode(json.dumps({"alg": "ES256", "crit": ["x"], "x": 1}).encode()).rstrip(b"=").decode()
    assert verdict(head + text[text.index(".") :]) == "alg"


def test_a_member_twice_is_refused() -> None:
    """In the header as in the claims: two readers might see two tokens."""
    twice = json.dumps(CLAIMS)[:-1] + ',"sub":"sub-2"}'
    assert verdict(jws.serialize_compact({"alg": "ES256"}, twice, KEY, algorithms=["ES256"])) == "malformed"
    head = base64.urlsafe_b64encode(b'{"alg":"ES256","alg":"ES256"}').rstrip(b"=").decode()
    text = token()
    assert verdict(head + text[text.index(".") :]) == "malformed"


@given(st.text(max_size=200))
def test_any_text_is_refused(text: str) -> None:
    """No text but a token is one, and nothing else happens."""
    assert verdict(text) == "malformed"


@given(st.integers(0, 2_000), st.characters(codec="ascii"))
def test_a_changed_token_is_refused(at: int, letter: str) -> None:
    """One character is another one. (The last one of a part may hold bits that nobody reads.)"""
    place = at % len(TOKEN)
    changed = TOKEN[:place] + letter + TOKEN[place + 1 :]
    if changed == TOKEN or place == len(TOKEN) - 1:
        return
    assert isinstance(verdict(changed), str)


@given(
    st.lists(st.dictionaries(st.sampled_from(["kty", "crv", "x", "y", "n", "e", "use", "kid"]), st.text()), max_size=3)
)
def test_any_published_keys_are_read(keys: list[dict[str, Any]]) -> None:
    """What a provider publishes may be anything: it signs nothing."""
    assert verdict(TOKEN, keys) == "signature"


@pytest.mark.parametrize(
    ("url", "guarded"),
    [
        ("https://id.example.com/token", True),
        ("http://id.example.com/token", False),
        ("http://127.0.0.1:80/token", True),
        ("http://[::1]/token", True),
        ("http://localhost/token", False),
        ("ftp://127.0.0.1/", False),
        ("https://", False),
        ("http://[::1", False),
        ("https://[::1", False),
        ("", False),
    ],
)
def test_nothing_goes_over_an_open_network(url: str, guarded: bool) -> None:
    """TLS, or this machine by number."""
    assert is_guarded(url) is guarded


TOKEN = token()
