"""One entry of the audit log: its payload, its leaf, and the checkpoint that signs it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console import theme
from app.console.actions import ActionTable
from app.console.audit_sentences import saying
from app.console.clock import date_time, parse_time, utc_time, zone_name
from app.console.code_words import code_word
from app.console.evidence.checks_view import CheckList
from app.console.evidence.entries import UNCONFIRMED, is_signed
from app.console.evidence.judgement import SealJudgement
from app.console.language import number, tr
from app.console.names import OperatorNames
from app.console.pages.audit.words import breakable, detail_lines
from app.console.theme.tokens import state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark
from app.console.widgets.scroller import scroller
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import TitledPanel, label, separator

SIGNED = tr("Checkpoint, signed by the log")
NOT_SIGNED = tr("Checkpoint, not signed yet")
_CODES = frozenset({tr("Action"), tr("Actor"), tr("Node"), tr("Unit"), tr("Request")})
"""Lines whose value is a code, which stands in the fixed font."""


TWO_FROM = 1200
"""Width of the panel, px at 100 % text, from which it has two columns: a leaf hash has one line in each."""


def _half(*parts: QWidget) -> QWidget:
    """Parts one below the other, at the top of their place."""
    half = QWidget()
    column = QVBoxLayout(half)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(8)
    for part in parts:
        column.addWidget(part)
    column.addStretch(1)
    return half


class EntryPanel(TitledPanel):
    """One entry: its payload as key and value, its leaf hash, and the checkpoint of the tree that the table shows."""

    def __init__(self, table: ActionTable, names: OperatorNames, parent: QWidget | None = None) -> None:
        super().__init__(tr("Entry"), padding=16, parent=parent)
        self._names = names
        self.mark = StateMark()
        self.head.addWidget(self.mark)
        self._seq = -1
        self.nothing = label(
            tr(
                "Choose an entry: its payload, its leaf and the checkpoint appear here. A leaf is the hash "
                "of the entry; the checkpoint signs all leaves together, so that nobody can change one "
                "afterwards unseen."
            ),
            "dim",
            wrap=True,
        )
        inside = QWidget()
        self._halves = QBoxLayout(QBoxLayout.Direction.TopToBottom, inside)
        self._halves.setContentsMargins(0, 0, 8, 0)
        self._halves.setSpacing(8)
        self._area = scroller(inside, tr("Entry of the audit log"))
        self._action = label("", "heading", wrap=True)
        buttons = QHBoxLayout()
        buttons.setSpacing(4)
        buttons.addWidget(ActionButton(table, "audit.copy", role="quiet"))
        buttons.addWidget(ActionButton(table, "audit.same_node", role="quiet"))
        buttons.addStretch(1)
        proofs = QHBoxLayout()
        proofs.setSpacing(8)
        proofs.addWidget(ActionButton(table, "audit.verify", role="primary"))
        proofs.addWidget(ActionButton(table, "audit.save_proof"))
        proofs.addStretch(1)
        self._buttons = QWidget()
        rows = QVBoxLayout(self._buttons)
        rows.setContentsMargins(0, 0, 0, 0)
        rows.setSpacing(8)
        rows.addLayout(buttons)
        rows.addLayout(proofs)
        self.checks = CheckList(
            tr(
                "Verify now checks the entry on this machine: that its leaf says what is shown, and that the "
                "leaf is in the tree that the log signed and its witnesses cosigned."
            )
        )
        self._facts = QWidget()
        self._grid = QGridLayout(self._facts)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._made: list[QWidget] = []
        self._lines: list[tuple[QLabel, QLabel]] = []
        self._leaf = self._caption(tr("Leaf hash"))
        self._checkpoint = self._caption(SIGNED)
        self._between = separator()
        said = _half(self._facts)
        proven = _half(self.checks, separator(), *self._leaf, separator(), *self._checkpoint)
        for part in (said, self._between, proven):
            self._halves.addWidget(part)
        self._halves.setStretch(2, 1)
        for part in (self.nothing, self._action, self._buttons):
            self.body.addWidget(part)
        self.body.addWidget(self._area, 1)
        self._rest = QWidget()
        self.body.addWidget(self._rest, 1)
        self.show_entry(None, "")

    def _fit(self) -> None:
        """Where there is room, what the entry says stands beside what proves it."""
        beside = self.width() >= theme.px(TWO_FROM)
        self._between.setHidden(beside)
        self._halves.setStretch(0, 1 if beside else 0)
        self._halves.setSpacing(24 if beside else 8)
        self._halves.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @staticmethod
    def _caption(title: str) -> tuple[QLabel, QLabel]:
        value = label("", "mono", wrap=True, selectable=True)
        value.setAccessibleName(title)
        return label(title, "section"), value

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

    def show_entry(self, entry: AuditEntry | None, checkpoint: str) -> None:
        """Show an entry, or how to choose one."""
        self.nothing.setVisible(entry is None)
        self._rest.setVisible(entry is None)
        for part in (self._action, self._buttons, self._area, self.mark):
            part.setVisible(entry is not None)
        if entry is None:
            self._seq = -1
            return
        signed = is_signed(checkpoint)
        title = SIGNED if signed else NOT_SIGNED
        self._checkpoint[0].setText(title)
        self._checkpoint[1].setAccessibleName(title)
        self._checkpoint[0].setToolTip("" if signed else UNCONFIRMED)
        self._checkpoint[1].setText(breakable(checkpoint.strip()))
        if entry.seq == self._seq:
            return
        self._seq = entry.seq
        self.checks.forget()
        self.mark.set(state_of(entry.outcome), code_word(entry.outcome))
        self._action.setText(saying(entry, {}).text)
        self._leaf[1].setText(breakable(entry.leaf_hash))
        at = parse_time(entry.timestamp)
        facts = [
            (tr("Leaf"), number(entry.seq, ",")),
            (tr("Action"), entry.action),
            (tr("Time"), f"{date_time(at)} {zone_name(at)}"),
            ("UTC", utc_time(at)),
            *self._arrival(entry),
            (tr("Actor"), self._names.full(entry.actor, entry.actor_name)),
            (tr("Node"), entry.node_id or tr("none")),
        ]
        facts += [
            (name, value) for name, value in ((tr("Unit"), entry.unit_id), (tr("Request"), entry.request_id)) if value
        ]
        self._fill(facts, detail_lines(entry.detail))
        self._area.verticalScrollBar().setValue(0)

    @staticmethod
    def _arrival(entry: AuditEntry) -> list[tuple[str, str]]:
        """When the entry came, where the log's time was ahead of the clock."""
        if entry.received_at is msgspec.UNSET:
            return []
        at = parse_time(entry.received_at)
        return [
            (
                tr("Received"),
                tr(
                    "{time} {zone}; the log's time was ahead of the clock",
                    time=date_time(at),
                    zone=zone_name(at),
                ),
            )
        ]

    def show_judgement(self, judgement: SealJudgement, note: str) -> None:
        """Show what Verify now found out about the entry, and by which policy."""
        self.checks.show_judgement(judgement, note)
        self._area.ensureWidgetVisible(self.checks)

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

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._seq = -1  # fonts are taken when a line is made
            if hasattr(self, "_halves"):
                self._fit()
        super().changeEvent(event)
