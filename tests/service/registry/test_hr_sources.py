"""The registry's HR sources: secrets that are shown to nobody, and that two sources never share."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.problems import Problem
from app.registry.hr_sources import HrSourceRow, key_of
from app.registry.messages.hr_sources import HrSource, HrSourceBody
from tests.door_site import ACTOR, DoorSite, door_site
from tests.hr_sender import KEY, SECRET

WORD = "a-word-of-the-hr-system"
NEXT = "the-word-that-comes-next"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[DoorSite]:
    """A fresh training site; no reader is driven."""
    with door_site(tmp_path / "site") as made:
        yield made


def put(site: DoorSite, source_id: str = "hris", **fields: object) -> HrSource:
    """PUTs a source; what comes back."""
    body = msgspec.convert({"scheme": "header", **fields}, HrSourceBody)
    return asyncio.run(site.registry.hr_sources.put(source_id, body, actor=ACTOR))[0]


def refusal(site: DoorSite, source_id: str = "hris", **fields: object) -> str:
    """The field that is wrong."""
    with pytest.raises(Problem) as refused:
        put(site, source_id, **fields)
    assert refused.value.code == "invalid_body"
    return refused.value.errors[0].pointer


def stored(site: DoorSite) -> list[HrSourceRow]:
    """As whoever judges calls needs them."""
    with site.store.read() as connection:
        return site.registry.hr_sources.all(connection)


def test_secrets_are_told_to_their_judge_alone(site: DoorSite) -> None:
    """The reply says that they are there; no text and no file has them in plain."""
    shown = put(site, secret=WORD, next_secret=NEXT)
    (row,) = stored(site)
    assert (shown.secret.set, shown.next_secret.set, row.keys) == (True, True, (WORD.encode(), NEXT.encode()))
    for text in (repr(shown), repr(row), msgspec.json.encode(shown).decode()):
        assert WORD not in text
        assert NEXT not in text
    assert WORD.encode() not in site.store.path.read_bytes() + site.store.path.with_name("store.db-wal").read_bytes()


def test_a_rotation_ends_with_one_secret(site: DoorSite) -> None:
    """What is left out stays; null takes the next one away."""
    put(site, secret=WORD)
    put(site, next_secret=NEXT)
    put(site, display_name="People")
    assert stored(site)[0].keys == (WORD.encode(), NEXT.encode())
    put(site, secret=NEXT, next_secret=None)
    assert stored(site)[0].keys == (NEXT.encode(),)


def test_a_new_source_needs_a_secret(site: DoorSite) -> None:
    """Without one anybody would be believed."""
    assert refusal(site) == "/secret"


def test_a_secret_does_not_change_its_scheme(site: DoorSite) -> None:
    """A password must not become the key of signatures unseen."""
    put(site, secret=WORD, next_secret=NEXT)
    assert refusal(site, scheme="bamboohr") == "/secret"
    assert refusal(site, scheme="bamboohr", secret=WORD) == "/next_secret"
    assert put(site, scheme="bamboohr", secret=WORD, next_secret=None).scheme == "bamboohr"


@pytest.mark.parametrize(
    ("scheme", "secret"),
    [
        ("standard-webhooks", "whsec_c2hvcnRzaG9ydHM="),
        ("standard-webhooks", "no base64, but long enough"),
        ("basic", "a-password-without-user"),
        ("basic", ":a-password-of-nobody"),
        ("basic", "a-user-without-password:"),
    ],
)
def test_a_secret_fits_its_scheme(site: DoorSite, scheme: str, secret: str) -> None:
    """24 to 64 bytes in base64; user and password."""
    assert refusal(site, scheme=scheme, secret=secret) == "/secret"


@pytest.mark.parametrize("field", ["secret", "next_secret"])
def test_two_sources_share_no_secret(site: DoorSite, field: str) -> None:
    """A call that one has seen could be sent again as the other's; another writing of the secret is the same one."""
    put(site, "first", scheme="standard-webhooks", secret=SECRET)
    fields = {"secret": "whsec_" + "B" * 32, field: SECRET.removeprefix("whsec_")}
    assert refusal(site, "second", scheme="standard-webhooks", **fields) == f"/{field}"


@given(st.binary(min_size=24, max_size=64))
def test_every_writing_of_a_secret_is_the_same_key(key: bytes) -> None:
    """With and without prefix and padding."""
    text = base64.b64encode(key).decode()
    writings = [prefix + word for prefix in ("whsec_", "") for word in (text, text.rstrip("="))]
    assert {key_of("standard-webhooks", writing) for writing in writings} == {key}


def test_the_specifications_secret_is_its_bytes() -> None:
    """``whsec_`` and base64."""
    assert key_of("standard-webhooks", SECRET) == KEY
