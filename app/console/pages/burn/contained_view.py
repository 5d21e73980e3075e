"""The list of who is contained or queued: for how long, by whom and why, and what can be done about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtWidgets import QAbstractItemView, QVBoxLayout, QWidget

from app.capabilities.burn.messages import Containment
from app.console.actions import ActionTable
from app.console.clock import date_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.names import OperatorNames, who
from app.console.pages.burn.lock_times import countdown
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label
from app.console.widgets.wrap_row import WrapRow

CAUSES = {"containment": tr("Operator"), "brake": tr("HR brake")}
LIST = tr("Contained and queued, newest first")
_STATES = {"contained": (Meaning.WARN, tr("Contained")), "queued": (Meaning.BAD, tr("Queued, not denied"))}


class ContainedView(QWidget):
    """``show_rows`` fills it; ``now``: Unix seconds by the service's clock."""

    def __init__(self, table: ActionTable, now: Callable[[], float], names: OperatorNames) -> None:
        super().__init__()
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 12, 0, 0)
        panel = TitledPanel(tr("Contained, or queued by the brake on discharges"), padding=12)
        outer.addWidget(panel)
        self.mark = StateMark()
        panel.head.addWidget(self.mark)
        row = WrapRow()
        for name, text in (
            ("burn.release_chosen", tr("Release")),
            ("burn.burn_chosen", tr("Burn this one")),
            ("burn.ask_list", tr("Burn several with a second key")),
        ):
            row.addWidget(ActionButton(table, name, text=text))
        panel.body.addLayout(row)
        columns: list[Column[Containment]] = [
            Column(tr("STATE"), lambda one: _STATES[one.state][1], 156, state=lambda one: _STATES[one.state][0]),
            Column(tr("NODE"), lambda one: one.node_id, 124, mono=True),
            Column(tr("NAME"), lambda one: one.display_name or tr("not registered"), 152),
            Column(
                tr("ENDS IN"),
                lambda one: ends_in(one, now()),
                144,
                hint=lambda one: utc_time(parse_time(one.until)) if one.until else tr("No end of its own"),
                order=lambda one: parse_time(one.until) if one.until else None,
            ),
            Column(tr("CAUSE"), lambda one: CAUSES[one.cause], 88, spare=2),
            Column(tr("MESSAGE"), lambda one: one.message or "", least=160, spare=1),
            Column(tr("SINCE"), lambda one: date_time(parse_time(one.since)), 152, dim=True, spare=4),
            who(names, tr("BY"), lambda one: one.actor, 132, spare=3),
        ]
        self.rows = RowsModel(columns, lambda one: one.containment_id)
        self.table = DataTable(self.rows, name=LIST, sorts=True, proof=lambda one: one.containment_id)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        panel.body.addWidget(self.table, 1)
        self.words = label(
            tr("Shift and Ctrl choose several. Enter shows what a burn would touch."), "small", wrap=True
        )
        panel.body.addWidget(self.words)
        self.empty = EmptyState(
            "lock",
            tr("Nobody is contained."),
            tr(
                "Choose a subject and contain it: every door of this site refuses it at once, for a while. "
                "Discharges that the brake on a flood of them holds back wait here for a decision, too."
            ),
            table=table,
            action="burn.subject",
        )
        panel.body.addWidget(self.empty, 1)
        self.show_rows(())

    @property
    def chosen(self) -> list[Containment]:
        """The selected rows, in the order of the table."""
        at = sorted(index.row() for index in self.table.selectionModel().selectedRows())
        return [self.rows.rows[row] for row in at]

    def show_rows(self, found: Sequence[Containment]) -> None:
        """Show the containments that are not over, newest first."""
        kept = {one.containment_id for one in self.chosen}
        self.rows.set_rows(found)
        if kept and not self.chosen:
            choose = self.table.selectionModel()
            for at, one in enumerate(found):
                if one.containment_id in kept:
                    rows = choose.SelectionFlag.Select | choose.SelectionFlag.Rows
                    choose.select(self.rows.index(at, 0), rows)
        self.table.setVisible(bool(found))
        self.words.setVisible(bool(found))
        self.empty.setVisible(not found)


def ends_in(one: Containment, now: float) -> str:
    """``14:59``, or who ends it."""
    if one.state == "queued":
        return tr("Waits for a decision")
    return tr("A person decides") if one.until is None else countdown(parse_time(one.until) - now)
