"""Passphrases: which are taken, and how they are compared."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.problems import Problem
from app.operators.passphrases import LEAST_CHARACTERS, check_passphrase, make_verifier, matches


def refusal(passphrase: bytes) -> str:
    """What is said against a passphrase; empty: it is taken."""
    try:
        check_passphrase(memoryview(passphrase), "/passphrase")
    except Problem as refused:
        return next(error.detail for error in refused.errors if error.pointer == "/passphrase")
    return ""


@given(st.text(st.characters(codec="utf-8"), max_size=30))
def test_characters_are_counted_as_people_count_them(text: str) -> None:
    """Every text of UTF-8 is taken if it has enough characters and none that controls."""
    controls = any(ord(one) < 0x20 or ord(one) == 0x7F for one in text)
    taken = refusal(text.encode()) == ""
    assert taken == (len(text) >= LEAST_CHARACTERS and not controls)


@pytest.mark.parametrize(("text", "taken"), [("elevenchars", False), ("twelve chars", True), ("\u00e4" * 12, True)])
def test_twelve_characters_are_enough(text: str, taken: bool) -> None:
    """One less is not, in however many bytes."""
    assert (refusal(text.encode()) == "") is taken
    assert (refusal(("\u20ac" * 11).encode()) == "") is False


@given(st.binary(max_size=60))
def test_any_bytes_are_judged(data: bytes) -> None:
    """Bytes that are no text are refused, and nothing else happens. (Surrogates and overlong forms, which no encoder
    makes, may be taken: they are compared as bytes.)"""
    said = refusal(data)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return
    assert "UTF-8" not in said
    assert bool(said) == (len(text) < LEAST_CHARACTERS or any(ord(one) < 0x20 or ord(one) == 0x7F for one in text))


@pytest.mark.parametrize(
    "data", [b"\xff" * 20, b"a" * 20 + b"\xc3", b"a" * 20 + b"\xe2\x82", b"\x80" * 20, b"\xc3a" * 20]
)
def test_no_text_is_refused(data: bytes) -> None:
    """Bytes that begin no character, and a last one that is torn."""
    assert refusal(data) == "A passphrase is UTF-8 text."


@pytest.mark.parametrize("control", [0x00, 0x1F, 0x7F])
def test_a_control_character_is_refused(control: int) -> None:
    """The first, the last and the one that stands by itself; their neighbours are characters as others."""
    assert refusal(b"twelve chars" + bytes([control])) == "A passphrase has no control characters."
    assert refusal(b"twelve chars ~") == ""


def test_only_the_passphrase_matches() -> None:
    """Not one that differs in a bit, is longer or empty; not against nothing either."""
    passphrase = b"correct horse battery staple"
    verifier = make_verifier(memoryview(passphrase))
    assert matches(memoryview(passphrase), verifier)
    for other in (b"correct horse battery stapld", passphrase + b" ", b"", b"Correct horse battery staple"):
        assert not matches(memoryview(other), verifier)
    assert not matches(memoryview(passphrase), None)


def test_it_is_scrypt_with_a_salt_of_its_own() -> None:
    """The verifier is cost, salt and RFC 7914's digest of them; another one of the same passphrase is another."""
    passphrase = b"correct horse battery staple"
    first, second = make_verifier(memoryview(passphrase)), make_verifier(memoryview(passphrase))
    assert first[:3] == second[:3] == bytes((15, 8, 1))
    assert first[3:19] != second[3:19]
    told = hashlib.scrypt(passphrase, salt=first[3:19], n=2**15, r=8, p=1, maxmem=1 << 26, dklen=32)
    assert first[19:] == told


def test_the_cost_is_that_of_the_verifier() -> None:
    """One that was made at another cost still opens."""
    salt = bytes(range(16))
    made = bytes((10, 4, 2)) + salt + hashlib.scrypt(b"an old passphrase", salt=salt, n=1024, r=4, p=2, dklen=32)
    assert matches(memoryview(b"an old passphrase"), made)
