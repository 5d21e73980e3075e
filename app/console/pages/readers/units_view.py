"""The units: machines that sign with their own key."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console.actions import ActionTable
from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.widgets.breadth import PANEL, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel
from app.registry.messages.units import Unit


class UnitsView(QWidget):
    """``show_units`` fills it."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        column = Narrow(PANEL, parent=self)
        column.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Units: machines that sign with their own key"), padding=12)
        panel.head.addWidget(ActionButton(table, "readers.delete_unit", role="quiet"))
        columns: list[Column[Unit]] = [
            Column(tr("UNIT"), lambda row: row.unit_id, 260, mono=True),
            Column(tr("NAME"), lambda row: row.display_name or "–"),
            Column(tr("MAY"), lambda row: ", ".join(row.actions) or tr("watch only"), 200, dim=True),
            Column(tr("KEY"), lambda row: row.thumbprint, 240, mono=True, spare=1,
                   hint=lambda row: tr("RFC 7638 thumbprint {thumbprint}", thumbprint=row.thumbprint)),
            Column(tr("CHANGED"), lambda row: date_time(parse_time(row.changed_at)), 170, dim=True, spare=2),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.unit_id)
        self.table = DataTable(self.rows, name=tr("Units"), sorts=True)
        self.no_units = EmptyState(
            "cpu", tr("No unit is registered."), tr("Machines that watch or act with their own key appear here.")
        )
        panel.body.addWidget(self.table, 1)
        panel.body.addWidget(self.no_units, 1)
        column.addWidget(panel)
        panel.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_units(self, rows: Sequence[Unit]) -> None:
        """Show the units; the chosen one stays chosen."""
        here = self.unit
        self.rows.set_rows(rows)
        self.table.setVisible(bool(rows))
        self.no_units.setVisible(not rows)
        at = self.rows.row_of(here.unit_id) if here else -1
        if at >= 0 and self.table.currentIndex().row() != at:
            self.table.selectRow(at)

    @property
    def unit(self) -> Unit | None:
        """The chosen unit."""
        return self.rows.get(self.table.currentIndex().row())
