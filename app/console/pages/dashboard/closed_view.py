"""What stands where nobody is needed: that it is so, and below it what was closed last and by whom."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from app.console import theme
from app.console.clock import clock_time, utc_time
from app.console.language import tr
from app.console.pages.dashboard.closed import ClosedRow
from app.console.theme import icons
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import label

_ROW, _SAID, _ICON = 26, 70, 24
"""Height of a row, and of what stands above the rows, px at 100 % text; side of the icon."""
MOST_CLOSED = 3
"""Rows that are in sight at once."""


class ClosedTable(DataTable):
    """Low rows without a head: what is over needs no more."""

    def row_px(self) -> int:
        return theme.px(_ROW)


class NothingOpen(QWidget):
    """``show_closed`` fills the list; without rows it says nothing of what was closed."""

    def __init__(self) -> None:
        super().__init__()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        said = QHBoxLayout()
        column.addLayout(said)
        said.setSpacing(12)
        self._icon = label()
        said.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        said.addLayout(words, 1)
        words.setSpacing(2)
        words.addWidget(label(tr("Nothing waits for you."), "heading"))
        words.addWidget(
            label(
                tr(
                    "A burned badge, a held discharge, a frame that is down or a burn without full proof would stand "
                    "here."
                ),
                "dim",
                wrap=True,
            )
        )
        self.caption = label(tr("Closed in the last hour"), "small")
        column.addWidget(self.caption)
        columns: list[Column[ClosedRow]] = [
            Column(tr("TIME"), lambda row: clock_time(row.at), 66, dim=True, hint=lambda row: utc_time(row.at)),
            Column(tr("WHAT"), lambda row: row.text, least=160, weight=2.0, hint=lambda row: row.text),
            Column(
                tr("CLOSED BY"), lambda row: row.who, least=120, weight=1.0, dim=True, right=True,
                hint=lambda row: row.who,
            ),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.key)
        self.table = ClosedTable(self.rows, name=tr("Closed in the last hour"), proof=lambda row: row.key)
        self.table.horizontalHeader().hide()
        column.addWidget(self.table, 1)
        column.addStretch(0)
        self._dress()
        self.show_closed(())

    def show_closed(self, rows: Sequence[ClosedRow]) -> None:
        """Show these alarms, the last closed one first."""
        self.table.take_rows(rows)
        self.caption.setVisible(bool(rows))
        self.table.setVisible(bool(rows))

    @property
    def least_px(self) -> int:
        """Height at which its words and so many rows as are in sight at once have room."""
        rows = min(MOST_CLOSED, len(self.rows.rows))
        return theme.px(_SAID + rows * _ROW) + 2 * self.table.frameWidth() if rows else 0

    def _dress(self) -> None:
        pixmap = icons.pixmap("circle-check", theme.current().dim, theme.px(_ICON), self.devicePixelRatioF())
        self._icon.setPixmap(pixmap)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._dress()
        super().changeEvent(event)
