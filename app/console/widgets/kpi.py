"""A key figure: its name, the number large with its course, and a foot that says its state, and its goal in words."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_data import FloatArray
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.sparkline import HEIGHT, Sparkline
from app.console.widgets.text import ElidedLabel, label

_EDGE, _APART = 16, 6
_MOST = 1600
CHOICE_LEAST = 148
"""Width, px at 100 % text, below which a tile that is chosen by would lose its foot."""


class KpiTile(QFrame):
    """``set`` shows a value; ``set_stale`` says since when the source is silent."""

    def __init__(self, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._title, self._unit = title, unit
        self.setAccessibleName(title)
        column = QVBoxLayout(self)
        column.setContentsMargins(_EDGE, 12, _EDGE, 12)
        column.setSpacing(2)
        self._head = ElidedLabel(title, "small")
        column.addWidget(self._head)
        row = QHBoxLayout()
        row.setSpacing(_APART)
        column.addLayout(row)
        self._value = label("–", "kpi")
        self._unit_label = label(unit, "dim")
        self._unit_label.setContentsMargins(0, 10, 0, 0)
        self._trend = Sparkline()
        self._trend.hide()
        self._has_trend = False
        row.addWidget(self._value)
        row.addWidget(self._unit_label)
        row.addStretch(1)
        row.addWidget(self._trend)
        self._no_trend = label("", "small")
        self._no_trend.hide()
        row.addWidget(self._no_trend)
        foot = QHBoxLayout()
        column.addLayout(foot)
        foot.setSpacing(8)
        self._mark = StateMark()
        self._mark.setProperty("role", "foot")
        self._mark.hide()
        self._below = ElidedLabel("", "small")
        # Tiles side by side keep their feet on one line, also those that have no mark.
        self._below.setMinimumHeight(self._mark.sizeHint().height())
        foot.addWidget(self._mark, 0, Qt.AlignmentFlag.AlignTop)
        foot.addWidget(self._below, 1)
        self._lines = label("", wrap=True)
        self._lines.setProperty("role", "foot")
        keep_lengths(self._lines, lambda one: one.setMinimumHeight(2 * one.fontMetrics().lineSpacing()))
        self._lines.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        self._lines.hide()
        foot.addWidget(self._lines, 1)
        self._narrow = False
        self._word = ""

    @property
    def value(self) -> str:
        """The text shown as the value."""
        return self._value.text()

    @property
    def unit(self) -> str:
        """What stands dim behind the value: its unit, or ``of 52``."""
        return self._unit

    @property
    def state(self) -> Meaning | None:
        """The state that the foot shows; None: it shows none."""
        return None if self._mark.isHidden() else self._mark.state

    def set_title(self, title: str) -> None:
        """Name the figure; what hears it hears the name with the next value."""
        self._title = title
        self._head.setText(title)

    def set(
        self,
        value: str,
        below: str = "",
        state: Meaning | None = None,
        word: str = "",
        *,
        goal: bool = False,
        unit: str | None = None,
    ) -> None:
        """Show ``value``, and dim behind it ``unit``, the one before while that is None; the foot is ``state`` with its
        ``word``, then ``below``. ``goal``: the foot names what the value is measured against. Without a goal nothing is
        green: a number alone is neither good nor bad."""
        if state is Meaning.OK and not goal:
            state, below = None, " · ".join(part for part in (word, below) if part)
        if unit is not None and unit != self._unit:
            self._unit = unit
            self._unit_label.setText(unit)
        self._value.setText(value)
        self._fit_trend()
        self._fill_foot(state, word, below)
        said = (self._title, value, self._unit, word if state is not None else "", below)
        self.setAccessibleName(" ".join(part for part in said if part))

    def set_narrow(self, on: bool) -> None:
        """Have the words of the foot stand in two lines beside the shape, because one is too narrow for them."""
        self._narrow = on
        self._fill_foot(self.state, self._word, self._below.text())

    def _fill_foot(self, state: Meaning | None, word: str, below: str) -> None:
        self._word = word
        self._mark.set(state or Meaning.IDLE, "" if self._narrow else word)
        self._mark.setVisible(state is not None)
        self._below.setText(below)
        self._below.setVisible(not self._narrow)
        self._lines.setText(", ".join(part for part in (word if state is not None else "", below) if part))
        self._lines.setVisible(self._narrow)

    def set_trend(self, values: FloatArray, goal: float | None = None) -> None:
        """Show the course of the value, evenly apart, oldest first, and the goal in it; without values none."""
        self._trend.set(values, goal)
        self._has_trend = values.size > 0
        self._fit_trend()

    def say_no_trend(self, words: str) -> None:
        """Say in the place of the course that there is none."""
        self._has_trend = False
        self._no_trend.setText(words)
        self._fit_trend()

    @property
    def trends(self) -> bool:
        """Whether the course is shown."""
        return not self._trend.isHidden()

    def _fit_trend(self) -> None:
        """Leave the course out where figure and unit need the room."""
        room = theme.px(_MOST)
        # Not before it is shown: to measure words makes Qt look up their style, while the page is still being built.
        if self.isVisible():
            figure = self._value.sizeHint().width() + self._unit_label.sizeHint().width()
            room = self.width() - figure - theme.px(2 * _EDGE + 2 * _APART)
        self._trend.setVisible(self._has_trend and self._trend.width() <= room)
        told = bool(self._no_trend.text()) and not self._has_trend
        self._no_trend.setVisible(told and self._no_trend.sizeHint().width() <= room)
        # Tiles side by side are as high as each other, also those without a course.
        self._value.setMinimumHeight(theme.px(HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_trend()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.StyleChange and hasattr(self, "_narrow"):
            self._fit_trend()
            self._below.setMinimumHeight(self._mark.sizeHint().height())

    def set_stale(self, words: str) -> None:
        """The source is silent: the idle ring with ``words`` ("STALE since 14:32:07"); the last value stays."""
        self._fill_foot(Meaning.IDLE, tr("Stale"), words)
        self.setAccessibleName(f"{self._title} {words}")


class KpiChoice(QAbstractButton):
    """A tile that chooses what something else shows: a click, Space or Enter checks it, and it stays checked until
    another one is. It has the accent frame while it is. Its values are those of ``tile``; ``tell`` names them anew."""

    def __init__(self, title: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.tile = KpiTile(title)
        self.tile.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.tile)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleDescription(hint)
        self.setToolTip(hint)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        keep_lengths(self, lambda one: one.setMinimumWidth(theme.px(CHOICE_LEAST)))
        self.toggled.connect(lambda _on: self._dress())
        self.tell()

    def tell(self) -> None:
        """Have the button named as its tile is."""
        self.setAccessibleName(self.tile.accessibleName())

    def nextCheckState(self) -> None:
        """A chosen one stays chosen: something is always shown."""
        self.setChecked(True)

    def sizeHint(self) -> QSize:
        return self.tile.sizeHint()

    def _dress(self) -> None:
        look = "held" if self.hasFocus() else "chosen" if self.isChecked() else ""
        theme.set_property(self.tile, "look", look)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._dress()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._dress()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The tile paints itself."""


def goal_foot(goal: float, unit: str, missed: int, of: int, each: str) -> tuple[Meaning, str]:
    """State and words of a goal: how many of the last ``of`` (``each``: min) missed it. ``of`` 0: nobody knows."""
    if not of:
        return Meaning.IDLE, tr("Goal {goal:g} {unit}: nothing measured", goal=goal, unit=unit)
    if not missed:
        return Meaning.OK, tr("Goal {goal:g} {unit} kept", goal=goal, unit=unit)
    return Meaning.WARN, tr(
        "Goal {goal:g} {unit} missed {missed} of {of} {each}", goal=goal, unit=unit, missed=missed, of=of, each=each
    )
