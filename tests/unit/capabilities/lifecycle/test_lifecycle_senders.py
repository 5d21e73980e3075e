"""Who signed a call: every scheme's own signature is known, and nothing else is."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.operation import Unsigned
from app.capabilities.lifecycle.senders import judge
from app.registry.hr_sources import HrSourceRow, key_of
from app.registry.messages.hr_sources import HrScheme
from tests.hr_sender import KEY, SECRET, bamboohr, basic, event, signed

NOW = float(int(time.time()))
"""Of the test that runs: the library that verifies looks at the machine's clock by itself."""
WORD = "a-word-of-the-hr-system"
PAIR = "hr:a-password-of-theirs"
BODY = event("E1")
SCHEMES: tuple[HrScheme, ...] = ("standard-webhooks", "bamboohr", "header", "basic")
SECRETS: dict[HrScheme, str] = {"standard-webhooks": SECRET, "bamboohr": WORD, "header": WORD, "basic": PAIR}

sent_text = st.text(st.characters(max_codepoint=255), max_size=200)
"""What a header can hold: any byte, read as Latin-1."""


@pytest.fixture(autouse=True)
def _now() -> None:
    """A file may be read long before its tests run."""
    global NOW
    NOW = float(int(time.time()))


def source(scheme: HrScheme, *more: str) -> HrSourceRow:
    """A source of this scheme with its secret, and further ones."""
    keys = tuple(key_of(scheme, secret) for secret in (SECRETS[scheme], *more))
    return HrSourceRow(source_id="hr", scheme=scheme, keys=keys, max_discharges_per_minute=10)


def sent(scheme: HrScheme, body: bytes = BODY, at: float | None = None) -> dict[str, str]:
    """Headers as a sender of this scheme signs ``body``, by default now."""
    at = NOW if at is None else at
    if scheme == "standard-webhooks":
        return signed(body, at=at)
    if scheme == "bamboohr":
        return bamboohr(body, WORD, at=at)
    return {"authorization": f"Bearer {WORD}"} if scheme == "header" else basic(PAIR)


def refusal(scheme: HrScheme, headers: Mapping[str, str], body: bytes = BODY, now: float | None = None) -> str:
    """Why the call is not believed, by default now."""
    with pytest.raises(Unsigned) as refused:
        judge(source(scheme), headers, body, NOW if now is None else now)
    return refused.value.cause


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_signed_call_is_known(scheme: HrScheme) -> None:
    """By the very bytes that the sender's own library makes."""
    found = judge(source(scheme), sent(scheme), BODY, NOW)
    timed = scheme in ("standard-webhooks", "bamboohr")
    assert found.at_s == (int(NOW) if timed else None)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_both_secrets_of_a_rotation_open(scheme: HrScheme) -> None:
    """The old one and the next one, in either place."""
    other = SECRET.replace("AAEC", "AAED") if scheme == "standard-webhooks" else f"{SECRETS[scheme]}-next"
    both = source(scheme, other)
    turned = HrSourceRow(both.source_id, both.scheme, both.keys[::-1], 10)
    assert judge(both, sent(scheme), BODY, NOW) == judge(turned, sent(scheme), BODY, NOW)


@pytest.mark.parametrize("scheme", ["standard-webhooks", "bamboohr"])
@pytest.mark.parametrize("off", [-301, 301])
def test_a_signed_time_away_from_now_is_stale(scheme: HrScheme, off: int) -> None:
    """More than 300 s, either way."""
    assert refusal(scheme, sent(scheme, at=NOW + off)) == "stale"


@pytest.mark.parametrize("scheme", ["standard-webhooks", "bamboohr"])
def test_another_body_is_not_signed(scheme: HrScheme) -> None:
    """One employee's discharge is not another's."""
    assert refusal(scheme, sent(scheme), event("E2")) == "signature"


@pytest.mark.parametrize("scheme", ["standard-webhooks", "bamboohr"])
def test_another_time_is_not_signed(scheme: HrScheme) -> None:
    """An old call does not become fresh by its header."""
    headers = {name: str(int(NOW)) if "timestamp" in name else value for name, value in sent(scheme, at=1e9).items()}
    assert refusal(scheme, headers) == "signature"


def test_an_id_that_is_not_signed_names_nothing() -> None:
    """BambooHR signs no id: one that was added would make a replay a new call."""
    known = judge(source("bamboohr"), sent("bamboohr"), BODY, NOW)
    renamed = judge(source("bamboohr"), {**sent("bamboohr"), "webhook-id": "another"}, BODY, NOW)
    assert known == renamed
    assert known.key is not None


def test_a_name_of_standard_webhooks_is_its_id() -> None:
    """A retry with a new time is the same call."""
    first = judge(source("standard-webhooks"), sent("standard-webhooks"), BODY, NOW)
    retry = judge(source("standard-webhooks"), sent("standard-webhooks", at=NOW + 5), BODY, NOW)
    assert first.key == retry.key == "id:msg_1"


def test_a_plain_secret_may_come_alone_or_as_bearer() -> None:
    """As SuccessFactors and Okta send it, and as Workday does."""
    for value in (WORD, f"Bearer {WORD}", f"bearer {WORD}"):
        assert judge(source("header"), {"authorization": value}, BODY, NOW).key is None


def test_a_list_of_signatures_needs_one_that_fits() -> None:
    """Standard Webhooks: other versions and other keys stand beside it during a rotation."""
    headers = sent("standard-webhooks")
    headers["webhook-signature"] = f"v1a,AAAA v1,AAAA {headers['webhook-signature']}"
    assert judge(source("standard-webhooks"), headers, BODY, NOW).key == "id:msg_1"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_nothing_is_signed_by_nobody(scheme: HrScheme) -> None:
    """A call without any header."""
    assert refusal(scheme, {}) == "missing"


names = st.sampled_from(
    [
        "webhook-id",
        "webhook-timestamp",
        "webhook-signature",
        "x-bamboohr-signature",
        "x-bamboohr-timestamp",
        "authorization",
    ]
)


@given(
    scheme=st.sampled_from(SCHEMES),
    headers=st.dictionaries(names, sent_text | st.builds(lambda: str(int(NOW))), max_size=6),
    body=st.binary(max_size=300),
)
def test_no_bytes_from_outside_break_a_parser(scheme: HrScheme, headers: dict[str, str], body: bytes) -> None:
    """Whatever is sent, it is unsigned and nothing else happens."""
    assert refusal(scheme, headers, body) in ("missing", "stale", "signature")


@given(scheme=st.sampled_from(SCHEMES), at=st.integers(0, 5), value=sent_text)
def test_one_changed_header_takes_the_signature_away(scheme: HrScheme, at: int, value: str) -> None:
    """Whichever field is replaced by other text; white space around a plain secret is no other text."""
    headers = sent(scheme)
    name = list(headers)[at % len(headers)]
    if value.strip() == headers[name] or (name == "authorization" and WORD in value):
        return
    assert refusal(scheme, {**headers, name: value}) in ("stale", "signature", "missing")


@given(
    secret=st.binary(min_size=24, max_size=64),
    body=st.text(max_size=200),
    call_id=st.from_regex(r"[!-~]{1,64}", fullmatch=True),
)
def test_what_the_library_signs_is_known(secret: bytes, body: str, call_id: str) -> None:
    """Any key, text and id of the specification's own signer."""
    row = HrSourceRow(source_id="hr", scheme="standard-webhooks", keys=(KEY, secret), max_discharges_per_minute=10)
    headers = signed(body.encode(), call_id=call_id, at=NOW, secret=secret)
    assert judge(row, headers, body.encode(), NOW).key == f"id:{call_id}"


@pytest.mark.parametrize(
    ("scheme", "name"),
    [
        *(("standard-webhooks", f"webhook-{part}") for part in ("id", "timestamp", "signature")),
        *(("bamboohr", f"x-bamboohr-{part}") for part in ("timestamp", "signature")),
        ("header", "authorization"),
        ("basic", "authorization"),
    ],
)
def test_each_header_of_a_scheme_is_needed(scheme: HrScheme, name: str) -> None:
    """One that is left out makes the call unsigned, whatever the others say."""
    headers = sent(scheme)
    del headers[name]
    assert refusal(scheme, headers) == "missing"


@pytest.mark.parametrize("call_id", ["a b", "", "n" * 257, "\u00e9"])
def test_an_id_that_no_log_can_hold_is_refused(call_id: str) -> None:
    """Though the sender signed it: 1 to 256 visible characters of ASCII."""
    assert refusal("standard-webhooks", signed(BODY, call_id=call_id, at=NOW)) == "signature"
    longest = signed(BODY, call_id="n" * 256, at=NOW)
    assert judge(source("standard-webhooks"), longest, BODY, NOW).key == "id:" + "n" * 256


@pytest.mark.parametrize("off", [-300, 300])
def test_a_signed_time_five_minutes_away_is_fresh(off: int) -> None:
    """The limit itself, either way; the call says when it was signed."""
    found = judge(source("bamboohr"), sent("bamboohr", at=NOW + off), BODY, NOW)
    assert found.at_s == NOW + off
    assert refusal("bamboohr", sent("bamboohr", at=NOW + off), now=NOW - off / 300) == "stale"


@pytest.mark.parametrize("text", ["", "-1", "1e9", "soon", "\u0661" * 10, "1" * 13, " 1"])
@pytest.mark.parametrize(("scheme", "name"), [("bamboohr", "x-bamboohr-timestamp"), ("header", "webhook-timestamp")])
def test_a_time_that_is_no_number_is_stale(scheme: HrScheme, name: str, text: str) -> None:
    """Seconds in 1 to 12 digits."""
    assert refusal(scheme, {**sent(scheme), name: text}) == "stale"


def test_a_plain_call_is_named_by_what_came_with_it() -> None:
    """Its id; else its time and body; else the body alone has to do, and the key is None."""
    at = str(int(NOW))
    timed = "sha256:" + hashlib.sha256(at.encode() + b"\n" + BODY).hexdigest()
    for headers, key, at_s in (
        ({}, None, None),
        ({"webhook-id": "msg_1"}, "id:msg_1", None),
        ({"webhook-id": "a b"}, None, None),
        ({"webhook-timestamp": at}, timed, int(NOW)),
        ({"webhook-id": "a b", "webhook-timestamp": at}, timed, int(NOW)),
        ({"webhook-id": "msg_1", "webhook-timestamp": at}, "id:msg_1", int(NOW)),
    ):
        for scheme in ("header", "basic"):
            found = judge(source(scheme), {**sent(scheme), **headers}, BODY, NOW)
            assert (found.key, found.at_s) == (key, at_s)
    assert judge(source("bamboohr"), sent("bamboohr"), BODY, NOW).key == timed


@pytest.mark.parametrize(
    ("scheme", "headers", "cause"),
    [
        ("basic", {"authorization": f"Bearer {PAIR}"}, "missing"),
        ("basic", {"authorization": "Basic !"}, "signature"),
        ("basic", {"authorization": "Basic aHI6YW5vdGhlcg=="}, "signature"),
        ("header", {"authorization": f"Bearer {WORD}x"}, "signature"),
        ("header", {"authorization": f"Basic {WORD}"}, "signature"),
        ("bamboohr", {"x-bamboohr-signature": "0" * 63, "x-bamboohr-timestamp": None}, "signature"),
        ("bamboohr", {"x-bamboohr-signature": "g" * 64, "x-bamboohr-timestamp": None}, "signature"),
        ("bamboohr", {"x-bamboohr-signature": "0" * 64, "x-bamboohr-timestamp": None}, "signature"),
    ],
)
def test_another_secret_or_scheme_is_no_signature(scheme: HrScheme, headers: dict[str, str | None], cause: str) -> None:
    """The wrong scheme of a header brings no secret; what is no secret of ours is none in another alphabet either."""
    whole = {name: str(int(NOW)) if value is None else value for name, value in headers.items()}
    assert refusal(scheme, whole) == cause


def test_a_signature_may_be_written_in_capitals() -> None:
    """Hex is one value in both cases; so is the name of the scheme."""
    headers = sent("bamboohr")
    headers["x-bamboohr-signature"] = headers["x-bamboohr-signature"].upper()
    assert judge(source("bamboohr"), headers, BODY, NOW).at_s == NOW
    scheme, pair = sent("basic")["authorization"].split(" ")
    assert judge(source("basic"), {"authorization": f"{scheme.upper()} {pair}"}, BODY, NOW).key is None
