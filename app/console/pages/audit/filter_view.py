"""The filter bar of the audit page: what is looked for, how much was found, whether the end of the log is watched."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QStringListModel, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QLineEdit, QWidget

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import zone_name
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark
from app.console.widgets.text import TitledPanel, label

RANGES: tuple[tuple[int, str], ...] = (
    (0, tr("All time")),
    (3_600, tr("Last hour")),
    (86_400, tr("Last 24 hours")),
    (7 * 86_400, tr("Last 7 days")),
    (30 * 86_400, tr("Last 30 days")),
    (365 * 86_400, tr("Last 365 days")),
)
OUTCOMES = (("", tr("Any outcome")), ("ACCEPTED", tr("Accepted")), ("DENIED", tr("Denied")), ("FAILED", tr("Failed")))
TYPING_MS = 350
WORDS_KEPT = 500


class FilterBar(TitledPanel):
    """The fields of the filter. Emits ``changed`` 350 ms after the last key of the text, and when a field was left."""

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
        self.text.setPlaceholderText(tr("Words anywhere   /"))
        self.text.setAccessibleName(tr("Words in action, actor, node or detail"))
        self.text.setMaxLength(200)
        self.text.setClearButtonEnabled(True)
        self.text.textEdited.connect(lambda _text: self._timer.start())
        self.text.textChanged.connect(lambda text: None if text else self._timer.start())
        self.text.returnPressed.connect(self._now)
        self.action = self._exact(tr("Action"), "action", 64)
        self.actor = self._exact(tr("Actor"), "actor", 128)
        self.node = self._exact(tr("Node id", "filter"), "node", 64)
        self.outcome = QComboBox()
        self.outcome.setAccessibleName(tr("Outcome"))
        for value, title in OUTCOMES:
            self.outcome.addItem(title, value)
        self.range = QComboBox()
        self.range.setAccessibleName(tr("Range of time"))
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
        self.time.setPlaceholderText(tr("Go to time   Ctrl+G"))
        self.time.setAccessibleName(tr("Go to a time: 2026-01-31 14:32, or 14:32:07 for today"))
        self.time.setToolTip(
            tr(
                "2026-01-31 14:32:07, 2026-01-31, or 14:32 for today; zone {zone}, with Z: UTC",
                zone=zone_name(),
            )
        )
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
        self.show_tail(Meaning.WORK, tr("Connecting"), 0, False)

    def _exact(self, title: str, words: str, longest: int) -> QLineEdit:
        """A field that is matched whole; ``words`` names the list that completes it."""
        field = QLineEdit()
        field.setPlaceholderText(title)
        field.setAccessibleName(tr("{title}, matched whole", title=title))
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
        """Offer the actions, actors and nodes of these entries when somebody types."""
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
        """Say whether the end of the log is watched, and how many entries are newer than the table."""
        self.tail.set(state, word)
        said = tr("{count:,}+ new since", count=fresh) if more else tr("{count:,} new since", count=fresh)
        self.fresh.setText(said if fresh else "")
        self.fresh.setVisible(bool(fresh))
        self.show_fresh.setVisible(bool(fresh))

    def show_windows(self, on: bool) -> None:
        """Show or hide the buttons that move from page to page."""
        self.older.setVisible(on)
        self.newer.setVisible(on)

    def show_export(self, words: str) -> None:
        """Say how far the export is; the empty text: none runs."""
        self.progress.setText(words)
        self.progress.setVisible(bool(words))
        self.cancel.setVisible(bool(words))

    def show_time_wrong(self, wrong: bool) -> None:
        """Mark the time field as wrong, or take the mark away."""
        self.time.setProperty("invalid", "true" if wrong else "false")
        self.time.style().unpolish(self.time)
        self.time.style().polish(self.time)
