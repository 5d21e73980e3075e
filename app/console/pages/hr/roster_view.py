"""The roster of the HR page: what the newest list of employees came to, and where it differs from the nodes."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.capabilities.lifecycle.messages import Difference, Roster
from app.console.actions import ActionTable
from app.console.clock import age, date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.hr.words import DIFFERENCES
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import PANEL, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

ROSTER = (
    ("posted", tr("Posted"), False),
    ("actor", tr("By"), False),
    ("employees", tr("Employees"), False),
    ("unlinked", tr("Without employee"), False),
)


class RosterView(QWidget):
    """``show_roster`` fills it."""

    def __init__(self, table: ActionTable) -> None:
        super().__init__()
        column = Narrow(PANEL, parent=self)
        column.setContentsMargins(0, 16, 0, 0)
        column.addWidget(self._panel(table))

    def _panel(self, table: ActionTable) -> TitledPanel:
        """The facts of the roster, and the differences."""
        panel = TitledPanel(tr("Roster"), padding=12)
        self.mark = StateMark()
        panel.head.addWidget(self.mark)
        for action in ("hr.difference_person", "hr.difference_burn"):
            panel.head.addWidget(ActionButton(table, action, role="quiet"))
        self.facts = Facts(ROSTER)
        panel.body.addWidget(self.facts)
        columns: list[Column[Difference]] = [
            Column(tr("DIFFERENCE"), lambda row: DIFFERENCES[row.kind][1], 230,
                   state=lambda row: DIFFERENCES[row.kind][0],
                   hint=lambda row: DIFFERENCES[row.kind][2]),
            Column(tr("EMPLOYEE"), lambda row: row.employee_id, 150, mono=True),
            *person_columns(self, lambda row: row.node_id, 0),
            Column(tr("SINCE"), lambda row: date_time(parse_time(row.since)), 170, dim=True),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: f"{row.kind} {row.node_id}")
        self.table = DataTable(self.rows, name=tr("Where the roster and the nodes differ"), sorts=True)
        self.no_roster = EmptyState(
            "users",
            tr("No roster was posted yet."),
            tr(
                "Have HR post everybody whom it employs each night (POST /v1/citadel/lifecycle/roster). A "
                "source whose events stopped looks like a quiet day; the roster tells."
            ),
        )
        self.agrees = EmptyState(
            "circle-check", tr("Roster and nodes agree."), tr("Every active node belongs to somebody whom HR employs.")
        )
        self.stack = Stack(160)
        for part in (self.table, self.no_roster, self.agrees):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        self.note = label("", "small", wrap=True)
        panel.body.addWidget(self.note)
        return panel

    @property
    def difference(self) -> Difference | None:
        """The difference under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    def show_roster(self, roster: Roster | None, now: float, poster: str) -> None:
        """Show what the newest roster came to; None before the first. ``now``: Unix seconds of the service."""
        self.facts.setVisible(roster is not None)
        if roster is None:
            self.mark.set(Meaning.IDLE, tr("None yet"))
            self.note.setText("")
            self.rows.set_rows(())
            self.stack.setCurrentWidget(self.no_roster)
            return
        posted = parse_time(roster.posted_at)
        if not roster.count:
            word = tr("Agrees")
        elif roster.count == 1:
            word = tr("1 difference")
        else:
            word = tr("{count:,} differences", count=roster.count)
        self.mark.set(Meaning.WARN if roster.count else Meaning.OK, word)
        self.facts.set("posted", tr("{time}, {age} ago", time=date_time(posted), age=age(max(0.0, now - posted))))
        self.facts.set("actor", poster)
        self.facts.set(
            "employees",
            tr(
                "{count:,}, of whom {employed:,} are employed now",
                count=roster.employees,
                employed=roster.employed,
            ),
        )
        self.facts.set(
            "unlinked",
            tr("{count:,} active nodes name no employee: HR cannot end them", count=roster.unlinked) if roster.unlinked
            else tr("None: every active node names its employee"),
        )  # fmt: skip
        self.rows.set_rows(roster.differences)
        if roster.differences and self.table.currentIndex().row() < 0:
            self.table.selectRow(0)
        self.stack.setCurrentWidget(self.table if roster.differences else self.agrees)
        more = roster.count - len(roster.differences)
        listed = tr(" {count:,} more are not listed.", count=more) if more > 0 else ""
        self.note.setText(tr("Nobody is ever burned by a roster: look at each and decide.{listed}", listed=listed))
