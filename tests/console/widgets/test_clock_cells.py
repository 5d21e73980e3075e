"""Cells that are painted: the clock of a deadline, the next step as a button, and the band that stands."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QColor, QGuiApplication, QImage
from PySide6.QtWidgets import QApplication

from app.console import theme
from app.console.theme.tokens import DARK, Meaning
from app.console.widgets.clock_cells import ClockDelegate, DeadlineClock, StepDelegate
from app.console.widgets.note_band import NoteBand
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text_dialog import TextDialog


def painted(clock: DeadlineClock, step: str, qtbot: Any) -> QImage:
    """A table of one row with a clock and a step, as it is painted."""
    rows: RowsModel[str] = RowsModel(
        [Column("CLOCK", lambda _row: clock.words, 400), Column("NEXT", lambda row: row, 200, right=True)], str
    )
    rows.set_rows([step])
    table = DataTable(rows, name="Clocks")
    table.setItemDelegateForColumn(0, ClockDelegate(lambda _row: clock, table))
    table.setItemDelegateForColumn(1, StepDelegate(table))
    table.resize(640, 120)
    qtbot.addWidget(table)
    table.show()
    return table.viewport().grab().toImage()


def inked(image: QImage, colour: str, left: int, right: int) -> int:
    """How many pixels of a colour stand between two columns."""
    wanted = QColor(colour).rgb()
    return sum(
        image.pixel(x, y) == wanted for x in range(left, min(right, image.width())) for y in range(image.height())
    )


@pytest.mark.parametrize(("share", "state"), [(0.25, Meaning.WORK), (0.8, Meaning.WARN), (1.0, Meaning.BAD)])
def test_a_bar_is_as_long_as_the_time_that_is_over(
    application: QApplication, qtbot: Any, share: float, state: Meaning
) -> None:
    """In the colour of its state; the words beside it say the same."""
    image = painted(DeadlineClock("2 h left", "until then", share, state), "", qtbot)
    bar = inked(image, DARK.state(state), 0, 110)
    whole = theme.px(84) * theme.px(8)
    assert bar == pytest.approx(share * whole, abs=0.08 * whole)


def test_without_a_clock_there_is_no_bar(application: QApplication, qtbot: Any) -> None:
    """Only the words that say why."""
    image = painted(DeadlineClock("no clock yet: waits"), "", qtbot)
    assert not any(inked(image, DARK.state(one), 0, 400) for one in (Meaning.WORK, Meaning.WARN, Meaning.BAD))


def test_a_step_is_a_button_and_no_step_is_none(application: QApplication, qtbot: Any) -> None:
    """At the right edge of its cell, with a frame; an empty text leaves the cell empty."""
    framed = inked(painted(DeadlineClock(""), "Release…", qtbot), DARK.border, 400, 640)
    assert framed > 60
    assert inked(painted(DeadlineClock(""), "", qtbot), DARK.border, 400, 640) == 0


def test_a_band_without_words_is_not_there(application: QApplication, qtbot: Any) -> None:
    """It stands as long as it is true, and a screen reader hears all of it."""
    band = NoteBand()
    qtbot.addWidget(band)
    assert band.isHidden()
    band.say(Meaning.BAD, "It is past its review.", "The law may have changed.")
    assert not band.isHidden()
    assert band.accessibleName() == "It is past its review. The law may have changed."
    band.say(Meaning.OK, "")
    assert band.isHidden()


def test_a_text_is_copied_whole(application: QApplication, qtbot: Any) -> None:
    """Words with line breaks as they stand there; the field takes no change."""
    dialog = TextDialog(QApplication.activeWindow(), "A letter", "Facts alone.", "one\ntwo")  # type: ignore[arg-type]
    qtbot.addWidget(dialog)
    dialog.copy()
    assert QGuiApplication.clipboard().text() == "one\ntwo"
    assert dialog.text.isReadOnly()
