"""What a new site shows first: its steps as cards, each with a drawing that is lit by its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.language import tr
from app.console.pages.dashboard.first_steps import FirstStep
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import BUTTON, Narrow, lay
from app.console.widgets.buttons import ActionButton
from app.console.widgets.marks import StateMark, paint_shape
from app.console.widgets.text import label

NARROW_BELOW = 900
"""Width of the panel, px at 100 % text, below which its cards stand one below the other, without drawings."""
_LEAST, _MOST = 96, 220
"""Height of a drawing, px at 100 % text, between which it has ``_SHARE`` of the panel's width."""
_SHARE = 0.15


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
            self._paint_card(painter, box)
        elif self._key == "readers":
            self._paint_reader(painter, box, ink)
        else:
            self._paint_people(painter, box, ink)

    def _paint_doors(self, painter: QPainter, box: QRectF, ink: str) -> None:
        """Targets, each proven by itself."""
        state = Meaning.OK if self._done else Meaning.IDLE
        step, dot = box.width() / 9, theme.px(9)
        for row in range(4):
            for at in range(9):
                centre = QPointF(box.left() + (at + 0.5) * step, box.top() + (row + 0.5) * box.height() / 4)
                paint_shape(painter, QRectF(centre.x() - dot / 2, centre.y() - dot / 2, dot, dot), state, ink)

    def _paint_card(self, painter: QPainter, box: QRectF) -> None:
        """A card with portrait, lines and chip."""
        card = QRectF(0, 0, box.height() * 1.586, box.height())  # ISO/IEC 7810 ID-1
        card.moveCenter(box.center())
        painter.drawRoundedRect(card, 6, 6)
        unit = card.height() / 10
        painter.drawRoundedRect(QRectF(card.left() + unit, card.top() + 2 * unit, 3.4 * unit, 4.6 * unit), 3, 3)
        for y, length in ((2.6, 7.0), (4.2, 5.0)):
            start = QPointF(card.left() + 6 * unit, card.top() + y * unit)
            painter.drawLine(start, start + QPointF(length * unit, 0))
        painter.drawRoundedRect(QRectF(card.right() - 5 * unit, card.bottom() - 4 * unit, 3.4 * unit, 2.6 * unit), 2, 2)

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
        third, radius = box.height() / 3, theme.px(10)
        record = QRectF(box.center().x(), box.top() + 4, box.width() / 2, box.height() - 8)
        painter.drawRoundedRect(record, 6, 6)
        dot = theme.px(9)
        for at in range(3):
            y = box.top() + (at + 0.5) * third
            head = QPointF(box.left() + radius + 2, y)
            painter.drawEllipse(head, radius, radius)
            painter.drawLine(head + QPointF(radius + 6, 0), QPointF(record.left(), y))
            mark = QRectF(record.left() + theme.px(14), y - dot / 2, dot, dot)
            paint_shape(painter, mark, Meaning.OK if self._done else Meaning.IDLE, ink)
            painter.drawLine(QPointF(mark.right() + 8, y), QPointF(record.right() - theme.px(14), y))


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
        words.addLayout(Narrow(BUTTON, self.button))
        column.addLayout(words, 1)
        self.set_result("")

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
        column = QVBoxLayout(self)
        column.setContentsMargins(32, 28, 32, 28)
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
        column.addSpacing(16)
        column.addWidget(
            label(tr(
                "Everything can be found with Ctrl+K. All keys: ?. Another operator: F12. At the end it is "
                "the desk."),
                  "small", wrap=True)
        )  # fmt: skip
        column.addStretch(1)
        self._fit()

    def show_results(self, results: Mapping[str, str], refusals: Mapping[str, str]) -> None:
        """Show what is done, and which step is not for the operator and why; both by the key of the step."""
        for card in self.cards:
            card.set_result(results.get(card.step.key, ""), refusals[card.step.key])
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
