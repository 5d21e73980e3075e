"""Cards that are handed out: marks of this console, where each card is, and the list with its buttons."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.console.clock import clock_time
from app.console.moments import parse_time
from app.console.pages.batch.board import BatchBoard
from app.console.pages.batch.hand_out import HandOut, where_words
from app.console.pages.batch.hand_out_view import MOST_ROWS, HandLine, HandOutPanel
from tests.console.pages.batch_samples import LATER, batch, card, row, told

END = parse_time(LATER)


def written(*numbers: int) -> BatchBoard:
    """A batch in which these lines were written one after the other, and one more waits."""
    rows = [row(n, "COMPLETE", ended_at=f"2026-03-01T10:00:{n:02}.000000Z") for n in numbers]
    return BatchBoard(batch(*rows, row(99)))


def test_the_newest_card_stands_first() -> None:
    """It is the one in the hand; lines that are not written are no cards."""
    assert [one.n for one in HandOut().to_give(written(1, 2, 3))] == [3, 2, 1]


def test_a_given_card_leaves_the_list_and_can_be_taken_back() -> None:
    """The last mark stands first among the given ones."""
    board, marks = written(1, 2, 3), HandOut()
    marks.give(board.batch_id, 2)
    marks.give(board.batch_id, 3)
    marks.give(board.batch_id, 3)
    assert [one.n for one in marks.to_give(board)] == [1]
    assert [one.n for one in marks.given_lines(board)] == [3, 2]
    marks.take_back(board.batch_id, 2)
    assert [one.n for one in marks.to_give(board)] == [2, 1]


def test_another_batch_starts_without_marks() -> None:
    """And the first one keeps its own."""
    board, marks = written(1, 2), HandOut()
    marks.give(board.batch_id, 1)
    marks.give("bat_2", 2)
    assert [one.n for one in marks.given_lines(board)] == [1]


def test_what_was_written_before_the_first_look_may_be_given_already() -> None:
    """The console says of how many it cannot know; a mark settles one, a later card is none of them."""
    board, marks = written(1, 2), HandOut()
    marks.look(board)
    assert marks.unknown(board) == 2
    marks.give(board.batch_id, 1)
    later = written(1, 2, 3)
    marks.look(later)
    assert (marks.unknown(later), [one.n for one in marks.to_give(later)]) == (1, [3, 2])


def test_where_a_card_is_says_only_what_the_readers_tell() -> None:
    """In the reader, out of it, or by which reader it was written where that is not known."""
    board = BatchBoard(batch(row(1, "RUNNING"), row(2)))
    board.take_cards([card()])
    done = batch(row(1, "COMPLETE"), row(2))
    board.take_event(told(done, done.rows[0]))
    line, at = done.rows[0], clock_time(END)
    assert where_words(board, line, END + 4.2, stale=False) == "in Reader 1 · 4 s ago"
    assert where_words(board, line, END + 100, stale=False) == f"in Reader 1 · {at}"
    board.take_card(card(present=False))
    assert where_words(board, line, END + 100, stale=False) == f"taken out · {at}"
    over = BatchBoard(batch(row(1, "COMPLETE"), state="DONE"))
    over.take_cards([card(state="provisioned")])
    assert where_words(over, line, END + 100, stale=False) == f"by Reader 1 · {at}"


def test_no_age_is_told_of_what_is_not_heard_of() -> None:
    """The time stands there, and no place."""
    board = BatchBoard(batch(row(1, "COMPLETE"), row(2)))
    board.take_cards([card()])
    assert where_words(board, board.rows[1], END + 4, stale=True) == f"by Reader 1 · {clock_time(END)}"


@pytest.fixture
def panel(application: Any, qtbot: Any) -> HandOutPanel:
    """The list on the screen."""
    made = HandOutPanel()
    qtbot.addWidget(made)
    made.resize(400, 238)
    made.show()
    return made


def lines(*numbers: int) -> list[HandLine]:
    """Cards of these lines."""
    return [HandLine(n, f"Person {n}", "taken out") for n in numbers]


def shown(panel: HandOutPanel) -> list[str]:
    """Names of the buttons in sight."""
    return [one.button.accessibleName() for one in panel.rows if not one.isHidden()]


def test_a_button_says_whose_card_is_given(panel: HandOutPanel, qtbot: Any) -> None:
    """And that the mark is this console's alone."""
    panel.show_lines(lines(3, 2), [], written=2)
    assert shown(panel) == ["Given: Person 3", "Given: Person 2"]
    assert "of this console" in panel.rows[0].button.toolTip()
    assert panel.fold.isHidden()
    with qtbot.waitSignal(panel.given) as told_:
        panel.rows[1].button.click()
    assert told_.args == [2]


def test_the_given_ones_are_one_row_that_the_keyboard_opens(panel: HandOutPanel, qtbot: Any) -> None:
    """There each can be taken back; with the last one the list of those to give is back."""
    panel.turned.connect(lambda: panel.show_lines(lines(3), lines(2, 1), written=3))
    panel.show_lines(lines(3), lines(2, 1), written=3)
    assert panel.fold.text() == "2 given, marked on this console"
    QTest.keyClick(panel.fold, Qt.Key.Key_Return)
    assert shown(panel) == ["Take back: Person 2", "Take back: Person 1"]
    with qtbot.waitSignal(panel.taken_back) as told_:
        panel.rows[0].button.click()
    assert told_.args == [2]
    panel.show_lines(lines(3, 2, 1), [], written=3)
    assert not panel.shows_given


def test_an_empty_list_says_why(panel: HandOutPanel) -> None:
    """Nothing is written yet, or all are marked."""
    panel.show_lines([], [], written=0)
    assert panel.empty.text() == "A card stands here once it is written."
    panel.show_lines([], lines(1), written=1)
    assert panel.empty.text() == "Every written card is marked as given."


def test_the_list_says_what_it_does_not_know(panel: HandOutPanel) -> None:
    """Above the cards, while there are such."""
    panel.show_lines(lines(2, 1), [], written=2, unknown=2)
    assert panel.unknown.text() == "2 were written before this console looked: they may be given already."
    panel.show_lines(lines(2), lines(1), written=2)
    assert panel.unknown.isHidden()


def test_a_long_list_is_counted(panel: HandOutPanel) -> None:
    """A batch of five hundred that nobody marks makes no thousand widgets."""
    panel.show_lines(lines(*range(1, 501)), [], written=500)
    assert len(panel.rows) == MOST_ROWS
    assert panel.more.text() == f"{500 - MOST_ROWS} more"
