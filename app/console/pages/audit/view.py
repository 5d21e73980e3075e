"""The audit page: filter bar, the table of the log, the entry that is chosen."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QStringListModel, Qt, QTimer, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QCompleter,
    QFrame,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import date_time, parse_time, utc_time, zone_name
from app.console.evidence.checks_view import CheckList
from app.console.evidence.entries import UNCONFIRMED, is_signed
from app.console.evidence.judgement import SealJudgement
from app.console.page import PageView
from app.console.pages.audit.cells import LogCells
from app.console.pages.audit.model import LogModel
from app.console.pages.audit.source import detail_lines
from app.console.session import WindowSession
from app.console.theme.tokens import Meaning, sentence_case, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.empty import EmptyState
from app.console.widgets.marks import StateMark
from app.console.widgets.table import DataTable
from app.console.widgets.text import ElidedLabel, TitledPanel, label, separator

RANGES: tuple[tuple[int, str], ...] = (
    (0, "All time"),
    (3_600, "Last hour"),
    (86_400, "Last 24 hours"),
    (7 * 86_400, "Last 7 days"),
    (30 * 86_400, "Last 30 days"),
    (365 * 86_400, "Last 365 days"),
)
SIGNED = "Checkpoint, signed by the log"
NOT_SIGNED = "Checkpoint, not signed yet"
OUTCOMES = (("", "Any outcome"), ("ACCEPTED", "Accepted"), ("DENIED", "Denied"), ("FAILED", "Failed"))
TYPING_MS = 350
WORDS_KEPT = 500


class FilterBar(TitledPanel):
    """What is looked for. Emits ``changed`` 350 ms after the last key of the text, and when a field is done."""

    changed = Signal()
    sought = Signal(str)
    """A time to go to, as it was typed."""

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__("", padding=12, parent=parent)
        self._words: dict[str, QStringListModel] = {}
        self._quiet = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TYPING_MS)
        self._timer.timeout.connect(self.changed)
        upper = QHBoxLayout()
        upper.setSpacing(8)
        self.text = QLineEdit()
        self.text.setPlaceholderText("Words anywhere   /")
        self.text.setAccessibleName("Words in action, actor, node or detail")
        self.text.setMaxLength(200)
        self.text.setClearButtonEnabled(True)
        self.text.textEdited.connect(lambda _text: self._timer.start())
        self.text.textChanged.connect(lambda text: None if text else self._timer.start())
        self.text.returnPressed.connect(self._now)
        self.action = self._exact("Action", "action", 64)
        self.actor = self._exact("Actor", "actor", 128)
        self.node = self._exact("Node id", "node", 64)
        self.outcome = QComboBox()
        self.outcome.setAccessibleName("Outcome")
        for value, title in OUTCOMES:
            self.outcome.addItem(title, value)
        self.range = QComboBox()
        self.range.setAccessibleName("Range of time")
        for seconds, title in RANGES:
            self.range.addItem(title, seconds)
        for box in (self.outcome, self.range):
            box.activated.connect(lambda _at: self._now())
        for field, stretch in ((self.text, 3), (self.action, 2), (self.actor, 2), (self.node, 2)):
            upper.addWidget(field, stretch)
        upper.addWidget(self.outcome)
        upper.addWidget(self.range)
        upper.addWidget(ActionButton(table, "audit.clear", role="quiet"))
        self.body.addLayout(upper)
        lower = QHBoxLayout()
        lower.setSpacing(8)
        self.count = label("", "heading")
        self.searching = label("", "small")
        self.tail = StateMark()
        self.fresh = label("", "dim")
        self.show_fresh = ActionButton(table, "audit.newest", with_key=True)
        self.older = ActionButton(table, "audit.older")
        self.newer = ActionButton(table, "audit.newer")
        self.time = QLineEdit()
        self.time.setPlaceholderText("Go to time   Ctrl+L")
        self.time.setAccessibleName("Go to a time: 2026-01-31 14:32, or 14:32:07 for today")
        self.time.setToolTip(f"2026-01-31 14:32:07, 2026-01-31, or 14:32 for today; zone {zone_name()}, with Z: UTC")
        self.time.setMinimumWidth(theme.px(190))
        self.time.returnPressed.connect(lambda: self.sought.emit(self.time.text().strip()))
        self.progress = label("", "small")
        self.cancel = ActionButton(table, "audit.cancel_export")
        for part in (self.count, self.searching, self.tail, self.fresh, self.show_fresh, self.newer, self.older):
            lower.addWidget(part)
        lower.addStretch(1)
        lower.addWidget(self.progress)
        lower.addWidget(self.cancel)
        lower.addWidget(self.time)
        lower.addWidget(ActionButton(table, "audit.export"))
        self.body.addLayout(lower)
        self.show_windows(False)
        self.show_export("")
        self.show_tail(Meaning.IDLE, "Connecting", 0, False)

    def _exact(self, title: str, words: str, longest: int) -> QLineEdit:
        field = QLineEdit()
        field.setPlaceholderText(title)
        field.setAccessibleName(f"{title}, matched whole")
        field.setMaxLength(longest)
        field.setClearButtonEnabled(True)
        known = QStringListModel([], field)
        completer = QCompleter(known, field)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.activated.connect(lambda _text: self._timer.start(0))
        field.setCompleter(completer)
        field.editingFinished.connect(self._now)
        field.textChanged.connect(lambda text: None if text else self._now())
        self._words[words] = known
        return field

    def _now(self) -> None:
        self._timer.stop()
        if not self._quiet:
            self.changed.emit()

    def learn(self, entries: Sequence[AuditEntry]) -> None:
        """Offer the words of entries that were seen."""
        for name, values in (
            ("action", {entry.action for entry in entries}),
            ("actor", {entry.actor for entry in entries}),
            ("node", {entry.node_id for entry in entries if entry.node_id}),
        ):
            model = self._words[name]
            known = set(model.stringList())
            if not values <= known and len(known) < WORDS_KEPT:
                model.setStringList(sorted(known | values)[:WORDS_KEPT])

    def clear_fields(self) -> None:
        """Empty every field, without ``changed``."""
        self._quiet = True
        for line in (self.text, self.action, self.actor, self.node):
            line.clear()
        self.outcome.setCurrentIndex(0)
        self.range.setCurrentIndex(0)
        self._quiet = False
        self._timer.stop()
        self.mark_invalid("")

    def mark_invalid(self, pointer: str) -> None:
        """Mark the field that the API refused (JSON pointer); the empty text takes the marks away."""
        for name, field in (
            ("actor", self.actor),
            ("action", self.action),
            ("node_id", self.node),
            ("text", self.text),
        ):
            wrong = pointer == f"/criteria/{name}"
            if bool(field.property("invalid") == "true") != wrong:
                field.setProperty("invalid", "true" if wrong else "false")
                field.style().unpolish(field)
                field.style().polish(field)

    def show_tail(self, state: Meaning, word: str, fresh: int, more: bool) -> None:
        """Whether the end of the log is watched, and how many entries are newer than the table."""
        self.tail.set(state, word)
        self.fresh.setText(f"{fresh:,}{'+' if more else ''} new since" if fresh else "")
        self.fresh.setVisible(bool(fresh))
        self.show_fresh.setVisible(bool(fresh))

    def show_windows(self, on: bool) -> None:
        """The buttons that move from page to page."""
        self.older.setVisible(on)
        self.newer.setVisible(on)

    def show_export(self, words: str) -> None:
        """How far the export is; the empty text: none runs."""
        self.progress.setText(words)
        self.progress.setVisible(bool(words))
        self.cancel.setVisible(bool(words))

    def show_time_wrong(self, wrong: bool) -> None:
        """Mark the time field."""
        self.time.setProperty("invalid", "true" if wrong else "false")
        self.time.style().unpolish(self.time)
        self.time.style().polish(self.time)


class EntryPanel(TitledPanel):
    """One entry: payload as key and value, leaf hash, the checkpoint that the table is of."""

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__("Entry", padding=16, parent=parent)
        self.mark = StateMark()
        self.head.addWidget(self.mark)
        self._seq = -1
        self.nothing = label(
            "Choose an entry: its payload, its leaf and the checkpoint appear here. A leaf is the hash of the entry; "
            "the checkpoint signs all leaves together, so that nobody can change one afterwards unseen.",
            "dim",
            wrap=True,
        )
        self._inside = QWidget()
        self._column = QVBoxLayout(self._inside)
        self._column.setContentsMargins(0, 0, 8, 0)
        self._column.setSpacing(8)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setAccessibleName("Entry of the audit log")
        self._area.setWidget(self._inside)
        self._action = ElidedLabel("", "heading")
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
            "Verify now checks the entry on this machine: that its leaf says what is shown, and that the leaf is in "
            "the tree that the log signed and its witnesses cosigned."
        )
        self._facts = QWidget()
        self._grid = QGridLayout(self._facts)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(12)
        self._grid.setVerticalSpacing(4)
        self._grid.setColumnStretch(1, 1)
        self._leaf = self._fixed("Leaf hash")
        self._checkpoint = self._fixed(SIGNED)
        for part in (self._facts, separator(), self.checks, separator(), *self._leaf, separator(), *self._checkpoint):
            self._column.addWidget(part)
        self._column.addStretch(1)
        for part in (self.nothing, self._action, self._buttons):
            self.body.addWidget(part)
        self.body.addWidget(self._area, 1)
        self._rest = QWidget()
        self.body.addWidget(self._rest, 1)
        self.show_entry(None, "")

    @staticmethod
    def _fixed(title: str) -> tuple[QLabel, QLabel]:
        value = label("", "mono", wrap=True, selectable=True)
        value.setAccessibleName(title)
        return label(title.upper(), "caps"), value

    @property
    def lines(self) -> list[tuple[str, str]]:
        """What the grid shows, for tests and the tour."""
        shown = []
        for row in range(self._grid.rowCount()):
            name, value = self._grid.itemAtPosition(row, 0), self._grid.itemAtPosition(row, 1)
            if name is not None and value is not None:
                left, right = name.widget(), value.widget()
                if isinstance(left, QLabel) and isinstance(right, QLabel):
                    shown.append((left.text(), right.text().replace("\u200b", "")))
        return shown

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
        self._checkpoint[0].setText(title.upper())
        self._checkpoint[1].setAccessibleName(title)
        self._checkpoint[0].setToolTip("" if signed else UNCONFIRMED)
        self._checkpoint[1].setText(breakable(checkpoint.strip()))
        if entry.seq == self._seq:
            return
        self._seq = entry.seq
        self.checks.forget()
        self.mark.set(state_of(entry.outcome), sentence_case(entry.outcome))
        self._action.setText(entry.action)
        self._leaf[1].setText(breakable(entry.leaf_hash))
        at = parse_time(entry.timestamp)
        facts = [
            ("Leaf", f"{entry.seq:,}"),
            ("Time", f"{date_time(at)} {zone_name(at)}"),
            ("UTC", utc_time(at)),
            ("Actor", entry.actor),
            ("Node", entry.node_id or "none"),
        ]
        facts += [(name, value) for name, value in (("Unit", entry.unit_id), ("Request", entry.request_id)) if value]
        self._fill(facts, detail_lines(entry.detail))
        self._area.verticalScrollBar().setValue(0)

    def show_judgement(self, judgement: SealJudgement, note: str) -> None:
        """What Verify now found of the entry shown, and by whose policy."""
        self.checks.show_judgement(judgement, note)
        self._area.ensureWidgetVisible(self.checks)

    def _fill(self, facts: Sequence[tuple[str, str]], payload: Sequence[tuple[str, str]]) -> None:
        while self._grid.count():
            item = self._grid.takeAt(0)
            widget = item.widget() if item is not None else None
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        row = 0
        for name, value in facts:
            self._line(row, name, value, mono=name in ("Actor", "Node", "Unit", "Request"))
            row += 1
        title = label("PAYLOAD", "caps")
        title.setContentsMargins(0, 8, 0, 0)
        self._grid.addWidget(title, row, 0, 1, 2)
        for name, value in payload or [("none", "This entry carries no payload, or it was erased.")]:
            row += 1
            self._line(row, name, value, mono=True)

    def _line(self, row: int, name: str, value: str, *, mono: bool) -> None:
        left = label(name, "small")
        right = label(breakable(value), "mono" if mono else "", wrap=True, selectable=True)
        right.setAccessibleName(f"{name}: {value}")
        self._grid.addWidget(left, row, 0, Qt.AlignmentFlag.AlignTop)
        self._grid.addWidget(right, row, 1)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._seq = -1  # fonts are taken when a line is made
        super().changeEvent(event)


def breakable(text: str) -> str:
    """Long words with zero-width spaces, so that hashes and keys wrap instead of widening the page."""
    return "\n".join(
        " ".join(
            "\u200b".join(word[at : at + 16] for at in range(0, len(word), 16)) or word for word in line.split(" ")
        )
        for line in text.split("\n")
    )


def entry_json(entry: AuditEntry) -> str:
    """An entry for the clipboard."""
    import msgspec

    return json.dumps(msgspec.to_builtins(entry), indent=2, ensure_ascii=False)


class AuditView(PageView):
    """Filter bar above, table at the left, entry at the right."""

    def __init__(self, session: WindowSession) -> None:
        super().__init__("Audit")
        table = session.actions
        self.bar = FilterBar(table)
        self.model = LogModel(self)
        self.table = DataTable(self.model, name="Audit log, newest entry first")
        self.table.setItemDelegate(LogCells(self.table, self.model))
        self.entry = EntryPanel(table)
        panel = TitledPanel("", padding=12)
        self.pages = QStackedWidget()
        self.nothing = EmptyState(
            "scroll-text",
            "No entry matches",
            "Action, actor and node id are matched whole; the first field finds words anywhere in an entry.",
            table=table,
            action="audit.clear",
        )
        self.pages.addWidget(self.table)
        self.pages.addWidget(self.nothing)
        panel.body.addWidget(self.pages, 1)
        split = QSplitter(Qt.Orientation.Horizontal)
        split.setChildrenCollapsible(False)
        split.setHandleWidth(12)
        split.addWidget(panel)
        split.addWidget(self.entry)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 1)
        split.setSizes([940, 310])
        self.body.addWidget(self.bar)
        self.body.addWidget(split, 1)

    def visible_rows(self) -> tuple[int, int]:
        """First and last row that can be seen; (0, -1) for none."""
        if not self.model.rowCount():
            return 0, -1
        first = max(0, self.table.rowAt(0))
        last = self.table.rowAt(self.table.viewport().height() - 1)
        return first, last if last >= 0 else self.model.rowCount() - 1
