"""The panel of a burn that is read first: its state, the clock to the last door, how many refuse, and each target as a
mark over time."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import number, tr
from app.console.pages.burn.board import BurnBoard, ClockFace
from app.console.pages.burn.dot_chart import DotChart
from app.console.pages.burn.dots import TargetDots
from app.console.pages.burn.subject_view import Whom
from app.console.theme.tokens import Meaning
from app.console.widgets.breadth import lay
from app.console.widgets.hero import paint_bar
from app.console.widgets.marks import StateMark
from app.console.widgets.portrait import Portrait
from app.console.widgets.text import ElidedLabel, label

_LARGE, _SMALL, _UNIT = 72, 56, 22
_SMALL_BELOW = 780
"""Width of the panel, px at 100 % text, below which the clock is smaller and says less."""
_HIGH, _MOST_HIGH = 284, 380
"""How high the panel is where there is room, and at most, px at 100 % text."""


class BurnClock(QLabel):
    """The time to the last door in the largest figures of the console, its unit beside it in dim."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._size = _LARGE
        self._unit = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.show_time("–", "")

    def show_time(self, figure: str, unit: str) -> None:
        """Show another time."""
        if (figure, unit) == (self.text(), self._unit):
            return
        self._unit = unit
        self.setText(figure)
        self.setAccessibleName(tr("Time to last door: {time}", time=f"{figure} {unit}".strip()))
        self.updateGeometry()

    def set_large(self, large: bool) -> None:
        """72 px, or 56 where there is less room."""
        size = _LARGE if large else _SMALL
        if size != self._size:
            self._size = size
            self.updateGeometry()

    def _fonts(self) -> tuple[QFont, QFont]:
        return theme.ui(self._size, QFont.Weight.DemiBold), theme.ui(_UNIT, QFont.Weight.DemiBold)

    def sizeHint(self) -> QSize:
        # Figures are as high as capitals: what a font keeps for other letters would be a gap above the clock.
        large, unit = (QFontMetrics(font) for font in self._fonts())
        wide = large.horizontalAdvance(self.text())
        wide += theme.px(8) + unit.horizontalAdvance(self._unit) if self._unit else 0
        return QSize(max(wide, large.horizontalAdvance("0.00")) + 4, large.capHeight() + theme.px(14))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        large, unit = self._fonts()
        foot = self.height() - theme.px(7)
        painter.setFont(large)
        painter.setPen(QColor(tokens.text))
        painter.drawText(QPointF(0, foot), self.text())
        if self._unit:
            left = painter.fontMetrics().horizontalAdvance(self.text()) + theme.px(8)
            painter.setFont(unit)
            painter.setPen(QColor(tokens.dim))
            painter.drawText(QPointF(left, foot), self._unit)


class WhomView(QWidget):
    """Portrait, name, id with standing, and where they may still be."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(16)
        self._portrait = Portrait(64, 76)
        row.addWidget(self._portrait, 0, Qt.AlignmentFlag.AlignTop)
        lines = QVBoxLayout()
        lines.setSpacing(4)
        row.addLayout(lines, 1)
        self.name = ElidedLabel("", "title")
        lines.addWidget(self.name)
        known = QHBoxLayout()
        lines.addLayout(known)
        known.setSpacing(8)
        self._id = label("", "mono")
        self._id.setFont(theme.mono())
        self.standing = StateMark()
        known.addWidget(self._id)
        known.addWidget(self.standing)
        known.addStretch(1)
        self.seen = label("", "small", wrap=True)
        lines.addWidget(self.seen)
        lines.addStretch(1)

    def show_person(self, whom: Whom) -> None:
        """Show another person, or what has become known of them."""
        self.name.setText(whom.name)
        self._id.setText(whom.node_id)
        self._id.setVisible(whom.node_id != whom.name)
        self.standing.set(whom.state, whom.standing)
        self.seen.setText(whom.seen)

    def show_portrait(self, on: bool) -> None:
        """Show the portrait, or leave its room to the words."""
        self._portrait.setVisible(on)


class BurnHero(QFrame):
    """``show_state`` is cheap where only the clock has moved."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._low = self._expects = False
        self.setProperty("role", "panel")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Expanding)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 12, 16, 8)
        column.setSpacing(4)
        self._top = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._top.setSpacing(24)
        column.addLayout(self._top)
        self.whom = WhomView()
        self.whom.hide()
        self._top.addWidget(self.whom, 2)
        told = QVBoxLayout()
        self._top.addLayout(told, 3)
        told.setSpacing(4)
        head = QHBoxLayout()
        head.setSpacing(12)
        told.addLayout(head)
        self.mark = StateMark()
        self.marks = ElidedLabel("", "small")
        self.marks.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        head.addWidget(self.mark)
        head.addWidget(self.marks, 1)
        figures = QHBoxLayout()
        figures.setSpacing(24)
        told.addLayout(figures)
        self.time = BurnClock()
        figures.addWidget(self.time, 0, Qt.AlignmentFlag.AlignTop)
        doors = QVBoxLayout()
        doors.setSpacing(2)
        figures.addLayout(doors, 1)
        doors.addStretch(1)
        count = QHBoxLayout()
        count.setSpacing(8)
        doors.addLayout(count)
        self.count = label("", "kpi")
        self._doors = label("", "dim")
        self._doors.setContentsMargins(0, 10, 0, 0)
        count.addWidget(self.count)
        count.addWidget(self._doors)
        count.addStretch(1)
        self.not_yet = ElidedLabel("", "dim")
        doors.addWidget(self.not_yet)
        doors.addStretch(1)
        self._expected = QWidget()
        figures.addWidget(self._expected)
        expected = QGridLayout(self._expected)
        expected.setContentsMargins(0, 0, 0, 0)
        expected.setVerticalSpacing(2)
        self.expected = label("", "heading")
        self._source = label("", "small")
        for at, one in enumerate((label(tr("Expected"), "small"), self.expected, self._source)):
            expected.addWidget(one, at, 0, Qt.AlignmentFlag.AlignRight)
        expected.setRowStretch(3, 1)
        self.chart = DotChart()
        column.addWidget(self.chart, 1)

    @property
    def state(self) -> Meaning:
        """The state shown, that of the bar too."""
        return self.mark.state

    def show_whom(self, whom: Whom | None) -> None:
        """Say whose access ends; None: that stands beside the panel."""
        if whom is not None:
            self.whom.show_person(whom)
        self.whom.setVisible(whom is not None)
        self._show_expected()

    def show_state(self, face: ClockFace, state: Meaning, sentence: str) -> None:
        """Show the clock, the doors, and the state with its sentence."""
        if state is not self.mark.state:
            self.update()
        self.mark.set(state, sentence)
        self.time.show_time(*face.parts)
        self.time.setAccessibleDescription(face.count)
        self.count.setText(face.refusing)
        self._doors.setText(
            tr("no doors") if not face.total else tr("door refuses") if face.total == 1 else tr("doors refuse")
        )

    def show_burn(self, board: BurnBoard) -> None:
        """Show what changes with the targets alone: what is not yet, and what was expected."""
        self.not_yet.setText(board.not_yet)
        # Of a burn that was made elsewhere nobody has kept what was expected of it.
        self._expects = board.began is not None
        self._show_expected()
        self.expected.setVisible(board.expected_ms is not None)
        if board.expected_ms is None:
            self._source.setText(tr("no history yet"))
        else:
            self.expected.setText(f"{number(board.expected_ms / 1000, '.3f')} s")
            self._source.setText(tr("p95 of its last burns"))

    def _show_expected(self) -> None:
        """What was expected stands beside the clock, unless a person does: it is a line of the chart, too."""
        self._expected.setVisible(self._expects and self.whom.isHidden())

    def show_dots(self, dots: TargetDots, words: str) -> None:
        """Show each target as a mark."""
        self.chart.show_dots(dots, words)

    def set_low(self, low: bool) -> None:
        """Leave more of a low panel to the marks: its clock is smaller."""
        self._low = low
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), theme.px(_HIGH))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and hasattr(self, "chart"):
            self._fit()

    def _fit(self) -> None:
        self.setMaximumHeight(theme.px(_MOST_HIGH))
        wide = self.width() >= theme.px(_SMALL_BELOW)
        self.time.set_large(wide and not self._low)
        self._source.setVisible(wide)
        lay(self._top, across=wide)
        self._top.setSpacing(24 if wide else 8)
        self.whom.show_portrait(wide)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_bar(painter, QRectF(self.rect()), self.mark.state)
