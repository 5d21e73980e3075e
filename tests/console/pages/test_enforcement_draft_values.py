"""The draft's fields and the body that is made of them."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.enforcement.messages import CopyrightWork, StrikeBody, StrikeDetails
from app.console.pages.enforcement.draft_values import (
    DraftValues,
    field_words,
    made_body,
    made_details,
    values_of,
)
from tests.console.pages.strike_samples import awaiting, strike

WHOLE = DraftValues(
    signature="scan_5c1f",
    law="EU",
    platforms=("training-a",),
    addresses="https://a.training.example/v/88121\n\n  https://b.training.example/p?img=4  ",
    statement="The picture shows a sign that never hung there.",
    name="Training  Person 33",
    capacity="the person shown",
    email="p33@training.example",
    typed="Training Person 33 ",
)


def body(values: DraftValues) -> StrikeBody:
    """The body, which is there."""
    found = made_body(values).body
    assert found is not None
    return found


def test_a_whole_draft_gives_a_whole_body() -> None:
    """Blanks at the ends are no part of an address, and blank lines are none."""
    made = made_body(WHOLE)
    assert made.faults == {}
    found = body(WHOLE)
    assert found.content_urls == ["https://a.training.example/v/88121", "https://b.training.example/p?img=4"]
    assert found.declarant is not None
    assert (found.declarant.name, found.declarant.attested) == ("Training Person 33", True)
    assert found.platforms == ["training-a"]


def test_the_three_fields_alone_suffice() -> None:
    """What is empty is left out, and is no fault."""
    made = made_body(DraftValues(signature="x", law="EU"))
    assert made.faults == {}
    assert msgspec.to_builtins(made.body) == {
        "target_compromise_signature": "x", "enforcement_jurisdiction": "EU", "automated_dmca_dispatch": False,
        "node_id": None, "platforms": None, "content_urls": None, "statement": None, "declarant": None, "work": None,
        "nature": None,
    }  # fmt: skip


@pytest.mark.parametrize("changes", [{"signature": " "}, {"law": ""}])
def test_without_signature_or_law_there_is_no_body(changes: dict[str, Any]) -> None:
    """Nothing is asked of the service before both are there."""
    assert made_body(replace(WHOLE, **changes)).body is None


@pytest.mark.parametrize(
    ("typed", "attested"),
    [("", False), ("   ", False), ("Training Person 3", False), ("training person 33", False),
     ("Training Person 33", True), (" Training   Person 33", True)],
)  # fmt: skip
def test_the_attestation_is_the_name_letter_by_letter(typed: str, attested: bool) -> None:
    """Another name attests nothing, and a mere beginning of it is told at once."""
    values = replace(WHOLE, typed=typed)
    found = body(values).declarant
    assert found is not None
    assert found.attested is values.attested is attested
    assert ("/declarant/attested" in made_body(values).faults) is (bool(typed.strip()) and not attested)


def test_an_empty_name_attests_nothing() -> None:
    """Two empty fields are alike, and say nothing."""
    assert not replace(WHOLE, name="", typed="").attested


@pytest.mark.parametrize(
    ("changes", "pointer", "part"),
    [
        ({"addresses": "https://ok.example/\nhttps://u:p@ok.example/"}, "/content_urls", "Line 2"),
        ({"addresses": "ftp://ok.example/"}, "/content_urls", "Line 1"),
        ({"addresses": "\n".join(f"https://ok.example/{at}" for at in range(101))}, "/content_urls", "101 addresses"),
        ({"statement": "too short"}, "/statement", "This has 9"),
        ({"email": "no address"}, "/declarant/email", "name@example.org"),
        ({"phone": "call me"}, "/declarant/phone", "digits"),
        ({"postal_address": "x"}, "/declarant/postal_address", "5 to 500"),
        ({"name": "x"}, "/declarant/name", "2 to 200"),
        ({"node_id": "a person"}, "/node_id", "node id"),
        ({"signature": "x" * 513}, "/target_compromise_signature", "512"),
        ({"work": {"title": "T", "owner": "O", "sha256": "zz"}}, "/work/sha256", "hexadecimal"),
        ({"work": {"title": "T", "owner": "O", "original_url": "here"}}, "/work/original_url", "http"),
    ],
)  # fmt: skip
def test_what_cannot_be_sent_is_named_at_its_field(changes: dict[str, Any], pointer: str, part: str) -> None:
    """In words that say what fits."""
    assert part in made_body(replace(WHOLE, **changes)).faults[pointer]


texts = st.text(max_size=60) | st.sampled_from(["scan_1", "https://a.example/x", "a@b.example", "+49 30 12", "x" * 30])
drafts = st.builds(
    DraftValues,
    **{
        one.name: texts
        for one in fields(DraftValues)
        if one.name not in ("dispatch", "platforms", "work", "law", "nature")
    },
    law=st.sampled_from(["", "EU", "US"]),
    nature=st.sampled_from(["", "nudity", "other"]),
    dispatch=st.booleans(),
    platforms=st.just(()) | st.just(("training-a", "training-b")),
    work=st.none() | st.fixed_dictionaries({one.name: texts for one in msgspec.structs.fields(CopyrightWork)}),
)


@given(drafts)
def test_whatever_is_typed_the_body_is_one_that_the_service_takes(values: DraftValues) -> None:
    """No draft raises, and what is made of it passes the contract's own bounds."""
    made = made_body(values)
    if made.body is not None:
        msgspec.json.decode(msgspec.json.encode(made.body), type=StrikeBody)
    details, faults = made_details(values)
    msgspec.json.decode(msgspec.json.encode(details), type=StrikeDetails)
    assert set(faults) <= set(made.faults)
    assert all(field_words(values, "").keys())


def test_a_strike_fills_its_draft_without_the_attestation() -> None:
    """Who supplies details reads and types it anew: the declaration says something else then."""
    found = values_of(strike())
    assert (found.signature, found.law, found.name, found.typed) == ("scan_5c1f", "EU", "Training Person 33", "")
    assert found.platforms == ("training-a",)
    assert not found.attested
    assert values_of(awaiting()).addresses == ""


def test_an_empty_draft_is_empty() -> None:
    """The law alone makes none: it stays chosen for the next one."""
    assert DraftValues(law="EU").empty
    assert not replace(DraftValues(), statement="x").empty
    assert not DraftValues(work={"title": "T"}).empty
