"""Which lines of a batch are listed: what needs somebody, what is in work, the next one; the rest is counted."""

from __future__ import annotations

from app.console.pages.batch.board import BatchBoard
from app.console.pages.batch.folds import WAITING, WRITTEN, Listing, listing
from tests.console.pages.batch_samples import batch, row

ROWS = BatchBoard(
    batch(
        row(1, "COMPLETE"),
        row(2, "COMPLETE", attempts=1),
        row(3, "RUNNING"),
        row(4, "TORN"),
        *(row(n) for n in range(5, 40)),
    )
).rows


def numbers(shown: Listing) -> list[int]:
    """The listed lines."""
    return [one.n for one in shown.rows]


def test_problems_work_the_next_and_a_few_are_listed() -> None:
    """The rest is two rows: who waits, and who has a proven card."""
    shown = listing(ROWS, 5, is_open=True)
    assert numbers(shown) == [4, 3, 5, 6, 7]
    assert (shown.waiting, shown.written, shown.first) == (32, 2, 1)
    assert shown.folded == {1, 2, *range(8, 40)}


def test_the_next_one_stands_before_the_others_that_wait() -> None:
    """Also where it is not the first of the list."""
    assert numbers(listing(ROWS, 9, is_open=True)) == [4, 3, 9, 5, 6]


def test_waiting_lines_fill_the_room_that_there_is() -> None:
    """Beside what needs somebody and what is in work."""
    assert numbers(listing(ROWS, 5, is_open=True, room=8)) == [4, 3, 5, 6, 7, 8, 9, 10]


def test_an_opened_fold_lists_its_lines_in_their_place() -> None:
    """Waiting ones behind the next, written ones last; the counts stay."""
    shown = listing(ROWS, 5, is_open=True, unfolded=(WRITTEN,))
    assert numbers(shown)[-2:] == [1, 2]
    assert numbers(listing(ROWS, 5, is_open=True, unfolded=(WAITING, WRITTEN))) == [4, 3, *range(5, 40), 1, 2]
    assert (shown.waiting, shown.written) == (32, 2)


def test_a_filter_looks_through_folded_lines() -> None:
    """And folds nothing."""
    shown = listing(ROWS, 5, is_open=True, words="person 39")
    assert numbers(shown) == [39]
    assert (shown.waiting, shown.written, shown.folded) == (0, 0, frozenset())


def test_one_line_is_not_folded() -> None:
    """Its row would take the same room."""
    assert numbers(listing([row(n) for n in range(1, 5)], 1, is_open=True)) == [1, 2, 3, 4]


def test_a_batch_that_is_over_lists_everything() -> None:
    """Nothing has to be kept in sight any more."""
    rows = BatchBoard(batch(*(row(n, "COMPLETE") for n in range(1, 9)), row(9, "FAILED"), state="DONE")).rows
    shown = listing(rows, None, is_open=False)
    assert numbers(shown) == [9, *range(1, 9)]
    assert shown.written == 0
