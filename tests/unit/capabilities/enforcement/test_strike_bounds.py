"""Every bound of a strike's body: what is as long as it may be is taken, one more or one less is not."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec
import pytest

from app.capabilities.enforcement.messages import (
    URL_CHARACTERS,
    CopyrightWork,
    Declarant,
    StrikeBody,
    StrikeDetails,
    StrikeQuery,
    TrackingToken,
    WithdrawStrike,
)

THREE = {
    "target_compromise_signature": "case 7",
    "enforcement_jurisdiction": "EU",
    "automated_dmca_dispatch": False,
}
PERSON = {"name": "Training Person", "capacity": "the person shown"}
WORK = {"title": "A recording", "owner": "Training Person"}
URL = "https://video.example/"


def taken(kind: type[Any], said: dict[str, Any], field: str, value: object) -> bool:
    """Whether the body is taken with that value."""
    try:
        msgspec.convert({**said, field: value}, kind)
    except msgspec.ValidationError:
        return False
    return True


TEXTS: list[tuple[type[Any], dict[str, Any], str, int, int]] = [
    (StrikeBody, THREE, "target_compromise_signature", 1, 512),
    (StrikeBody, THREE, "enforcement_jurisdiction", 2, 16),
    (StrikeBody, THREE, "statement", 20, 5000),
    (StrikeDetails, {}, "statement", 20, 5000),
    (Declarant, PERSON, "name", 2, 200),
    (Declarant, PERSON, "capacity", 2, 200),
    (Declarant, PERSON, "postal_address", 5, 500),
    (CopyrightWork, WORK, "description", 1, 2000),
    (WithdrawStrike, {}, "reason", 3, 1000),
    (StrikeQuery, {}, "jurisdiction", 0, 16),
]


@pytest.mark.parametrize(("kind", "said", "field", "least", "most"), TEXTS)
def test_a_text_keeps_its_bounds(kind: type[Any], said: dict[str, Any], field: str, least: int, most: int) -> None:
    assert [taken(kind, said, field, "a" * length) for length in (least, most, most + 1)] == [True, True, False]
    assert least == 0 or not taken(kind, said, field, "a" * (least - 1))


@pytest.mark.parametrize("kind", [StrikeBody, StrikeDetails])
@pytest.mark.parametrize(("field", "one", "most"), [("platforms", "video", 20), ("content_urls", URL, 100)])
def test_a_list_keeps_its_bounds(kind: type[Any], field: str, one: str, most: int) -> None:
    said = THREE if kind is StrikeBody else {}
    assert [taken(kind, said, field, [one] * count) for count in (0, 1, most, most + 1)] == [False, True, True, False]


def test_an_address_keeps_its_bounds() -> None:
    """Of characters, and of the host."""
    room = URL_CHARACTERS - len(URL)
    assert [taken(StrikeBody, THREE, "content_urls", [URL + "a" * more]) for more in (room, room + 1)] == [True, False]
    hosts = ["http://" + "a" * length for length in (2, 3, 255, 256)]
    assert [taken(StrikeBody, THREE, "content_urls", [one]) for one in hosts] == [False, True, True, False]


def test_a_mail_address_keeps_its_bounds() -> None:
    """64 characters before the sign, 255 after it (RFC 5321, 4.5.3.1)."""
    mails = ["a@b", "a" * 64 + "@" + "b" * 255, "a" * 65 + "@b", "a@" + "b" * 256, "@b", "a@"]
    assert [taken(Declarant, PERSON, "email", one) for one in mails] == [True, True, False, False, False, False]


def test_a_token_keeps_its_bounds() -> None:
    """Longer than any that this site makes is no token, before anything is asked."""
    for length, good in ((0, False), (1, True), (64, True), (65, False)):
        with contextlib.nullcontext() if good else pytest.raises(msgspec.ValidationError):
            msgspec.convert("A" * length, TrackingToken)


def test_a_digest_is_64_small_digits() -> None:
    digests = ["a" * 64, "a" * 63, "a" * 65, "A" * 64, "g" * 64]
    assert [taken(CopyrightWork, WORK, "sha256", one) for one in digests] == [True, False, False, False, False]


def test_a_telephone_number_keeps_its_bounds() -> None:
    numbers = ["1" * 4, "+" + "1" * 40, "1" * 3, "1" * 41, "abcd"]
    assert [taken(Declarant, PERSON, "phone", one) for one in numbers] == [True, True, False, False, False]
