"""How much a source may discharge before people are asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.lifecycle.brake import Load, measure

counts = st.integers(0, 5000)


@pytest.mark.parametrize(
    ("minute", "hour", "active", "expected"),
    [
        (1, 1, 0, "burn"),
        (10, 10, 10, "burn"),
        (11, 11, 1000, "contain"),
        (50, 50, 1000, "contain"),
        (51, 51, 10_000, "queue"),
        (1, 11, 220, "burn"),
        (1, 11, 219, "queue"),
        (11, 11, 219, "queue"),
    ],
)
def test_the_limits_are_those_of_the_contract(minute: int, hour: int, active: int, expected: str) -> None:
    """Above 10 a minute contained; above 50, or above 10 and 5 % in an hour, queued."""
    assert measure(Load(minute, hour, active), 10) == expected


@given(minute=counts, hour=counts, active=counts, limit=st.integers(1, 1000))
def test_more_discharges_never_do_more_harm(minute: int, hour: int, active: int, limit: int) -> None:
    """With each further one the measure stays or becomes milder."""
    order = ("burn", "contain", "queue")
    now, then = (measure(Load(minute + more, hour + more, active), limit) for more in (0, 1))
    assert order.index(then) >= order.index(now)
