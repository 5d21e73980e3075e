"""What a new site shows first: its steps as cards, each with a drawing that is lit by its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.dashboard.first_steps import FirstStep
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import BUTTON, Narrow, lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark, paint_shape
from app.console.widgets.portrait import paint_silhouette
from app.console.widgets.text import label, separator

NARROW_BELOW = 900
"""Width of the panel, px at 100 % text, below which its cards stand one below the other, without drawings."""
_LEAST, _MOST = 96, 220
"""Height of a drawing, px at 100 % text, between which it has ``_SHARE`` of the panel's width."""
_SHARE = 0.15
_ROWS, _COLUMNS, _STAGES = 4, 13, 10
"""Of the drawings: doors, and the stages in which a card is made."""


_BUTTON = 40
"""Height of a button of the start, px at 100 % text."""
_EDGE, _NARROW_EDGE = (48, 40), (32, 28)
"""Margins of the panel at its sides, and above and below, px; the second where the cards stand one below the other."""


class StepDrawing(QWidget):
    """A drawing of what a step ends with: dim lines until it is done, then in the colour of what is well. It says
    nothing that the words beside it do not."""

    def __init__(self, key: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._key = key
        self._done = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_done(self, done: bool) -> None:
        """Light the drawing."""
        if done != self._done:
            self._done = done
            self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = theme.current()
        painter.fillRect(self.rect(), QColor(tokens.raised))
        ink = tokens.state(Meaning.OK) if self._done else tokens.border
        painter.setPen(QPen(QColor(ink), 1.5))
        side = min(self.height() * 0.72, theme.px(140))
        box = QRectF(0, 0, min(self.width() - theme.px(32), 2.2 * side), side)
        box.moveCenter(QPointF(self.rect().center()))
        if self._key == "burn":
            self._paint_doors(painter, box, ink)
        elif self._key == "card":
            self._paint_card(painter, box, ink)
        elif self._key == "readers":
            self._paint_reader(painter, box, ink)
        else:
            self._paint_people(painter, box, ink)

    def _paint_doors(self, painter: QPainter, box: QRectF, ink: str) -> None:
        """Targets, each proven by itself."""
        tokens = theme.current()
        state = Meaning.OK if self._done else Meaning.IDLE
        step, dot = box.height() / _ROWS, theme.px(9)
        columns = min(int(box.width() // step), _COLUMNS)
        left = box.center().x() - columns * step / 2
        for row in range(_ROWS):
            for at in range(columns):
                tile = QRectF(left + at * step, box.top() + row * step, step, step).adjusted(3, 3, -3, -3)
                _fill(painter, tile, 4, tokens.panel, tokens.line)
                middle = tile.center()
                paint_shape(painter, QRectF(middle.x() - dot / 2, middle.y() - dot / 2, dot, dot), state, ink)

    def _paint_card(self, painter: QPainter, box: QRectF, ink: str) -> None:
        """A card with portrait, lines and chip, and below it the stages of its making."""
        tokens = theme.current()
        bar = theme.px(4)
        card = QRectF(0, 0, (box.height() - 4 * bar) * 1.586, box.height() - 4 * bar)  # ISO/IEC 7810 ID-1
        card.moveCenter(box.center() - QPointF(0, 2 * bar))
        _fill(painter, card, 6, tokens.panel, ink)
        unit = card.height() / 10
        photo = QRectF(card.left() + unit, card.top() + 1.6 * unit, 4 * unit, 5.2 * unit)
        paint_silhouette(painter, photo, 3, tokens.raised)
        for y, length, shade in ((2.2, 7.0, tokens.dim), (4.0, 4.6, tokens.border)):
            line = QRectF(card.left() + 6 * unit, card.top() + y * unit, length * unit, 0.7 * unit)
            _fill(painter, line, line.height() / 2, shade)
        chip = QRectF(card.right() - 4.4 * unit, card.bottom() - 3.8 * unit, 3.4 * unit, 2.6 * unit)
        _fill(painter, chip, 2, tokens.panel, tokens.border)
        for third in (1, 2):
            x = chip.left() + third * chip.width() / 3
            painter.drawLine(QPointF(x, chip.top()), QPointF(x, chip.bottom()))
        painter.drawLine(QPointF(chip.left(), chip.center().y()), QPointF(chip.right(), chip.center().y()))
        step = 1.2 * card.width() / _STAGES
        for at in range(_STAGES):
            stage = QRectF(card.center().x() + (at - _STAGES / 2) * step, box.bottom() - bar, step - theme.px(4), bar)
            _fill(painter, stage, bar / 2, ink if self._done else tokens.border)

    def _paint_reader(self, painter: QPainter, box: QRectF, ink: str) -> None:
        """A reader beside a door."""
        side = box.height()
        door = QRectF(box.center().x() - 0.7 * side, box.top(), 0.62 * side, side)
        painter.drawRect(door)
        painter.drawEllipse(QPointF(door.right() - 0.1 * side, door.center().y()), 0.03 * side, 0.03 * side)
        reader = QRectF(box.center().x() + 0.25 * side, box.top() + 0.25 * side, 0.28 * side, 0.5 * side)
        painter.drawRoundedRect(reader, 4, 4)
        dot = theme.px(9)
        light = QRectF(reader.center().x() - dot / 2, reader.top() + 0.12 * side, dot, dot)
        paint_shape(painter, light, Meaning.OK if self._done else Meaning.IDLE, ink)

    def _paint_people(self, painter: QPainter, box: QRectF, ink: str) -> None:
        """People, and the list that names them."""
        tokens = theme.current()
        third, radius, dot = box.height() / 3, theme.px(12), theme.px(9)
        record = QRectF(box.center().x(), box.top(), box.width() / 2, box.height())
        _fill(painter, record, 6, tokens.panel, tokens.border)
        for at in range(3):
            y = box.top() + (at + 0.5) * third
            head = QPointF(box.left() + radius + 2, y)
            face = QRectF(head.x() - radius, y - radius, 2 * radius, 2 * radius)
            paint_silhouette(painter, face, radius, tokens.panel)
            painter.setPen(QPen(QColor(ink), 1.5))
            painter.drawLine(head + QPointF(radius + 6, 0), QPointF(record.left(), y))
            mark = QRectF(record.left() + theme.px(14), y - dot / 2, dot, dot)
            paint_shape(painter, mark, Meaning.OK if self._done else Meaning.IDLE, ink)
            line = QRectF(mark.right() + 8, y - 3, (record.width() - theme.px(50)) * (1 - 0.18 * at), 6)
            _fill(painter, line, 3, tokens.border)


def _fill(painter: QPainter, box: QRectF, radius: float, fill: str, edge: str = "") -> None:
    """A box of round corners, with an edge of 1 px in another colour where one is given."""
    painter.setPen(QPen(QColor(edge), 1) if edge else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(fill))
    painter.drawRoundedRect(box, radius, radius)
    painter.setBrush(Qt.BrushStyle.NoBrush)


class StepCard(QFrame):
    """A step: its drawing, its words, its button, and its result once there is one."""

    def __init__(self, step: FirstStep, place: str, table: ActionTable, *, first: bool) -> None:
        super().__init__()
        self.step = step
        self.setProperty("role", "panel")
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 1, 1, 16)
        column.setSpacing(8)
        self.drawing = StepDrawing(step.key)
        column.addWidget(self.drawing)
        words = QVBoxLayout()
        words.setContentsMargins(20, 8, 20, 0)
        words.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(label(place, "small"))
        head.addStretch(1)
        head.addWidget(label(tr("about {minutes} min", minutes=step.minutes), "small"))
        words.addLayout(head)
        words.addWidget(label(step.title, "title"))
        words.addWidget(label(step.sentence, "dim", wrap=True))
        words.addStretch(1)
        self.done = False
        self.mark = StateMark()
        self.result = label("", "small", wrap=True)
        words.addWidget(self.mark)
        words.addWidget(self.result)
        self.button = ActionButton(table, step.action, role="primary" if first else "")
        keep_lengths(self.button, lambda one: one.setMinimumHeight(theme.px(_BUTTON)))
        words.addLayout(Narrow(BUTTON, self.button))
        column.addLayout(words, 1)
        self.set_result("")

    def set_next(self, is_next: bool) -> None:
        """Frame it as the step that comes next."""
        theme.set_property(self, "look", "chosen" if is_next else "")

    def set_result(self, words: str, refusal: str = "") -> None:
        """What the service knows of the step; empty: it is not done. ``refusal``: why it is not for the operator."""
        self.done = bool(words)
        self.mark.set(Meaning.OK if words else Meaning.IDLE, tr("Done") if words else tr("Open", "state"))
        self.result.setText(words or refusal)
        self.drawing.set_done(self.done)
        said = words or tr("open", "state")
        self.setAccessibleName(f"{self.step.title}: {said}")


class WelcomeView(QFrame):
    """Fills the dashboard in place of the desk. ``training`` says which site it is."""

    def __init__(self, table: ActionTable, steps: Sequence[FirstStep], *, training: bool) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        column = self._column = QVBoxLayout(self)
        column.setSpacing(8)
        head = QHBoxLayout()
        head.addWidget(
            label(tr("Welcome to the training site") if training else tr("Welcome to this site"), "kpi", wrap=True), 1
        )
        self.count = StateMark()
        head.addWidget(self.count)
        self.desk = ActionButton(table, "dashboard.desk", role="quiet")
        head.addWidget(self.desk)
        column.addLayout(head)
        self.sentence = label("", "dim", wrap=True)
        column.addWidget(self.sentence)
        column.addSpacing(16)
        self._cards = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._cards.setSpacing(24)
        self.cards = [
            StepCard(step, tr("{count} of {total}", count=at, total=len(steps)), table, first=at == 1)
            for at, step in enumerate(steps, start=1)
        ]
        for card in self.cards:
            self._cards.addWidget(card, 1)
        column.addLayout(self._cards)
        column.addSpacing(24)
        column.addWidget(separator())
        column.addSpacing(12)
        foot = QHBoxLayout()
        foot.setSpacing(24)
        foot.addWidget(
            label(tr("Everything can be found with Ctrl+K. All keys: ?. Another operator: F12."), "small", wrap=True), 2
        )
        end = label(tr("When all is done, this page is the desk."), "small", wrap=True)
        end.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        foot.addWidget(end, 1)
        column.addLayout(foot)
        column.addStretch(1)
        self._fit()

    def show_results(self, results: Mapping[str, str], refusals: Mapping[str, str]) -> None:
        """Show what is done, and which step is not for the operator and why; both by the key of the step."""
        for card in self.cards:
            card.set_result(results.get(card.step.key, ""), refusals[card.step.key])
        following = next((one for one in self.cards if not one.done and one.button.isEnabled()), None)
        for card in self.cards:
            card.set_next(card is following)
        done = sum(card.done for card in self.cards)
        whole = done == len(self.cards)
        self.count.set(
            Meaning.OK if whole else Meaning.IDLE, tr("{count} of {total} done", count=done, total=len(self.cards))
        )

    @property
    def next_button(self) -> QWidget:
        """The button of the first step that is open to the operator; the way to the desk without one."""
        return next((one.button for one in self.cards if not one.done and one.button.isEnabled()), self.desk)

    def _fit(self) -> None:
        """Cards stand side by side where there is room."""
        narrow = self.width() < theme.px(NARROW_BELOW)
        lay(self._cards, across=not narrow)
        across, down = _NARROW_EDGE if narrow else _EDGE
        self._column.setContentsMargins(across, down, across, down)
        for card in self.cards:
            card.drawing.setHidden(narrow)
            card.drawing.setFixedHeight(min(max(theme.px(_LEAST), round(self.width() * _SHARE)), theme.px(_MOST)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "_cards"):
            self._fit()
        super().changeEvent(event)
