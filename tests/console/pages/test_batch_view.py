"""The lines of a batch on the screen: the view stays with the next person while cards are written."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtWidgets import QApplication

from app.capabilities.provisioning.batches.messages import BatchRow, RowState
from app.console.pages.batch.board import ROW_STATES
from app.console.pages.batch.run_view import RunView, tried_cards
from app.console.session import WindowSession

LINES = 39


def line(n: int, state: RowState = "WAITING", attempts: int = 0) -> BatchRow:
    """One line."""
    return BatchRow(
        n=n, node_id=f"ARC-T{n:04}", display_name=None, hardware_uid=None, state=state, reader=None, provision_id=None,
        attempts=attempts, code=None, detail=None, begun_at=None, ended_at=None,
    )  # fmt: skip


class Lines:
    """A batch of 39 in a window that shows a few of them; ``turn`` changes states as the page shows them."""

    def __init__(self, view: RunView) -> None:
        self.view = view
        self.rows = [line(n) for n in range(1, LINES + 1)]
        self.turn()

    def turn(self, state: RowState = "WAITING", *numbers: int) -> None:
        """These lines have that state now."""
        for n in numbers:
            self.rows[n - 1] = msgspec.structs.replace(self.rows[n - 1], state=state)
        urgency = list(ROW_STATES)
        ordered = sorted(self.rows, key=lambda row: (urgency.index(row.state), row.n))
        self.view.show_rows(ordered, len(ordered))
        QApplication.processEvents()

    def choose(self, n: int) -> None:
        """The operator goes to a line."""
        self.view.table.selectRow(self.view.rows.row_of(str(n)))
        QApplication.processEvents()

    @property
    def chosen(self) -> int | None:
        """The chosen line."""
        row = self.view.chosen
        return None if row is None else row.n

    @property
    def first_in_sight(self) -> int:
        """The line at the top of the window."""
        return self.view.rows.rows[self.view.table.rowAt(1)].n

    def sees(self, n: int) -> bool:
        """Whether a line is in sight."""
        table = self.view.table
        box = table.visualRect(self.view.rows.index(self.view.rows.row_of(str(n)), 0))
        return bool(table.viewport().rect().contains(box.center()))


@pytest.fixture
def lines(session: WindowSession, qtbot: Any) -> Lines:
    """The lines on the screen."""
    view = RunView(session.actions, training=False)
    qtbot.addWidget(view)
    view.resize(1100, 620)
    view.stack.setCurrentWidget(view.shown)
    view.show()
    made = Lines(view)
    assert made.sees(1)
    assert not made.sees(LINES)
    return made


def test_the_choice_goes_to_the_next_person_and_the_view_stays(lines: Lines) -> None:
    """Three cards are written one after the other: the line of the next person is chosen, and the first in sight."""
    lines.choose(1)
    for n in (1, 2, 3):
        lines.turn("RUNNING", n)
        assert lines.chosen == n
        lines.turn("COMPLETE", n)
        assert (lines.chosen, lines.first_in_sight) == (n + 1, n + 1)


def test_without_a_choice_the_next_person_is_on_top(lines: Lines) -> None:
    """Nothing is chosen by itself."""
    lines.turn("COMPLETE", 1)
    lines.turn("RUNNING", 2)
    assert (lines.chosen, lines.first_in_sight) == (None, 2)


def test_a_written_line_that_somebody_looks_at_stays_chosen(lines: Lines) -> None:
    """Who goes to a line that is over wants that one; other cards do not take it away or out of sight."""
    lines.turn("COMPLETE", 1, 2)
    lines.choose(1)
    assert lines.sees(1)
    lines.turn("COMPLETE", 3)
    lines.turn("RUNNING", 4)
    assert (lines.chosen, lines.sees(1)) == (1, True)


def test_a_line_that_needs_somebody_is_brought_into_sight(lines: Lines) -> None:
    """The chosen line is torn: it rises to the top, and the view with it."""
    lines.choose(35)
    assert not lines.sees(1)
    lines.turn("RUNNING", 35)
    lines.turn("TORN", 35)
    assert (lines.chosen, lines.first_in_sight, lines.sees(35)) == (35, 35, True)


def test_what_is_in_sight_stays_in_sight(lines: Lines) -> None:
    """Somebody who has scrolled down reads on, to the pixel: lines that sink above move nothing."""
    bar = lines.view.table.verticalScrollBar()
    bar.setValue(20 * lines.view.table.rowHeight(0) + 7)
    QApplication.processEvents()
    first, top = lines.first_in_sight, lines.view.table.rowViewportPosition(20)
    lines.turn("COMPLETE", 1, 2)
    lines.turn("TORN", 3)
    assert lines.first_in_sight == first == 21
    assert lines.view.table.rowViewportPosition(lines.view.rows.row_of("21")) == top


def test_the_last_line_stays_chosen_when_it_is_written(lines: Lines) -> None:
    """Nobody is next."""
    lines.turn("COMPLETE", *range(1, LINES))
    lines.choose(LINES)
    lines.turn("COMPLETE", LINES)
    assert lines.chosen == LINES


def test_a_chosen_line_that_the_filter_takes_away_is_not_replaced(lines: Lines) -> None:
    """A choice is the operator's."""
    lines.choose(2)
    lines.view.show_rows([line(5)], LINES)
    assert lines.chosen is None


@pytest.mark.parametrize(
    ("state", "refused", "words"),
    [
        ("WAITING", 0, "–"),
        ("WAITING", 2, "2"),
        ("RUNNING", 0, "1"),
        ("TORN", 1, "2"),
        ("COMPLETE", 0, "1"),
        ("COMPLETE", 2, "3"),
        ("FAILED", 3, "3"),
        ("CANCELLED", 0, "–"),
    ],
)
def test_cards_tried_counts_the_one_that_was_written(state: RowState, refused: int, words: str) -> None:
    """A line that was written at the first card took one card."""
    assert tried_cards(line(1, state, refused)) == words
