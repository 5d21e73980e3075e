"""What the page says first: who is next, and the one thing that the hands do now. No Qt here.

The order is taken from the readers as they are, never from how a batch usually goes: an order that is not true sends a
blank card to the wrong person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.capabilities.provisioning.batches.messages import BatchRow
from app.console.language import tr
from app.console.pages.batch.board import BY_READER, BatchBoard, NextMove, Station, who
from app.console.theme.tokens import Meaning

MOST_AFTER = 3
"""Persons who are named after the next one."""
MOST_NAMED = 4
"""Persons who are named when a batch is over and they have no card."""


@dataclass(frozen=True)
class Order:
    """One sentence, and the icon that it stands beside. ``acts``: the hands are asked; otherwise they wait."""

    words: str
    icon: str
    acts: bool = False


@dataclass(frozen=True)
class Lead:
    """What stands large. ``state``: None where somebody is next, which is no state. ``row``: the line of the person
    whose name it is; None where no person is meant, and no portrait is shown."""

    caption: str
    name: str
    row: BatchRow | None = None
    known: str = ""
    order: Order | None = None
    state: Meaning | None = None
    after: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """All of it for a screen reader."""
        order = self.order.words if self.order is not None else ""
        return ". ".join(part for part in (self.caption, self.name, self.known, order) if part)


def next_line(board: BatchBoard, stations: Sequence[Station]) -> BatchRow | None:
    """The line that the next card takes: that of the first reader which waits for one, else the first that waits."""
    free = next((one for one in stations if one.hands is NextMove.INSERT), None)
    if free is not None:
        return board.line_for(free.reader)
    return next(iter(board.waiting), None)


def lead_of(board: BatchBoard, stations: Sequence[Station], *, go_on: str = "", ahead: str = "") -> Lead:
    """What stands large. ``go_on``: the key that goes on with a paused batch, empty where the operator may not;
    ``ahead``: an older batch that takes the cards first, by its label."""
    counts, state = board.summary.counts, board.summary.state
    if state == "CANCELLED" or (state == "DONE" and not counts.running):
        return _over(board, stations)
    row = next_line(board, stations)
    order = _order(board, stations, row, go_on, ahead)
    torn = next((one for one in stations if one.hands in (NextMove.SAME_BACK, NextMove.SAME_AGAIN)), None)
    if row is None and torn is not None and torn.n is not None:
        row = board.line(torn.n)
        caption = tr("Torn, line {line} of {total}", line=row.n, total=counts.total)
        return Lead(caption, who(row), row, order=order, state=Meaning.BAD)
    if row is None:
        caption = tr("Every line has its card")
        return Lead(caption, tr("Nobody is next"), order=order, state=Meaning.WORK if counts.running else Meaning.IDLE)
    after = tuple(who(one) for one in board.waiting if one.n != row.n)[:MOST_AFTER]
    caption = tr("Next, line {line} of {total}", line=row.n, total=counts.total)
    return Lead(caption, who(row), row, order=order, after=after)


def _order(board: BatchBoard, stations: Sequence[Station], row: BatchRow | None, go_on: str, ahead: str) -> Order:
    """The one thing to do now at the readers of a batch that is open."""
    if board.summary.state == "PAUSED":
        words = tr("Paused: go on with {key}", key=go_on) if go_on else tr("Paused: no card gets a line")
        return Order(words, "pause")
    if row is not None and ahead:
        return Order(tr("Wait: “{batch}” takes the cards first", batch=ahead), "clock")
    if not stations:
        return Order(tr("Plug in a reader: there is none"), "plug", acts=True)

    def first(*hands: NextMove) -> Station | None:
        return next((one for one in stations if one.hands in hands), None)

    if row is not None and (free := first(NextMove.INSERT)):
        return Order(_put_in(row, free.reader), "download", acts=True)
    if torn := first(NextMove.SAME_BACK):
        return Order(tr("Put the SAME card back into {reader}", reader=torn.reader), "download", acts=True)
    if torn := first(NextMove.SAME_AGAIN):
        words = tr("{reader}: take the card out, put the SAME card back", reader=torn.reader)
        return Order(words, "rotate-ccw", acts=True)
    if there := first(NextMove.TAKE_OUT, NextMove.CLEAR):
        return Order(tr("Take the card out of {reader}", reader=there.reader), "upload", acts=True)
    if any(one.hands is NextMove.WAIT for one in stations):
        return Order(_wait(stations), "clock")
    if row is None:
        return Order(tr("Wait: every line has its card"), "clock")
    return Order(tr("Plug a reader in: none of this batch is"), "plug", acts=True)


def _put_in(row: BatchRow, reader: str) -> str:
    """Which card goes into a reader for this line."""
    uid = row.hardware_uid
    if uid is None or uid.startswith(BY_READER):
        return tr("Put a blank card into {reader}", reader=reader)
    return tr("Put card {uid} into {reader}", uid=uid, reader=reader)


def _wait(stations: Sequence[Station]) -> str:
    """Why there is nothing to do."""
    busy = [one for one in stations if one.hands is NextMove.WAIT]
    if len(busy) == 1:
        return (
            tr("Wait: {reader} writes", reader=busy[0].reader)
            if busy[0].n is not None
            else tr("Wait: {reader} looks at its card", reader=busy[0].reader)
        )
    if len(busy) < len(stations) or any(one.n is None for one in busy):
        return tr("Wait: {count} readers are at work", count=len(busy))
    return tr("Wait: all readers write")


def _over(board: BatchBoard, stations: Sequence[Station]) -> Lead:
    """What became of a batch that is over, and who has no card of it."""
    counts = board.summary.counts
    written = tr("{count} written", count=counts.complete)
    failed = tr("{count} failed", count=counts.failed)
    if board.summary.state == "CANCELLED":
        parts = [written, *([failed] if counts.failed else [])]
        parts.append(tr("{count} never written", count=counts.cancelled))
        name, state = tr("Cancelled: {parts}", parts=", ".join(parts)), Meaning.IDLE
    elif counts.failed:
        name, state = tr("Done: {parts}", parts=f"{written}, {failed}"), Meaning.BAD
    else:
        name, state = tr("Done: {parts}", parts=written), Meaning.OK
    needy = [who(row) for row in board.rows if row.state == "FAILED"]
    known = ""
    if needy:
        more = len(needy) - MOST_NAMED
        named = " · ".join(needy[:MOST_NAMED])
        known = (
            tr("Without a card: {persons} and {count} more", persons=named, count=more)
            if more > 0
            else tr("Without a card: {persons}", persons=named)
        )
    there = next((one for one in stations if one.hands is NextMove.TAKE_OUT), None)
    order = Order(tr("Take the card out of {reader}", reader=there.reader), "upload", acts=True) if there else None
    running = counts.running
    caption = (
        tr("{count} in work are finished first", count=running)
        if running
        else tr("All {total} lines are over", total=counts.total)
    )
    return Lead(caption, name, known=known, order=order, state=state)
