"""Parts of the burn page: the order at the left, the blast radius, the live board, the badge at a door."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QHBoxLayout,
    QLineEdit,
    QRadioButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from app.burn.messages import Burn, Preview, Residual, Scope
from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import clock_time, date_time, parse_time, utc_time
from app.console.pages.burn.board import (
    Board,
    ClockFace,
    Row,
    System,
    expected_last_door,
    kind_word,
    matching,
    milliseconds,
    systems_of,
    target_state,
    target_word,
)
from app.console.theme.tokens import State, sentence_case, state_of
from app.console.widgets.buttons import ActionButton
from app.console.widgets.choice import ChoiceField
from app.console.widgets.hold import HoldButton
from app.console.widgets.kpi import KpiTile
from app.console.widgets.marks import StateMark, paint_shape
from app.console.widgets.table import Column, DataTable, RowsModel
from app.console.widgets.text import ElidedLabel, Panel, label

SCOPES: tuple[tuple[Scope, str, str], ...] = (
    ("GLOBAL_REVOCATION", "Global revocation", "This site and every system connected to it."),
    ("LOCAL_ONLY", "Local only", "Doors, cards and grants of this site only."),
)
SCOPE_WORDS = {scope: title for scope, title, _ in SCOPES}
REASONS = (("leak", "Token leak"), ("lost", "Lost card"), ("discharge", "Discharge"))
"""Quick choices of a reason: action ``burn.reason_<key>`` and its text."""
VIEWS = (("all", "All targets"), ("open", "Without proof"), ("doors", "Doors"), ("systems", "Systems"))


class SubjectPanel(Panel):
    """Whom it is about."""

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__("Subject", parent=parent)
        self.head.addWidget(ActionButton(table, "burn.new", role="quiet"))
        self.field = ChoiceField("Name or node id", name="Whom to burn")
        self.body.addWidget(self.field)
        row = QHBoxLayout()
        row.setSpacing(8)
        self._id = ElidedLabel("", "mono")
        self._id.setFont(theme.mono())
        self._standing = StateMark()
        row.addWidget(self._id, 1)
        row.addWidget(self._standing)
        self._seen = label("", "small", wrap=True)
        self.body.addLayout(row)
        self.body.addWidget(self._seen)
        self.show_nobody()

    def show_nobody(self) -> None:
        """No subject yet."""
        self._id.setText("")
        self._standing.hide()
        self._seen.setText("Type a name or an id. An id that is not registered can be burned too.")

    def show_preview(self, preview: Preview) -> None:
        """What the API knows of the subject."""
        self._id.setText(preview.node_id)
        self._standing.show()
        if not preview.known:
            self._standing.set(State.WARN, "Not registered")
            self._seen.setText("No such node is registered here. The id itself will be denied at every door.")
            return
        standing = preview.standing or "UNKNOWN"
        self._standing.set(state_of(standing), sentence_case(standing))
        if preview.last_access is None:
            self._seen.setText("Not seen at a door since the service was started.")
        else:
            at = parse_time(preview.last_access)
            self._seen.setText(f"Last let in at {clock_time(at)}, {preview.last_access_reader}.")
            self._seen.setToolTip(utc_time(at))

    @property
    def said(self) -> str:
        """The line below the subject."""
        return self._seen.text()

    @property
    def standing(self) -> str:
        """The word of the subject's standing; empty without a subject."""
        return "" if self._standing.isHidden() else self._standing.word


class OrderPanel(Panel):
    """Scope, reason, and the two ways to burn: hold, or type the node id. Emits ``changed`` and ``ordered``."""

    changed = Signal()
    ordered = Signal()

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__("Burn", parent=parent)
        self.mark = StateMark()
        self.mark.hide()
        self.head.addWidget(self.mark)
        self._scopes = QButtonGroup(self)
        self.scope_buttons: dict[Scope, QRadioButton] = {}
        for scope, title, meaning in SCOPES:
            button = QRadioButton(title)
            button.setAccessibleName(f"Scope: {title}")
            button.setAccessibleDescription(meaning)
            button.setToolTip(meaning)
            self._scopes.addButton(button)
            self.scope_buttons[scope] = button
            meant = label(meaning, "small", wrap=True)
            meant.setContentsMargins(26, 0, 0, 0)
            group = QVBoxLayout()
            group.setSpacing(0)
            group.addWidget(button)
            group.addWidget(meant)
            self.body.addLayout(group)
        self.scope_buttons["GLOBAL_REVOCATION"].setChecked(True)
        self._scopes.buttonClicked.connect(lambda _button: self.changed.emit())
        self.reason = QLineEdit()
        self.reason.setPlaceholderText("Reason, kept in the audit log")
        self.reason.setAccessibleName("Reason of the burn")
        self.reason.setMaxLength(1000)
        self.reason.textChanged.connect(lambda _text: self.changed.emit())
        self.body.addWidget(self.reason)
        quick = QHBoxLayout()
        quick.setSpacing(4)
        for key, _ in REASONS:
            quick.addWidget(ActionButton(table, f"burn.reason_{key}"))
        quick.addStretch(1)
        self.body.addLayout(quick)
        self.body.addSpacing(4)
        self.hold = HoldButton("Hold to burn")
        self.hold.held.connect(self.ordered)
        self.body.addWidget(self.hold)
        self.typed = QLineEdit()
        self.typed.setAccessibleName("Type the node id and press Enter to burn without holding")
        self.typed.setFont(theme.mono())
        self.typed.textEdited.connect(lambda _text: self._mark_typed(wrong=False))
        self.body.addWidget(self.typed)
        self.next = label("", "small", wrap=True)
        self.body.addWidget(self.next)

    @property
    def scope(self) -> Scope:
        """The scope that is chosen."""
        return next(scope for scope, button in self.scope_buttons.items() if button.isChecked())

    def choose_scope(self, scope: Scope) -> None:
        """Fill the scope in, without ``changed``."""
        self.scope_buttons[scope].setChecked(True)

    def show_ready(self, ready: bool, sentence: str, node_id: str) -> None:
        """``ready``: the hold answers. ``sentence`` says what is missing, or what happens."""
        self.hold.setEnabled(ready)
        self.hold.setText(f"Hold to burn {node_id}" if ready else "Hold to burn")
        self.hold.setAccessibleName(self.hold.text())
        self.typed.setEnabled(ready)
        self.typed.setPlaceholderText(f"or type {node_id} and press Enter" if ready else "or type the node id")
        self.next.setText(sentence)

    def wrong_id(self, node_id: str) -> None:
        """What was typed is not the subject's id."""
        self._mark_typed(wrong=True)
        self.next.setText(f"That is not {node_id}. Nothing was burned.")

    def _mark_typed(self, *, wrong: bool) -> None:
        self.typed.setProperty("invalid", "true" if wrong else "false")
        self.typed.style().unpolish(self.typed)
        self.typed.style().polish(self.typed)


class ResidualPanel(QWidget):
    """Access that outlives a burn, or the sentence that none is known."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(label("RESIDUAL EXPOSURE", "caps"))
        self._none = label("Nothing is known to outlive this burn.", "dim")
        column.addWidget(self._none)
        columns: list[Column[Residual]] = [
            Column("WHAT STAYS OPEN", lambda left: left.what, state=lambda _left: State.WARN),
            Column("UNTIL", _until, 200),
        ]
        self.model = RowsModel(columns, lambda left: left.what)
        self.table = DataTable(self.model, name="Residual exposure")
        self.table.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        column.addWidget(self.table)

    def show_residual(self, left: Sequence[Residual]) -> None:
        """Show what outlives the burn."""
        self.model.set_rows(left)
        self._none.setVisible(not left)
        self.table.setVisible(bool(left))
        self.table.setFixedHeight(theme.px(34) + min(3, len(left)) * theme.row_height() + 2)


def _until(left: Residual) -> str:
    return "Unknown" if left.until is None else date_time(parse_time(left.until))


class BlastRadius(QWidget):
    """What a burn of the subject would touch now. Writes nothing."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        tiles = QHBoxLayout()
        tiles.setSpacing(12)
        self.doors = KpiTile("Doors")
        self.cards = KpiTile("Cards")
        self.profiles = KpiTile("Profiles")
        self.expected = KpiTile("Expected last door")
        for tile in (self.doors, self.cards, self.profiles, self.expected):
            tiles.addWidget(tile, 1)
        column.addLayout(tiles)
        columns: list[Column[System]] = [
            Column("WHAT", lambda system: system.name, 176),
            Column("KIND", lambda system: kind_word(system.kind), 110, dim=True, spare=1),
            Column("REACHABLE NOW", lambda system: system.reach, 148, state=lambda system: system.state),
            Column("REVERSIBLE", lambda system: "Yes" if system.reversible else "No", 92),
            Column("EXPECTED", lambda system: milliseconds(system.expected_ms, "No history"), 96, right=True),
            Column("DETAIL", lambda system: system.detail, dim=True, least=288),
        ]
        self.model = RowsModel(columns, lambda system: system.key)
        self.table = DataTable(self.model, name="Blast radius, one row a system")
        column.addWidget(self.table, 1)
        self.residual = ResidualPanel()
        column.addWidget(self.residual)

    def show_preview(self, preview: Preview) -> None:
        """Show what the API foresees."""
        offline = preview.doors - preview.doors_online
        if not preview.doors:
            self.doors.set("0", "No door is registered")
        elif offline:
            below = f"of {preview.doors} online; the controller denies at all"
            self.doors.set(str(preview.doors_online), below, State.WARN, f"{offline} offline")
        else:
            self.doors.set(str(preview.doors), "all online", State.OK, "Online")
        self.cards.set(str(preview.cards), "certificates are revoked" if preview.cards else "none issued")
        self.profiles.set(str(preview.profiles), "credential profiles" if preview.profiles else "no badge at a door")
        expected = expected_last_door(preview)
        value = milliseconds(expected, "–")
        self.expected.set(value, "p95 of its last burns" if expected is not None else "no history yet")
        self.model.set_rows(systems_of(preview))
        self.residual.show_residual(preview.residual_exposure)


class BoardView(QWidget):
    """A burn as it runs: clock, one row a target, what to do with targets without proof, what outlives it."""

    closing = Signal(str, str)
    """A person gives a target up: its id, the reason."""

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        top = QHBoxLayout()
        top.setSpacing(24)
        clock = QVBoxLayout()
        clock.setSpacing(0)
        clock.addWidget(label("TIME TO LAST DOOR", "caps"))
        figures = QHBoxLayout()
        figures.setSpacing(12)
        self.time = label("–", "kpi")
        self.time.setAccessibleName("Time to last door")
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
        self._reason = label("", "dim", wrap=True)
        self._facts = ElidedLabel("", "small")
        column.addWidget(self._reason)
        column.addWidget(self._facts)
        bar = QHBoxLayout()
        bar.setSpacing(8)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Filter targets   /")
        self.filter.setAccessibleName("Filter the targets of the burn")
        self.filter.setClearButtonEnabled(True)
        self.which = QComboBox()
        self.which.setAccessibleName("Which targets are shown")
        for key, title in VIEWS:
            self.which.addItem(title, key)
        self.shown = label("", "small")
        bar.addWidget(self.filter, 1)
        bar.addWidget(self.which)
        bar.addWidget(self.shown)
        column.addLayout(bar)
        columns: list[Column[Row]] = [
            Column("STATE", lambda row: target_word(row.state), 136, state=lambda row: target_state(row.state)),
            Column("TARGET", lambda row: row.name, 192),
            Column("KIND", lambda row: kind_word(row.kind), 112, dim=True, spare=1),
            Column("TRIES", lambda row: str(row.attempts), 56, right=True, spare=2),
            Column("PROVEN AFTER", lambda row: milliseconds(row.latency_ms), 108, right=True),
            Column("EVIDENCE", lambda row: row.evidence, dim=True, least=280),
        ]
        self.model = RowsModel(columns, lambda row: row.id)
        self.table = DataTable(self.model, name="Targets of the burn")
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
        self.close_reason.setPlaceholderText("Why this target is given up without proof")
        self.close_reason.setAccessibleName("Reason to close the target without proof")
        line.addWidget(self.close_reason, 1)
        line.addWidget(ActionButton(table, "burn.close"))
        column.addWidget(self.give_up)
        self.residual = ResidualPanel()
        column.addWidget(self.residual)
        self._board: Board | None = None
        self._painted = -1
        self.filter.textChanged.connect(lambda _text: self._rows())
        self.which.currentIndexChanged.connect(lambda _at: self._rows())
        self.table.selected.connect(lambda _at: self._offer(table))

    @property
    def target(self) -> Row | None:
        """The target that is selected."""
        at = self.table.currentIndex().row()
        return self.model.rows[at] if 0 <= at < len(self.model.rows) and self.table.selectedIndexes() else None

    def _offer(self, table: ActionTable) -> None:
        self._chosen_row()
        table.refresh()

    def _chosen_row(self) -> None:
        row = self.target
        self.give_up.setVisible(row is not None and row.open)
        self.evidence.setText(f"{row.name}: {row.evidence or 'no evidence yet'}" if row is not None else "")
        self.evidence.setVisible(row is not None)

    def show_board(self, board: Board, now: float, *, asking: bool) -> None:
        """Show the burn as it is known; cheap when nothing is new but the clock."""
        self._clock(board.clock(now), board, asking)
        if board is self._board and board.touched == self._painted:
            return
        self._board, self._painted = board, board.touched
        self._rows()
        burn = board.burn
        if burn is not None:
            self._told(burn)
        else:
            self._reason.setText(
                "Sent. The service answers when every target is proven, or at its deadline with what is."
            )
            self._facts.setText(board.burn_id)
        self.residual.show_residual(burn.residual_exposure if burn else [])
        self.residual.setVisible(burn is not None)

    def _told(self, burn: Burn) -> None:
        at = parse_time(burn.timestamp)
        self._facts.setText(
            f"{burn.burn_id} · denied here in {burn.local_deny_us:.0f} µs, epoch {burn.epoch} · "
            f"audit leaf {burn.log.index}, {burn.log.sha256[:16]}"
        )
        self._facts.setAccessibleDescription(f"Leaf hash {burn.log.sha256}")
        training = "TRAINING · " if burn.training else ""
        self._reason.setText(f"{training}{SCOPE_WORDS[burn.scope]} · {date_time(at)} · {burn.reason}")
        self._reason.setToolTip(utc_time(at))

    def _clock(self, face: ClockFace, board: Board, asking: bool) -> None:
        self.time.setText(face.time)
        self.count.setText(face.count)
        self.time.setAccessibleDescription(face.count)
        if asking:
            self.mark.set(State.WARN, "Unknown, asking")
        elif face.running:
            burn = board.burn
            self.mark.set(State.WARN, "Doors pending" if burn is not None else "Running")
        elif face.closed:
            self.mark.set(State.WARN, f"{face.closed} closed without proof")
        elif board.open:
            self.mark.set(State.WARN, f"Every door; {board.open} other open")
        elif face.total:
            self.mark.set(State.OK, "Every door refuses")
        else:
            self.mark.set(State.OK, "Complete")

    def _rows(self) -> None:
        if self._board is None:
            return
        rows = self._board.ordered()
        found = matching(rows, self.filter.text(), str(self.which.currentData()))
        row = self.target
        self.model.set_rows(found)
        if row is not None and (at := self.model.row_of(row.id)) >= 0 and not self.table.selectedIndexes():
            self.table.selectRow(at)
        self.shown.setText(f"{len(found)} of {len(rows)}" if len(found) != len(rows) else f"{len(rows)} targets")
        self._chosen_row()


class Verdict(QWidget):
    """What a door decided, large enough to be read across a room: shape, word, and the sentence below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state, self.word = State.IDLE, ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set(self, state: State, word: str) -> None:
        """Show a decision; the empty word hides it."""
        self.state, self.word = state, word
        self.setAccessibleName(word)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(200), theme.px(40))

    def paintEvent(self, _event: QPaintEvent) -> None:
        if not self.word:
            return
        painter = QPainter(self)
        side = theme.px(24)
        paint_shape(painter, QRectF(2, (self.height() - side) / 2, side, side), self.state)
        painter.setFont(theme.ui(28, QFont.Weight.DemiBold))
        painter.setPen(QColor(theme.current().text))
        box = QRectF(side + theme.px(14), 0, self.width(), self.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.word)


class BadgePanel(Panel):
    """Training sites: the subject's badge at a simulated reader, before and after the burn."""

    def __init__(self, table: ActionTable, parent: QWidget | None = None) -> None:
        super().__init__("Badge at a door · training", parent=parent)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.field = ChoiceField("Door", name="Door that the badge is presented at", icon="door-closed")
        row.addWidget(self.field, 1)
        row.addWidget(ActionButton(table, "burn.present"))
        self.body.addLayout(row)
        self.verdict = Verdict()
        self.body.addWidget(self.verdict)
        self.sentence = label(
            "Present the badge before and after the burn, and see the door refuse it.", "dim", wrap=True
        )
        self.body.addWidget(self.sentence)
        self.past = label("", "small", wrap=True)
        self.body.addWidget(self.past)
        self.clear()

    def clear(self) -> None:
        """Another subject: nothing was presented yet."""
        self.verdict.set(State.IDLE, "")
        self.verdict.hide()
        self.sentence.setText("Present the badge before and after the burn, and see the door refuse it.")
        self.past.setText("")
        self.past.hide()

    def show_refusal(self, sentence: str) -> None:
        """The badge could not be presented at all: no decision was made."""
        self.verdict.set(State.IDLE, "No decision")
        self.verdict.show()
        self.sentence.setText(sentence)

    def show_decision(self, granted: bool, sentence: str, past: Sequence[str]) -> None:
        """The newest decision large, earlier ones below it."""
        self.verdict.set(State.OK if granted else State.CRIT, "GRANT" if granted else "DENY")
        self.verdict.show()
        self.sentence.setText(sentence)
        self.past.setText("\n".join(past))
        self.past.setVisible(bool(past))
