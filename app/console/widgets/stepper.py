"""Stages of a long piece of work as one bar in segments: what is done, what runs, what failed, each with its time."""

from __future__ import annotations

import enum
from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.console import theme
from app.console.language import tr
from app.console.theme.tokens import Meaning


class StageState(enum.StrEnum):
    """State of one stage."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


STAGE_WORDS = {
    StageState.WAITING: tr("waiting"),
    StageState.RUNNING: tr("running"),
    StageState.DONE: tr("done"),
    StageState.FAILED: tr("failed"),
}


_HEIGHT = 46
"""Px at 100 % text: the bar, names, times."""
_GAP = 4
"""Px between segments."""


def shown_time(detail: str) -> str:
    """What is painted of a detail: its time, the last two words."""
    return " ".join(detail.split()[-2:])


class Stepper(QWidget):
    """A bar of one segment a stage. Under it stand names and times; the tooltip has each whole detail, for example
    ``12 · 340 ms``. Where a name is longer than its segment, names stand in two rows by turns, without the times."""

    def __init__(self, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._names = list(names)
        self._stages = [StageState.WAITING] * len(self._names)
        self._details = [""] * len(self._names)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._tell()

    def set_stage(self, index: int, stage: StageState, detail: str = "") -> None:
        """Set the state of stage ``index`` (from 0)."""
        self._stages[index], self._details[index] = stage, detail
        self._tell()
        self.update()

    def reset(self) -> None:
        """Set every stage to waiting."""
        self._stages = [StageState.WAITING] * len(self._names)
        self._details = [""] * len(self._names)
        self._tell()
        self.update()

    def stage(self, index: int) -> StageState:
        """State of stage ``index``."""
        return self._stages[index]

    @property
    def staggers(self) -> bool:
        """Whether the names need two rows."""
        metrics = QFontMetrics(theme.ui(12, QFont.Weight.Medium))
        room = (self.width() + _GAP) / max(1, len(self._names)) - _GAP
        return any(metrics.horizontalAdvance(name) > room for name in self._names)

    def _tell(self) -> None:
        words = [STAGE_WORDS[stage] for stage in self._stages]
        said = ", ".join(f"{name} {word}" for name, word in zip(self._names, words, strict=True))
        self.setAccessibleName(said)
        self.setToolTip(
            "\n".join(
                f"{name}: {word}{' · ' + detail if detail else ''}"
                for name, word, detail in zip(self._names, words, self._details, strict=True)
            )
        )

    def sizeHint(self) -> QSize:
        return QSize(theme.px(68) * len(self._names), theme.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme.px(52) * len(self._names), theme.px(_HEIGHT))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        tokens = theme.current()
        colours = {
            StageState.DONE: tokens.state(Meaning.OK),
            StageState.RUNNING: tokens.state(Meaning.WORK),
            StageState.FAILED: tokens.state(Meaning.BAD),
            StageState.WAITING: tokens.border,
        }
        width = (self.width() + _GAP) / max(1, len(self._names))
        bar, staggers = theme.px(6), self.staggers
        for index, (name, stage) in enumerate(zip(self._names, self._stages, strict=True)):
            left, room = index * width, width - _GAP
            segment = QPainterPath()
            segment.addRoundedRect(QRectF(left, 0, room, bar), 3, 3)
            painter.fillPath(segment, QColor(colours[stage]))
            waits = stage is StageState.WAITING
            painter.setFont(theme.ui(12, QFont.Weight.Normal if waits else QFont.Weight.Medium))
            painter.setPen(QColor(tokens.dim if waits else tokens.text))
            line = painter.fontMetrics().height()
            top = bar + theme.px(6)
            if staggers:
                last = index == len(self._names) - 1
                wide, top = room if last else room + width, top + (line if index % 2 else 0)
                text = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(wide))
                painter.drawText(QRectF(left, top, wide, line), Qt.AlignmentFlag.AlignLeft, text)
                continue
            text = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, int(room))
            painter.drawText(QRectF(left, top, room, line), Qt.AlignmentFlag.AlignLeft, text)
            painter.setFont(theme.ui(11))
            painter.setPen(QColor(tokens.bad if stage is StageState.FAILED else tokens.dim))
            text = shown_time(self._details[index]) or (tr("now") if stage is StageState.RUNNING else "")
            text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(room))
            painter.drawText(QRectF(left, top + line + theme.px(1), room, line), Qt.AlignmentFlag.AlignLeft, text)
