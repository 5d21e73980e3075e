"""The lines of a batch: those that need somebody, those in work, the next one; the view follows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLineEdit, QSizePolicy

from app.capabilities.provisioning.batches.messages import BatchRow
from app.console import theme
from app.console.actions import ActionTable
from app.console.cards.jobs import milliseconds
from app.console.clock import clock_time, utc_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.batch.board import NEEDS, ROW_STATES, ROW_WORDS, who
from app.console.pages.batch.folds import WAITING, WRITTEN, Listing
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import fix_field, lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.fold_row import FoldRow
from app.console.widgets.marks import StateMark
from app.console.widgets.menu_button import MenuButton
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, TitledPanel

HOLDING = ("RUNNING", "TORN", "COMPLETE")
"""States of lines that a card has."""
OVER = ("COMPLETE", "CANCELLED")
"""States of lines that nobody has to do with any more; they sink below the others."""
SAVES = ("batch.report", "batch.receipts", "batch.badges", "batch.labels", "batch.mailers")
_LEAST_ROWS, _TALL_FROM = 3, 300


class LinesView(TitledPanel):
    """Emits ``filtered`` (text), ``opened`` (n of a line) and ``turned`` when a fold is opened or closed, or there is
    other room for lines."""

    filtered = Signal(str)
    opened = Signal(int)
    turned = Signal()

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Lines"), padding=8)
        self.title.setContentsMargins(8, 0, 0, 0)
        self.body.setSpacing(0)
        self.next_n: int | None = None
        """The line that the next card takes."""
        self.stale = False
        """Nothing is heard of the readers: no line looks as if it were in work."""
        self.note: Callable[[BatchRow], str] = what_happened
        """What is said of a line in the last column."""
        self._followed: int | None = None
        self._fill_head(table)
        columns: list[Column[BatchRow]] = [
            Column(tr("LINE"), lambda row: str(row.n), 56, right=True, dim=True),
            Column(tr("STATE"), self._word, 112, state=self._state),
            Column(tr("PERSON"), who, 172),
            Column(tr("NODE"), lambda row: row.node_id, 104, mono=True, spare=2),
            Column(tr("READER"), lambda row: row.reader or "–", 136, spare=1),
            Column(tr("CARDS TRIED"), tried_cards, 100, right=True, spare=3),
            Column(tr("ENDED"), end_time, 80,
                   hint=lambda row: utc_time(parse_time(row.ended_at)) if row.ended_at
                   else tr("not yet")),
            Column(tr("WHAT HAPPENED"), self._note, dim=True, least=200),
        ]  # fmt: skip
        self.rows = RowsModel(columns, lambda row: str(row.n))
        self.table = DataTable(
            self.rows,
            name=tr("Lines of the batch, those that need somebody first"),
            proof=lambda row: row.provision_id,
            no_proof=tr("No card was written for it yet: the audit log has nothing of it."),
        )
        self.table.opened.connect(lambda at: self.opened.emit(self.rows.rows[at].n))
        # It takes what the parts above leave; a hint of its own would have the page scroll.
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Ignored)
        self.body.addWidget(self.table, 1)
        self._folds = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self.body.addLayout(self._folds)
        self._folds.setSpacing(0)
        self.waiting, self.written = FoldRow(), FoldRow(Meaning.OK)
        for fold in (self.waiting, self.written):
            fold.toggled.connect(lambda _on: self.turned.emit())
            fold.hide()
            self._folds.addWidget(fold)
        self._fit()

    def _fill_head(self, table: ActionTable) -> None:
        """Count, filter, and what can be done with the chosen line and with all of them."""
        self.count = ElidedLabel("", "dim")
        self.head.insertWidget(1, self.count, 100)
        row = QHBoxLayout()
        self.head.addLayout(row)
        row.setSpacing(8)
        self.saved = StateMark()
        self.saved.hide()
        row.addWidget(self.saved)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter lines   /"))
        self.filter.setAccessibleName(tr("Filter the lines by person, node, state, reader or reason"))
        self.filter.setClearButtonEnabled(True)
        fix_field(self.filter, 180)
        self.filter.textChanged.connect(self.filtered)
        row.addWidget(self.filter)
        for name in ("batch.next_bad", "batch.open_line"):
            row.addWidget(ActionButton(table, name, bare=True))
        self.save = MenuButton(table, tr("Save…"), tr("Save what the batch leaves"), "download", SAVES)
        row.addWidget(self.save)

    def _word(self, row: BatchRow) -> str:
        return tr("Next") if row.n == self.next_n and row.state == "WAITING" else ROW_WORDS[row.state]

    def _state(self, row: BatchRow) -> Meaning:
        return Meaning.IDLE if self.stale and row.state == "RUNNING" else ROW_STATES[row.state]

    def _note(self, row: BatchRow) -> str:
        return self.note(row)

    @property
    def unfolded(self) -> list[str]:
        """What the operator has opened of what is folded."""
        return [name for name, fold in ((WAITING, self.waiting), (WRITTEN, self.written)) if fold.isChecked()]

    def show_listing(self, shown: Listing, total: int, next_n: int | None) -> None:
        """Lines. The chosen one is the next one, until the operator chooses another; that one stays chosen, unless it
        is over now and sinks. What is in sight stays in sight, where the view does not follow the next line."""
        before, at = self.rows.rows, self.table.currentIndex().row()
        chosen = before[at] if 0 <= at < len(before) and self.table.selectionModel().hasSelection() else None
        follows = chosen is None or chosen.n == self._followed or chosen.n in shown.folded
        after = {row.n: row for row in shown.rows}
        in_sight = self._next_in_sight()
        self.next_n = next_n
        stays = next_n if follows and next_n in after else _stays_chosen(before, at, after)
        bar, sight = self.table.verticalScrollBar(), self._in_sight(before, after)
        self.rows.set_rows(shown.rows)
        found = -1 if stays is None else self.rows.row_of(str(stays))
        if found >= 0 and (found != self.table.currentIndex().row() or not self.table.selectedIndexes()):
            self.table.selectRow(found)
        self._followed = stays if stays == next_n else None
        if sight is not None and (top := self.rows.row_of(str(sight[0]))) >= 0:
            bar.setValue(top * self.table.rowHeight(0) + sight[1])
        if self._followed is not None and in_sight:
            self._bring_next(found)
        elif chosen is not None and stays in after and after[stays].state in NEEDS and chosen.state not in NEEDS:
            self.table.scrollTo(self.table.currentIndex())
        self._tell(shown, total)

    def _next_in_sight(self) -> bool:
        """Whether the view follows: the line that was next is in sight, or nobody has scrolled yet."""
        at = -1 if self.next_n is None else self.rows.row_of(str(self.next_n))
        if at < 0 or not self.table.verticalScrollBar().value():
            return True
        place = self.table.visualRect(self.rows.index(at, 0))
        return self.table.viewport().rect().intersects(place)

    def _bring_next(self, at: int) -> None:
        """The next line is in sight, and so is what needs somebody, where both fit."""
        if (at + 1) * self.table.row_px() <= self.table.viewport().height():
            self.table.scrollToTop()
        else:
            self.table.scrollTo(self.rows.index(at, 0))

    def _tell(self, shown: Listing, total: int) -> None:
        """Say how many lines there are, and what the folds stand for."""
        listed = len(shown.rows) + len(shown.folded)
        self.count.setText(
            tr("{count} of {total}", count=listed, total=total)
            if listed != total
            else tr("1, in the order of the list")
            if total == 1
            else tr("{count}, numbered in the order of the list", count=total)
        )
        self.waiting.show_words(tr("{count} more wait", count=shown.waiting))
        self.written.show_words(
            tr("{count} written and proven", count=shown.written), tr("{count} at the first card", count=shown.first)
        )
        for fold, count in ((self.waiting, shown.waiting), (self.written, shown.written)):
            if not count and self.focusWidget() is fold:  # also while another window is in front
                self.table.setFocus()
            fold.setVisible(count > 0)

    def _in_sight(self, before: Sequence[BatchRow], after: Mapping[int, BatchRow]) -> tuple[int, int] | None:
        """The first line in sight that stays where it is, and how far below it the sight begins, px; None: the sight is
        the top of the list."""
        value, high = self.table.verticalScrollBar().value(), self.table.rowHeight(0)
        if not value or not high:
            return None
        for at in range(value // high, len(before)):
            row = after.get(before[at].n)
            if row is not None and row.state == before[at].state:
                return row.n, value - at * high
        return None

    @property
    def chosen(self) -> BatchRow | None:
        """The line under the cursor."""
        return self.rows.get(self.table.currentIndex().row())

    @property
    def room(self) -> int:
        """So many lines are in sight at once beside both folds."""
        folds = self.waiting.sizeHint().height() * (2 if self._tall else 1)
        above = self.table.y() + self.table.horizontalHeader().height()
        margin = self.height() - self._folds.geometry().bottom() if self._folds.geometry().isValid() else 0
        return max(0, (self.height() - above - folds - margin) // self.table.row_px())

    @property
    def _tall(self) -> bool:
        return self.height() >= theme.px(_TALL_FROM)

    def _fit(self) -> None:
        """The folds stand one below the other where there is room for that."""
        lay(self._folds, across=not self._tall)
        self.table.setMinimumHeight(theme.px(28) + _LEAST_ROWS * self.table.row_px())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
        self.turned.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "written"):
            self._fit()


def _stays_chosen(before: Sequence[BatchRow], at: int, after: Mapping[int, BatchRow]) -> int | None:
    """Which line is chosen in ``after`` (lines by their number), where ``before[at]`` was; None: none."""
    if not 0 <= at < len(before):
        return None
    now = after.get(before[at].n)
    if now is None or now.state not in OVER or before[at].state in OVER:
        return None if now is None else now.n
    following = (after[row.n] for row in before[at + 1 :] if row.n in after)
    return next((row.n for row in following if row.state not in OVER), now.n)


def what_happened(row: BatchRow) -> str:
    """The last problem, as a sentence; how long the write took; of a line that waits for one card alone, which."""
    if row.detail:
        return row.detail[:1].upper() + row.detail[1:]
    if row.state == "COMPLETE" and row.begun_at and row.ended_at:
        took = parse_time(row.ended_at) - parse_time(row.begun_at)
        return tr("Written and proven in {span}", span=milliseconds(1000 * took))
    if row.state == "WAITING" and row.hardware_uid:
        return tr("Waits for card {uid}", uid=row.hardware_uid)
    return ""


def tried_cards(row: BatchRow) -> str:
    """Cards that were given to this line: those that refused it, and the one that has it or had it last."""
    tried = row.attempts + (row.state in HOLDING)
    return str(tried) if tried else "–"


def end_time(row: BatchRow) -> str:
    """When the line was over."""
    return clock_time(parse_time(row.ended_at)) if row.ended_at else "–"
