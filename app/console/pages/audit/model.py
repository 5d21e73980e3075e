"""The table's model: as many rows as the log has entries, of which at most 64 pages are in memory."""

from __future__ import annotations

import bisect
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics
from PySide6.QtWidgets import QWidget

from app.capabilities.gateway.audit.messages import AuditEntry
from app.console import theme
from app.console.audit_lines import LineNames, LogLine, log_line, who_did
from app.console.audit_sentences import has_sentence, saying
from app.console.clock import date_time, zone_name
from app.console.code_words import code_word
from app.console.language import number, tr
from app.console.moments import parse_time
from app.console.names import OperatorNames
from app.console.pages.audit.acts import Act, act_line, acts_in
from app.console.pages.audit.question import PAGE
from app.console.pages.audit.words import summary
from app.console.people_names import PersonNames
from app.console.theme.tokens import Meaning, state_of
from app.console.widgets.person_columns import person_columns
from app.console.widgets.table import Column
from app.console.widgets.table_cells import (
    COPY_ROLE,
    FACE_ROLE,
    INSET_ROLE,
    MARK_ROLE,
    MONO_ROLE,
    PADDING,
    STATE_ROLE,
    CellFace,
)

KEPT_PAGES = 64
KEPT_LINES = 4096
PLACEHOLDER = "…"
"""Stands for every value of an entry until it is there."""
TIME, WHAT, WHO, LEAF = 0, 1, 2, 3
"""Columns that are painted in more than one ink."""
TIME_PX, DATED_PX = 126, 204
"""Px at 100 % text of a time of today, and of one with its day."""
INSET = 26
"""Px at 100 % text by which an entry stands below the head of its act."""
LEAF_PX = 56
WHO_PX, WHO_MOST = 96, 190
NARROW_SPARE = 3
WHOLE_LINE = 720
"""Px at 100 % text that a sentence is given before columns of codes come beside it."""


def why(entry: AuditEntry) -> str:
    """What explains the sentence; the payload where the action has none of its own."""
    return saying(entry, {}).detail if entry.erased or has_sentence(entry.action) else summary(entry.detail)


def codes(entry: AuditEntry) -> str:
    """The entry as programs know it, for the pointer."""
    told = (code_word(entry.outcome), entry.action, entry.node_id or entry.unit_id or "", summary(entry.detail))
    return "\n".join(part for part in told if part)


def utc(entry: AuditEntry) -> str:
    """``2026-03-01 10:00:00.250``, in UTC."""
    return f"{entry.timestamp[:10]} {entry.timestamp[11:19]}{milliseconds(entry)}"


def milliseconds(entry: AuditEntry) -> str:
    """``.250``."""
    return entry.timestamp[19:23] if entry.timestamp[19:20] == "." else ".000"


def local(entry: AuditEntry) -> str:
    """The same moment by the clock of this machine, for the pointer."""
    at = parse_time(entry.timestamp)
    return f"{date_time(at)} {zone_name(at)}"


class LogModel(QAbstractTableModel):
    """Newest entry first. ``missing`` names a page when a cell of it is painted that is not there; ``put`` adds it.

    Without a filter row r is entry ``size - 1 - r`` and page k begins at seq ``200 k``, so that growing moves no page.
    With a filter the pages are as long as ``offsets`` says, and entries of one act fold under a head (``acts``). In
    windows (for screen readers, which would walk a million rows) only one page of rows is a row of the model.
    """

    missing = Signal(int)

    def __init__(self, names: OperatorNames, people: PersonNames, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.today = ""
        """The day, in UTC, whose entries stand with the time alone."""
        self.clusters: dict[str, str] = {}
        """What people call clusters of doors, by id."""
        self.names = LineNames(
            lambda node_id: people.peek(node_id) or node_id, names.of, lambda one: self.clusters.get(one, one)
        )
        self._lines: dict[tuple[int, bool], LogLine] = {}
        self.columns = self._columns_of(names, parent)
        self._pages: OrderedDict[int, Sequence[AuditEntry]] = OrderedDict()
        self._total = 0
        self._offsets: list[int] | None = None
        self._asked: set[int] = set()
        self.revision = 0
        """Counts every change of what a row holds."""
        self._windowed = False
        self._window = 0
        self._acts: list[Act] = []
        self._rows: list[int] = []
        """Rows of a filtered view: the place of an entry, or below 0 the head of an act (-1: of the first)."""
        self._unfolded: set[int] = set()
        self._marked: dict[int, AuditEntry] = {}
        """By number. They stay when the filter changes: what belongs together is found by several."""

    def _columns_of(self, names: OperatorNames, view: QWidget | None) -> list[Column[AuditEntry]]:
        """The table's columns: what is read at the left, and codes where there is room for them."""
        return [
            Column(tr("TIME, UTC"), self.time_words, TIME_PX, hint=local, copied=utc),
            Column(
                tr("WHAT HAPPENED"), lambda entry: self.line(entry).text, least=WHOLE_LINE, hint=codes,
                copied=self._copy_words, state=lambda entry: self.line(entry).state,
            ),
            Column(
                tr("BY WHOM"), lambda entry: who_did(entry, self.names), WHO_PX, dim=True,
                hint=lambda entry: entry.actor, copied=lambda entry: names.full(entry.actor, entry.actor_name),
            ),
            Column(tr("LEAF"), lambda entry: number(entry.seq, ","), LEAF_PX, mono=True, right=True, dim=True),
            Column(tr("OUTCOME"), lambda entry: code_word(entry.outcome), 102, spare=4,
                   state=lambda entry: state_of(entry.outcome)),
            *person_columns(view, lambda entry: entry.node_id, 102, spare=5),
            Column(tr("WHY"), why, 240, hint=codes, copied=lambda entry: summary(entry.detail), dim=True, spare=7),
        ]  # fmt: skip

    # --- sentences ---------------------------------------------------------------------------------------------------

    def line(self, entry: AuditEntry) -> LogLine:
        """The entry as a sentence. Kept, because it is painted, measured and read."""
        key = (entry.seq, entry.erased)
        found = self._lines.get(key)
        if found is None:
            if len(self._lines) >= KEPT_LINES:
                self._lines.clear()
            found = self._lines[key] = log_line(entry, self.names)
        return found

    def time_words(self, entry: AuditEntry) -> str:
        """The time of day, and the day before it where that is not today."""
        whole = utc(entry)
        return whole[11:] if whole.startswith(self.today) and self.today else whole

    def _copy_words(self, entry: AuditEntry) -> str:
        """The sentence, and behind it what programs know the entry by."""
        told = (self.line(entry).text, entry.action, entry.outcome, entry.node_id or entry.unit_id or "",
                summary(entry.detail))  # fmt: skip
        return "; ".join(part for part in told if part)

    def set_today(self, day: str) -> None:
        """Another day began."""
        if day != self.today:
            self.today = day
            self._repaint_all()

    def widen_times(self, on: bool) -> bool:
        """Give times room for their day, or take it back; whether that changes anything."""
        px = DATED_PX if on else TIME_PX
        if self.columns[TIME].width == px:
            return False
        self.columns[TIME] = replace(self.columns[TIME], width=px)
        return True

    def widen_leaves(self) -> bool:
        """Give numbers of entries the room of the longest; whether that changes anything."""
        longest = max((len(act.leaves) for act in self._acts), default=0)
        if self._offsets is None:
            longest = len(number(self._total, ","))
        px = max(LEAF_PX, 18 + 15 * longest // 2)
        if self.columns[LEAF].width >= px:
            return False
        self.columns[LEAF] = replace(self.columns[LEAF], width=px)
        return True

    def widen_names(self, entries: Sequence[AuditEntry]) -> bool:
        """Give those who did these entries room for their whole names; whether that changes anything."""
        measure = QFontMetrics(theme.ui(13))
        names = {who_did(entry, self.names) for entry in entries}
        longest = max(map(measure.horizontalAdvance, names), default=0)
        px = min(WHO_MOST, round(longest * 100 / theme.px(100)) + 2 * PADDING + 2)
        if self.columns[WHO].width >= px:
            return False
        self.columns[WHO] = replace(self.columns[WHO], width=px)
        return True

    def narrow(self, on: bool) -> bool:
        """Leave out who did it, so that the sentence has its room; whether that changes anything."""
        spare = NARROW_SPARE if on else 0
        if self.columns[WHO].spare == spare:
            return False
        self.columns[WHO] = replace(self.columns[WHO], spare=spare)
        return True

    def call_anew(self) -> None:
        """Names are others now, or may not be shown any more."""
        self._lines.clear()
        self._repaint_all()

    # --- marks -------------------------------------------------------------------------------------------------------

    @property
    def marked(self) -> list[int]:
        """Numbers of the marked entries, in the order in which they were marked."""
        return list(self._marked)

    def marked_rows(self) -> list[AuditEntry]:
        """The marked entries, the newest first, also those that the filter does not show."""
        return [self._marked[seq] for seq in sorted(self._marked, reverse=True)]

    def mark(self, at: int, on: bool) -> None:
        """Mark the entry in a row, or take its mark away. Nothing while the entry is not there. The head of an act has
        a fold in place of the mark: it is turned."""
        if self.head(at) is not None:
            self.turn(at)
            return
        entry = self.entry(at)
        if entry is None:
            return
        if on:
            self._marked[entry.seq] = entry
        else:
            self._marked.pop(entry.seq, None)
        self._repaint_all()

    def mark_entry(self, entry: AuditEntry) -> None:
        """Mark an entry, wherever it stands."""
        self._marked[entry.seq] = entry
        self._repaint_all()

    def mark_all(self, on: bool) -> None:
        """Take all marks away. All entries of a log are too many to be marked: ``on`` does nothing."""
        if not on and self._marked:
            self._marked.clear()
            self._repaint_all()

    def is_marked(self, seq: int) -> bool:
        """Whether that entry is marked."""
        return seq in self._marked

    def get(self, row: int) -> AuditEntry | None:
        """The entry in a row; None for a row that there is not, for the head of an act, while its page is missing."""
        return self.entry(row) if 0 <= row < self.rowCount() and self.head(row) is None else None

    def _repaint_all(self) -> None:
        self.revision += 1
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(self.columns) - 1))

    # --- acts --------------------------------------------------------------------------------------------------------

    @property
    def folds(self) -> bool:
        """Whether entries of one act may fold: in a filtered view, but for a screen reader, which reads every row."""
        return self._offsets is not None and not self._windowed

    @property
    def acts(self) -> int:
        """How many acts have a head."""
        return len(self._acts) if self.folds else 0

    def head(self, row: int) -> Act | None:
        """The act whose head stands in a row."""
        if not self.folds or not 0 <= row < len(self._rows) or self._rows[row] >= 0:
            return None
        return self._acts[-1 - self._rows[row]]

    def is_open(self, act: Act) -> bool:
        """Whether the entries of the act are shown."""
        return act.first in self._unfolded

    def within(self, row: int) -> bool:
        """Whether the entry in a row stands below the head of its act."""
        if not self.folds or not self._acts or not 0 <= row < len(self._rows) or self._rows[row] < 0:
            return False
        at = bisect.bisect_right(self._acts, self._rows[row], key=lambda act: act.first) - 1
        return at >= 0 and self._rows[row] < self._acts[at].first + self._acts[at].count

    def act_line(self, act: Act) -> LogLine:
        """What the act came to."""
        return act_line(act, self.names)

    def turn(self, row: int) -> None:
        """Show or hide the entries of the act whose head stands in a row."""
        act = self.head(row)
        if act is None:
            return
        self.revision += 1
        if self.is_open(act):
            self.beginRemoveRows(QModelIndex(), row + 1, row + act.count)
            self._unfolded.discard(act.first)
            del self._rows[row + 1 : row + 1 + act.count]
            self.endRemoveRows()
        else:
            self.beginInsertRows(QModelIndex(), row + 1, row + act.count)
            self._unfolded.add(act.first)
            self._rows[row + 1 : row + 1] = range(act.first, act.first + act.count)
            self.endInsertRows()
        self.dataChanged.emit(self.index(row, 0), self.index(row, len(self.columns) - 1))

    def turn_all(self) -> None:
        """Show the entries of every act, or fold them all where all are shown."""
        opens = len(self._unfolded) < len(self._acts)
        row = 0
        while row < len(self._rows):
            act = self.head(row)
            if act is not None and self.is_open(act) is not opens:
                self.turn(row)
            row += 1

    def _take_acts(self, entries: Sequence[AuditEntry]) -> list[int]:
        """The rows for entries that come behind all others: heads for their acts, which begin folded."""
        rows: list[int] = []
        at, end = self._total, self._total + len(entries)
        for act in acts_in(entries, at):
            rows += range(at, act.first)
            self._acts.append(act)
            rows.append(-len(self._acts))
            at = act.first + act.count
        rows += range(at, end)
        return rows

    def head_text(self, act: Act, column: int) -> str:
        """What the head of an act shows in a column."""
        if column == TIME:
            return self.time_words(act.newest)
        if column == WHAT:
            return self.act_line(act).text
        if column == WHO:
            return who_did(act.order, self.names)
        return act.leaves if column == LEAF else ""

    # --- shape -------------------------------------------------------------------------------------------------------

    @property
    def total(self) -> int:
        """Rows of the log or of the filtered view, inside and outside of the window."""
        return self._total

    @property
    def windowed(self) -> bool:
        """Whether one page of rows is shown at a time."""
        return self._windowed

    @property
    def window(self) -> tuple[int, int]:
        """Half-open range of the rows that are shown."""
        base = self._base()
        return base, base + self.rowCount()

    def reset_whole(self, size: int) -> None:
        """Show a log of ``size`` entries."""
        self._reset(size, None)

    def reset_filtered(self) -> None:
        """Show a filtered view, which is empty until ``append``."""
        self._reset(0, [])

    def _reset(self, total: int, offsets: list[int] | None) -> None:
        self.revision += 1
        self.beginResetModel()
        self._pages.clear()
        self._asked.clear()
        self._total, self._offsets, self._window = total, offsets, 0
        self._lines.clear()
        self._acts, self._rows = [], []
        self._unfolded.clear()
        self.endResetModel()

    def grow(self, added: int) -> None:
        """Add ``added`` rows for newer entries at the top of the whole log. What is known of the last page stays, and
        that page is read again."""
        if added <= 0 or self._offsets is not None:
            return
        self.revision += 1
        if self._windowed:
            self.beginResetModel()
        else:
            self.beginInsertRows(QModelIndex(), 0, added - 1)
        self._asked.discard((self._total - 1) // PAGE)
        self._total += added
        if self._windowed:
            self.endResetModel()
        else:
            self.endInsertRows()

    def append(self, entries: Sequence[AuditEntry]) -> None:
        """Add the next page of a filtered view."""
        if self._offsets is None or not entries:
            return
        rows = self._take_acts(entries)
        before = self.rowCount()
        self._offsets.append(self._total)
        visible = not self._windowed
        if visible:
            self.beginInsertRows(QModelIndex(), before, before + len(rows) - 1)
        else:
            self.beginResetModel()
        self._rows += rows
        self._total += len(entries)
        self._keep(len(self._offsets) - 1, entries)
        if visible:
            self.endInsertRows()
        else:
            self.endResetModel()

    def set_windowed(self, on: bool) -> None:
        """Show one page of rows at a time, or all."""
        if on != self._windowed:
            self.beginResetModel()
            self._windowed, self._window = on, 0
            self.revision += 1
            self.endResetModel()

    def move_window(self, to_row: int) -> None:
        """Show the window that holds a row of the log."""
        window = max(0, min(to_row, self._total - 1)) // PAGE
        if self._windowed and window != self._window:
            self.beginResetModel()
            self._window = window
            self.revision += 1
            self.endResetModel()

    def _base(self) -> int:
        return self._window * PAGE if self._windowed else 0

    # --- pages -------------------------------------------------------------------------------------------------------

    def place(self, row: int) -> tuple[int, int]:
        """Page and index in it of a row of the model."""
        if self.folds:
            at = self._rows[row]
            at = self._acts[-1 - at].first if at < 0 else at
        else:
            at = row + self._base()
        if self._offsets is None:
            seq = self._total - 1 - at
            return seq // PAGE, seq % PAGE
        page = bisect.bisect_right(self._offsets, at) - 1
        return page, at - self._offsets[page]

    def row_of(self, seq: int) -> int:
        """Row of the model of an entry of the whole log; outside of the window it is out of bounds."""
        return self._total - 1 - seq - self._base()

    def has(self, page: int) -> bool:
        """Whether that page is in memory, whole: the last one grows with the log."""
        entries = self._pages.get(page)
        if entries is None or self._offsets is not None:
            return entries is not None
        return len(entries) >= min(PAGE, self._total - page * PAGE)

    def entry(self, row: int) -> AuditEntry | None:
        """The entry in a row of the model; None while it is not there, and ``missing`` then names its page. In the head
        of an act it is the one that says what the act came to."""
        if self._offsets is not None:
            if not 0 <= row < self.rowCount():
                return None
            if (act := self.head(row)) is not None:
                return act.main
        page, at = self.place(row)
        entries = self._pages.get(page, ())
        if at >= len(entries):
            if page not in self._asked:
                self._asked.add(page)
                self.missing.emit(page)
            return None
        self._pages.move_to_end(page)
        return entries[at]

    def put(self, page: int, entries: Sequence[AuditEntry]) -> None:
        """Show the entries of a page that was read."""
        self._keep(page, entries)
        if self.rowCount():
            first, last = self._rows_of(page)
            if last >= first:
                self.dataChanged.emit(self.index(first, 0), self.index(last, len(self.columns) - 1))

    def give_up(self, page: int) -> None:
        """The page could not be read: the next cell of it that is painted asks again."""
        self._asked.discard(page)

    def _keep(self, page: int, entries: Sequence[AuditEntry]) -> None:
        self.revision += 1
        self._asked.discard(page)
        self._pages[page] = entries
        self._pages.move_to_end(page)
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)

    def _rows_of(self, page: int) -> tuple[int, int]:
        if self.folds:
            return 0, len(self._rows) - 1
        if self._offsets is None:
            first = self._total - min((page + 1) * PAGE, self._total)
            last = self._total - 1 - page * PAGE
        else:
            first = self._offsets[page]
            last = (self._offsets[page + 1] if page + 1 < len(self._offsets) else self._total) - 1
        base = self._base()
        return max(0, first - base), min(self.rowCount() - 1, last - base)

    # --- Qt ----------------------------------------------------------------------------------------------------------

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        if parent is not None and parent.isValid():
            return 0
        if self._windowed:
            return min(PAGE, self._total - self._base())
        return self._total if self._offsets is None else len(self._rows)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation is not Qt.Orientation.Horizontal or section >= len(self.columns):
            return None
        column = self.columns[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return column.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(column)
        return None

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= self.rowCount():
            return None
        column = self.columns[index.column()]
        if (act := self.head(index.row())) is not None:
            return self._of_head(act, index.column(), role)
        if role == FACE_ROLE:
            return self._face(column, self.entry(index.row()))
        if role == MONO_ROLE:
            return column.mono
        if role == INSET_ROLE:
            return INSET if index.column() == WHAT and self.within(index.row()) else None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _side(column)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(theme.current().dim) if column.dim else None
        if role not in (
            Qt.ItemDataRole.DisplayRole,
            Qt.ItemDataRole.AccessibleTextRole,
            Qt.ItemDataRole.ToolTipRole,
            STATE_ROLE,
            COPY_ROLE,
            MARK_ROLE,
        ):
            return None
        entry = self.entry(index.row())
        if role == MARK_ROLE:
            return entry is not None and entry.seq in self._marked
        if role == STATE_ROLE:
            return _state(column, entry)
        if entry is None:
            return PLACEHOLDER
        if role == Qt.ItemDataRole.ToolTipRole and column.hint:
            return column.hint(entry)
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == WHAT:
            # Who does not see the shape hears its word.
            return f"{column.text(entry)}. {code_word(entry.outcome)}"
        return column.copied(entry) if role == COPY_ROLE and column.copied else column.text(entry)

    def _of_head(self, act: Act, column: int, role: int) -> object:
        """What the head of an act answers."""
        if role == FACE_ROLE:
            shown = self.columns[column]
            state = self.act_line(act).state if column == WHAT else None
            return CellFace(self.head_text(act, column), state, shown.mono, None, shown.dim, shown.right)
        if role == MARK_ROLE:
            return False
        if role == STATE_ROLE:
            return self.act_line(act).state if column == WHAT else None
        if role == Qt.ItemDataRole.AccessibleTextRole and column == WHAT:
            folded = tr("unfolded") if self.is_open(act) else tr("folded")
            return tr("{text}. {count} entries, {folded}", text=self.head_text(act, column), count=act.count,
                      folded=folded)  # fmt: skip
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole, COPY_ROLE):
            return self.head_text(act, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tr("Enter or Space shows or hides its {count} entries", count=act.count)
        if role == MONO_ROLE:
            return self.columns[column].mono
        return _side(self.columns[column]) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def _face(self, column: Column[AuditEntry], entry: AuditEntry | None) -> CellFace:
        """All that a cell shows: after a jump each cell in sight is measured, and five questions would cost more than
        the text."""
        return CellFace(
            PLACEHOLDER if entry is None else column.text(entry),
            _state(column, entry),
            column.mono,
            None,
            column.dim,
            column.right,
            entry is not None and entry.seq in self._marked,
        )


def _side(column: Column[AuditEntry]) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter


def _state(column: Column[AuditEntry], entry: AuditEntry | None) -> Meaning | None:
    return column.state(entry) if column.state and entry is not None else None
