"""The terminals tab's parts: palm scanners and code screens, and the registries of templates that they search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from PySide6.QtWidgets import QWidget

from app.biometrics.messages import TemplateRegistry
from app.console.actions import ActionTable
from app.console.clock import date_time
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.pages.verify.terminal_form import KINDS
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import PANEL, Narrow
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.stack import Stack
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label
from app.registry.messages.terminals import Terminal

_KINDS = dict(KINDS)
ALGORITHMS = {1: tr("1, crease map")}
RENEWAL = tr(
    "Renewal makes every template anew under the next key, without the persons, and destroys the old "
    "key. What was taken from the registry before matches nobody afterwards, but two whole sets stay "
    "linkable: all templates of before and after together tell which belong to one person. Terminals "
    "need a new bundle: until then their frames are refused."
)

OPENED_WITHIN_MIN = 5
"""A bundle that a terminal opens later than that after it was made is none."""

RowT = TypeVar("RowT")


class TerminalsView(QWidget):
    """Shows; the tab decides."""

    def __init__(self, table: ActionTable, mark: StateMark) -> None:
        super().__init__()
        column = Narrow(PANEL, parent=self)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(12)
        column.addWidget(self._terminals(table, mark), 3)
        column.addWidget(self._registries(table), 2)

    def _terminals(self, table: ActionTable, mark: StateMark) -> TitledPanel:
        """The table of terminals."""
        panel = TitledPanel(tr("Terminals"), padding=12)
        panel.head.addWidget(mark)
        for action, text, role in (
            ("verify.terminal_delete", tr("Delete"), "quiet"),
            ("verify.terminal_taken", tr("Acknowledgement…"), "quiet"),
            ("verify.terminal_bundle", tr("Save a bundle"), "quiet"),
            ("verify.terminal_change", tr("Change"), "quiet"),
            ("verify.terminal_new", tr("Add a terminal"), "primary"),
        ):
            panel.head.addWidget(ActionButton(table, action, text=text, role=role))
        columns: list[Column[Terminal]] = [
            Column(tr("TERMINAL"), lambda row: row.terminal_id, 150, mono=True),
            Column(tr("NAME"), lambda row: row.display_name or "–", least=150),
            Column(tr("KIND"), lambda row: _KINDS[row.kind], 190),
            Column(tr("SIGNS"), lambda row: signing(row)[1], 150, state=lambda row: signing(row)[0],
                   hint=lambda row: tr("RFC 7638 thumbprint {thumbprint}",
                   thumbprint=row.thumbprint) if row.thumbprint else signing(row)[1]),
            Column(tr("BUNDLE"), lambda row: bundle_state(row)[1], 220, state=lambda row: bundle_state(row)[0],
                   hint=bundle_words),
            Column(tr("REGISTRY"), lambda row: row.registry_id if row.kind == "palm" else "–", 120, mono=True, spare=2),
            Column(tr("WHO"), search_scope, 150, spare=1),
            Column(tr("LEAST LIVENESS"), lambda row: str(row.liveness_min) if row.kind == "palm" else "–", 124,
                   right=True, spare=3),
            Column(tr("ALSO"), also, 130, dim=True, spare=4),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: row.terminal_id)
        self.table = DataTable(self.rows, name=tr("Terminals"), sorts=True)
        self.empty = EmptyState(
            "monitor",
            tr("No terminal is registered yet."),
            tr(
                "A palm scanner or a screen with the rotating code: it is believed by its public key, from "
                "the moment that it stands here."
            ),
            table=table,
            action="verify.terminal_new",
        )
        self.stack = Stack(140)
        self.stack.addWidget(self.table)
        self.stack.addWidget(self.empty)
        panel.body.addWidget(self.stack, 1)
        self.said = label("", "small", wrap=True)
        panel.body.addWidget(self.said)
        self.table.selected.connect(lambda _row: self._say())
        return panel

    def _registries(self, table: ActionTable) -> TitledPanel:
        """The table of template registries."""
        panel = TitledPanel(tr("Template registries"), padding=12)
        for action, text, role in (
            ("verify.registry_delete", tr("Delete"), "quiet"),
            ("verify.registry_new", tr("Add a registry"), "quiet"),
            ("verify.registry_renew", tr("Renew…"), ""),
        ):
            panel.head.addWidget(ActionButton(table, action, text=text, role=role))
        columns: list[Column[TemplateRegistry]] = [
            Column(tr("REGISTRY"), lambda row: row.registry_id, 180, mono=True),
            Column(tr("ALGORITHM"), lambda row: ALGORITHMS.get(row.alg, str(row.alg)), 150),
            Column(tr("KEY EPOCH"), lambda row: str(row.key_epoch), 100, right=True),
            Column(tr("PERSONS"), lambda row: number(row.nodes, ","), 100, right=True,
                   order=lambda row: row.nodes),
            Column(tr("TEMPLATES"), lambda row: number(row.templates, ","), 110, right=True,
                   order=lambda row: row.templates),
            Column(tr("RENEWED"), lambda row: date_time(parse_time(row.renewed_at)) if row.renewed_at else tr("Never"),
                   least=170, dim=True),
        ]  # fmt: skip
        self.registry_rows = RowsModel(columns, lambda row: row.registry_id)
        self.registry_table = DataTable(self.registry_rows, name=tr("Template registries"), sorts=True)
        panel.body.addWidget(self.registry_table, 1)
        panel.body.addWidget(label(RENEWAL, "small", wrap=True))
        return panel

    # --- what is shown -----------------------------------------------------------------------------------------------

    def show_terminals(self, found: Sequence[Terminal], wanted: str) -> None:
        """These terminals, with the cursor on ``wanted`` if that is among them."""
        _fill(self.table, self.rows, found, wanted)
        self.stack.setCurrentWidget(self.table if found else self.empty)
        self._say()

    def _say(self) -> None:
        row = self.terminal
        self.said.setText("" if row is None or row.kind != "palm" else f"{row.terminal_id}: {bundle_words(row)}")
        self.said.setVisible(bool(self.said.text()))

    def show_registries(self, found: Sequence[TemplateRegistry], wanted: str) -> None:
        """These registries, likewise."""
        _fill(self.registry_table, self.registry_rows, found, wanted)

    @property
    def terminal(self) -> Terminal | None:
        """The terminal under the cursor."""
        return _at(self.table, self.rows.rows)

    @property
    def registry(self) -> TemplateRegistry | None:
        """The registry under the cursor."""
        return _at(self.registry_table, self.registry_rows.rows)


def signing(row: Terminal) -> tuple[Meaning, str]:
    """Whether what it sends can be believed as its own."""
    if row.public_key is not None:
        return Meaning.OK, tr("By its key")
    return (Meaning.WARN, tr("Cannot sign")) if row.legacy else (Meaning.IDLE, tr("No key yet"))


def bundle_state(row: Terminal) -> tuple[Meaning | None, str]:
    """Whether it has said that it took the bundle that was fetched for it last: only that proves anything."""
    bundle = row.bundle
    if bundle is None:
        return (None, "–") if row.encryption_key is None else (Meaning.IDLE, tr("Never fetched"))
    if bundle.fetched_at is None:
        return Meaning.WARN, tr("Not known")
    if bundle.taken_issue == bundle.issue and bundle.taken_at is not None:
        return Meaning.OK, tr("Taken {at}", at=date_time(parse_time(bundle.taken_at)))
    # What cannot let anybody in by itself keeps no burn waiting.
    state = Meaning.IDLE if bundle.decides_until is None else Meaning.WARN
    return state, tr("Fetched, not taken yet")


def bundle_words(row: Terminal) -> str:
    """The same in sentences."""
    bundle = row.bundle
    if bundle is None:
        return tr("No bundle was fetched for it.")
    if bundle.fetched_at is None:
        words = [tr("The entries that tell which bundle it got last are lost.")]
    elif bundle.taken_issue == bundle.issue:
        words = [tr("It signed that it opened, checked and kept bundle {issue}.", issue=bundle.issue)]
    else:
        at = date_time(parse_time(bundle.fetched_at))
        words = [
            tr(
                "Bundle {issue} was fetched at {at}, to be opened within {minutes} minutes; the "
                "terminal has not said that it took it.",
                issue=bundle.issue,
                at=at,
                minutes=OPENED_WITHIN_MIN,
            )
        ]
    words.append(exposure(row))
    return " ".join(words)


def decides_until(row: Terminal) -> str:
    """Until when it may let people in by itself; empty: it may not."""
    until = None if row.bundle is None else row.bundle.decides_until
    return "" if until is None else date_time(parse_time(until))


def exposure(row: Terminal) -> str:
    """What that means for a burn."""
    until = decides_until(row)
    if not until:
        return tr("It can let nobody in by itself: no burn waits for it.")
    return tr(
        "Offline it may let people in until {until}, by whichever bundle it has: a burn counts it as "
        "exposed until then, or until it has taken a bundle made after the burn and its acknowledgement "
        "is here.",
        until=until,
    )


def search_scope(row: Terminal) -> str:
    """Who can match there."""
    if row.kind != "palm":
        return "–"
    return tr("Granted at {cluster}", cluster=row.cluster) if row.cluster else tr("Everybody")


def also(row: Terminal) -> str:
    """What else is agreed with it."""
    words = [word for word, holds in ((tr("Offline"), row.offline), (tr("Slow link"), row.slow_link)) if holds]
    return ", ".join(words) or "–"


def _fill(table: DataTable, model: RowsModel[RowT], rows: Sequence[RowT], wanted: str) -> None:
    model.set_rows(rows)
    at = model.row_of(wanted)
    if rows and (at >= 0 or not table.currentIndex().isValid()):
        table.selectRow(max(at, 0))


def _at(table: DataTable, rows: Sequence[RowT]) -> RowT | None:
    at = table.currentIndex().row()
    return rows[at] if 0 <= at < len(rows) else None
