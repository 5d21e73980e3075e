"""A burn as it runs: its clock and marks, what needs somebody first, the proven in one row, and what outlives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.console.actions import ActionTable
from app.console.blast_radius import DOOR
from app.console.clock import age, date_time
from app.console.language import tr
from app.console.moments import parse_time
from app.console.pages.burn.board import BoardRow, BurnBoard, ClockFace, matching
from app.console.pages.burn.dots import TargetDots, chart_words, dots_of, proven_times, proven_words
from app.console.pages.burn.drill import DrillBand, mark_drill
from app.console.pages.burn.fold_view import ProvenFold
from app.console.pages.burn.hero_view import BurnHero
from app.console.pages.burn.stays_open_view import StaysOpenPanel
from app.console.pages.burn.words import (
    PROVEN,
    SCOPE_WORDS,
    kind_word,
    milliseconds,
    target_state,
    target_word,
)
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import fix_field
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import TitledPanel, label

VIEWS = (("all", tr("All targets")), ("open", tr("Without proof")), ("doors", tr("Doors")), ("systems", tr("Systems")))
_WANTED_ROWS = 8
"""So many rows of targets are shown where there is room for no more."""


def clock_mark(face: ClockFace, board: BurnBoard, asking: bool, stale: bool = False) -> tuple[Meaning, str]:
    """State and words of the clock. ``asking``: the answer to the burn was lost and is asked for again. ``stale``:
    nothing is heard of the service, so that nothing looks as if it were known."""
    state, words = _known_mark(face, board, asking)
    return (Meaning.IDLE, tr("Not heard of now, was: {words}", words=words)) if stale else (state, words)


def _known_mark(face: ClockFace, board: BurnBoard, asking: bool) -> tuple[Meaning, str]:
    """State and words as the board has them, which may be old."""
    if asking:
        return Meaning.WARN, tr("Unknown, asking")
    if board.burn is not None and board.burn.lifted_at is not None:
        return Meaning.WARN, tr("Lifted")
    if face.running:
        # A door that has told that it is open needs a look; one that has not answered yet is being asked.
        told = any(row.kind == DOOR and row.open for row in board.rows.values())
        return (Meaning.WARN if told else Meaning.WORK), tr("Burning: the clock runs until the last door")
    if face.closed:
        return Meaning.WARN, tr("{count} closed without proof", count=face.closed)
    if board.open:
        return Meaning.WARN, tr("Every door; {count} other open", count=board.open)
    if board.unproven:
        return Meaning.IDLE, tr(
            "Every door refuses; {unproven}", unproven=board.unproven
        ) if face.total else board.unproven
    return Meaning.OK, tr("Every door refuses") if face.total else tr("Complete")


class TargetsTable(DataTable):
    """No higher than its rows: what stands for the proven targets follows the last of the others."""

    def high(self, rows: int) -> int:
        """Px that its head and so many rows need."""
        head = max(self.horizontalHeader().sizeHint().height(), self.horizontalHeader().height())
        return head + rows * self.verticalHeader().defaultSectionSize() + 2 * self.frameWidth() + 4

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.high(min(self.model().rowCount(), _WANTED_ROWS)))


class BoardView(QWidget):
    """A burn as it runs: clock, one row a target, what to do with targets without proof, what outlives it. Its focus
    goes to the targets, or to the one row that stands for them."""

    def __init__(self, table: ActionTable, now: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._now = now
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.drill = DrillBand()
        column.addWidget(self.drill)
        self.alarm = StateMark()
        self.alarm.hide()
        column.addWidget(self.alarm)
        self.hero = BurnHero()
        column.addWidget(self.hero, 1)
        self.targets = TitledPanel(tr("Targets"), padding=8)
        column.addWidget(self.targets)
        self._fill_targets(table)
        self.residual = StaysOpenPanel(now)
        column.addWidget(self.residual)
        column.addStretch()
        self._board: BurnBoard | None = None
        self._rows: list[BoardRow] = []
        """Of the board as it was painted last, in order."""
        self._painted = -1
        self._second = 0
        self._low = True
        self.hero.set_low(True)
        self._dots = TargetDots()
        self._waits: BoardRow | None = None
        """The worst of the targets without proof."""
        self.goal_s: float | None = None
        """How soon the last door of a burn is to refuse, seconds; None: not known."""
        self.filter.textChanged.connect(lambda _text: self._show_rows())
        self.which.currentIndexChanged.connect(lambda _at: self._show_rows())
        self.fold.toggled.connect(lambda _on: self._show_rows())
        self.table.selected.connect(lambda _at: self._offer(table))
        self._fit()
        self._chosen_row()
        for one in (self.none, self.hint, self.fold):
            one.hide()

    def _fill_targets(self, table: ActionTable) -> None:
        """Put filter, table, fold and the hands for a chosen target into their panel."""
        head, body = self.targets.head, self.targets.body
        self.targets.title.setContentsMargins(8, 0, 0, 0)
        body.setSpacing(0)
        self.shown = label("", "dim")
        head.insertWidget(1, self.shown)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter targets   /"))
        self.filter.setAccessibleName(tr("Filter the targets of the burn"))
        self.filter.setClearButtonEnabled(True)
        fix_field(self.filter, 176)
        self.which = QComboBox()
        self.which.setAccessibleName(tr("Which targets are shown"))
        for key, title in VIEWS:
            self.which.addItem(title, key)
        head.addWidget(self.which)
        head.addWidget(self.filter)
        columns: list[Column[BoardRow]] = [
            Column(tr("STATE"), lambda row: target_word(row.state), 132, state=lambda row: target_state(row.state)),
            Column(tr("TARGET"), lambda row: row.name, 168),
            Column(tr("KIND"), lambda row: kind_word(row.kind), 112, dim=True, spare=4),
            Column(tr("TRIES"), lambda row: str(row.attempts), 56, right=True, spare=2),
            Column(tr("OPEN FOR"), self._age, 80, right=True),
            Column(tr("EPOCH"), self._epoch, 64, right=True, spare=3),
            Column(tr("AFTER"), lambda row: milliseconds(row.latency_ms), 88, right=True, spare=1),
            Column(tr("WHY"), lambda row: row.evidence or row.next, dim=True, least=280),
        ]
        self.model = RowsModel(columns, lambda row: row.id)
        self.table = TargetsTable(self.model, name=tr("Targets of the burn"))
        body.addWidget(self.table, 1)
        self.fold = ProvenFold()
        body.addWidget(self.fold)
        self.none = label(tr("No target is like that."), "dim")
        self.none.setContentsMargins(8, 8, 8, 8)
        body.addWidget(self.none)
        self.evidence = label("", "small", wrap=True, selectable=True)
        self.evidence.setContentsMargins(8, 6, 8, 0)
        body.addWidget(self.evidence)
        self.give_up = QWidget()
        line = QHBoxLayout(self.give_up)
        line.setContentsMargins(8, 6, 8, 4)
        line.setSpacing(8)
        line.addWidget(ActionButton(table, "burn.retry"))
        self.close_reason = QLineEdit()
        self.close_reason.setMaxLength(4000)
        self.close_reason.setPlaceholderText(tr("Why this target is given up without proof"))
        self.close_reason.setAccessibleName(tr("Reason to close the target without proof"))
        line.addWidget(self.close_reason, 1)
        self._close_button = ActionButton(table, "burn.close")
        line.addWidget(self._close_button)
        line.addStretch()
        body.addWidget(self.give_up)
        self.hint = label(tr("An offline door keeps the clock running. Only a person closes a target."), "small")
        self.hint.setContentsMargins(8, 8, 8, 4)
        body.addWidget(self.hint)

    @property
    def target(self) -> BoardRow | None:
        """The target that is selected."""
        at = self.table.currentIndex().row()
        return self.model.rows[at] if 0 <= at < len(self.model.rows) and self.table.selectedIndexes() else None

    def _offer(self, table: ActionTable) -> None:
        self._chosen_row()
        table.refresh()

    def _chosen_row(self) -> None:
        row = self.target
        self.give_up.setVisible(row is not None and row.triable)
        for part in (self.close_reason, self._close_button):
            part.setVisible(row is not None and row.open)
        lines = [f"{row.name}: " + (row.evidence or tr("no evidence yet")), row.next] if row is not None else []
        self.evidence.setText("\n".join(filter(None, lines)))
        self.evidence.setVisible(row is not None)

    def show_board(self, board: BurnBoard, now: float, *, asking: bool, stale: bool) -> None:
        """Show the burn as it is known; cheap when nothing is new but the clock."""
        face = board.clock(now)
        self.hero.show_state(face, *clock_mark(face, board, asking, stale))
        if board is self._board and board.touched == self._painted and self._dots.goal_s == self.goal_s:
            if self._dots.open:
                since = board.age_s(self._waits, now) if self._waits is not None else None
                self._dots = replace(self._dots, now_s=since)
                self.hero.chart.show_dots(self._dots, self.hero.chart.accessibleDescription())
            if board.open and int(now) != self._second:
                self._second = int(now)
                self.model.set_rows(self.model.rows)
            return
        self._board, self._painted = board, board.touched
        self._rows = rows = board.sorted_rows()
        self._dots = dots_of(board, rows, now, self.goal_s)
        self._waits = rows[0] if rows and self._dots.open else None
        self._show_hints()
        self.hero.show_burn(board)
        self.hero.chart.show_dots(self._dots, chart_words(rows, self._dots))
        self.hero.marks.setText(self._marks(board))
        name = mark_drill(tr("Clock of the burn"), board.drill)
        self.hero.setAccessibleName(name)
        self._show_rows()
        burn = board.burn
        self.residual.show_residual(burn.residual_exposure if burn else [])
        self.residual.setVisible(burn is not None)

    def _marks(self, board: BurnBoard) -> str:
        """What must be read with the burn: that nobody has the id, that nothing real ends, that it was lifted."""
        burn = board.burn
        if burn is None:
            return tr("Sent. The service answers when every target is proven, or at its deadline with what is.")
        said = [] if burn.known else [tr("AN ID THAT NOBODY HAS")]
        if burn.training or burn.drill:
            said.append(mark_drill("TRAINING" if burn.training else "", burn.drill).removesuffix(" · "))
        if burn.lifted_at is not None:
            # The order stands beside it only while the burn does.
            said += [SCOPE_WORDS[burn.scope], date_time(parse_time(burn.timestamp)), burn.reason]
            said.append(tr("LIFTED {time} by two keys", time=date_time(parse_time(burn.lifted_at))))
        return " · ".join(said)

    def show_alarm(self, words: str) -> None:
        """Say that a badge of this burn was presented; the empty text hides it."""
        self.alarm.set(Meaning.CRIT, words)
        self.alarm.setVisible(bool(words))

    def _age(self, row: BoardRow) -> str:
        seconds = None if self._board is None else self._board.age_s(row, self._now())
        return "–" if seconds is None else age(seconds)

    def _epoch(self, row: BoardRow) -> str:
        epoch = None if self._board is None else self._board.epoch_of(row)
        return "–" if epoch is None else str(epoch)

    def _show_rows(self) -> None:
        """Show the targets that the filter leaves; the selected one stays selected. Without a filter the proven ones
        are one row below."""
        if self._board is None:
            return
        rows = self._rows
        which = str(self.which.currentData())
        found = matching(rows, self.filter.text(), which)
        count, times = proven_times(rows)
        folds = bool(count) and which == "all" and not self.filter.text().strip()
        if folds and not self.fold.isChecked():
            found = [one for one in found if one.state not in PROVEN]
        row = self.target
        self.model.set_rows(found)
        if row is not None and (at := self.model.row_of(row.id)) >= 0 and not self.table.selectedIndexes():
            self.table.selectRow(at)
        self.fold.show_proven(count, proven_words(times))
        self.none.setVisible(not found and not folds)
        hands: QWidget = self.fold if folds and not found else self.table
        # Shown before the other is hidden: hands that were there find a place here.
        hands.show()
        self.setFocusProxy(hands)
        if (hands is self.fold and self.table.hasFocus()) or (not folds and self.fold.hasFocus()):
            hands.setFocus()
        self.fold.setVisible(folds)
        self.table.setVisible(bool(found))
        self.shown.setText(
            tr("{count} of {total}", count=len(found), total=len(rows))
            if len(found) != len(rows) and not folds
            else tr("1 target")
            if len(rows) == 1
            else tr("worst first, {count} in all", count=len(rows))
        )
        self._fit()
        self._chosen_row()

    def set_low(self, low: bool) -> None:
        """Leave out what is said elsewhere, because there is little room."""
        if low != self._low:
            self._low = low
            self.residual.set_low(low)
            self.hero.set_low(low)
            self._show_hints()

    def _show_hints(self) -> None:
        """Show what explains, where there is room for it. A drill is marked at the subject, too."""
        board = self._board
        self.drill.show_drill(board is not None and board.drill and not self._low)
        self.hint.setVisible(board is not None and board.open > 0 and not self._low)

    def _fit(self) -> None:
        """Make the table, and the panel around it, no higher than what is in it."""
        rows = len(self.model.rows)
        self.table.setMinimumHeight(self.table.high(1))
        self.table.setMaximumHeight(self.table.high(rows))
        self.table.updateGeometry()
        more = QSizePolicy.Policy.Expanding if rows > _WANTED_ROWS else QSizePolicy.Policy.Maximum
        self.targets.setSizePolicy(QSizePolicy.Policy.Preferred, more)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange) and hasattr(self, "goal_s"):
            self._fit()
