"""The row that stands for many: what it says, and the keys that turn it."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from app.console.theme.tokens import Meaning
from app.console.widgets.fold_row import FoldRow


@pytest.fixture
def row(application: QApplication, qtbot: Any) -> FoldRow:
    """A row on the screen."""
    made = FoldRow(Meaning.OK)
    qtbot.addWidget(made)
    made.show()
    return made


def test_it_says_how_many_and_what_is_to_be_known(row: FoldRow) -> None:
    """To a screen reader, too."""
    assert row.accessibleName()
    row.show_words("12 written", "12 at the first card")
    assert row.accessibleName() == row.text() == "12 written, 12 at the first card"
    row.show_words("21 more wait")
    assert row.text() == "21 more wait"


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_keys_turn_it_and_it_says_what_they_do(row: FoldRow, key: Qt.Key) -> None:
    """Open and closed again."""
    row.show_words("21 more wait")
    assert row.accessibleDescription() == "Enter shows them"
    QTest.keyClick(row, key)
    assert (row.isChecked(), row.accessibleDescription()) == (True, "Enter hides them")
    QTest.keyClick(row, key)
    assert not row.isChecked()
