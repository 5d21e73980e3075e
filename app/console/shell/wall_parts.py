"""What a wall display is made of: its head with the state of the site, its tiles, and the row of its scenes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_data import FloatArray
from app.console.widgets.marks import paint_shape
from app.console.widgets.sparkline import Sparkline
from app.console.widgets.text import ElidedLabel, label

_BAR = 14
_RADIUS = 8
_TREND_SCALE = 1.25
CALLS = (Meaning.CRIT, Meaning.BAD)
"""States that frame the head: somebody must act."""


class WallShape(QWidget):
    """The shape of a state, ``side`` px at 100 % text."""

    def __init__(self, side: int) -> None:
        super().__init__()
        self._side = side
        self.state = Meaning.IDLE
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_state(self, state: Meaning) -> None:
        """Show another state."""
        if state is not self.state:
            self.state = state
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(self._side), theme.px(self._side))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_shape(painter, QRectF(self.rect()).adjusted(1, 1, -1, -1), self.state)


class WallHead(QFrame):
    """A panel with a bar of its state at the left; where somebody must act, the state frames it, too."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._state = Meaning.IDLE

    def set_state(self, state: Meaning) -> None:
        """Show another state."""
        if state is not self._state:
            self._state = state
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(theme.current().state(self._state))
        ground, bar = QPainterPath(), QPainterPath()
        ground.addRoundedRect(QRectF(self.rect()), _RADIUS, _RADIUS)
        bar.addRect(QRectF(0, 0, _BAR, self.height()))
        painter.fillPath(ground.intersected(bar), colour)
        if self._state in CALLS:
            painter.setPen(QPen(colour, 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), _RADIUS, _RADIUS)


class WallTile(QFrame):
    """A figure that is read from across the room: its name, the figure with its course, and what it means."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self._title = title
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 10, 20, 10)
        column.setSpacing(0)
        column.addStretch(1)
        column.addWidget(ElidedLabel(title, "wall-dim"))
        row = QHBoxLayout()
        row.setSpacing(8)
        self._value, self._unit = label("–", "wall-figure"), label("", "wall-dim")
        self._trend = Sparkline(scale=_TREND_SCALE)
        self._trend.hide()
        row.addWidget(self._value)
        row.addWidget(self._unit)
        row.addStretch(1)
        row.addWidget(self._trend)
        column.addLayout(row)
        foot = QHBoxLayout()
        foot.setSpacing(10)
        self._shape = WallShape(14)
        self._words = ElidedLabel("", "wall-text")
        foot.addWidget(self._shape)
        foot.addWidget(self._words, 1)
        column.addLayout(foot)
        column.addStretch(1)
        self.setAccessibleName(title)

    @property
    def said(self) -> tuple[str, Meaning, str]:
        """Value with its unit, state and words that are shown."""
        return f"{self._value.text()} {self._unit.text()}".strip(), self._shape.state, self._words.text()

    def set(self, value: str, unit: str, state: Meaning, words: str) -> None:
        """Show a figure, and what it means."""
        self._value.setText(value)
        self._unit.setText(unit)
        self._shape.set_state(state)
        self._words.setText(words)
        self.setAccessibleName(f"{self._title}: {' '.join(filter(None, (value, unit)))}; {words}")

    def set_trend(self, values: FloatArray | None, goal: float | None = None) -> None:
        """Show the course of the figure, oldest first; None: it is not known."""
        self._trend.setVisible(values is not None)
        if values is not None:
            self._trend.set(values, goal)


class SceneRow(QWidget):
    """The names of the scenes, each with a bar; the one that is shown is bright and has a longer one."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(12)
        self._bars: list[_SceneBar] = []
        self._names: list[QLabel] = []
        for name in names:
            bar, words = _SceneBar(), label(name, "wall-dim")
            row.addWidget(bar)
            row.addWidget(words)
            row.addSpacing(12)
            self._bars.append(bar)
            self._names.append(words)

    def choose(self, at: int, *, narrow: bool) -> None:
        """Show which scene is in front; in a ``narrow`` place its name alone."""
        for place, (bar, words) in enumerate(zip(self._bars, self._names, strict=True)):
            role = "wall-text" if place == at else "wall-dim"
            theme.set_property(words, "role", role)
            words.setVisible(place == at or not narrow)
            bar.set_chosen(place == at)
        self.setAccessibleName(
            tr("{name}, scene {at} of {count}", name=self._names[at].text(), at=at + 1, count=len(self._names))
        )


class _SceneBar(QWidget):
    """A short bar, or a longer and brighter one."""

    def __init__(self) -> None:
        super().__init__()
        self._chosen = False
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_chosen(self, chosen: bool) -> None:
        """Whether its scene is in front."""
        if chosen != self._chosen:
            self._chosen = chosen
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme.px(72 if self._chosen else 28), theme.px(6))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        path = QPainterPath()
        path.addRoundedRect(QRectF(self.rect()), 3, 3)
        tokens = theme.current()
        painter.fillPath(path, QColor(tokens.text if self._chosen else tokens.border))
