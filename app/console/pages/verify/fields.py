"""Fields of a tab, each with its name before it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QGridLayout, QWidget

from app.console.widgets.text import label


def named_fields(fields: Sequence[tuple[str, QWidget]]) -> QGridLayout:
    """One below the other. A field that has no accessible name of its own gets the one that stands before it."""
    grid = QGridLayout()
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(8)
    grid.setColumnStretch(1, 1)
    for at, (title, field) in enumerate(fields):
        name = label(title, "dim")
        name.setBuddy(field)
        if not field.accessibleName():
            field.setAccessibleName(title)
        grid.addWidget(name, at, 0)
        grid.addWidget(field, at, 1)
    return grid
