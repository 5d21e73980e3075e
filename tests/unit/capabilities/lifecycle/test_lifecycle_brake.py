"""How much a source may discharge before people are asked."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, create_engine, delete, insert

from app.capabilities.lifecycle.brake import HOUR_US, MINUTE_US, SHARE, Load, load_of, measure
from app.capabilities.lifecycle.tables import hr_event
from app.registry.tables import node

counts = st.integers(0, 5000)
NOW_US = 10 * HOUR_US


@pytest.fixture(scope="module")
def inbox() -> Iterator[Connection]:
    """A store with nothing but the tables that the brake counts."""
    with create_engine("sqlite://").connect() as connection:
        hr_event.create(connection)
        node.create(connection)
        yield connection


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


@given(
    young=st.lists(st.integers(0, MINUTE_US - 1), max_size=16),
    old=st.lists(st.integers(MINUTE_US, HOUR_US - 1), max_size=16),
    past=st.lists(st.integers(HOUR_US, 2 * HOUR_US), max_size=2),
    others=st.lists(st.integers(0, HOUR_US), max_size=2),
    limit=st.integers(1, 3),
    weight=st.integers(1, 2),
    beside=st.integers(-1, 1),
)
def test_what_is_not_counted_changes_no_measure(
    inbox: Connection,
    young: list[int],
    old: list[int],
    past: list[int],
    others: list[int],
    limit: int,
    weight: int,
    beside: int,
) -> None:
    """At and about its limits it is the measure of who counts every call and every node."""
    for table in (hr_event, node):
        inbox.execute(delete(table))
    calls = [("b", age_us, 3) for age_us in others]
    calls += [("a", age_us, 1 + age_us % 2) for age_us in (*young, *old, *past)]
    calls += [("a", 0, 0), ("a", MINUTE_US, 0)]
    for number, (source, age_us, nodes) in enumerate(calls):
        named = dict.fromkeys(("event_id", "key", "event", "action"), str(number))
        row = {"source": source, "received_us": NOW_US - age_us, "at_us": 0, "weight": nodes}
        inbox.execute(insert(hr_event).values(**named, **row))
    counted = [
        weight + sum(nodes for source, age_us, nodes in calls if source == "a" and age_us < window)
        for window in (MINUTE_US, HOUR_US)
    ]
    everything = Load(*counted, active=max(0, SHARE * counted[1] + beside))
    # The text of one value passes for the integer of another.
    blank = {column.name: "0" for column in node.c if not column.nullable}
    people = [{**blank, "node_id": str(number)} for number in range(everything.active)]
    inbox.execute(insert(node), [{**blank, "node_id": "burned", "standing": "REVOKED"}, *people])
    assert measure(load_of(inbox, "a", weight, limit, NOW_US), limit) == measure(everything, limit)
