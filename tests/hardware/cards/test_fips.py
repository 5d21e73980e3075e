"""The demand for a FIPS standard is read as people write it, and refused plainly otherwise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.cards.fips import FipsDemand, FipsDemandError


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("FIPS 140-3 Level 2", "FIPS 140-3 Level 2"),
        ("fips140-3 l2", "FIPS 140-3 Level 2"),
        ("140-2", "FIPS 140-2"),
        ("FIPS_140_3, Level 2, physical 3", "FIPS 140-3 Level 2 physical 3"),
        ("FIPS 201-3 / PIV", "FIPS 201-3"),
        ("201-2", "FIPS 201-2"),
        ("GSA APL 1512", "GSA APL 1512"),
        ("gsa apl #1512", "GSA APL 1512"),
        ("GSA APL No. 999999", "GSA APL 999999"),
        ("140-3L2", "FIPS 140-3 Level 2"),
        ("FIPS140-2 Level 1 physical 4", "FIPS 140-2 Level 1 physical 4"),
        ("FIPS 140-3 physical 3", "FIPS 140-3 physical 3"),
        ("140-3".ljust(100), "FIPS 140-3"),
    ],
)
def test_accepted_writings_have_one_canonical_form(text: str, canonical: str) -> None:
    """Case and separators do not matter."""
    assert str(FipsDemand.parse(text)) == canonical


@pytest.mark.parametrize(
    "text",
    [
        "",
        "FIPS",
        "FIPS 140-1",
        "FIPS 140-3 Level 5",
        "FIPS 140-3 Level 0",
        "FIPS 140-3 physical 5",
        "PIV",
        "1512",
        "GSA APL",
        "GSA APL 1000000",
        "140-3".ljust(101),
        "140-3 L\u0662",
    ],
)
def test_other_texts_are_refused(text: str) -> None:
    """What is no known demand is never guessed at."""
    with pytest.raises(FipsDemandError):
        FipsDemand.parse(text)


@given(st.text(max_size=120))
def test_no_text_raises_anything_else(text: str) -> None:
    """Arbitrary text parses or is refused, and what parses reads back the same."""
    try:
        demand = FipsDemand.parse(text)
    except FipsDemandError:
        return
    assert FipsDemand.parse(str(demand)) == demand
