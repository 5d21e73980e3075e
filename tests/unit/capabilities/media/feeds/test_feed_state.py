"""What a feed keeps of all that it saw: bounded, joined, and the same after a restart."""

from __future__ import annotations

import contextlib

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from app.capabilities.media.feeds.state import (
    REGIONS_MAX,
    TIMELINE_MAX,
    FeedFailure,
    FeedRegion,
    FeedState,
    FeedStateBroken,
    FeedTimelineEntry,
    overlap,
    read_state,
    with_entry,
    with_regions,
    write_state,
)
from app.capabilities.media.messages import RegionId

BEGUN = FeedState("mjpeg", 1_000_000, 9_000_000, 1_000_000)
boxes = st.tuples(*[st.integers(0, 300)] * 4)


def finding(at: float, *regions: str, score: float = 0.5) -> FeedTimelineEntry:
    """A finding at one moment."""
    return FeedTimelineEntry("finding", at, at, int(at), int(at), score, "SUSPICIOUS", regions)


entries = st.builds(
    FeedTimelineEntry,
    st.sampled_from(["finding", "gap", "dropped"]),
    st.floats(0, 1e6),
    st.floats(0, 1e6),
    st.integers(0, 1 << 40),
    st.integers(0, 1 << 40),
    st.none() | st.floats(0, 1),
    st.none() | st.sampled_from(["SUSPICIOUS", "MANIPULATED"]),
    st.lists(st.integers(0, 999).map(lambda number: f"r{number}"), max_size=8).map(tuple),
    st.integers(0, 1 << 40),
)


@given(st.lists(entries, max_size=8), st.lists(st.lists(st.tuples(boxes, st.floats(0, 1)), max_size=6), max_size=6))
@settings(max_examples=40)
def test_any_state_is_read_as_it_was_written(
    timeline: list[FeedTimelineEntry], looks: list[list[tuple[tuple[int, int, int, int], float]]]
) -> None:
    """After a restart nothing has changed."""
    state = replace(BEGUN, failure=FeedFailure("feed_stalled", "x"))
    for entry in timeline:
        state = with_entry(state, entry)
    for look in looks:
        state = with_regions(state, look)[0]
    assert read_state(write_state(state)) == state


@given(st.binary(max_size=200))
def test_any_other_bytes_are_no_state(raw: bytes) -> None:
    """Nothing else comes of them."""
    with contextlib.suppress(FeedStateBroken):
        read_state(raw)
    with pytest.raises(FeedStateBroken):
        read_state(write_state(BEGUN)[:-1] + raw[:1].replace(b"}", b""))


def test_a_finding_that_lasts_is_one_entry() -> None:
    """With the highest score; another region, or a pause of more than ten seconds, begins a new one."""
    state = BEGUN
    lasting = [finding(1, "r0"), finding(2, "r0", score=0.8), finding(12, "r0")]
    for entry in (*lasting, finding(13, "r1"), finding(24, "r1")):
        state = with_entry(state, entry)
    assert [(one.t0, one.t1, one.frame1, one.score, one.region_ids) for one in state.timeline] == [
        (1, 12, 12, 0.8, ("r0",)),
        (13, 13, 13, 0.5, ("r1",)),
        (24, 24, 24, 0.5, ("r1",)),
    ]


def test_kinds_that_alternate_are_joined_with_their_own() -> None:
    """A loaded feed that drops and finds at once has two entries; each gap stands for itself."""
    state = BEGUN
    for at in range(20):
        state = with_entry(state, finding(at))
        state = with_entry(state, FeedTimelineEntry("dropped", at, at, at, at, count=3))
    for _ in range(2):
        state = with_entry(state, FeedTimelineEntry("gap", 20, 30, 20, 20))
    assert [(one.kind, one.t1, one.count) for one in state.timeline] == [
        ("finding", 19, 0),
        ("dropped", 19, 60),
        ("gap", 30, 0),
        ("gap", 30, 0),
    ]


def test_a_timeline_is_bounded() -> None:
    """The oldest goes and is counted; as JSON the largest state is small."""
    state = BEGUN
    for number in range(TIMELINE_MAX + 7):
        state = with_entry(state, finding(number * 100.0, *(f"r{number}" for _ in range(8))))
    assert (len(state.timeline), state.timeline_lost, state.timeline[0].t0) == (TIMELINE_MAX, 7, 700)
    assert len(write_state(state)) < 100_000


def test_a_region_that_moves_a_little_keeps_its_name() -> None:
    """One elsewhere gets a name of its own; two of one look are never one."""
    state, found, new = with_regions(BEGUN, [((0, 0, 100, 100), 0.5), ((0, 0, 100, 100), 0.4)])
    assert (found, new) == (("r0", "r1"), ("r0", "r1"))
    state, found, new = with_regions(state, [((10, 10, 100, 100), 0.9), ((500, 500, 10, 10), 0.1)])
    assert (found, new) == (("r0", "r2"), ("r2",))
    assert state.regions[-2:] == (
        FeedRegion("r0", (10, 10, 100, 100), 0.9),
        FeedRegion("r2", (500, 500, 10, 10), 0.1),
    )


def test_regions_are_bounded_and_their_names_begin_anew() -> None:
    """None of those that are known has a name twice, and each name is one that the wire takes."""
    state = BEGUN
    for number in range(1010):
        state, _, _ = with_regions(state, [((number * 1000, 0, 10, 10), 0.5)])
        for region in state.regions[-1:]:
            msgspec.convert(region.id, RegionId)
    assert len({region.id for region in state.regions}) == len(state.regions) == REGIONS_MAX
    assert state.regions[-1].id == "r9"


@given(boxes, boxes)
def test_overlap_is_a_share(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> None:
    """The same both ways, whole with itself, and nothing for what is empty."""
    assert 0 <= overlap(one, other) == overlap(other, one) <= 1
    assert overlap(one, one) == (1.0 if one[2] and one[3] else 0.0)
