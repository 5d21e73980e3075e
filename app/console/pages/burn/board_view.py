"""A burn as it runs: the clock to the last door, one row a target, what to do with those without proof."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from app.capabilities.burn.messages import Burn
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import age, date_time, parse_time, utc_time
from app.console.language import tr
from app.console.pages.burn.blast_view import ResidualPanel
from app.console.pages.burn.board import BoardRow, BurnBoard, ClockFace, matching
from app.console.pages.burn.drill import DrillBand, mark_drill
from app.console.pages.burn.words import (
    DOOR,
    SCOPE_WORDS,
    kind_word,
    leaf_words,
    milliseconds,
    target_state,
    target_word,
)
from app.console.theme.tokens import Meaning
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, label

VIEWS = (("all", tr("All targets")), ("open", tr("Without proof")), ("doors", tr("Doors")), ("systems", tr("Systems")))


def clock_mark(face: ClockFace, board: BurnBoard, asking: bool) -> tuple[Meaning, str]:
    """State and words of the clock. ``asking``: the answer to the burn was lost and is asked for again."""
    if asking:
        return Meaning.WARN, tr("Unknown, asking")
    if board.burn is not None and board.burn.lifted_at is not None:
        return Meaning.WARN, tr("Lifted")
    if face.running:
        pending = face.total - face.done - face.closed
        words = tr("1 door pending") if pending == 1 else tr("{count} doors pending", count=pending)
        words = words if board.burn is not None else tr("Running")
        # A door that has told that it is open needs a look; one that has not answered yet is being asked.
        told = any(row.kind == DOOR and row.open for row in board.rows.values())
        return (Meaning.WARN if told else Meaning.WORK), words
    if face.closed:
        return Meaning.WARN, tr("{count} closed without proof", count=face.closed)
    if board.open:
        return Meaning.WARN, tr("Every door; {count} other open", count=board.open)
    if board.unproven:
        return Meaning.IDLE, tr(
            "Every door refuses; {unproven}", unproven=board.unproven
        ) if face.total else board.unproven
    return Meaning.OK, tr("Every door refuses") if face.total else tr("Complete")


class BoardView(QWidget):
    """A burn as it runs: clock, one row a target, what to do with targets without proof, what outlives it."""

    def __init__(self, table: ActionTable, now: Callable[[], float], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._now = now
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        self.drill = DrillBand()
        column.addWidget(self.drill)
        top = QHBoxLayout()
        top.setSpacing(24)
        clock = QVBoxLayout()
        clock.setSpacing(0)
        clock.addWidget(label(tr("Time to last door"), "section"))
        figures = QHBoxLayout()
        figures.setSpacing(12)
        self.time = label("–", "kpi")
        self.time.setAccessibleName(tr("Time to last door: none"))
        self.time.setMinimumWidth(theme.px(120))
        self.count = label("", "heading")
        self.mark = StateMark()
        figures.addWidget(self.time)
        figures.addWidget(self.count)
        figures.addWidget(self.mark)
        figures.addStretch(1)
        clock.addLayout(figures)
        top.addLayout(clock, 1)
        column.addLayout(top)
        self.alarm = StateMark()
        self.alarm.hide()
        column.addWidget(self.alarm)
        self._reason = label("", "dim", wrap=True)
        self._facts = ElidedLabel("", "small")
        column.addWidget(self._reason)
        column.addWidget(self._facts)
        bar = QHBoxLayout()
        bar.setSpacing(8)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText(tr("Filter targets   /"))
        self.filter.setAccessibleName(tr("Filter the targets of the burn"))
        self.filter.setClearButtonEnabled(True)
        self.which = QComboBox()
        self.which.setAccessibleName(tr("Which targets are shown"))
        for key, title in VIEWS:
            self.which.addItem(title, key)
        self.shown = label("", "small")
        bar.addWidget(self.filter, 1)
        bar.addWidget(self.which)
        bar.addWidget(self.shown)
        column.addLayout(bar)
        columns: list[Column[BoardRow]] = [
            Column(tr("STATE"), lambda row: target_word(row.state), 132, state=lambda row: target_state(row.state)),
            Column(tr("TARGET"), lambda row: row.name, 168),
            Column(tr("KIND"), lambda row: kind_word(row.kind), 112, dim=True, spare=4),
            Column(tr("TRIES"), lambda row: str(row.attempts), 56, right=True, spare=1),
            Column(tr("OPEN FOR"), self._age, 80, right=True, spare=2),
            Column(tr("EPOCH"), self._epoch, 64, right=True, spare=3),
            Column(tr("AFTER"), lambda row: milliseconds(row.latency_ms), 108, right=True),
            Column(tr("EVIDENCE"), lambda row: row.evidence, dim=True, least=192),
        ]
        self.model = RowsModel(columns, lambda row: row.id)
        self.table = DataTable(self.model, name=tr("Targets of the burn"))
        column.addWidget(self.table, 1)
        self.evidence = label("", "small", wrap=True, selectable=True)
        column.addWidget(self.evidence)
        self.give_up = QWidget()
        line = QHBoxLayout(self.give_up)
        line.setContentsMargins(0, 0, 0, 0)
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
        column.addWidget(self.give_up)
        self.residual = ResidualPanel(now)
        column.addWidget(self.residual)
        self._board: BurnBoard | None = None
        self._painted = -1
        self._second = 0
        self.filter.textChanged.connect(lambda _text: self._show_rows())
        self.which.currentIndexChanged.connect(lambda _at: self._show_rows())
        self.table.selected.connect(lambda _at: self._offer(table))

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

    def show_board(self, board: BurnBoard, now: float, *, asking: bool) -> None:
        """Show the burn as it is known; cheap when nothing is new but the clock."""
        self._show_clock(board.clock(now), board, asking)
        if board is self._board and board.touched == self._painted:
            if board.open and int(now) != self._second:
                self._second = int(now)
                self.model.set_rows(self.model.rows)
            return
        self._board, self._painted = board, board.touched
        self.drill.show_drill(board.drill)
        self._show_rows()
        burn = board.burn
        if burn is not None:
            self._show_facts(burn)
        else:
            self._reason.setText(
                tr("Sent. The service answers when every target is proven, or at its deadline with what is.")
            )
            self._facts.setText(board.burn_id)
        self.residual.show_residual(burn.residual_exposure if burn else [])
        self.residual.setVisible(burn is not None)

    def _show_facts(self, burn: Burn) -> None:
        """Show who ordered it and why, and where it stands in the log."""
        at = parse_time(burn.timestamp)
        self._facts.setText(
            tr(
                "{burn} · denied here in {us:.0f} µs, epoch {epoch} · {leaf}",
                burn=burn.burn_id,
                us=burn.local_deny_us,
                epoch=burn.epoch,
                leaf=leaf_words(burn),
            )
        )
        self._facts.setAccessibleDescription(
            tr("Leaf hash {hash}", hash=burn.log.sha256) if burn.log.sha256 else leaf_words(burn)
        )
        training = "TRAINING · " if burn.training else ""
        lifted = (
            tr(" · LIFTED {time} by two keys", time=date_time(parse_time(burn.lifted_at))) if burn.lifted_at else ""
        )
        nobody = "" if burn.known else tr("AN ID THAT NOBODY HAS · ")
        self._reason.setText(
            f"{nobody}{mark_drill(training, burn.drill)}{SCOPE_WORDS[burn.scope]} · {date_time(at)} · "
            f"{burn.reason}{lifted}"
        )
        self._reason.setToolTip(utc_time(at))

    def _show_clock(self, face: ClockFace, board: BurnBoard, asking: bool) -> None:
        """Show the time to the last door, and what the burn waits for."""
        self.time.setText(face.time)
        self.time.setAccessibleName(tr("Time to last door: {time}", time=face.time))
        self.count.setText(face.count)
        self.time.setAccessibleDescription(face.count)
        self.mark.set(*clock_mark(face, board, asking))

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
        """Show the targets that the filter leaves; the selected one stays selected."""
        if self._board is None:
            return
        rows = self._board.sorted_rows()
        found = matching(rows, self.filter.text(), str(self.which.currentData()))
        row = self.target
        self.model.set_rows(found)
        if row is not None and (at := self.model.row_of(row.id)) >= 0 and not self.table.selectedIndexes():
            self.table.selectRow(at)
        self.shown.setText(
            tr("{count} of {total}", count=len(found), total=len(rows))
            if len(found) != len(rows)
            else tr("1 target")
            if len(rows) == 1
            else tr("{count} targets", count=len(rows))
        )
        self._chosen_row()
