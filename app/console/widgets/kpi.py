"""A key figure: its name, the number large with its course, and a foot that says its state, and its goal in words."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from app.console.language import tr
from app.console.theme.tokens import Meaning
from app.console.widgets.chart_data import FloatArray
from app.console.widgets.marks import StateMark
from app.console.widgets.sparkline import Sparkline
from app.console.widgets.text import ElidedLabel, label


class KpiTile(QFrame):
    """``set`` shows a value; ``set_stale`` says since when the source is silent."""

    def __init__(self, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "panel")
        self._title, self._unit = title, unit
        self.setAccessibleName(title)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 12, 16, 12)
        column.setSpacing(2)
        self._head = ElidedLabel(title, "small")
        column.addWidget(self._head)
        row = QHBoxLayout()
        row.setSpacing(6)
        self._value = label("–", "kpi")
        self._unit_label = label(unit, "dim")
        self._unit_label.setContentsMargins(0, 10, 0, 0)
        self._trend = Sparkline()
        self._trend.hide()
        row.addWidget(self._value)
        row.addWidget(self._unit_label)
        row.addStretch(1)
        row.addWidget(self._trend)
        column.addLayout(row)
        foot = QHBoxLayout()
        foot.setSpacing(8)
        self._mark = StateMark()
        self._mark.hide()
        self._below = ElidedLabel("", "small")
        # Tiles side by side keep their feet on one line, also those that have no mark.
        self._below.setMinimumHeight(self._mark.sizeHint().height())
        foot.addWidget(self._mark)
        foot.addWidget(self._below, 1)
        column.addLayout(foot)

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
        self._below.setText(below)
        if state is None:
            self._mark.hide()
        else:
            self._mark.set(state, word)
            self._mark.show()
        said = (self._title, value, self._unit, word if state is not None else "", below)
        self.setAccessibleName(" ".join(part for part in said if part))

    def set_trend(self, values: FloatArray, goal: float | None = None) -> None:
        """Show the course of the value, evenly apart, oldest first, and the goal in it; without values none."""
        self._trend.set(values, goal)
        self._trend.setVisible(values.size > 0)

    def set_stale(self, words: str) -> None:
        """The source is silent: the idle ring with ``words`` ("STALE since 14:32:07"); the last value stays."""
        self._mark.set(Meaning.IDLE, tr("Stale"))
        self._mark.show()
        self._below.setText(words)
        self.setAccessibleName(f"{self._title} {words}")


def goal_foot(goal: float, unit: str, missed: int, of: int, each: str) -> tuple[Meaning, str]:
    """State and words of a goal: how many of the last ``of`` (``each``: min) missed it. ``of`` 0: nobody knows."""
    if not of:
        return Meaning.IDLE, tr("Goal {goal:g} {unit}: nothing measured", goal=goal, unit=unit)
    if not missed:
        return Meaning.OK, tr("Goal {goal:g} {unit} kept", goal=goal, unit=unit)
    return Meaning.WARN, tr(
        "Goal {goal:g} {unit} missed {missed} of {of} {each}", goal=goal, unit=unit, missed=missed, of=of, each=each
    )
