"""The filter bar of the audit page: what is looked for, how much was found, whether the end of the log is watched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QCompleter, QHBoxLayout, QLineEdit, QSizePolicy, QWidget

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console import theme
from app.console.actions import ActionTable
from app.console.audit_lines import LineNames, action_words, who_did
from app.console.clock import zone_name
from app.console.language import tr
from app.console.theme import icons
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import lay
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
IN_VAIN = "in vain"
OUTCOMES = (
    ("", tr("Any outcome")),
    (IN_VAIN, tr("Refused or failed")),
    ("ACCEPTED", tr("Accepted")),
    ("DENIED", tr("Denied")),
    ("FAILED", tr("Failed")),
)
TYPING_MS = 350
WORDS_KEPT = 500
_FOOT, _PADDING = 34, 12


class _KnownField(QLineEdit):
    """A field that is matched whole. It offers what was seen in the log, by the words that people read; what is typed
    besides is taken as it is. Down and the chevron show all of it."""

    def __init__(self, title: str, longest: int) -> None:
        super().__init__()
        self._of: dict[str, str] = {}
        """What the API takes, by the words for it."""
        self.setPlaceholderText(title)
        self.setAccessibleName(tr("{title}, matched whole", title=title))
        self.setMaxLength(longest)
        self.setClearButtonEnabled(True)
        self._model = QStringListModel([], self)
        completer = QCompleter(self._model, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCompleter(completer)
        if (popup := completer.popup()) is not None:
            theme.wear(popup, later=True)
        self._chevron = QAction(self)
        self._chevron.triggered.connect(self._offer)
        self.addAction(self._chevron, QLineEdit.ActionPosition.TrailingPosition)
        self.textChanged.connect(self._take_text)
        self.dress()

    def dress(self) -> None:
        """Take the ink of the theme in force."""
        self._chevron.setIcon(icons.icon("chevron-down", theme.current().dim))

    @property
    def value(self) -> str:
        """What the API takes."""
        text = self.text().strip()
        return self._of.get(text, text)

    def learn(self, known: Mapping[str, str]) -> None:
        """Offer these words, each for what the API takes. What was known by other words has these now."""
        if known.items() <= self._of.items() or len(self._of) >= WORDS_KEPT:
            return
        values = set(known.values())
        self._of = {words: value for words, value in self._of.items() if value not in values} | dict(known)
        self._model.setStringList(sorted(self._of, key=str.casefold)[:WORDS_KEPT])

    def _take_text(self, text: str) -> None:
        self._chevron.setVisible(not text)
        self.setToolTip(text)
        if not self.hasFocus():
            self.setCursorPosition(0)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        # A name that has no room is read from its beginning.
        self.setCursorPosition(0)

    def _offer(self) -> None:
        completer = self.completer()
        completer.setCompletionPrefix("")
        completer.complete()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down and not self.text():
            self._offer()
            event.accept()
            return
        super().keyPressEvent(event)


class FilterBar(TitledPanel):
    """The fields of the filter, in one row where there is room for it. ``foot`` is for the place below the table:
    whether its end is watched, what is newer, how far a search or an export is. Emits ``changed`` 350 ms after the last
    key of the text, and when a field was left."""

    changed = Signal()
    sought = Signal(str)
    """A time to go to, as it was typed."""

    def __init__(self, table: ActionTable, names: LineNames, parent: QWidget | None = None) -> None:
        super().__init__("", padding=_PADDING, parent=parent)
        self._names = names
        self._quiet = False
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TYPING_MS)
        self._timer.timeout.connect(self.changed)
        self._row = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.body.addLayout(self._row)
        self._row.setSpacing(8)
        self._fields, self._ends = QWidget(), QWidget()
        self._row.addWidget(self._fields, 1)
        self._row.addWidget(self._ends)
        self._make_fields(table)
        self._make_ends(table)
        self.foot = QWidget()
        self._make_foot(table)
        self.show_windows(False)
        self.show_export("")
        self.show_tail(Meaning.WORK, tr("Connecting"), 0, False)

    def _make_fields(self, table: ActionTable) -> None:
        """What is looked for."""
        row = QHBoxLayout(self._fields)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.text = QLineEdit()
        self.text.setPlaceholderText(tr("Words anywhere   /"))
        self.text.setAccessibleName(tr("Words in action, actor, node or detail"))
        self.text.setMaxLength(200)
        self.text.setClearButtonEnabled(True)
        self.text.textEdited.connect(lambda _text: self._timer.start())
        self.text.textChanged.connect(lambda text: None if text else self._timer.start())
        self.text.returnPressed.connect(self._now)
        self.action = self._exact(tr("What happened"), 64)
        self.actor = self._exact(tr("Who"), 128)
        self.node = self._exact(tr("Person"), 64)
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
        for field, stretch in ((self.text, 8), (self.action, 5), (self.actor, 4), (self.node, 4)):
            row.addWidget(field, stretch)
        row.addWidget(self.outcome)
        row.addWidget(self.range)
        row.addWidget(ActionButton(table, "audit.clear", role="quiet", bare=True))

    def _make_ends(self, table: ActionTable) -> None:
        """How much was found, and where one goes from there."""
        row = QHBoxLayout(self._ends)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        self.count = label("", "dim")
        self.time = QLineEdit()
        self.time.setSizePolicy(QSizePolicy.Policy.Fixed, self.time.sizePolicy().verticalPolicy())
        self.time.setPlaceholderText(tr("Go to time"))
        self.time.setAccessibleName(tr("Go to a time: 2026-01-31 14:32, or 14:32:07 for today"))
        self.time.setToolTip(
            tr(
                "2026-01-31 14:32:07, 2026-01-31, or 14:32 for today; zone {zone}, with Z: UTC",
                zone=zone_name(),
            )
        )
        self.time.returnPressed.connect(lambda: self.sought.emit(self.time.text().strip()))
        row.addWidget(self.count)
        row.addStretch(1)
        row.addWidget(self.time)
        row.addWidget(ActionButton(table, "audit.export"))

    def _make_foot(self, table: ActionTable) -> None:
        """What comes and goes stands below the table: nothing above it moves."""
        row = QHBoxLayout(self.foot)
        row.setContentsMargins(8, 0, 8, 0)
        row.setSpacing(8)
        self.searching = label("", "small")
        self.tail = StateMark()
        self.fresh = label("", "dim")
        self.show_fresh = ActionButton(table, "audit.newest", with_key=True)
        self.older = ActionButton(table, "audit.older")
        self.newer = ActionButton(table, "audit.newer")
        self.progress = label("", "small")
        self.cancel = ActionButton(table, "audit.cancel_export")
        for part in (self.tail, self.searching, self.fresh, self.show_fresh, self.newer, self.older):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self.progress)
        row.addWidget(self.cancel)

    def _exact(self, title: str, longest: int) -> _KnownField:
        field = _KnownField(title, longest)
        field.completer().activated.connect(lambda _text: self._timer.start(0))
        field.editingFinished.connect(self._now)
        field.textChanged.connect(lambda text: None if text else self._now())
        return field

    def _fit(self) -> None:
        """One row, or two where the words need more."""
        for field, width, beside in (
            (self.text, 150, 34), (self.action, 152, 60), (self.actor, 84, 56), (self.node, 92, 56),
            (self.time, 112, 34),
        ):  # fmt: skip
            words = field.fontMetrics().horizontalAdvance(field.placeholderText())
            field.setMinimumWidth(max(theme.px(width), words + theme.px(beside)))
        self.foot.setFixedHeight(theme.px(_FOOT))
        needed = sum(part.minimumSizeHint().width() for part in (self._fields, self._ends)) + self._row.spacing()
        beside = needed <= self.width() - 2 * _PADDING
        lay(self._row, across=beside)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "foot"):
            for field in (self.action, self.actor, self.node):
                field.dress()
            self._fit()
        super().changeEvent(event)

    def _now(self) -> None:
        self._timer.stop()
        if not self._quiet:
            self.changed.emit()

    def learn(self, entries: Sequence[AuditEntry]) -> None:
        """Offer what these entries tell of when somebody types."""
        people = {entry.node_id for entry in entries if entry.node_id}
        self.action.learn({action_words(entry.action): entry.action for entry in entries})
        self.actor.learn({who_did(entry, self._names): entry.actor for entry in entries})
        self.node.learn({self._names.person(node_id): node_id for node_id in people})

    def show_count(self, words: str) -> None:
        """Say how much was found."""
        if words != self.count.text():
            self.count.setText(words)
            self._fit()

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
            theme.mark_invalid(field, pointer == f"/criteria/{name}")

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
        theme.mark_invalid(self.time, wrong)
