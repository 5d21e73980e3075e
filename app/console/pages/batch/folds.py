"""Which lines of a batch are listed, and which are one row. No Qt here.

A batch of five hundred has one line that matters now. Those that need somebody, those in work, the next one and a few
behind it are listed; the rest is counted.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from app.capabilities.provisioning.batches.messages import BatchRow
from app.console.pages.batch.board import matching

WAITING, WRITTEN = "waiting", "written"
"""What can be folded."""
WAIT_SHOWN = 3
"""Waiting lines that are listed in any case, the next one among them."""


@dataclass(frozen=True)
class Listing:
    """``rows`` as listed. ``waiting`` and ``written``: how many the two folds stand for, open or not; 0: there is no
    such fold. ``first``: how many of the written ones took their first card. ``folded``: lines that are not listed
    because of a fold."""

    rows: list[BatchRow]
    waiting: int = 0
    written: int = 0
    first: int = 0
    folded: frozenset[int] = frozenset()


def listing(
    rows: Sequence[BatchRow],
    next_n: int | None,
    *,
    is_open: bool,
    words: str = "",
    unfolded: Collection[str] = (),
    room: int = 0,
) -> Listing:
    """What is listed of ``rows``, which come with those first that need somebody. ``next_n``: the line that the next
    card takes. ``words``: a filter, which looks through everything. ``room``: so many lines are in sight at once, and
    waiting ones fill it. A batch that is over has nothing to keep in sight: all of it is listed."""
    ordered = sorted(rows, key=lambda row: _RANK.get(row.state, 9) + (row.state == "WAITING" and row.n != next_n))
    if words.strip():
        return Listing(matching(ordered, words))
    if not is_open:
        return Listing(ordered)
    before = sum(row.state in ("TORN", "FAILED", "RUNNING") for row in ordered)
    rest = [row for row in ordered if row.state == "WAITING"][max(WAIT_SHOWN, room - before) :]
    written = [row for row in ordered if row.state == "COMPLETE"]
    # A fold of one line takes the room of the line.
    waiting = rest if len(rest) > 1 else []
    folded = {
        row.n for name, group in ((WAITING, waiting), (WRITTEN, written)) if name not in unfolded for row in group
    }
    return Listing(
        [row for row in ordered if row.n not in folded],
        len(waiting),
        len(written),
        sum(not row.attempts for row in written),
        frozenset(folded),
    )


_RANK = {"TORN": 0, "FAILED": 1, "RUNNING": 2, "WAITING": 3, "COMPLETE": 5, "CANCELLED": 6}
