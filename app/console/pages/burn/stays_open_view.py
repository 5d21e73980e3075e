"""Access that outlives a burn: what it is, when it ends, and whether it ends by itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.capabilities.burn.messages import Residual
from app.console.language import tr
from app.console.pages.burn.blast import ending, until_words
from app.console.theme.tokens import Meaning
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

_MOST = 2
"""Rows that are in sight at once."""
_NAME = tr("Stays open after this burn")


class StaysOpenPanel(TitledPanel):
    """Access that outlives a burn, or the sentence that none is known. ``now``: Unix seconds by the service's clock."""

    def __init__(self, now: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(_NAME, padding=8, parent=parent)
        self.title.setContentsMargins(8, 0, 0, 0)
        # No higher than its rows.
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._count = label("", "dim")
        self.head.insertWidget(1, self._count)
        self._none = label(tr("Nothing is known to outlive this burn."), "dim")
        self._none.setContentsMargins(8, 0, 0, 4)
        self.body.addWidget(self._none)
        until: Column[Residual] = Column(tr("UNTIL"), lambda left: until_words(left.until, now()), 96, right=True)
        what: Column[Residual] = Column(
            tr("WHAT STAYS OPEN"), lambda left: left.what, state=lambda _left: Meaning.WARN,
            hint=lambda left: left.what, second=lambda left: ending(left.until, now()),
        )  # fmt: skip
        self._columns, self._low_columns = [what, until], [replace(what, second=None), until]
        self._low = False
        """Whether there is little room: rows have one line."""
        self.model = RowsModel(self._columns, lambda left: left.what)
        self.table = DataTable(self.model, name=_NAME)
        self.table.horizontalHeader().hide()
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.body.addWidget(self.table)
        self.set_low(True)

    def show_residual(self, left: Sequence[Residual]) -> None:
        """Show what outlives the burn."""
        self.model.set_rows(left)
        self._count.setText("" if not left else tr("1 way") if len(left) == 1 else tr("{count} ways", count=len(left)))
        self._none.setVisible(not left)
        self.table.setVisible(bool(left))
        self._fit()

    def set_low(self, low: bool) -> None:
        """Have rows of one line where there is little room, or of two."""
        self._low = low
        self.table.show_columns(self._low_columns if low else self._columns, f"{_NAME}, low" if low else _NAME)
        self._fit()

    def _fit(self) -> None:
        """Make the table as high as its rows, two at most; where there is little room it may show one."""
        row = self.table.row_px()
        self.table.verticalHeader().setDefaultSectionSize(row)
        rows = min(_MOST, len(self.model.rows))
        self.table.setMaximumHeight(rows * row + 4)
        self.table.setMinimumHeight((min(rows, 1) if self._low else rows) * row + 4)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and hasattr(self, "table"):
            self._fit()
