"""What programs know an entry by: its leaf hash, the checkpoint of the tree that the table shows, ids, payload."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console.actions import ActionTable
from app.console.clock import date_time, utc_time, zone_name
from app.console.code_words import code_word
from app.console.evidence.entries import UNCONFIRMED, is_signed
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.names import OperatorNames
from app.console.pages.audit.words import breakable, detail_lines
from app.console.widgets.buttons import ActionButton
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import label, separator
from app.console.widgets.wrap_row import WrapRow

SIGNED = tr("Checkpoint, signed by the log")
NOT_SIGNED = tr("Checkpoint, not signed yet")
_CODES = frozenset({tr("Action"), tr("Actor"), tr("Node"), tr("Unit"), tr("Request")})
"""Lines whose value is a code, which stands in the fixed font."""


class CodesView(QWidget):
    """The hash and the checkpoint, then facts and payload as key and value."""

    def __init__(self, table: ActionTable, names: OperatorNames, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = names
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 8, 0)
        column.setSpacing(8)
        buttons = WrapRow()
        column.addLayout(buttons)
        buttons.addWidget(ActionButton(table, "audit.copy", role="quiet"))
        buttons.addWidget(ActionButton(table, "audit.same_node", role="quiet"))
        facts = QWidget()
        self._grid = QGridLayout(facts)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._made: list[QWidget] = []
        self._lines: list[tuple[QLabel, QLabel]] = []
        self._leaf = _caption(tr("Leaf hash"))
        self._checkpoint = _caption(SIGNED)
        for part in (*self._leaf, separator(), *self._checkpoint, separator(), facts):
            column.addWidget(part)
        column.addStretch(1)

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What the grid shows, for tests and the tour."""
        return [(left.text(), right.text().replace("\u200b", "")) for left, right in self._lines]

    @property
    def leaf_hash(self) -> str:
        """The leaf hash shown, hexadecimal."""
        return self._leaf[1].text().replace("\u200b", "")

    @property
    def checkpoint(self) -> str:
        """The signed note shown."""
        return self._checkpoint[1].text().replace("\u200b", "")

    def show_checkpoint(self, checkpoint: str) -> None:
        """Show the note of the tree that the table shows now."""
        signed = is_signed(checkpoint)
        title = SIGNED if signed else NOT_SIGNED
        self._checkpoint[0].setText(title)
        self._checkpoint[1].setAccessibleName(title)
        self._checkpoint[0].setToolTip("" if signed else UNCONFIRMED)
        self._checkpoint[1].setText(breakable(checkpoint.strip()))

    def show_entry(self, entry: AuditEntry) -> None:
        """Show another entry."""
        self._leaf[1].setText(breakable(entry.leaf_hash))
        at = parse_time(entry.timestamp)
        facts = [
            (tr("Leaf"), number(entry.seq, ",")),
            (tr("Action"), entry.action),
            (tr("Outcome"), code_word(entry.outcome)),
            (tr("Time"), f"{date_time(at)} {zone_name(at)}"),
            ("UTC", utc_time(at)),
            *_arrival(entry),
            (tr("Actor"), self._names.full(entry.actor, entry.actor_name)),
            (tr("Node"), entry.node_id or tr("none")),
        ]
        facts += [
            (name, value) for name, value in ((tr("Unit"), entry.unit_id), (tr("Request"), entry.request_id)) if value
        ]
        self._fill(facts, detail_lines(entry.detail))

    def _fill(self, facts: Sequence[tuple[str, str]], payload: Sequence[tuple[str, str]]) -> None:
        """Make the lines of the grid anew."""
        take_away(self._grid, self._made)
        self._made, self._lines = [], []
        row = 0
        for name, value in facts:
            self._line(row, name, value, mono=name in _CODES)
            row += 1
        title = label(tr("Payload"), "section")
        title.setContentsMargins(0, 8, 0, 0)
        self._grid.addWidget(title, row, 0, 1, 2)
        self._made.append(title)
        for name, value in payload or [(tr("none"), tr("This entry carries no payload, or it was erased."))]:
            row += 1
            self._line(row, name, value, mono=True)

    def _line(self, row: int, name: str, value: str, *, mono: bool) -> None:
        left = label(name, "small")
        right = label(breakable(value), "mono" if mono else "", wrap=True, selectable=True)
        right.setAccessibleName(f"{name}: {value}")
        self._grid.addWidget(left, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(right, row, 1)
        self._made += [left, right]
        self._lines.append((left, right))


def _caption(title: str) -> tuple[QLabel, QLabel]:
    value = label("", "mono", wrap=True, selectable=True)
    value.setAccessibleName(title)
    return label(title, "section"), value


def _arrival(entry: AuditEntry) -> list[tuple[str, str]]:
    """When the entry came, where the log's time was ahead of the clock."""
    if entry.received_at is msgspec.UNSET:
        return []
    at = parse_time(entry.received_at)
    return [
        (
            tr("Received"),
            tr("{time} {zone}; the log's time was ahead of the clock", time=date_time(at), zone=zone_name(at)),
        )
    ]
