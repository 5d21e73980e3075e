"""Which written cards are still to be handed over, as this console marks them. No Qt here.

The service knows that a card is written and has no word for "given": the marks are of this console alone and end with
it. A second console at the same readers has its own.
"""

from __future__ import annotations

from collections.abc import Iterable

from app.capabilities.provisioning.batches.messages import BatchRow
from app.console.clock import clock_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.batch.board import BatchBoard

_FRESH_S = 90.0
"""So long it is said how many seconds ago a card was written; later the time says more."""


class HandOut:
    """The marks of every batch that was shown here, by its id."""

    def __init__(self) -> None:
        self._given: dict[str, list[int]] = {}
        self._before: dict[str, frozenset[int]] = {}

    def look(self, board: BatchBoard) -> None:
        """The batch is shown. What was written before the first look may have been given long ago."""
        written = frozenset(row.n for row in board.rows if row.state == "COMPLETE")
        self._before.setdefault(board.batch_id, written)

    def unknown(self, board: BatchBoard) -> int:
        """Of how many cards that are not marked the console cannot know whether they were given."""
        before = self._before.get(board.batch_id, frozenset())
        return sum(row.n in before for row in self.to_give(board))

    def to_give(self, board: BatchBoard) -> list[BatchRow]:
        """Written lines that are not marked as given, the newest first."""
        given = set(self._given.get(board.batch_id, ()))
        return _newest(row for row in board.rows if row.state == "COMPLETE" and row.n not in given)

    def given_lines(self, board: BatchBoard) -> list[BatchRow]:
        """Lines that are marked as given, the last one first."""
        return [board.line(n) for n in reversed(self._given.get(board.batch_id, []))]

    def give(self, batch_id: str, n: int) -> None:
        """The card of this line is in its person's hands."""
        marks = self._given.setdefault(batch_id, [])
        if n not in marks:
            marks.append(n)

    def take_back(self, batch_id: str, n: int) -> None:
        """It was not given after all."""
        marks = self._given.get(batch_id, [])
        if n in marks:
            marks.remove(n)


def _newest(rows: Iterable[BatchRow]) -> list[BatchRow]:
    return sorted(rows, key=lambda row: (row.ended_at or "", row.n), reverse=True)


def where_words(board: BatchBoard, row: BatchRow, now: float, *, stale: bool) -> str:
    """Where the card of a written line is, as far as the readers tell (else who wrote it), and when it was written. An
    age is told only while the console hears of the service: a frozen one would count on."""
    at = parse_time(row.ended_at) if row.ended_at else now
    fresh = not stale and 0 <= now - at <= _FRESH_S
    when = tr("{seconds} s ago", seconds=int(now - at)) if fresh else clock_time(at)
    there = None if stale else board.lies_in(row)
    if there is None:
        where = tr("by {reader}", reader=row.reader or "–")
    else:
        where = tr("in {reader}", reader=row.reader) if there else tr("taken out")
    return f"{where} · {when}"
