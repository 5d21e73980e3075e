"""People of the registry: found by name or id, added, changed, deleted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget

from app.console.clock import date_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.past_standing import NOT_READ, PastStanding
from app.console.session import WindowSession
from app.console.shown_time import NOW_ALONE
from app.console.standing import standing_word
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.breadth import fix_field
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label
from app.registry.messages.nodes import Node

DEBOUNCE_MS = 150


@dataclass(frozen=True)
class PastPeople:
    """The moment of the past that the list shows, Unix time, and how people stood then, by node id."""

    at: float
    standings: Mapping[str, PastStanding]

    def then(self, node: Node) -> PastStanding:
        """How a person stood."""
        return self.standings.get(node.node_id, NOT_READ)


def credentials_of(node: Node) -> str:
    """How many credentials of a person open something now."""
    open_ = sum(credential.state in ("active", "granted") for credential in node.credentials)
    return str(open_) if open_ else "–"


def _when(node: Node) -> str:
    return tr("never") if node.verified_at is None else date_time(parse_time(node.verified_at))


class EverybodyView(QWidget):
    """Emits ``searched`` with the text 150 ms after the last key, ``more`` when the end of the list comes near."""

    searched = Signal(str)
    more = Signal()
    opened = Signal(str)

    def __init__(self, session: WindowSession) -> None:
        super().__init__()
        table = session.actions
        self._past: PastPeople | None = None
        self.beside = False
        """Whether it stands beside the person in front, whom all that can be done is about."""
        self._alone: list[QWidget] = []
        columns: list[Column[Node]] = [
            Column(tr("NAME"), lambda node: node.display_name, least=180),
            Column(tr("NODE ID"), lambda node: node.node_id, 190, mono=True),
            Column(tr("STANDING"), self._standing_word, 200, state=self._standing_state, hint=self._standing_hint),
            Column(tr("EMPLOYEE"), lambda node: node.employee_id or "–", 130, spare=1),
            Column(tr("OPEN"), self._open, 70, right=True, hint=self._open_hint),
            Column(tr("LAST LIVE CHECK"), self._check_time, 170, dim=True, spare=2, hint=self._checked_hint),
            Column(tr("TAGS"), lambda node: ", ".join(node.tags), 120, dim=True, spare=3),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda node: node.node_id)
        self.table = DataTable(self.rows, name=tr("People"))
        self.table.opened.connect(lambda row: self.opened.emit(self.rows.rows[row].node_id))
        self.table.selected.connect(lambda _row: self._near_the_end())
        self.table.verticalScrollBar().valueChanged.connect(lambda _value: self._near_the_end())
        self.none = EmptyState(
            "users",
            tr("Nobody is registered."),
            tr("A registered person can be given a card, granted doors, and burned."),
            table=table,
            action="people.new",
        )
        self.none_found = EmptyState("search", tr("Nobody is called so."), tr("Names and node ids are searched."))
        self.away = EmptyState(
            "unplug", tr("No service is connected."), tr("People are listed as soon as one answers.")
        )
        panel = TitledPanel(tr("People"), padding=12)
        self.mark = StateMark()
        self.mark.hide()
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Name or node id   /"))
        self.filter.setAccessibleName(tr("Search people by name or node id"))
        fix_field(self.filter, 240)
        self.filter.setClearButtonEnabled(True)
        panel.head.addWidget(self.mark)
        panel.head.addWidget(self.filter)
        for action, text, role in (
            ("people.delete", tr("Delete"), "quiet"),
            ("people.change", tr("Change"), "quiet"),
            ("people.open", tr("Open"), ""),
            ("people.new", tr("Add a person"), "primary"),
        ):
            button = ActionButton(table, action, text=text, role=role)
            panel.head.addWidget(button)
            if action != "people.open":
                self._alone.append(button)
        self.stack = Stack(200)
        for part in (self.away, self.table, self.none, self.none_found):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        self.count = label("", "small")
        panel.body.addWidget(self.count)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(panel)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(lambda: self.searched.emit(self.filter.text().strip()))
        self.filter.textChanged.connect(lambda _text: self._timer.start())

    def stand_beside(self, on: bool) -> None:
        """Offer no more than to open another person: what else can be done stands at the head of the one in front."""
        self.beside = on
        for button in self._alone:
            button.setHidden(on)

    @property
    def chosen(self) -> Node | None:
        """The person under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    # --- cells: of now, or of the moment that is shown ---

    def _standing_word(self, node: Node) -> str:
        return standing_word(node.standing) if self._past is None else self._past.then(node).word

    def _standing_state(self, node: Node) -> Meaning:
        return state_of(node.standing) if self._past is None else self._past.then(node).state

    def _standing_hint(self, node: Node) -> str:
        return standing_word(node.standing) if self._past is None else self._past.then(node).said

    def _open(self, node: Node) -> str:
        return credentials_of(node) if self._past is None else "–"

    def _open_hint(self, node: Node) -> str:
        if self._past is not None:
            return NOW_ALONE
        return tr("{count} credentials open something now.", count=credentials_of(node))

    def _check_time(self, node: Node) -> str:
        return "–" if self._checked_later(node) else _when(node)

    def _checked_hint(self, node: Node) -> str:
        if self._checked_later(node):
            return tr("There was one after that moment; which was the last before it is not known here.")
        return utc_time(parse_time(node.verified_at)) if node.verified_at else tr("Never.")

    def _checked_later(self, node: Node) -> bool:
        """Whether the last live check came after the moment that is shown."""
        past = self._past
        return past is not None and node.verified_at is not None and parse_time(node.verified_at) > past.at

    def show_past(self, past: PastPeople | None) -> None:
        """Show a moment of the past, or now; what is shown then is shown again by ``show_people``."""
        self._past = past

    def _near_the_end(self) -> None:
        bar = self.table.verticalScrollBar()
        if self.rows.rows and (
            bar.value() >= bar.maximum() - bar.pageStep() or self.table.currentIndex().row() >= len(self.rows.rows) - 2
        ):
            self.more.emit()

    def show_people(self, people: list[Node], *, further: bool, searched: bool, wanted: str) -> None:
        """Show the list; ``further``: the service has more of them; ``wanted``: id of the person to put the cursor
        on, whom the cursor was on before by default."""
        before = self.chosen
        bar = self.table.verticalScrollBar().value()
        self.rows.set_rows(people)
        if not people:
            self.stack.setCurrentWidget(self.none_found if searched else self.none)
        else:
            self.stack.setCurrentWidget(self.table)
            at = self.rows.row_of(wanted)
            if at < 0 and before is not None:
                at = self.rows.row_of(before.node_id)
            if at != self.table.currentIndex().row() or at < 0:
                self.table.selectRow(max(at, 0))
            if not wanted:
                self.table.verticalScrollBar().setValue(bar)
        shown = tr("1 person") if len(people) == 1 else tr("{count:,} people", count=len(people))
        self.count.setText(tr("The first {shown}; more follow as you go down.", shown=shown) if further else shown)
