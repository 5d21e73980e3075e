"""Decoding of outside bytes."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api import decode
from app.api.problems import Problem
from app.api.wire import ListQuery, Request


class Inner(Request, kw_only=True):
    """Nested."""

    n: Annotated[int, msgspec.Meta(ge=0)]


class Outer(Request, kw_only=True):
    """Outer."""

    inner: list[Inner] = msgspec.field(default_factory=list)
    table: dict[str, int] = msgspec.field(default_factory=dict)
    secret: Annotated[str, msgspec.Meta(max_length=3)] = ""
    notes: str = ""
    words: list[str] = msgspec.field(default_factory=list)
    ratio: float = 0.0


class Stricter(Outer, kw_only=True):
    """With bounds below others, and a member that must be there."""

    must: list[str]
    short: Annotated[list[Annotated[str, msgspec.Meta(max_length=3)]], msgspec.Meta(max_length=3)] | None = None
    few: Inner | None = None
    either: int | str = 0


class Heedless(Request, kw_only=True):
    """With a member that nobody reads."""

    anything: Any = None
    word: str = ""


DECODER = msgspec.json.Decoder(Outer)


def refusal(read: Callable[[], object]) -> Problem | None:
    """The Problem that reading ends in; None if it ends well. Any other exception goes through."""
    try:
        read()
    except Problem as problem:
        return problem
    return None


@given(st.binary(max_size=200))
def test_any_body(raw: bytes) -> None:
    """Any bytes are a value of the shape or a Problem of 400 or 422, never another exception."""
    refused = refusal(lambda: decode.body(DECODER, raw))
    assert refused is None or refused.code in ("malformed_json", "invalid_body")


TEXT = st.text(st.characters(exclude_categories=["Cs"]))
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT | st.sampled_from(["inner", "table", "n"]), inner),
    max_leaves=12,
)


@given(JSON_VALUES)
def test_any_json(value: Any) -> None:
    """Well-formed JSON is never called malformed, and the pointer leads into what was sent."""
    raw = msgspec.json.encode(value)
    refused = refusal(lambda: decode.body(DECODER, raw))
    assert refused is None or refused.code == "invalid_body"
    assert refused is None or all(error.pointer[:1] in ("", "/") for error in refused.errors)


@pytest.mark.parametrize(
    ("raw", "pointer"),
    [
        (b'{"inner":[{"n":1},{"n":"x"}]}', "/inner/1/n"),
        (b'{"inner":[{"n":1},{}]}', "/inner/1/n"),
        (b'{"inner":[{"n":1,"~/":1}]}', "/inner/0/~0~1"),
        (b'{"table":{"hunter2":"x"}}', "/table"),
        (b'{"secret":"hunter2"}', "/secret"),
        (b'"hunter2"', ""),
    ],
)
def test_pointer_without_the_value(raw: bytes, pointer: str) -> None:
    """The place is named, the value is not."""
    with pytest.raises(Problem) as refused:
        decode.body(DECODER, raw)
    assert refused.value.errors[0].pointer == pointer
    assert "hunter2" not in refused.value.errors[0].detail + refused.value.detail


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        ({"inner": [{"n": -1}, {"n": 1}, {"n": "x"}], "secret": "long"}, ["/inner/0/n", "/inner/2/n", "/secret"]),
        ({"inner": [{}, {"n": 1, "m": 2}], "more": 1}, ["/inner/0/n", "/inner/1/m", "/more"]),
        ({"must": [], "short": ["long", "a", "longer"]}, ["/short/0", "/short/2"]),
        ({"must": [1], "short": ["a", "longer", "c", "d"]}, ["/must/0", "/short", "/short/1"]),
        ({"few": {"n": -1, "~/": 0}, "must": 3, "either": []}, ["/must", "/few/n", "/few/~0~1", "/either"]),
        ({"few": {"n": 84.0}, "secret": "long", "must": [], "either": 0.5}, ["/secret", "/either"]),
        ({"table": {"hunter2": "x"}, "must": []}, ["/table"]),
        ({}, ["/must"]),
        (["hunter2"], [""]),
    ],
)
def test_every_fault_of_a_body_is_named(value: Any, pointers: list[str]) -> None:
    """Wrong, missing and unknown members, each at its place: a caller corrects them in one go."""
    shape = Outer if isinstance(value, dict) and "inner" in value else Stricter
    refused = refusal(lambda: decode.body(msgspec.json.Decoder(shape), msgspec.json.encode(value)))
    assert refused is not None
    assert [error.pointer for error in refused.errors] == pointers


def test_the_faults_of_one_refusal_are_bounded() -> None:
    """A body of nothing but faults does not become a reply of its size."""
    body = msgspec.json.encode({"words": [1] * 10_000, "must": [1] * 100} | {f"m{at}": 1 for at in range(1_000)})
    refused = refusal(lambda: decode.body(msgspec.json.Decoder(Stricter), body))
    assert refused is not None
    assert len(refused.errors) == decode.FAULTS_MAX


@given(JSON_VALUES)
def test_a_body_with_its_faults_left_out_has_others(value: Any) -> None:
    """No fault is named twice, and each is a sentence."""
    refused = refusal(lambda: decode.body(DECODER, msgspec.json.encode(value)))
    faults = [] if refused is None else list(refused.errors)
    assert len({error.pointer for error in faults}) == len(faults)
    assert all(error.detail.endswith(".") for error in faults)


def test_deep_nesting() -> None:
    """A body nested beyond reason is malformed, not a crash."""
    with pytest.raises(Problem) as refused:
        decode.body(DECODER, b'{"x":' * 100_000)
    assert refused.value.code == "malformed_json"


class Filter(Request, kw_only=True):
    """A query with a choice."""

    state: Literal["on", "off"] | None = None
    from_: str | None = msgspec.field(name="from", default=None)


def test_parameter_with_a_name_that_python_reserves() -> None:
    """A field may be called otherwise in the program than on the wire."""
    assert decode.query(Filter, b"from=here&state=on").from_ == "here"


def test_null_is_no_value_of_a_query() -> None:
    """The word null is refused where the parameter's values are named, and text where it may be any."""
    refused = refusal(lambda: decode.query(Filter, b"state=null"))
    assert refused is not None
    assert [error.pointer for error in refused.errors] == ["/query/state"]
    assert decode.query(ListQuery, b"q=null").q == "null"


@given(st.binary(max_size=100))
def test_any_query(raw: bytes) -> None:
    """Any query string is a query or a Problem."""
    refused = refusal(lambda: decode.query(ListQuery, raw))
    assert refused is None or refused.code in ("malformed_request", "invalid_body")


UNSEEN = ["\0", "\x1b", "\n", "\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\ufeff", "\u200b", "\U000e0041"]


@pytest.mark.parametrize("unseen", UNSEEN)
@pytest.mark.parametrize("ensure_ascii", [True, False])
def test_unseen_characters_are_refused_at_their_place(unseen: str, ensure_ascii: bool) -> None:
    """Control and format characters, escaped or as they are: 422 with the text's pointer, never the text."""
    raw = json.dumps({"words": ["good", f"a{unseen}b"]}, ensure_ascii=ensure_ascii).encode()
    refused = refusal(lambda: decode.body(DECODER, raw))
    assert refused is not None
    assert refused.code == "invalid_body"
    assert [error.pointer for error in refused.errors] == ["/words/1"]


def test_unseen_characters_in_a_name_are_refused() -> None:
    """The member's holder is named."""
    refused = refusal(lambda: decode.body(DECODER, b'{"table":{"a\\u202eb":1}}'))
    assert refused is not None
    assert [error.pointer for error in refused.errors] == ["/table"]


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param('{"notes":"two\\nlines\\tand\\rmore"}', id="lines in notes"),
        pytest.param('{"words":["\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"]}', id="a joiner"),
        pytest.param('{"words":["M\u00fcller","\u05d0\u05d1","a\\u00fcb"]}', id="other scripts"),
        pytest.param('{"words":["back\\\\nslash"]}', id="a backslash before n"),
    ],
)
def test_seen_characters_are_accepted(raw: str) -> None:
    """Names of all scripts, and several lines where a text may have them."""
    assert refusal(lambda: decode.body(DECODER, raw.encode())) is None


def test_notes_take_lines_and_no_other_control() -> None:
    """An escape sequence of a terminal is refused there, too."""
    assert refusal(lambda: decode.body(DECODER, b'{"notes":"a\\nb\\u001b[2J"}')) is not None


def test_what_nobody_reads_may_be_anything() -> None:
    """A member of any type is ignored as a whole; the members beside it are judged."""
    decoder = msgspec.json.Decoder(Heedless)
    raw = b'{"anything":{"a\\u0087":["\\u0000"]},"word":"%s"}'
    assert refusal(lambda: decode.body(decoder, raw % b"a")) is None
    assert refusal(lambda: decode.body(decoder, raw % b"\\u0000")) is not None


def test_many_unseen_are_named_up_to_a_bound() -> None:
    """A refusal is no copy of the body."""
    refused = refusal(lambda: decode.body(DECODER, json.dumps({"words": ["\0"] * 1000}).encode()))
    assert refused is not None
    assert len(refused.errors) == decode.FAULTS_MAX


def test_what_is_signed_keeps_its_characters() -> None:
    """A discharge is not lost over a character."""
    assert decode.signed_body(DECODER, b'{"words":["a\\u0000b"]}').words == ["a\0b"]


@pytest.mark.parametrize("raw", [b"q=%00", b"q=a%1Bb", b"q=%E2%80%AE", b"%00=a"])
def test_unseen_characters_of_a_query_are_refused(raw: bytes) -> None:
    """They would be cut off, and the call would answer another question."""
    refused = refusal(lambda: decode.query(ListQuery, raw))
    assert refused is not None
    assert refused.code == "invalid_body"


@given(st.text(st.characters(exclude_categories=["C", "Z"]), max_size=200))
def test_query_text_round_trip(text: str) -> None:
    """What urllib writes is read back."""
    assert decode.query(ListQuery, urlencode({"q": text}).encode()).q == text


@given(st.lists(st.binary(max_size=20), max_size=3))
def test_any_path(segments: list[bytes]) -> None:
    """Path parameters are identifiers or refused; none has a slash, a control character or a line break."""
    values = decode.path_values(segments)
    if values is not None:
        assert all(value.isascii() and value.isprintable() and "/" not in value for value in values)


@given(st.lists(st.binary(max_size=20), max_size=3))
def test_any_path_with_a_rest(segments: list[bytes]) -> None:
    """Only the last one may hold slashes, and then between identifiers."""
    values = decode.path_values(segments, rest=True)
    if values is not None:
        assert decode.path_values(segments[:-1]) == values[:-1]
        assert all(decode.path_values([part.encode()]) == [part] for value in values for part in value.split("/"))


def test_an_encoded_slash_joins_the_rest() -> None:
    """A client of the document writes one parameter, its slashes encoded; a reader of tiles writes the path."""
    assert decode.path_values([b"0", b"x001%2F234.p%2F5"], rest=True) == ["0", "x001/234.p/5"]
    assert decode.path_values([b"0", b"x001/234.p/5"], rest=True) == ["0", "x001/234.p/5"]
    assert decode.path_values([b"0", b"x001%2F234"]) is None
    assert decode.path_values([b"0%2F1", b"000"], rest=True) is None
    assert decode.path_values([b"0", b"..%2F000"], rest=True) is None


TWICE = [
    b'{"ratio":1,"ratio":1}',
    b'{"ratio":1,"secret":"","ratio":2}',
    b'{"ratio":1,"r\\u0061tio":1}',
    b'{"r\\u0061tio":1,"ratio":1}',
    b'{"table":{"a":1,"b":2,"a":3}}',
    b'{"inner":[{"n":1},{"n":1,"n":2}]}',
    b'{"table":{"a":1},"inner":[],"table":{}}',
    b'{"table":{"\\u00e9":1,"\xc3\xa9":2}}',
    b'{"table":{"":1,"":2}}',
    b'{ "ratio" :1 ,\n"ratio"\t: 1}',
    b'{"ratio":1,"inner":{},"ratio":"wrong shape"}',
]
ONCE = [
    b'{"secret":"","table":{"secret":1,"ratio":2},"ratio":1}',
    b'{"inner":[{"n":1},{"n":1}]}',
    b'{"table":{"a":1,"A":1," a":1,"a\\"":1,"a\\\\":1,"\\"a":1}}',
    b'{"secret":"a:a","table":{"{":1,"}":2,"a:":3}}',
]


@pytest.mark.parametrize("read", [decode.body, lambda decoder, raw: decode.secret_body(decoder, memoryview(raw))])
@pytest.mark.parametrize("raw", TWICE)
def test_a_member_that_stands_twice(read: Callable[..., object], raw: bytes) -> None:
    """Two readers of one body could take two different ones from it: 400, whatever else is wrong."""
    refused = refusal(lambda: read(DECODER, raw))
    assert refused is not None
    assert (refused.code, "twice" in refused.detail) == ("malformed_json", True)


@pytest.mark.parametrize("raw", ONCE)
def test_equal_names_in_different_objects(raw: bytes) -> None:
    """And names that only look like each other, or like the ends of something."""
    assert not decode.repeats_member(raw)
    assert not decode.repeats_member(memoryview(raw))
    assert decode.body(DECODER, raw)


PAIRS = st.recursive(
    st.none() | st.integers() | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4) | st.lists(st.tuples(st.sampled_from('abé"\\{'), inner), max_size=4).map(tuple)
    ),
    max_leaves=15,
)


def written(value: object) -> tuple[str, bool]:
    """JSON of a value in which a tuple of pairs is an object; whether a name stands twice in one."""
    if isinstance(value, tuple):
        parts = [(json.dumps(name), written(inner)) for name, inner in value]
        names = [name for name, _ in value]
        text = ",".join(f"{name}: {inner}" for name, (inner, _) in parts)
        return "{" + text + "}", len(set(names)) < len(names) or any(twice for _, (_, twice) in parts)
    if isinstance(value, list):
        inside = [written(inner) for inner in value]
        return "[" + ",".join(text for text, _ in inside) + "]", any(twice for _, twice in inside)
    return json.dumps(value), False


@pytest.mark.parametrize("odd", [b"[" * 3000 + b"]" * 3000, b"1" * 5000], ids=["deep", "a long number"])
def test_what_the_quick_reader_does_not_take_is_judged_all_the_same(odd: bytes) -> None:
    """A name that stands twice beside it is found, and one that stands once is not."""
    assert decode.repeats_member(b'{"a":%s,"b":1,"b":2}' % odd)
    assert not decode.repeats_member(b'{"a":%s,"b":1,"c":2}' % odd)


@given(PAIRS)
def test_any_json_is_judged_as_its_pairs_are(value: object) -> None:
    """However deep the object lies."""
    text, twice = written(value)
    assert decode.repeats_member(text.encode()) is twice
    assert decode.repeats_member(memoryview(text.encode())) is twice


def test_a_deep_body_is_refused_before_its_names_are_read() -> None:
    """No body of a megabyte makes a million sets."""
    raw = b'{"table":' * 100_000 + b"1" + b"}" * 100_000
    refused = refusal(lambda: decode.body(DECODER, raw))
    assert refused is not None
    assert refused.code in ("malformed_json", "invalid_body")
