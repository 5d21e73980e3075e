"""The interval that the document describes is the one that the audit query reads."""

from __future__ import annotations

import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.gateway.audit.messages import AuditQuery
from app.ledger.interval import IntervalError, parse_interval

SCHEMA = msgspec.json.schema(AuditQuery)["$defs"]["AuditQuery"]["properties"]["range"]
PATTERN = next(part["pattern"] for part in SCHEMA["anyOf"] if part.get("type") == "string")
SHAPES = ("An interval is", "A time is written", "A duration is written")
numbers = st.integers(0, 99).map("{:02}".format)
dates = st.builds("{}{}-{}-{}".format, numbers, numbers, numbers, numbers)
zones = st.sampled_from(["", "Z", "z", "+02:00", "-0930", "+2400", "+00:60", "+1"])
clocks = st.builds(
    "{}:{}{}".format, numbers, numbers, st.sampled_from(["", ":00", ":60", ":61", ":07.5", ":07,123456789"])
)
times = st.one_of(dates, st.builds("{}{}{}{}".format, dates, st.sampled_from("Tt "), clocks, zones))
durations = st.builds(
    "P{}{}".format,
    st.lists(st.builds("{}{}".format, numbers, st.sampled_from("WYMD")), max_size=3).map("".join),
    st.one_of(
        st.just(""), st.lists(st.builds("{}{}".format, numbers, st.sampled_from("HMS"))).map("".join).map("T".__add__)
    ),
)
texts = st.one_of(
    st.builds("{}/{}".format, st.one_of(times, durations), st.one_of(times, durations)), times, st.text(max_size=40)
)


@given(texts)
def test_the_document_refuses_nothing_that_is_read(text: str) -> None:
    """Whatever the parser takes fits the pattern."""
    try:
        parse_interval(text)
    except IntervalError:
        return
    assert re.match(PATTERN, text)


@given(st.from_regex(PATTERN))
def test_what_fits_is_refused_for_its_values_alone(text: str) -> None:
    """A text of the pattern is an interval by its shape; the calendar, the order or the length may still refuse it."""
    refusal = ""
    try:
        parse_interval(text)
    except IntervalError as error:
        refusal = str(error)
    assert not refusal.startswith(SHAPES)


def test_the_examples_are_read() -> None:
    """What the document shows is a query that works."""
    assert [msgspec.convert({"range": example}, AuditQuery) for example in SCHEMA["examples"]]
    assert [parse_interval(example) for example in SCHEMA["examples"] if isinstance(example, str)]
