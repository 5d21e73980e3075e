"""A key figure: title in caps, the number large, a line below it, its state as shape and word."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.console.theme.tokens import Meaning
from app.console.widgets.marks import StateMark
from app.console.widgets.text import ElidedLabel, TitledPanel, label


class KpiTile(TitledPanel):
    """``set`` shows a value; ``set_stale`` greys it and says since when the source is silent."""

    def __init__(self, title: str, unit: str = "", parent: QWidget | None = None) -> None:
        super().__init__(title, parent=parent)
        self._unit = unit
        self._mark = StateMark()
        policy = self._mark.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # tiles side by side keep their numbers on one line
        self._mark.setSizePolicy(policy)
        self._mark.hide()
        self.head.addWidget(self._mark)
        row = QHBoxLayout()
        row.setSpacing(6)
        self._value = label("–", "kpi")
        self._unit_label = label(unit, "dim")
        row.addWidget(self._value)
        row.addWidget(self._unit_label)
        row.addStretch(1)
        self._unit_label.setContentsMargins(0, 10, 0, 0)
        self._below = ElidedLabel("", "small")
        self.body.addLayout(row)
        self.body.addWidget(self._below)

    @property
    def value(self) -> str:
        """The text shown as the value."""
        return self._value.text()

    def set(self, value: str, below: str = "", state: Meaning | None = None, word: str = "") -> None:
        """Show ``value`` with the line ``below`` it; ``state`` and ``word`` at the title's right."""
        self._value.setText(value)
        self._below.setText(below)
        self._value.setProperty("role", "kpi")
        if state is None:
            self._mark.hide()
        else:
            self._mark.set(state, word)
            self._mark.show()
        said = " ".join(part for part in (self.title.text().capitalize(), value, self._unit, word, below) if part)
        self.setAccessibleName(said)

    def set_stale(self, words: str) -> None:
        """The source is silent: the idle ring with ``words`` ("STALE since 14:32:07"); the last value stays."""
        self._mark.set(Meaning.IDLE, "Stale")
        self._mark.show()
        self._below.setText(words)
        self.setAccessibleName(f"{self.title.text().capitalize()} {words}")
