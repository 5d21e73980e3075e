"""Who is at the desk, at a glance."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.console.shell.operator_cell import OperatorCell, initials_of


@pytest.mark.parametrize(
    ("name", "initials"),
    [
        ("Ada Brown", "AB"),
        ("Training Operator 01", "T1"),
        ("desk", "DE"),
        ("Ana María de la Cruz", "AC"),
        ("", ""),
        ("0", "0"),
    ],
)
def test_initials_are_two_signs_at_most(name: str, initials: str) -> None:
    """Of the first and the last word; a number without its zeros."""
    assert initials_of(name) == initials


@pytest.fixture
def cell(application: QApplication, qtbot: Any) -> OperatorCell:
    """With an operator."""
    del application
    made = OperatorCell()
    qtbot.addWidget(made)
    made.set_words("Training administrator", "Administrator")
    return made


def test_words_without_room_give_way(cell: OperatorCell) -> None:
    """First their ends, then all of them; the initials stay."""
    whole = cell.sizeHint().width()
    cell.set_room(whole - 40)
    assert cell.sizeHint().width() == whole - 40
    cell.set_room(20)
    round_alone = cell.sizeHint().width()
    assert 20 < round_alone < 60
    cell.set_room(None)
    assert cell.sizeHint().width() == whole == cell.whole_width
