"""The calibration tab's parts: the set, its curve, the points where a verdict changes, and the open scan in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from app.console import theme
from app.console.language import tr
from app.console.pages.media.scan_view import LIMITS
from app.console.widgets.breadth import PAGE, Narrow
from app.console.widgets.empty import EmptyState
from app.console.widgets.lengths import keep_lengths
from app.console.widgets.marks import StateMark
from app.console.widgets.rate_curve import RateCurve, RatePoint
from app.console.widgets.side import Side
from app.console.widgets.stack import Stack
from app.console.widgets.text import TitledPanel, label


@dataclass(frozen=True)
class ShownCurve:
    """One set of authentic pictures. ``turns``: score and rate from which on the verdict changes; ``own``: the open
    scan's score and rate, where it was compared with this set; ``lines``: all of it in sentences."""

    id: str
    name: str
    points: tuple[RatePoint, ...]
    turns: tuple[tuple[float, float], ...]
    own: tuple[float, float] | None
    lines: tuple[str, ...]


class CalibrationView(QWidget):
    """``chosen`` gives the id of another set."""

    chosen = Signal(str)

    def __init__(self, mark: StateMark) -> None:
        super().__init__()
        column = Narrow(PAGE, parent=self)
        column.setContentsMargins(0, 16, 0, 0)
        column.setSpacing(12)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(label(tr("Authentic pictures that were")))
        self.sets = QComboBox()
        self.sets.setAccessibleName(tr("Set of authentic pictures"))
        keep_lengths(self.sets, lambda one: one.setMinimumWidth(theme.px(240)))
        self.sets.currentIndexChanged.connect(lambda _at: self.chosen.emit(self.set_id))
        row.addWidget(self.sets)
        row.addStretch(1)
        row.addWidget(mark)
        column.addLayout(row)
        panel = TitledPanel(tr("How often authentic pictures score as high"), padding=12)
        self.curve = RateCurve(LIMITS, name=tr("Scores against false alarms"))
        self.nothing = EmptyState(
            "gauge", tr("No calibration is known."), tr("What scores are worth stands here once it was read.")
        )
        self.stack = Stack(220)
        self.stack.addWidget(self.curve)
        self.stack.addWidget(self.nothing)
        self.stack.setCurrentWidget(self.nothing)
        panel.body.addWidget(self.stack, 1)
        middle = QHBoxLayout()
        middle.setSpacing(12)
        middle.addWidget(panel, 1)
        side = Side(336, 288)
        words = TitledPanel(tr("What it says"), padding=12)
        self.words = label("", "", wrap=True, selectable=True)
        words.body.addWidget(self.words)
        words.body.addStretch(1)
        side.column.addWidget(words, 1)
        middle.addWidget(side)
        column.addLayout(middle, 1)

    @property
    def set_id(self) -> str:
        """The chosen set; empty where there is none."""
        return str(self.sets.currentData() or "")

    def show_sets(self, sets: Sequence[tuple[str, str]], chosen: str) -> None:
        """Ids and names of the sets."""
        known = [(str(self.sets.itemData(at)), self.sets.itemText(at)) for at in range(self.sets.count())]
        self.sets.blockSignals(True)
        if known != list(sets):
            self.sets.clear()
            for id_, name in sets:
                self.sets.addItem(name, id_)
        self.sets.setCurrentIndex(max(0, self.sets.findData(chosen)))
        self.sets.blockSignals(False)
        self.sets.setEnabled(bool(sets))

    def show_curve(self, shown: ShownCurve | None) -> None:
        """Show a set; None before one is known."""
        self.stack.setCurrentWidget(self.nothing if shown is None else self.curve)
        lines = () if shown is None else shown.lines
        self.words.setText("\n\n".join(lines))
        if shown is not None:
            self.curve.show_curve(shown.points, shown.turns, shown.own, " ".join(lines))
