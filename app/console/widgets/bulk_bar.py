"""The bar at the foot of a table with marked rows: how many there are, and what can be done with all of them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.widgets.buttons import plain_button
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.table import DataTable
from app.console.widgets.text import ElidedLabel, label

_EDGES = 20
"""Px of its margins at both sides."""


class BulkBar(QFrame):
    """48 px, or 88 in two lines: after ``fold``, and where ``note`` has no room beside the buttons. It is shown while
    rows of ``table`` are marked. Copy and CSV are there by themselves, and the evidence bundle where the audit log
    tells of the rows; ``buttons`` takes what else can be done with them. ``one`` and ``several`` name the rows: frame,
    frames; ``note`` says which they are."""

    def __init__(self, table: DataTable, one: str, several: str, *, note: Callable[[], str] | None = None) -> None:
        super().__init__()
        self.setProperty("role", "raised")
        self._words = (one, several)
        self._note = note
        lines = QVBoxLayout(self)
        lines.setContentsMargins(12, 0, _EDGES - 12, 0)
        lines.setSpacing(0)
        # Both are put into their place before they are filled: of a filled layout PySide knows each item by its
        # address, also after the buttons have moved and the item is gone.
        self._row = row = QHBoxLayout()
        lines.addLayout(row)
        row.setSpacing(8)
        self._below = QHBoxLayout()
        lines.addLayout(self._below)
        self._below.addStretch(1)
        self._folded = False
        self.count = label()
        self.which = ElidedLabel("", "dim")
        row.addWidget(self.count)
        row.addWidget(self.which, 1 if note is not None else 0)
        self._buttons = QWidget()
        self.buttons = QHBoxLayout(self._buttons)
        self.buttons.setContentsMargins(0, 0, 0, 0)
        self.buttons.setSpacing(8)
        self.buttons.addWidget(plain_button(tr("Copy"), table.copy_marked))
        self.buttons.addWidget(plain_button(tr("Save as CSV"), table.save_marked))
        if table.proves:
            self.buttons.addWidget(plain_button(tr("Evidence bundle"), table.save_evidence))
        row.addWidget(self._buttons)
        row.addStretch(0 if note is not None else 1)
        self.clear = plain_button(tr("Take the marks away"), lambda: table.mark_all(False))
        self.clear.setProperty("role", "quiet")
        row.addWidget(self.clear)
        keep_lengths(self, BulkBar._fit)
        table.marked.connect(self._take)
        self.hide()

    def fold(self, on: bool) -> None:
        """Stand in two lines, because the place is too narrow for one."""
        if on != self._folded:
            self._folded = on
            if on:
                self._below.insertWidget(0, self._buttons)
            else:
                self._row.insertWidget(2, self._buttons)
            self._fit()

    def _fit(self) -> None:
        self.setFixedHeight(theme.px(88 if self._folded else 48))

    def _fit_note(self) -> None:
        """Say which rows they are whole, in a line of their own if need be."""
        if self._note is not None:
            margins = self.contentsMargins()
            parts = (self.count.sizeHint(), self._buttons.sizeHint(), self.clear.sizeHint())
            words = self.which.fontMetrics().horizontalAdvance(self.which.text())
            needed = sum(part.width() + self._row.spacing() for part in parts) + words
            self.fold(needed > self.width() - margins.left() - margins.right() - _EDGES)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_note()

    def _take(self, many: int) -> None:
        one, several = self._words
        words = tr("{many:,} {one} marked", many=many, one=one if many == 1 else several)
        self.count.setText(words)
        self.setAccessibleName(words)
        self.which.setText(self._note() if self._note is not None and many else "")
        self.which.setVisible(bool(self.which.text()))
        self._fit_note()
        self.setVisible(many > 0)
