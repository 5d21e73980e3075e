"""How much of a feed is looked at."""

from __future__ import annotations

import asyncio

import pytest

from app.capabilities.media.feeds.pace import EVERY_MAX, PiecePace, PieceQueue
from app.capabilities.media.feeds.sources import FeedPiece


@pytest.mark.parametrize(
    ("share", "cost_s", "gap_s", "every"),
    [(0.25, 0.1, 1.0, 1), (0.25, 0.25, 1.0, 1), (0.25, 0.26, 1.0, 2), (1.0, 3.0, 0.1, 30), (0.01, 1e9, 0.1, EVERY_MAX)],
)
def test_cost_and_distance_say_how_many_are_left_out(share: float, cost_s: float, gap_s: float, every: int) -> None:
    """Cost within the share of the time that passes."""
    pace = PiecePace(share)
    for number in range(4):
        pace.take(number * gap_s)
    pace.spend(cost_s)
    assert pace.every == every


def test_segments_come_as_far_apart_as_they_last() -> None:
    """However fast they were fetched."""
    pace = PiecePace(0.25)
    assert pace.take(0.0, 4.0)
    pace.spend(1.9)
    assert [pace.take(0.0, 4.0) for _ in range(4)] == [False, True, False, True]


def test_what_becomes_cheap_is_looked_at_again() -> None:
    """The newest measurements count most."""
    pace = PiecePace(0.5)
    pace.take(0.0)
    pace.take(1.0)
    pace.spend(10.0)
    assert pace.every == 20
    for _ in range(40):
        pace.spend(0.1)
    assert pace.every == 1


@pytest.mark.parametrize(("kind", "most"), [("frame", 8), ("segment", 2)])
def test_the_oldest_is_dropped(kind: str, most: int) -> None:
    """A queue that is full takes the newest, and ends once it is closed and empty."""

    async def run() -> None:
        queue = PieceQueue()
        piece = FeedPiece("frame" if kind == "frame" else "segment", b"")
        assert [queue.put(number, piece) for number in range(most + 2)] == [0] * most + [1, 1]
        queue.close()
        assert [await queue.get() for _ in range(most + 1)] == [
            *((number, piece) for number in range(2, most + 2)),
            None,
        ]

    asyncio.run(run())
