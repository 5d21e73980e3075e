"""The ``fips_standard`` that the document describes is the one that the card's parser reads."""

from __future__ import annotations

import re

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from app.capabilities.provisioning.messages import ProvisionBody
from hardware.cards.fips import FipsDemand, FipsDemandError

SCHEMA = msgspec.json.schema(ProvisionBody)["$defs"]["ProvisionBody"]["properties"]["fips_standard"]
WORDS = (
    "FIPS",
    "fips",
    "140",
    "201",
    "2",
    "3",
    "4",
    "L",
    "Level",
    "level",
    "physical",
    "PIV",
    "GSA",
    "APL",
    "No",
    "1512",
)
gaps = st.sampled_from(["", " ", "-", "/ ", "__", "\t", "\x1c", "\n", "\u00a0", "."])
texts = st.one_of(
    st.lists(st.tuples(st.sampled_from(WORDS), gaps).map("".join), max_size=9).map("".join),
    st.builds("{}FIPS{}140{}3{}L2{}".format, gaps, gaps, gaps, gaps, gaps),
    st.text(max_size=110),
    st.from_regex(SCHEMA["pattern"]),
)


def read(text: str) -> bool:
    """Whether the parser takes it."""
    try:
        FipsDemand.parse(text)
    except FipsDemandError:
        return False
    return True


@given(texts)
def test_the_document_describes_what_is_read(text: str) -> None:
    """Pattern and length together take exactly what the parser takes."""
    fits = re.match(SCHEMA["pattern"], text) and SCHEMA["minLength"] <= len(text) <= SCHEMA["maxLength"]
    assert bool(fits) == read(text)


def test_the_examples_are_read() -> None:
    """What the document shows works."""
    assert all(read(example) for example in SCHEMA["examples"])
