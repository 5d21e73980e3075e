"""The lines of a batch on the screen: the view stays with the next person while cards are written."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.capabilities.provisioning.batches.messages import BatchRow, RowState
from app.console.actions import Action
from app.console.pages.batch.board import ROW_STATES
from app.console.pages.batch.folds import Listing, listing
from app.console.pages.batch.lines_view import LinesView, tried_cards, what_happened
from app.console.session import WindowSession
from tests.console.pages.batch_samples import row as batch_row

LINES = 39


def line(n: int, state: RowState = "WAITING", attempts: int = 0) -> BatchRow:
    """One line."""
    return BatchRow(
        n=n, node_id=f"ARC-T{n:04}", display_name=None, hardware_uid=None, state=state, reader=None, provision_id=None,
        attempts=attempts, code=None, detail=None, begun_at=None, ended_at=None,
    )  # fmt: skip


class Lines:
    """A batch of 39 in a window that shows a few of them; ``turn`` changes states as the page shows them, with both
    folds open: what the view does with many lines is tried here."""

    def __init__(self, view: LinesView) -> None:
        self.view = view
        self.rows = [line(n) for n in range(1, LINES + 1)]
        for fold in (view.waiting, view.written):
            fold.setChecked(True)
        self.turn()

    def turn(self, state: RowState = "WAITING", *numbers: int) -> None:
        """These lines have that state now."""
        for n in numbers:
            self.rows[n - 1] = msgspec.structs.replace(self.rows[n - 1], state=state)
        self.show()

    def show(self) -> None:
        """As the page shows them."""
        urgency = list(ROW_STATES)
        ordered = sorted(self.rows, key=lambda row: (urgency.index(row.state), row.n))
        next_n = next((row.n for row in ordered if row.state == "WAITING"), None)
        shown = listing(ordered, next_n, is_open=True, unfolded=self.view.unfolded)
        self.view.show_listing(shown, len(ordered), next_n)
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
    view = LinesView(session.actions)
    qtbot.addWidget(view)
    view.resize(1100, 296)
    view.show()
    made = Lines(view)
    assert made.sees(1)
    assert not made.sees(LINES)
    return made


def test_the_view_follows_the_next_line(lines: Lines) -> None:
    """Three cards are written one after the other: the next person's line is chosen, and in sight."""
    assert lines.chosen == 1
    for n in (1, 2, 3):
        lines.turn("RUNNING", n)
        assert (lines.chosen, lines.sees(n + 1)) == (n + 1, True)
        lines.turn("COMPLETE", n)
        assert (lines.chosen, lines.first_in_sight) == (n + 1, n + 1)


def test_the_next_line_is_called_next(lines: Lines) -> None:
    """The others wait."""
    state = lines.view.rows.columns[1].text
    assert [state(row) for row in lines.view.rows.rows[:2]] == ["Next", "Waits"]


def test_the_next_line_is_in_sight_behind_many_in_work(lines: Lines) -> None:
    """A site with many readers: they would fill the window."""
    lines.turn("RUNNING", *range(1, 13))
    assert (lines.chosen, lines.sees(13)) == (13, True)


def test_a_line_that_somebody_chose_stays_chosen(lines: Lines) -> None:
    """The view follows the next line only until the operator goes elsewhere."""
    lines.choose(5)
    lines.turn("COMPLETE", 1)
    assert (lines.chosen, lines.sees(5)) == (5, True)


def test_a_chosen_line_that_is_written_gives_the_choice_to_the_next(lines: Lines) -> None:
    """And from then on the view follows again."""
    lines.turn("RUNNING", 1, 2)
    lines.choose(2)
    lines.turn("COMPLETE", 2)
    assert lines.chosen == 3
    lines.turn("RUNNING", 3)
    assert lines.chosen == 4


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
    lines.view.show_listing(Listing([line(5)]), LINES, 1)
    assert lines.chosen is None
    assert lines.view.count.text() == "1 of 39"


def test_a_chosen_line_that_is_folded_away_leaves_the_choice_to_the_next(lines: Lines) -> None:
    """It is written and nobody looks at it any more."""
    lines.view.written.setChecked(False)
    lines.turn("RUNNING", 1)
    lines.choose(1)
    lines.turn("COMPLETE", 1)
    assert lines.chosen == 2


def test_the_folds_say_what_they_stand_for_and_open_by_the_keyboard(lines: Lines) -> None:
    """Enter lists the lines, Enter again folds them."""
    view = lines.view
    view.turned.connect(lines.show)
    lines.turn("COMPLETE", 1, 2)
    for fold in (view.waiting, view.written):
        QTest.keyClick(fold, Qt.Key.Key_Return)
    assert [row.n for row in view.rows.rows] == [3, 4, 5]
    assert (view.waiting.text(), view.written.text()) == ("34 more wait", "2 written and proven, 2 at the first card")
    QTest.keyClick(view.written, Qt.Key.Key_Space)
    assert [row.n for row in view.rows.rows] == [3, 4, 5, 1, 2]


def test_hands_on_a_fold_that_goes_find_the_table(lines: Lines) -> None:
    """Nobody waits behind it any more."""
    lines.view.waiting.setFocus()
    lines.turn("COMPLETE", *range(1, LINES - 1))
    assert lines.view.waiting.isHidden()
    assert lines.view.focusWidget() is lines.view.table


def test_what_is_saved_stands_in_one_menu_with_its_keys(session: WindowSession, qtbot: Any) -> None:
    """Off while it cannot be saved."""
    ran: list[str] = []
    names = {"batch.report": "Ctrl+S", "batch.receipts": "Ctrl+R", "batch.badges": "", "batch.labels": "",
             "batch.mailers": "Ctrl+M"}  # fmt: skip
    session.actions.add(
        Action(name, name, lambda name=name: ran.append(name), keys=(keys,) if keys else (),
               when=lambda name=name: name != "batch.mailers")  # type: ignore[misc]
        for name, keys in names.items()
    )  # fmt: skip
    view = LinesView(session.actions)
    qtbot.addWidget(view)
    lines = view.save.menu_of().actions()
    assert [one.text() for one in lines] == [
        "batch.report\tCtrl+S", "batch.receipts\tCtrl+R", "batch.badges", "batch.labels", "batch.mailers\tCtrl+M",
    ]  # fmt: skip
    assert [one.isEnabled() for one in lines] == [True] * 4 + [False]
    lines[1].trigger()
    assert ran == ["batch.receipts"]


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


@pytest.mark.parametrize(
    ("row", "words"),
    [
        (batch_row(1, "COMPLETE"), "Written and proven in 2500 ms"),
        (batch_row(1, "TORN", detail="the card left"), "The card left"),
        (batch_row(1, hardware_uid="70000002"), "Waits for card 70000002"),
        (batch_row(1), ""),
    ],
)
def test_a_line_says_what_happened_to_it(row: BatchRow, words: str) -> None:
    """The last problem, how long a write took, the one card that is waited for."""
    assert what_happened(row) == words
