"""Where a handshake's time went: one bar a phase on a common time axis, with its milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr


@dataclass(frozen=True)
class ProbePhase:
    """``start`` and ``length`` in milliseconds from the beginning of the probe."""

    name: str
    start: float
    length: float


class PhaseBars(QWidget):
    """A small Gantt chart. The axis ends at the last phase's end; a phase that took no time shows as a tick."""

    ROW = 20

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._phases: list[ProbePhase] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Phases of the handshake: not measured"))

    def set(self, phases: Sequence[ProbePhase]) -> None:
        """Show these phases, in this order."""
        if list(phases) == self._phases:
            return
        resized = len(phases) != len(self._phases)
        self._phases = list(phases)
        said = ", ".join(tr("{name} {ms:.2f} ms", name=phase.name, ms=phase.length) for phase in phases)
        self.setAccessibleName(tr("Phases of the handshake: {said}", said=said or tr("not measured")))
        if resized:
            self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, theme.px(self.ROW) * max(1, len(self._phases)))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        tokens = theme.current()
        row = theme.px(self.ROW)
        painter.setFont(theme.ui(12))
        if not self._phases:
            painter.setPen(QColor(tokens.dim))
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter), tr("No handshake was measured yet."))
            return
        names, values = theme.px(84), theme.px(72)
        end = max(phase.start + phase.length for phase in self._phases) or 1.0
        left, width = names, max(8, self.width() - names - values)
        for at, phase in enumerate(self._phases):
            top = at * row
            painter.setPen(QColor(tokens.dim))
            painter.drawText(QRectF(0, top, names, row), int(Qt.AlignmentFlag.AlignVCenter), phase.name)
            track = QRectF(left, top + row * 0.3, width, row * 0.4)
            painter.fillRect(track, QColor(tokens.raised))
            start = left + width * phase.start / end
            painter.fillRect(
                QRectF(start, track.top(), max(2.0, width * phase.length / end), track.height()), QColor(tokens.accent)
            )
            painter.setPen(QColor(tokens.text))
            box = QRectF(self.width() - values, top, values, row)
            flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight)
            painter.drawText(box, flags, tr("{ms:.2f} ms", ms=phase.length))
