"""What the tile of the frames says below its number."""

from __future__ import annotations

import pytest

from app.console.frames.standing import frames_foot
from app.console.theme.tokens import Meaning


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        ({"Operational": 52}, (Meaning.OK, "Operational", "every frame answers")),
        ({"Operational": 51, "Maintenance": 1}, (Meaning.OK, "Operational", "1 maintenance")),
        ({"Operational": 49, "Degraded": 2, "Maintenance": 1}, (Meaning.WARN, "2 degraded", "1 maintenance")),
        ({"Operational": 50, "Degraded": 2}, (Meaning.WARN, "2 degraded", "")),
        ({"Unreachable": 3, "Degraded": 2, "Maintenance": 1}, (Meaning.BAD, "3 unreachable", "3 in other states")),
        ({"Operational": 1, "Stale": 4, "Unknown": 2}, (Meaning.IDLE, "4 stale", "2 unknown")),
        ({"Unknown": 2}, (Meaning.IDLE, "2 unknown", "")),
    ],
)
def test_the_worst_state_is_counted_and_the_rest_is_short(
    counts: dict[str, int], said: tuple[Meaning, str, str]
) -> None:
    """Three counts had no room in the tile of a window of 1480 px at 125 % text: the tour found it."""
    assert frames_foot(counts) == said
