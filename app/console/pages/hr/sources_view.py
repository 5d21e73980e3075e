"""The sources of the HR page: the HR systems that are believed, and how their secrets stand."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.console.actions import ActionTable
from app.console.clock import date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.hr.signing import SCHEME_HINTS, SCHEMES
from app.console.pages.hr.words import secret_hint, secret_word
from app.console.widgets.breadth import PANEL, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.wrap_row import WrapRow
from app.registry.messages.hr_sources import HrSource

_SCHEMES = dict(SCHEMES)


class SourcesView(QWidget):
    """``show_sources`` fills it."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        column = Narrow(PANEL, parent=self)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(self._panel(table))

    def _panel(self, table: ActionTable) -> TitledPanel:
        """The list of sources, its buttons, and the address that HR calls."""
        panel = TitledPanel(tr("Sources"), padding=12)
        buttons = WrapRow()
        for action, role in (
            ("hr.source_new", "primary"),
            ("hr.source_test", "quiet"),
            ("hr.source_change", "quiet"),
            ("hr.source_rotate", "quiet"),
            ("hr.source_finish", "quiet"),
            ("hr.source_delete", "quiet"),
        ):
            buttons.addWidget(ActionButton(table, action, role=role))
        panel.body.addLayout(buttons)
        columns: list[Column[HrSource]] = [
            Column(tr("SOURCE"), lambda row: row.hr_source_id, 180, mono=True),
            Column(tr("NAME"), lambda row: row.display_name or "–"),
            Column(tr("SIGNS BY"), lambda row: _SCHEMES[row.scheme], 170, hint=lambda row: SCHEME_HINTS[row.scheme]),
            Column(tr("SECRET"), lambda row: secret_word(row)[1], 150, state=lambda row: secret_word(row)[0],
                   hint=secret_hint),
            Column(tr("BRAKE ABOVE"), lambda row: tr("{count} a minute", count=row.max_discharges_per_minute), 130,
                   right=True, order=lambda row: row.max_discharges_per_minute,
                   hint=lambda _row: tr("More discharges are contained, not burned; above five times as many, "
                                        "queued.")),
            Column(tr("CHANGED"), lambda row: date_time(parse_time(row.changed_at)), 165, dim=True, spare=1),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.hr_source_id)
        self.table = DataTable(self.rows, name=tr("HR sources"), sorts=True)
        self.no_source = EmptyState(
            "key-round",
            tr("No HR system is believed yet."),
            tr(
                "A source is an HR system with the secret that it signs with. Its calls are refused until it "
                "stands here."
            ),
            table=table,
            action="hr.source_new",
        )
        self.stack = Stack(160)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.no_source)
        panel.body.addWidget(self.stack, 1)
        foot = QHBoxLayout()
        self.address = label("", "small", wrap=True, selectable=True)
        foot.addWidget(self.address, 1)
        foot.addWidget(ActionButton(table, "hr.copy", role="quiet"))
        panel.body.addLayout(foot)
        return panel

    @property
    def source(self) -> HrSource | None:
        """The source under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def show_sources(self, rows: Sequence[HrSource], wanted: str) -> None:
        """Show every source, with the cursor on ``wanted``."""
        self.rows.set_rows(rows)
        self.stack.setCurrentWidget(self.table if rows else self.no_source)
        at = self.rows.row_of(wanted)
        if rows and (at >= 0 or self.table.currentIndex().row() < 0):
            self.table.selectRow(max(at, 0))
