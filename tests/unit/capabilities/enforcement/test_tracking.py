"""Tracking tokens: their form, and what is refused."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.enforcement.tracking import TrackingTokens, notice_tracking

VECTOR = json.loads((Path(__file__).parents[3] / "vectors" / "strike-notice-1.json").read_text())
KEY = bytes.fromhex(VECTOR["tracking"]["key"])
TOKENS = TrackingTokens([KEY])
TRACK = bytes.fromhex(VECTOR["tracking"]["random"])
TOKEN = VECTOR["tracking"]["token"]


def test_the_token_is_that_of_the_vector() -> None:
    """Anybody who knows the key makes the same one."""
    assert TOKENS.token(TRACK) == TOKEN
    assert notice_tracking(TOKEN, 3) == f"{TOKEN}.3"


def test_a_token_is_its_random_part_and_its_mac() -> None:
    """39 characters: the prefix, and 20 bytes in Crockford's base 32."""
    digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
    number = 0
    for digit in TOKEN.removeprefix("ARC-ST-"):
        number = number * 32 + digits.index(digit)
    raw = number.to_bytes(20)
    assert (len(TOKEN), raw[:12]) == (39, TRACK)
    assert raw[12:] == hmac.new(KEY, b"strike/v1" + TRACK, hashlib.sha256).digest()[:8]


def test_tokens_are_drawn_anew_each_time() -> None:
    """12 random bytes."""
    drawn = {TOKENS.draw() for _ in range(100)}
    assert len(drawn) == 100
    assert {len(one) for one in drawn} == {12}


@given(st.binary(min_size=12, max_size=12))
def test_a_token_is_read_back(track: bytes) -> None:
    """Also in small letters, and with O for 0 and I or L for 1."""
    token = TOKENS.token(track)
    assert re.fullmatch("ARC-ST-[0-9A-HJKMNP-TV-Z]{32}", token)
    digits = token.removeprefix("ARC-ST-")
    assert TOKENS.read(token) == TOKENS.read(token.lower()) == track
    assert TOKENS.read("ARC-ST-" + digits.replace("0", "O").replace("1", "I")) == track
    assert TOKENS.read("arc-st-" + digits.replace("0", "o").replace("1", "l")) == track


@given(st.integers(0, 31), st.sampled_from("0123456789ABCDEFGHJKMNPQRSTUVWXYZ"))
def test_one_other_digit_is_refused(place: int, digit: str) -> None:
    """Wherever it stands."""
    at = len("ARC-ST-") + place
    other = TOKEN[:at] + digit + TOKEN[at + 1 :]
    assert (TOKENS.read(other) is None) is (other != TOKEN)


@given(st.text(max_size=64))
def test_other_texts_are_no_tokens(text: str) -> None:
    """Nothing raises."""
    assert TOKENS.read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        TOKEN[:-1],
        TOKEN + "0",
        TOKEN + "\n",
        " " + TOKEN,
        f"{TOKEN}.1",
        "ARC-SU-" + TOKEN[7:],
        TOKEN[:-1] + "_",
        TOKEN[:-2] + "U0",
        TOKEN[:7] + "+" + TOKEN[8:],
        TOKEN[:-1] + "\u0663",
    ],
)
def test_what_is_longer_or_shorter_is_refused(text: str) -> None:
    """A notice's number is no part of the token."""
    assert TOKENS.read(text) is None


def test_a_token_of_another_site_is_refused() -> None:
    """Its key is another one."""
    assert TrackingTokens([bytes(32)]).read(TOKEN) is None


def test_an_earlier_key_still_reads() -> None:
    """The newest one makes."""
    renewed = TrackingTokens([bytes(32), KEY])
    assert renewed.read(TOKEN) == TRACK
    assert renewed.token(TRACK) != TOKEN
