"""The nearest rank, counted by Python and by the store."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import create_engine, literal, select

from app.capabilities.burn.ranks import nearest_rank


@given(st.integers(1, 10**9), st.integers(1, 100))
def test_so_many_percent_are_no_greater(count: int, percent: int) -> None:
    assert nearest_rank(count, percent) == math.ceil(Fraction(count * percent, 100))


@pytest.mark.parametrize("percent", [50, 95, 100])
def test_the_store_counts_alike(percent: int) -> None:
    counts = range(1, 300)
    with create_engine("sqlite://").connect() as connection:
        found = connection.execute(select(*(nearest_rank(literal(one), percent) for one in counts))).one()
    assert list(found) == [nearest_rank(one, percent) for one in counts]
