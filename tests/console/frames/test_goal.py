"""The goal of handshakes."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from app.console.frames.goal import GoalDialog, goal_of
from app.console.preferences import PreferenceStore


def test_a_goal_is_typed_and_kept(preferences: PreferenceStore, qtbot: Any) -> None:
    """By keys alone; 0 takes it away."""
    above = QWidget()
    qtbot.addWidget(above)
    assert goal_of(preferences) is None
    dialog = GoalDialog(above, preferences)
    dialog.open()
    dialog.field.setFocus()
    qtbot.keyClicks(dialog.field, "50")
    qtbot.keyClick(dialog.field, Qt.Key.Key_Return)
    assert not dialog.isVisible()
    assert goal_of(preferences) == 50.0
    again = GoalDialog(above, preferences)
    again.open()
    assert again.field.value() == 50
    again.field.setValue(0)
    qtbot.keyClick(again.field, Qt.Key.Key_Return)
    assert goal_of(preferences) is None
