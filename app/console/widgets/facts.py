"""A column of named values, one on each line: facts of a card, of a provisioning, of a receipt."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from app.console.language import tr
from app.console.widgets.text import label

LONG = 20
"""A word of this many characters or more may break anywhere."""


class Facts(QWidget):
    """``rows``: (key, title, mono). A long value takes as many lines as it needs: ids are compared, never cut."""

    def __init__(self, rows: Sequence[tuple[str, str, bool]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = self._grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        self._titles: dict[str, str] = {}
        self._names: dict[str, QLabel] = {}
        self.values: dict[str, QLabel] = {}
        for at, (key, title, mono) in enumerate(rows):
            name = label(title, "dim")
            value = label("–", "mono" if mono else "", wrap=True)
            value.setAccessibleName(tr("{title}: none", title=title))
            value.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
            grid.addWidget(name, at, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(value, at, 1)
            self._titles[key] = title
            self._names[key] = name
            self.values[key] = value

    def set(self, key: str, value: str) -> None:
        """Show a value; an empty one as a dash."""
        shown = self.values[key]
        said = f"{self._titles[key]}: " + (value or tr("none"))
        if shown.accessibleName() != said:
            # A long word may break anywhere: a zero-width space after each character.
            words = ("\u200b".join(word) if len(word) > LONG else word for word in value.split(" "))
            shown.setText(" ".join(words) or "–")
            shown.setAccessibleName(said)

    def show_told(self) -> None:
        """Show the values that there are alone: where most are missing, dashes say nothing."""
        for key, value in self.values.items():
            for part in (self._names[key], value):
                part.setVisible(value.text() != "–")
        # What is left stands at the top.
        self._grid.setRowStretch(len(self.values), 1)

    def clear(self) -> None:
        """Show no values."""
        for key in self.values:
            self.set(key, "")
