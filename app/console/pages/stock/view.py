"""What the stock page looks like: the elements, and beside them the chosen one with what was written on it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QGridLayout, QHBoxLayout, QLineEdit

from app.capabilities.provisioning.messages import Provision
from app.capabilities.provisioning.stock.messages import ElementCounts
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import date_time, utc_time
from app.console.code_words import code_word
from app.console.files import dropped_file
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.page import PageView
from app.console.pages.stock.words import STATE_MARKS, STATE_WORDS, STATES, ElementRow
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.breadth import lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.facts import Facts
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.person_columns import person_columns
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel, label

DEBOUNCE_MS = 150
_BUTTONS_BESIDE_FROM = 900
"""Width of the page from which the buttons stand beside the search, px at 100 % text."""
NEAR_END = 40
"""Rows before the last at which the next page is asked for."""
FACTS = (
    ("product", tr("Product"), False),
    ("location", tr("Location"), False),
    ("declared", tr("Declared"), False),
    ("keys", tr("Transport keys"), False),
    ("reason", tr("Reason"), False),
    ("added", tr("Added"), False),
    ("changed", tr("Changed"), False),
)


class StockView(PageView):
    """Emits ``searched`` (text), ``state_chosen`` (state or the empty text), ``chosen`` and ``opened`` (hardware_uid),
    ``provision_chosen``, ``more`` when the list nears its end, ``dropped`` (``Path``)."""

    searched = Signal(str)
    state_chosen = Signal(str)
    chosen = Signal(str)
    opened = Signal(str)
    provision_chosen = Signal()
    more = Signal()
    dropped = Signal(object)

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Stock"), scrolls=True)
        self.setAcceptDrops(True)
        self._head(table)
        self.body.addLayout(self._counts(table))
        below = QHBoxLayout()
        below.setSpacing(12)
        below.addWidget(self._table(table), 1)
        below.addWidget(self._side(table))
        self.body.addLayout(below, 1)

    # --- parts -------------------------------------------------------------------------------------------------------

    def _head(self, table: ActionTable) -> None:
        """Search, state and counts above the list."""
        head = self._head_parts = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.body.addLayout(head)
        fields, buttons = QHBoxLayout(), QHBoxLayout()
        for row in (fields, buttons):
            head.addLayout(row)
            row.setSpacing(8)
        head.setSpacing(8)
        head.setStretch(0, 1)
        self.search = QLineEdit()
        self.search.setPlaceholderText(tr("Search the stock   /"))
        self.search.setAccessibleName(tr("Search the stock by hardware_uid, product or location"))
        self.search.setClearButtonEnabled(True)
        keep_lengths(self.search, lambda one: one.setMinimumWidth(theme.px(184)))
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(DEBOUNCE_MS)
        self._pause.timeout.connect(lambda: self.searched.emit(self.search.text().strip()))
        self.search.textChanged.connect(lambda _text: self._pause.start())
        self.states = QComboBox()
        self.states.setAccessibleName(tr("State of the elements shown"))
        self.states.addItem(tr("All states"), "")
        for state in STATES:
            self.states.addItem(code_word(state), state)
        self.states.activated.connect(lambda at: self.state_chosen.emit(self.states.itemData(at)))
        self.mark = StateMark()
        for part in (self.search, self.states, self.mark):
            fields.addWidget(part)
        fields.addStretch(1)
        buttons.addWidget(ActionButton(table, "stock.export_receipts", text=tr("Receipts")))
        buttons.addWidget(ActionButton(table, "stock.export", text=tr("Inventory")))
        buttons.addWidget(ActionButton(table, "stock.import", text=tr("Import")))
        buttons.addWidget(ActionButton(table, "stock.add", text=tr("Add"), role="primary"))
        buttons.addStretch(0)

    def _fit_head(self) -> None:
        """Have the buttons below the fields where they have no room beside them."""
        lay(self._head_parts, across=self.width() >= theme.px(_BUTTONS_BESIDE_FROM))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_head()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_head_parts"):
            self._fit_head()
        super().changeEvent(event)

    def _counts(self, table: ActionTable) -> QHBoxLayout:
        """How many there are in each state, and whose word about them counts."""
        row = QHBoxLayout()
        row.setSpacing(24)
        self.counts: dict[str, StateMark] = {}
        for state in STATES:
            self.counts[state] = StateMark(STATE_MARKS[state])
            row.addWidget(self.counts[state])
        row.addStretch(1)
        self.count = label("", "dim")
        row.addWidget(self.count)
        row.addWidget(ActionButton(table, "stock.makers"))
        return row

    def _table(self, table: ActionTable) -> TitledPanel:
        """The list, and what stands in its place while it is empty."""
        panel = TitledPanel(padding=8)
        columns: list[Column[ElementRow]] = [
            Column(tr("ELEMENT"), lambda row: row.element.hardware_uid, 124, mono=True),
            Column(tr("PRODUCT"), lambda row: row.element.product, least=124),
            Column(tr("LOCATION"), lambda row: row.element.location or "–", 112, dim=True, spare=4),
            Column(tr("STATE"), lambda row: row.word, 122, state=lambda row: row.state, hint=lambda row: row.hint),
            Column(tr("DECLARED"), lambda row: row.short, 158, dim=True, spare=1, hint=lambda row: row.declared),
            Column(tr("KEYS"), lambda row: row.keys, 52, dim=True, spare=5,
                   hint=lambda row: tr("Transport keys of the maker: {keys}. They are kept sealed and never shown.",
                   keys=row.keys)),
            *person_columns(self, lambda row: row.element.node_id, 102, title=tr("WRITTEN FOR"), spare=2),
            Column(tr("ON"), lambda row: row.written_on, 102, dim=True, spare=3, hint=lambda row: row.written_hint),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.element.hardware_uid)
        self.table = DataTable(
            self.rows, name=tr("Secure elements of the stock"), proof=lambda row: row.element.hardware_uid
        )
        self.table.selected.connect(self._choose)
        self.table.opened.connect(lambda at: self.opened.emit(self.rows.rows[at].element.hardware_uid))
        self.table.verticalScrollBar().valueChanged.connect(lambda _at: self.near_end())
        self.empty = EmptyState(
            "package",
            tr("No secure element is in the stock."),
            tr(
                "Each card that was bought has a row here: what it is declared to be, the keys it came with, "
                "where it lies, and later what was written on it. Import the maker's list as CSV, or drop it "
                "here; Ctrl+N adds one."
            ),
            table=table,
            action="stock.import",
        )
        self.none_found = EmptyState("funnel", tr("No element matches."), tr("Change the search or the state."))
        self.stack = Stack(160)
        for part in (self.table, self.empty, self.none_found):
            self.stack.addWidget(part)
        panel.body.addWidget(self.stack, 1)
        return panel

    def _side(self, table: ActionTable) -> Side:
        """The chosen element with what was written on it."""
        side = Side(332)
        panel = TitledPanel(tr("Element"), padding=12)
        self.state = StateMark()
        panel.head.addWidget(self.state)
        self.name = ElidedLabel("", "mono")
        panel.body.addWidget(self.name)
        self.facts = Facts(FACTS)
        panel.body.addWidget(self.facts)
        panel.body.addSpacing(4)
        buttons = QGridLayout()
        buttons.setSpacing(8)
        for at, (action, text) in enumerate(
            (
                ("stock.change", tr("Change")),
                ("stock.keys", tr("Transport keys")),
                ("stock.quarantine", tr("Quarantine")),
                ("stock.restock", tr("Back to stock")),
                ("stock.retire", tr("Retire")),
                ("stock.delete", tr("Delete")),
            )
        ):
            buttons.addWidget(ActionButton(table, action, text=text), at // 2, at % 2)
        panel.body.addLayout(buttons)
        side.column.addWidget(panel)
        written = TitledPanel(tr("What was written on it"), padding=12)
        columns: list[Column[Provision]] = [
            Column(tr("FOR"), lambda row: row.display_name or row.node_id, least=72,
                   hint=lambda row: "\n".join(
                       (f"{row.display_name or ''} {row.node_id}".strip(), utc_time(parse_time(row.timestamp)))
                   ),
                   second=lambda row: date_time(parse_time(row.timestamp)), order=lambda row: row.timestamp),
            Column(tr("STATE"), lambda row: code_word(row.state), 98, state=lambda row: provision_state(row.state),
                   hint=lambda row: row.detail or code_word(row.state)),
        ]  # fmt: skip
        self.provisions = RowsModel(columns, lambda row: row.provision_id)
        self.provision_table = DataTable(
            self.provisions, name=tr("Provisionings of the element, newest first"), proof=lambda one: one.provision_id
        )
        self.provision_table.selected.connect(lambda _row: self.provision_chosen.emit())
        self.nothing_written = EmptyState(
            "id-card",
            tr("Nothing was written on it."),
            tr("Each write of the card appears here, with its signed receipt."),
        )
        self.written = Stack(110)
        self.written.addWidget(self.provision_table)
        self.written.addWidget(self.nothing_written)
        written.body.addWidget(self.written, 1)
        below = QHBoxLayout()
        below.setSpacing(8)
        below.addWidget(ActionButton(table, "stock.receipt", text=tr("Receipt")))
        below.addWidget(ActionButton(table, "stock.open_card", text=tr("Open in Write card")))
        below.addStretch(1)
        written.body.addLayout(below)
        side.column.addWidget(written, 1)
        return side

    def _choose(self, at: int) -> None:
        self.chosen.emit(self.rows.rows[at].element.hardware_uid if 0 <= at < len(self.rows.rows) else "")
        if at >= len(self.rows.rows) - NEAR_END:
            self.more.emit()

    def near_end(self) -> None:
        """Ask for more rows if the last ones that are there are in sight, or nearly."""
        bar = self.table.verticalScrollBar()
        if bar.value() >= bar.maximum() - NEAR_END * theme.row_height():
            self.more.emit()

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_rows(self, rows: Sequence[ElementRow], counts: ElementCounts, wanted: str, *, narrowed: bool) -> None:
        """These rows, with the cursor on ``wanted``; ``narrowed``: a search or a state leaves some out."""
        # The hands were on the table, or on what stood in its place; never taken from a field that somebody types into.
        typing = self.search.hasFocus() or self.states.hasFocus()
        to_table = self.table.hasFocus() or (self.stack.currentWidget() is not self.table and not typing)
        self.rows.set_rows(rows)
        at = self.rows.row_of(wanted)
        if at >= 0 and self.table.currentIndex().row() != at:
            self.table.selectRow(at)
        if rows:
            self.stack.setCurrentWidget(self.table)
        else:
            self.stack.setCurrentWidget(self.none_found if narrowed else self.empty)
        if to_table and rows:
            self.table.setFocus()
        for state, mark in self.counts.items():
            mark.set(STATE_MARKS[state], f"{number(getattr(counts, state), ',')} {STATE_WORDS[state]}")
        chosen = self.states.currentData()
        total = getattr(counts, chosen) if chosen else sum(getattr(counts, state) for state in STATES)
        self.count.setText(_count_words(len(rows), total, narrowed=narrowed))

    def show_element(self, row: ElementRow | None) -> None:
        """The chosen element; None: there is none."""
        self.state.setVisible(row is not None)
        if row is None:
            self.name.setText(tr("Choose an element."))
            self.facts.clear()
            return
        element = row.element
        self.name.setText(element.hardware_uid)
        self.state.set(row.state, row.word)
        keys = tr("None")
        if element.transport.set:
            keys = tr("Set {time}; sealed, never shown", time=_moment(element.transport.changed_at))
        for key, value in (
            ("product", element.product),
            ("location", element.location or ""),
            ("declared", row.declared),
            ("keys", keys),
            ("reason", element.detail or ""),
            ("added", _moment(element.created_at)),
            ("changed", _moment(element.changed_at)),
        ):
            self.facts.set(key, value)

    def show_provisions(self, rows: Sequence[Provision]) -> None:
        """What was written on the chosen element, newest first."""
        self.provisions.set_rows(rows)
        self.written.setCurrentWidget(self.provision_table if rows else self.nothing_written)
        if rows and self.provision_table.currentIndex().row() < 0:
            self.provision_table.selectRow(0)
        self.provision_chosen.emit()

    @property
    def provision(self) -> Provision | None:
        """The chosen provisioning."""
        return self.provisions.get(self.provision_table.currentIndex().row())

    # --- a file that is dropped --------------------------------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if dropped_file(event) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = dropped_file(event)
        if path is not None:
            event.acceptProposedAction()
            self.dropped.emit(path)


def _count_words(loaded: int, total: int, *, narrowed: bool) -> str:
    """How many elements there are, or are found; and how many of them are loaded, unless all are."""
    if loaded != total:
        return (
            tr("{count:,} of {total:,} elements found", count=loaded, total=total)
            if narrowed
            else tr("{count:,} of {total:,} elements", count=loaded, total=total)
        )
    if total == 1:
        return tr("1 element found") if narrowed else tr("1 element")
    return tr("{count:,} elements found", count=total) if narrowed else tr("{count:,} elements", count=total)


def provision_state(state: str) -> Meaning:
    """A provisioning's state as a person reads it: torn and refused cards are failures."""
    return Meaning.BAD if state in ("TORN", "REFUSED") else state_of(state)


def _moment(at: str | None) -> str:
    return "" if at is None else date_time(parse_time(at))
