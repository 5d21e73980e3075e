"""The goal of handshakes: what the p99 of a minute should stay under. Each operator has one, or none."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QSpinBox, QVBoxLayout, QWidget

from app.console.language import tr
from app.console.preferences import MOST_GOAL_MS, PreferenceStore
from app.console.widgets.buttons import plain_button
from app.console.widgets.dialog import Dialog
from app.console.widgets.text import label


class GoalDialog(Dialog):
    """Opened by ``open()``. 0 is no goal: then no chart has a line for it and no tile is green for it."""

    def __init__(self, parent: QWidget, preferences: PreferenceStore) -> None:
        super().__init__(parent)
        self._preferences = preferences
        self.setWindowTitle(tr("Goal of handshakes"))
        self.setModal(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 20, 24, 16)
        column.setSpacing(12)
        column.addWidget(label(tr("Goal of handshakes"), "heading"))
        column.addWidget(
            label(
                tr("The p99 of a minute should stay under it. Charts draw it, and tiles say whether it was kept."),
                "dim",
            )
        )
        self.field = QSpinBox()
        self.field.lineEdit().setTextMargins(8, 0, 8, 0)
        self.field.setAccessibleName(tr("Goal of handshakes in milliseconds, 0 for none"))
        self.field.setRange(0, MOST_GOAL_MS)
        self.field.setSuffix(tr(" ms"))
        self.field.setSpecialValueText(tr("No goal"))
        self.field.setValue(preferences.value.handshake_goal_ms)
        self.field.selectAll()
        column.addWidget(self.field)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(plain_button(tr("Cancel"), self.reject))
        keep = plain_button(tr("Set"), self._keep)
        keep.setProperty("role", "primary")
        keep.setDefault(True)
        row.addWidget(keep)
        column.addLayout(row)

    def _keep(self) -> None:
        self._preferences.remember_goal(self.field.value())
        self.accept()


def goal_of(preferences: PreferenceStore) -> float | None:
    """The goal, ms; None: there is none."""
    return float(preferences.value.handshake_goal_ms) or None
