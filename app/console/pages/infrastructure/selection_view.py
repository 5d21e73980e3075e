"""The panel that says in words what a selection on the chart shows."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QSizePolicy, QWidget

from app.console import theme
from app.console.actions import ActionTable
from app.console.clock import clock_time
from app.console.language import number, tr
from app.console.pages.infrastructure.selection_words import PhaseChange
from app.console.widgets.buttons import ActionButton, plain_button
from app.console.widgets.chart_plot import ChartEvent
from app.console.widgets.marks import StateMark
from app.console.widgets.taking_away import take_away
from app.console.widgets.text import ElidedLabel, TitledPanel, label

MOST_EVENTS = 3
"""Lines of what happened around a selection; more are counted."""
_AT_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
_AT_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)


class PhaseTable(QWidget):
    """Four phases: their median before and in the selection, and a bar; the one that grew has the sign of what is
    looked at, beside its figure in bold."""

    ROW = 24

    def __init__(self) -> None:
        super().__init__()
        self._phases: Sequence[PhaseChange] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    @property
    def phases(self) -> Sequence[PhaseChange]:
        """What is shown."""
        return self._phases

    def show_phases(self, phases: Sequence[PhaseChange]) -> None:
        """Show these."""
        if phases == self._phases:
            return
        self._phases = phases
        said = ", ".join(
            tr("{name} {before} before, {now} ms selected", name=one.name, before=_ms(one.before), now=_ms(one.now))
            + (tr(", this one grew") if one.grew else "")
            for one in phases
        )
        self.setAccessibleName(tr("Phases, p50: {said}", said=said))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, theme.px(self.ROW) * (len(self._phases) + 1))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, tokens = QPainter(self), theme.current()
        row, wide = theme.px(self.ROW), self.width()
        names, figure = theme.px(104), theme.px(74)
        bar = names + 2 * figure + theme.px(12)
        painter.setFont(theme.ui(12, QFont.Weight.Medium))
        painter.setPen(QColor(tokens.dim))
        left, right = _AT_LEFT, _AT_RIGHT
        painter.drawText(QRectF(0, 0, names, row), left, tr("Phase, p50"))
        painter.drawText(QRectF(names, 0, figure, row), right, tr("before"))
        painter.drawText(QRectF(names + figure, 0, figure, row), right, tr("selected"))
        longest = max((max(one.now, one.before or 0.0) for one in self._phases), default=0.0) or 1.0
        for at, one in enumerate(self._phases, 1):
            top = at * row
            painter.setPen(QPen(QColor(tokens.line), 1))
            painter.drawLine(0, top, wide, top)
            painter.setFont(theme.ui(13))
            painter.setPen(QColor(tokens.text))
            painter.drawText(QRectF(0, top, names, row), left, one.name)
            painter.setPen(QColor(tokens.dim))
            painter.drawText(QRectF(names, top, figure, row), right, _ms(one.before))
            painter.setFont(theme.ui(13, QFont.Weight.DemiBold if one.grew else QFont.Weight.Normal))
            painter.setPen(QColor(tokens.text))
            painter.drawText(QRectF(names + figure, top, figure, row), right, _ms(one.now))
            if bar >= wide:
                continue
            track = QRectF(bar, top + row * 0.36, wide - bar, row * 0.28)
            painter.fillRect(track, QColor(tokens.raised))
            track.setWidth(max(2.0, track.width() * one.now / longest))
            painter.fillRect(track, QColor(tokens.warn_fill if one.grew else tokens.accent))
            if one.grew and tokens.warn_fill != tokens.warn:
                painter.setPen(QPen(QColor(tokens.warn), 1))
                painter.drawRect(track)


class SelectionPanel(TitledPanel):
    """``show_change`` fills it; emits ``zoom_asked``, ``copy_asked`` and ``closed``."""

    zoom_asked = Signal()
    copy_asked = Signal()
    closed = Signal()

    def __init__(self, table: ActionTable) -> None:
        super().__init__(tr("Selected"), padding=12)
        self.head.addWidget(plain_button(tr("Zoom"), self.zoom_asked.emit))
        self.close_button = plain_button(tr("Close"), self.closed.emit)
        self.close_button.setProperty("role", "quiet")
        self.close_button.setAccessibleName(tr("Take the selection away"))
        self.head.addWidget(self.close_button)
        self.body.setSpacing(6)
        self.sentence = label("", "title", wrap=True)
        self.detail = label("", "dim", wrap=True)
        self.phases = PhaseTable()
        self.note = label("", "small", wrap=True)
        self._around_title = label(tr("Around it"), "section")
        for part in (self.sentence, self.detail, self.phases, self.note, self._around_title):
            self.body.addWidget(part)
        self._around = QGridLayout()
        self.body.addLayout(self._around)
        self._around.setHorizontalSpacing(10)
        self._around.setVerticalSpacing(4)
        self._around.setColumnStretch(2, 1)
        self._lines: list[QWidget] = []
        self._events: Sequence[ChartEvent] | None = None
        row = QHBoxLayout()
        self.body.addLayout(row)
        row.setContentsMargins(0, 2, 0, 0)
        row.setSpacing(8)
        self.bundle = ActionButton(table, "infrastructure.bundle", text=tr("Evidence bundle"))
        row.addWidget(self.bundle)
        row.addWidget(plain_button(tr("Copy as picture"), self.copy_asked.emit))
        row.addStretch(1)
        self.body.addStretch(1)

    @property
    def traces(self) -> list[str]:
        """Ids by which the audit log tells of what happened around the selection; none while nothing is selected."""
        return [] if self.isHidden() else [one.trace for one in self._events or () if one.trace]

    def show_change(self, title: str, sentence: str, detail: str, phases: Sequence[PhaseChange], note: str) -> None:
        """Say what changed."""
        self.title.setText(title)
        self.setAccessibleName(title)
        self.sentence.setText(sentence)
        self.detail.setText(detail)
        self.phases.setVisible(bool(phases))
        self.phases.show_phases(phases)
        self.note.setText(note)

    def show_around(self, events: Sequence[ChartEvent]) -> None:
        """Say what happened around it."""
        if events == self._events:
            return
        self._events = list(events)
        self.bundle.setVisible(bool(self.traces))
        take_away(self._around, self._lines)
        self._lines = []
        for at, one in enumerate(events[:MOST_EVENTS]):
            mark = StateMark()
            mark.set(one.state, one.word)
            clock = label(clock_time(one.at), "mono")
            clock.setProperty("dim", True)
            said = ElidedLabel(one.sentence)
            for column, part in enumerate((clock, mark, said)):
                self._around.addWidget(part, at, column)
                self._lines.append(part)
        more = len(events) - MOST_EVENTS
        words = tr("No alarm, burn or restart.") if not events else tr("and {count} more", count=more)
        if not events or more > 0:
            last = label(words, "dim")
            self._around.addWidget(last, MOST_EVENTS, 0, 1, 3)
            self._lines.append(last)


def _ms(value: float | None) -> str:
    return tr("not read") if value is None else number(value, ".2f" if value < 10 else ".1f")
